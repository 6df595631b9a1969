// Orders that open and close positions, from templates: the specification shows no payload (NS-1).
// Templates come from the profile, or from the simulator in a world of the run.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { MissingCapability, UnknownPayload } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import { idText, membersIn } from '../../engine/send/json.ts';
import type { OrderTemplate, OrderTemplates, Place } from '../../providers/target.ts';

export interface OpenedPosition {
  readonly body: RequestBody;
  readonly answer: Answer;
}

/** The member that names the position, and its location in the answer to the opening. */
interface Closing {
  readonly name: string;
  readonly path: string;
  readonly terms: RequestBody;
}

/** The orders that the target accepts, as far as the run knows. */
export interface LearnedOrders {
  readonly opening: OrderTemplate;
  readonly closing: Closing;
}

const OPEN = 'openPosition';
const CLOSE = 'closePosition';
/** Placeholder for the id of the position in the template of a close. */
const PLACEHOLDER = '{position_id}';

export function learnedOrders(learned: ReadonlyMap<string, unknown>): LearnedOrders | undefined {
  const opening = learned.get(OPEN) as OrderTemplate | undefined;
  const closing = learned.get(CLOSE) as Closing | undefined;
  return opening && closing && { opening, closing };
}

/** The orders of the templates in their most likely form, for a target that answers none of them. */
export function untriedOrders({ open, close }: OrderTemplates): LearnedOrders {
  return { opening: open[0]!, closing: closingsOf(close)[0]! };
}

function templatesOf({ target: { orders } }: ScenarioContext): OrderTemplates {
  if (orders !== undefined) return orders;
  throw new UnknownPayload('add positions, the orders that open and close a position');
}

/** Sends the orders one by one until one is accepted, and remembers it for the run. */
async function firstTaken<T>(
  t: ScenarioContext,
  operation: 'openPosition' | 'closePosition',
  all: readonly T[],
  bodyOf: (each: T) => RequestBody,
): Promise<{ readonly taken: T; readonly answer: Answer }> {
  const known = t.run.learned.get(operation) as T | undefined;
  let last = '';
  for (const taken of known === undefined ? all : [known]) {
    const answer = await t.answered(operation, { body: bodyOf(taken) });
    last = answer.refusal;
    if (!answer.isServed) continue;
    t.findings.controlled = true;
    t.run.learned.set(operation, taken);
    return { taken, answer };
  }
  const part = operation === OPEN ? 'positions.open' : 'positions.close';
  throw new UnknownPayload(`${part} was refused: ${last}`);
}

/** Opens a position by the template. It counts as a control, and is closed when the scenario ends. */
export async function openPosition(t: ScenarioContext, place: Place): Promise<OpenedPosition> {
  const { trading_account_id } = place;
  const bodyOf = ({ terms }: OrderTemplate) => ({ ...terms, trading_account_id });
  const { open } = templatesOf(t);
  const { taken, answer } = await firstTaken(t, OPEN, open, bodyOf);
  const opened = { body: bodyOf(taken), answer };
  t.addCleanUp(async () => {
    const known = t.run.learned.get(CLOSE) as Closing | undefined;
    const closing = known ?? closingsOf(templatesOf(t).close, answer)[0]!;
    await t.call('closePosition', { body: closeBody(closing, opened) });
  });
  return opened;
}

/** Closes a position by the template; `body` closes another in the same way, or under another id. */
export async function closePosition(t: ScenarioContext, opened: OpenedPosition) {
  const all = closingsOf(templatesOf(t).close, opened.answer);
  const { taken, answer } = await firstTaken(t, CLOSE, all, (each) => closeBody(each, opened));
  const body = (another: OpenedPosition, id?: string) => closeBody(taken, another, id);
  return { answer, body };
}

/**
 * A placeholder in the template shows which member names the position; otherwise the usual name or
 * the one in the opening answer is used.
 */
function closingsOf(close: RequestBody, opened?: Answer): Closing[] {
  const [path = 'position_id'] = opened === undefined ? [] : idPathsIn(opened);
  const placed = Object.keys(close).find((name) => close[name] === PLACEHOLDER);
  if (placed === undefined) {
    const names = new Set(['position_id', path.split('.').at(-1)!]);
    return [...names].map((name) => ({ name, path, terms: close }));
  }
  const { [placed]: _, ...terms } = close;
  return [{ name: placed, path, terms }];
}

function closeBody({ name, path, terms }: Closing, opened: OpenedPosition, id?: string) {
  const { trading_account_id = null } = opened.body;
  return { ...terms, trading_account_id, [name]: id ?? opened.answer.idAt(path) ?? '' };
}

const ID = /id$|ticket|position|order|deal|number/i;
/** Names of ids that are not the position's. */
const OTHERS = /account|client|request|user|firm|brand/i;
/** Members of an opening answer that may have the position's id, most likely first. */
const LIKELY = [
  /^position_?id$/i,
  /position(?:(?!position).)*id$/i,
  /position/i,
  /ticket/i,
  /^id$/i,
];

function idPathsIn(answer: Answer): string[] {
  const found = membersIn(answer.json).flatMap(([path, value]) => {
    const [name, whole, id] = [path.at(-1)!, path.join('.'), idText(value)];
    const isId = id !== undefined && id.length <= 64 && !id.includes('.') && ID.test(name);
    return isId && !/(^|\.)\d+(\.|$)/.test(whole) && !OTHERS.test(whole) ? [whole] : [];
  });
  const rank = (path: string) => LIKELY.findIndex((each) => each.test(path)) >>> 0;
  return found.sort((a, b) => rank(a) - rank(b));
}

/** The body of an order that differs in instrument, side and size, for the same trading account. */
export function differing(t: ScenarioContext, { trading_account_id = null }: RequestBody) {
  const { terms, other } = (t.run.learned.get(OPEN) ?? { terms: {}, other: {} }) as OrderTemplate;
  if (Object.keys(other).length === 0) {
    const words = 'the profile gives no other order: positions.open.other_body';
    throw new MissingCapability('other_order', words);
  }
  return { ...terms, ...other, trading_account_id };
}
