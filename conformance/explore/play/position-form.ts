// NS-1: positions in another form than the model's. Sequences hold the model's; what goes to the
// target is put into the form that it took when the judge asked, and ids are read where they are.
import { type Json, memberAt } from '../../engine/send/json.ts';
import type { OperationName } from '../../spec/operations.ts';
import type { LearnedOrders } from '../observe.ts';

/** Undefined where it is the model's own, which says more. */
export function formOf(learned: LearnedOrders | undefined): LearnedOrders | undefined {
  if (learned === undefined) return undefined;
  const { opening, closing } = learned;
  const isOwn =
    Object.keys(opening.terms).sort().join() === MEMBERS.join() &&
    [closing.name, closing.path].every((each) => each === POSITION) &&
    Object.keys(closing.terms).length === 0;
  return isOwn ? undefined : learned;
}

const POSITION = 'position_id';
const MEMBERS = ['instrument', 'side', 'volume'];

/** The body of an order as the target takes it; any other body as it is. */
export function inForm(
  form: LearnedOrders | undefined,
  operation: OperationName,
  body: Json,
): Json {
  if (form === undefined || !isOrder(operation)) return body;
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  if (operation === 'openPosition') {
    const { instrument, side: _, volume: __, ...rest } = body;
    // What another order would say is all that counts of it (POS-2).
    const isOther = instrument !== undefined && instrument !== 'EURUSD';
    return asJson({ ...rest, ...form.opening.terms, ...(isOther ? form.opening.other : {}) });
  }
  // Whole, and with what else is sent: neither side knows it.
  const { [POSITION]: position, volume: _, ...rest } = body;
  const named = position === undefined ? {} : { [form.closing.name]: position };
  return asJson({ ...rest, ...form.closing.terms, ...named });
}

/** What is undefined is not said, as JSON has it. */
const asJson = (members: { readonly [name: string]: Json | undefined }): Json =>
  Object.fromEntries(
    Object.entries(members).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );

const isOrder = (operation: OperationName): boolean => /Position$/.test(operation);

/**
 * Which order an answer is about. Not its position: of several orders for one instrument a platform
 * may keep one position.
 */
export function orderIn(
  form: LearnedOrders | undefined,
  json: Json | undefined,
): string | undefined {
  const own = form?.closing.path === 'id' ? [] : ['id'];
  const ids = ['order_id', 'order.id', ...own].map((path) => textAt(json, path));
  return ids.find((id) => id !== undefined);
}

function textAt(json: Json | undefined, path: string): string | undefined {
  const id = memberAt(json, path);
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** The answer to an opening with its position where sequences look for it. */
export function withPosition(
  form: LearnedOrders | undefined,
  path: string,
  json: Json | undefined,
): Json | undefined {
  if (form === undefined || !path.endsWith('/positions/open')) return json;
  const id = textAt(json, form.closing.path);
  if (id === undefined || json === null || typeof json !== 'object' || Array.isArray(json)) {
    return json;
  }
  return asJson({ ...json, [POSITION]: id });
}
