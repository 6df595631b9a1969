// Orders that open and close positions. The specification shows no payload (NS-1), so the likely
// ones are tried in turn, and what is taken is used from then on.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Place } from '../../providers/target.ts';

export interface OpenedPosition {
  /** The body that opened it. */
  readonly body: RequestBody;
  readonly answer: Answer;
  readonly positionId: string;
}

/** The fields that the specification mentions in passing: instrument, side and size. */
const OPENINGS: readonly RequestBody[] = [
  { instrument: 'EURUSD', side: 'buy', volume: '0.10' },
  { instrument: 'EURUSD', side: 'buy', size: '0.10' },
  { symbol: 'EURUSD', side: 'buy', volume: '0.10' },
];

/** Opens a position with the first payload that is taken. It counts as a control. */
export async function openPosition(t: ScenarioContext, place: Place): Promise<OpenedPosition> {
  const bodies = OPENINGS.map((each) => ({
    trading_account_id: place.trading_account_id,
    ...each,
  }));
  const { body, answer } = await firstTaken(t, 'opening a position', bodies, (each) =>
    t.api.openPosition(each, { key: t.fresh.key() }),
  );
  return { body, answer, positionId: positionIdIn(answer) };
}

/**
 * Closes a position with the first payload that is taken; `body` closes another in the same way.
 */
export async function closePosition(
  t: ScenarioContext,
  opened: OpenedPosition,
): Promise<{ answer: Answer; body: (another: OpenedPosition) => RequestBody }> {
  const names = ['position_id', 'id'];
  const bodyOf = (each: OpenedPosition, name: string): RequestBody => ({
    trading_account_id: each.body.trading_account_id,
    [name]: each.positionId,
  });
  const bodies = names.map((name) => bodyOf(opened, name));
  const { body, answer } = await firstTaken(t, 'closing a position', bodies, (each) =>
    t.api.closePosition(each, { key: t.fresh.key() }),
  );
  const name = names[bodies.indexOf(body)]!;
  return { answer, body: (another) => bodyOf(another, name) };
}

async function firstTaken(
  t: ScenarioContext,
  words: string,
  bodies: readonly RequestBody[],
  send: (body: RequestBody) => Promise<Answer>,
): Promise<{ body: RequestBody; answer: Answer }> {
  let last = '';
  for (const body of bodies) {
    const answer = await t.given.sendUntilAnswered(words, () => send(body));
    if (answer.status < 300) {
      t.findings.controlled = true;
      return { body, answer };
    }
    last = answer.summary;
  }
  // NS-1: a payload that nobody knows is no fault of the target's.
  throw new MissingCapability(
    'trading_account',
    `${words}: no payload that was tried is taken (${last})`,
  );
}

export function positionIdIn(answer: Answer): string {
  const id = answer.at('position_id') ?? answer.at('position.id') ?? answer.at('id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

/** The body of an order that differs in instrument, side and size, for the same trading account. */
export function differing({ trading_account_id, ...terms }: RequestBody): RequestBody {
  const others: RequestBody = { instrument: 'GBPUSD', symbol: 'GBPUSD', side: 'sell' };
  const changed = Object.keys(terms).map((name) => [name, others[name] ?? '0.20']);
  return { trading_account_id, ...Object.fromEntries(changed) };
}

/** Which order an answer is about: by its id where there is one, else by everything in it. */
export function orderOf(answer: Answer): string {
  const id = answer.at('id') ?? answer.at('order_id') ?? answer.at('order.id');
  return id === undefined ? JSON.stringify(answer.json ?? answer.text) : String(id);
}
