// Cleans up after a play on a persistent target: disables its subscriptions and closes its
// positions.
import { memberAt } from '../../engine/send/json.ts';
import type { CallStep } from '../sequence.ts';
import { withPosition } from './forms.ts';
import { Spent } from './ground.ts';
import { answersIn, isSetupFailure, jsonSent } from './outcome.ts';
import type { Player } from './player.ts';

type Ending = Omit<CallStep, 'do' | 'n'>;

/** The responses are not compared: the inventory lists what is left. */
export async function tidy(player: Player): Promise<void> {
  if (player.ground.target.disposable || player.ground.signal?.aborted === true) return;
  let n = 1 + Math.max(0, ...player.outcomes.keys());
  try {
    for (const call of endingsOf(player)) {
      await player.play({ ...call, do: 'call', n });
      n += 1;
    }
  } catch (error) {
    if (!(error instanceof Spent) && !isSetupFailure(error)) throw error;
  }
}

function endingsOf(player: Player): readonly Ending[] {
  const served = answersIn(player.outcomes).filter(({ status }) => status < 300);
  const of = (path: RegExp) =>
    served.filter(({ sent }) => sent.method === 'POST' && path.test(sent.target));
  const disabled = new Set(of(/\/disable$/).map(({ sent }) => sent.target.split('/').at(-2)));
  const { orders: form } = player.ground;
  const name = form?.closing.name ?? 'position_id';
  const closed = new Set(of(/\/positions\/close$/).map((each) => memberAt(jsonSent(each), name)));
  const hooks = of(/\/webhooks$/).flatMap(({ sent: { as }, json }): Ending[] => {
    const id = String(memberAt(json, 'id'));
    return disabled.has(id) ? [] : [{ operation: 'disableWebhook', as, id }];
  });
  const positions = of(/\/positions\/open$/).flatMap((each): Ending[] => {
    const position_id = memberAt(withPosition(form, each.sent.target, each.json), 'position_id');
    const trading_account_id = memberAt(jsonSent(each), 'trading_account_id');
    if (typeof position_id !== 'string' || typeof trading_account_id !== 'string') return [];
    if (closed.has(position_id)) return [];
    const key = { $fresh: `tidy-${position_id}` };
    const body = { trading_account_id, position_id };
    return [{ operation: 'closePosition', as: each.sent.as, key, body }];
  });
  // A replayed answer shows the same record again.
  return [
    ...new Map([...hooks, ...positions].map((each) => [JSON.stringify(each), each])).values(),
  ];
}
