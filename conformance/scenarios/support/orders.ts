// Orders that open and close positions, by templates: the specification shows no payload (NS-1).
// Those of the profile, or in a world of the run's own the usual names and what the target
// describes; nothing else is tried.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { MissingCapability, UnknownPayload } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { idText, type Json } from '../../engine/send/json.ts';
import type { OrderTemplates, Place } from '../../providers/target.ts';
import { describeApi, isObject, type JsonObject } from './api-description.ts';

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

/** Undefined if the run has not opened and closed a position. */
export function learnedOrders(learned: ReadonlyMap<string, unknown>): LearnedOrders | undefined {
  const opening = learned.get(OPEN) as Opening | undefined;
  const closing = learned.get(CLOSE) as Closing | undefined;
  return opening === undefined || closing === undefined ? undefined : { opening, closing };
}

const OPEN = 'opening a position';
const CLOSE = 'closing a position';
/** Stands for the id of the position in the template of a close. */
const PLACEHOLDER = '{position_id}';

function templatesOf(t: ScenarioContext): OrderTemplates {
  const { orders } = t.target;
  if (orders !== undefined) return orders;
  throw new UnknownPayload('add positions, the orders that open and close a position');
}

/** Opens a position by the template. It counts as a control, and is closed when the scenario ends. */
export async function openPosition(t: ScenarioContext, place: Place): Promise<OpenedPosition> {
  const { trading_account_id } = place;
  const templates = templatesOf(t);
  let last: Answer | undefined;
  for await (const terms of openingsOf(t, templates)) {
    const body = { ...terms, trading_account_id };
    const key = t.fresh.key();
    last = await t.sendUntilAnswered(OPEN, () => t.api.openPosition(body, { key }));
    if (last.status >= 300) continue;
    const opened = { body, answer: last };
    t.findings.controlled = true;
    t.learned.set(OPEN, { terms, other: templates.other ?? (await usualOther(t, terms)) });
    t.addCleanUp(async () => {
      const closing = t.learned.get(CLOSE) as Closing | undefined;
      const usual = closing ?? closingsOf(templates, opened.answer)[0]!;
      await t.api.closePosition(closeBody(usual, opened));
    });
    return opened;
  }
  throw new UnknownPayload(
    `${OPEN}: the order is not taken (${last?.summary}); see positions.open`,
  );
}

/** What the run knows already; else the templates, and in a world of its own what is described. */
async function* openingsOf(
  t: ScenarioContext,
  { open }: OrderTemplates,
): AsyncGenerator<RequestBody, void> {
  const known = t.learned.get(OPEN) as Opening | undefined;
  if (known !== undefined) return void (yield known.terms);
  yield* open;
  if (t.has('mint')) yield* await describedOrder(t);
}

async function describedOrder(t: ScenarioContext): Promise<RequestBody[]> {
  const description = t.has('mint') ? await describeApi(t) : undefined;
  const { trading_account_id: _, ...terms } = exampleOf(
    description?.requestSchema('post', '/api/v1/positions/open'),
  );
  return Object.keys(terms).length === 0 ? [] : [terms];
}

/** A value for each required member: the first that its schema allows or shows. */
function exampleOf(schema: JsonObject | undefined): RequestBody {
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const properties = isObject(schema?.properties) ? schema.properties : {};
  return Object.fromEntries(
    required.map((name) => {
      const { enum: allowed, examples, example = 'conformance' } = Object(properties[String(name)]);
      return [name, [allowed, examples].find(Array.isArray)?.[0] ?? example];
    }),
  );
}

/** Only in a world of the run's own: a profile says itself what another order is. */
async function usualOther(t: ScenarioContext, terms: RequestBody): Promise<RequestBody> {
  if (!t.has('mint')) return {};
  const schema = (await describeApi(t))?.requestSchema('post', '/api/v1/positions/open');
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const other: RequestBody = { instrument: 'GBPUSD', symbol: 'GBPUSD', side: 'sell' };
  return Object.fromEntries(
    Object.entries(terms).map(([name, value]) => {
      const { enum: allowed = [] } = Object(properties[name]) as { enum?: Json[] };
      const another = allowed.find((each) => each !== value);
      return [name, another ?? other[name] ?? '0.20'];
    }),
  );
}

/** The body that closes an opened position in the form that was taken, or one of that id. */
export type ClosingBody = (opened: OpenedPosition, positionId?: string) => RequestBody;

/** Closes a position by the template; `body` closes another in the same way. */
export async function closePosition(
  t: ScenarioContext,
  opened: OpenedPosition,
): Promise<{ answer: Answer; body: ClosingBody }> {
  let last: Answer | undefined;
  for await (const closing of closingsFor(t, opened)) {
    const key = t.fresh.key();
    const body = closeBody(closing, opened);
    last = await t.sendUntilAnswered(CLOSE, () => t.api.closePosition(body, { key }));
    if (last.status >= 300) continue;
    t.findings.controlled = true;
    t.learned.set(CLOSE, closing);
    return { answer: last, body: (another, id) => closeBody(closing, another, id) };
  }
  throw new UnknownPayload(
    `${CLOSE}: the order is not taken (${last?.summary}); see positions.close`,
  );
}

async function* closingsFor(
  t: ScenarioContext,
  opened: OpenedPosition,
): AsyncGenerator<Closing, void> {
  const known = t.learned.get(CLOSE) as Closing | undefined;
  if (known !== undefined) return void (yield known);
  yield* closingsOf(templatesOf(t), opened.answer);
  if (t.has('mint')) yield* await describedClosing(t, opened);
}

async function describedClosing(t: ScenarioContext, opened: OpenedPosition): Promise<Closing[]> {
  const schema = (await describeApi(t))?.requestSchema('post', '/api/v1/positions/close');
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const name = required.find((each) => typeof each === 'string' && !OTHERS.test(each));
  const [path = 'position_id'] = idPathsIn(opened.answer);
  return typeof name === 'string' ? [{ name, path, terms: {} }] : [];
}

/** With a placeholder the template says under which name the position goes. */
function closingsOf({ close }: OrderTemplates, opened: Answer): Closing[] {
  const [path = 'position_id'] = idPathsIn(opened);
  const placed = Object.keys(close).find((name) => close[name] === PLACEHOLDER);
  if (placed === undefined) return [{ name: 'position_id', path, terms: close }];
  const { [placed]: _, ...terms } = close;
  return [{ name: placed, path, terms }];
}

function closeBody(
  { name, path, terms }: Closing,
  opened: OpenedPosition,
  id?: string,
): RequestBody {
  const { trading_account_id = null } = opened.body;
  return { ...terms, trading_account_id, [name]: id ?? opened.answer.idAt(path) ?? '' };
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
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      pathsIn(inner, at === '' ? name : `${at}.${name}`),
    );
  }
  const text = idText(value);
  const isId = text !== undefined && text.length <= 64 && /^[^.]+$/.test(text);
  return isId && ID.test(at.split('.').at(-1) ?? '') ? [at] : [];
}

/** The body of an order that differs in instrument, side and size, for the same trading account. */
export function differing(t: ScenarioContext, { trading_account_id = null }: RequestBody) {
  const { terms, other } = (t.learned.get(OPEN) ?? { terms: {}, other: {} }) as Opening;
  if (Object.keys(other).length === 0) {
    throw new MissingCapability(
      'other_order',
      'the profile gives no other order: positions.open.other_body',
    );
  }
  return { ...terms, ...other, trading_account_id };
}
