// Orders that open and close positions. The specification shows no payload (NS-1): the likely ones
// are tried in turn, then what the target describes or asks for. What is taken is used from then
// on.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { UnknownPayload } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Place } from '../../providers/target.ts';
import { describeApi, isObject } from './api-description.ts';
import { learnPayload } from './learn-payload.ts';

export interface OpenedPosition {
  /** The body that opened it. */
  readonly body: RequestBody;
  readonly answer: Answer;
}

/** The members of an opening besides the trading account, and others that differ from them. */
interface Opening {
  readonly terms: RequestBody;
  readonly other: RequestBody;
}

/** The member that names the position, and where the answer to its opening has it. */
interface Closing {
  readonly name: string;
  readonly path: string;
  /** What else is asked for. */
  readonly terms: RequestBody;
}

/** How the target takes orders, as far as a run has found out. */
export interface LearnedOrders {
  readonly opening: Opening;
  readonly closing: Closing;
}

/** Undefined where the run has not opened and closed a position. */
export function learnedOrders(learned: ReadonlyMap<string, unknown>): LearnedOrders | undefined {
  const opening = learned.get(OPEN) as Opening | undefined;
  const closing = learned.get(CLOSE) as Closing | undefined;
  return opening === undefined || closing === undefined ? undefined : { opening, closing };
}

const OPEN = '/api/v1/positions/open';
const CLOSE = '/api/v1/positions/close';

const OTHER: RequestBody = { instrument: 'GBPUSD', symbol: 'GBPUSD', side: 'sell' };

/** The fields that the specification mentions in passing: instrument, side and size. */
const OPENINGS: readonly Opening[] = [
  { instrument: 'EURUSD', side: 'buy', volume: '0.10' },
  { instrument: 'EURUSD', side: 'buy', size: '0.10' },
  { symbol: 'EURUSD', side: 'buy', volume: '0.10' },
].map((terms) => {
  const changed = Object.keys(terms).map((name) => [name, OTHER[name] ?? '0.20']);
  return { terms, other: Object.fromEntries(changed) as RequestBody };
});

/** Opens a position with the first payload that is taken. It counts as a control. */
export async function openPosition(t: ScenarioContext, place: Place): Promise<OpenedPosition> {
  const { trading_account_id } = place;
  const words = 'opening a position';
  const send = (body: RequestBody) =>
    t.sendUntilAnswered(words, () => t.api.openPosition(body, { key: t.fresh.key() }));
  const known = t.learned.get(OPEN) as Opening | undefined;
  let last: Answer | undefined;
  for (const opening of known === undefined ? OPENINGS : [known]) {
    const body = { trading_account_id, ...opening.terms };
    last = await send(body);
    if (last.status >= 300) continue;
    t.findings.controlled = true;
    t.learned.set(OPEN, opening);
    return { body, answer: last };
  }
  const description = known === undefined ? await describeApi(t) : undefined;
  const learned =
    known === undefined
      ? await learnPayload({
          known: { trading_account_id },
          send,
          valuesOf: (name) => ownValues(place, name),
          schema: description?.requestSchema('post', OPEN),
          description,
        })
      : undefined;
  if (learned === undefined) throw unknown(words, last);
  t.findings.controlled = true;
  t.learned.set(OPEN, { terms: termsOf(learned.body), other: termsOf(learned.other) });
  return { body: learned.body, answer: learned.answer };
}

function ownValues(place: Place, name: string): readonly Json[] | undefined {
  if (name === 'account_id') return [place.account_id];
  return name === 'currency' ? [place.currency] : undefined;
}

/** The body that closes an opened position in the form that was taken, or one of that id. */
export type ClosingBody = (opened: OpenedPosition, positionId?: string) => RequestBody;

/**
 * Closes a position with the first payload that is taken; `body` closes another in the same way.
 */
export async function closePosition(
  t: ScenarioContext,
  opened: OpenedPosition,
): Promise<{ answer: Answer; body: ClosingBody }> {
  const words = 'closing a position';
  const send = (body: RequestBody) =>
    t.sendUntilAnswered(words, () => t.api.closePosition(body, { key: t.fresh.key() }));
  const known = t.learned.get(CLOSE) as Closing | undefined;
  const paths = idPathsIn(opened.answer);
  const [path = 'position_id'] = paths;
  const likely = ['position_id', 'id'].map((name): Closing => ({ name, path, terms: {} }));
  let last: Answer | undefined;
  for (const closing of known === undefined ? likely : [known]) {
    last = await send(closeBody(closing, opened));
    if (last.status < 300) return closed(t, closing, last);
  }
  const found = known === undefined ? await learnClosing(t, opened, paths, send) : undefined;
  if (found === undefined) throw unknown(words, last);
  return closed(t, found.closing, found.answer);
}

function closed(t: ScenarioContext, closing: Closing, answer: Answer) {
  t.findings.controlled = true;
  t.learned.set(CLOSE, closing);
  const body: ClosingBody = (another, id) => closeBody(closing, another, id);
  return { answer, body };
}

/** From what the target says of it; whatever is called an id is one of those of the opening. */
async function learnClosing(
  t: ScenarioContext,
  opened: OpenedPosition,
  paths: readonly string[],
  send: (body: RequestBody) => Promise<Answer>,
): Promise<{ closing: Closing; answer: Answer } | undefined> {
  const { trading_account_id = null } = opened.body;
  const ids = paths.map((path) => String(opened.answer.at(path)));
  const description = await describeApi(t);
  const learned = await learnPayload({
    known: { trading_account_id },
    send,
    valuesOf: (name) => (ID.test(name) ? ids : undefined),
    schema: description?.requestSchema('post', CLOSE),
    description,
  });
  if (learned === undefined) return undefined;
  const terms = termsOf(learned.body);
  const name = Object.keys(terms).find((each) => ids.includes(String(terms[each])));
  const path = name === undefined ? undefined : paths[ids.indexOf(String(terms[name]))];
  if (name === undefined || path === undefined) return undefined;
  const { [name]: _, ...rest } = terms;
  return { closing: { name, path, terms: rest }, answer: learned.answer };
}

/** NS-1: a payload that nobody knows is no fault of the target's. */
function unknown(words: string, last: Answer | undefined): UnknownPayload {
  const why = last === undefined ? '' : ` (${last.summary})`;
  return new UnknownPayload(`${words}: no payload that was tried is taken${why}`);
}

function termsOf({ trading_account_id: _, ...terms }: RequestBody): RequestBody {
  return terms;
}

function closeBody(
  { name, path, terms }: Closing,
  opened: OpenedPosition,
  id?: string,
): RequestBody {
  const { trading_account_id = null } = opened.body;
  const own = opened.answer.at(path);
  return { trading_account_id, ...terms, [name]: id ?? (own === undefined ? '' : String(own)) };
}

const ID = /id$|ticket|position|order|deal|number/i;
/** Whose id it is not. */
const OTHERS = /account|client|request|user|firm|brand/i;

/** Where an answer to an opening may have the id of its position, the likeliest first. */
function idPathsIn(answer: Answer): string[] {
  const found = pathsIn(answer.json ?? null, '').filter((path) => !OTHERS.test(path));
  const rank = (path: string) => PREFERRED.findIndex((each) => each.test(path)) >>> 0;
  return found.sort((a, b) => rank(a) - rank(b));
}

const PREFERRED = [
  /^position_?id$/i,
  /position(?:(?!position).)*id$/i,
  /position/i,
  /ticket/i,
  /^id$/i,
];

function pathsIn(value: Json, at: string): string[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      pathsIn(inner, at === '' ? name : `${at}.${name}`),
    );
  }
  const isId =
    typeof value === 'string' ? value !== '' && value.length <= 64 : Number.isInteger(value);
  return isId && ID.test(at.split('.').at(-1) ?? '') ? [at] : [];
}

/** The body of an order that differs in instrument, side and size, for the same trading account. */
export function differing(
  t: ScenarioContext,
  { trading_account_id = null, ...terms }: RequestBody,
) {
  const { other = {} } = (t.learned.get(OPEN) ?? {}) as Partial<Opening>;
  return { trading_account_id, ...terms, ...other };
}

/** Which order an answer is about: by its id where there is one, else by everything in it. */
export function orderOf(answer: Answer): string {
  const id = answer.at('id') ?? answer.at('order_id') ?? answer.at('order.id');
  return id === undefined ? JSON.stringify(answer.json ?? answer.text) : String(id);
}
