// NS-1, NS-8: positions and tokens in another form than the model's. Sequences use the model's form;
// requests are converted to the form that the target takes, and its answers back.
import { encodeCall, type TokenForm, tokenCall } from '../../engine/send/call.ts';
import type { HeaderLine } from '../../engine/send/headers.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';
import type { OperationName } from '../../spec/operations.ts';
import type { LearnedOrders } from '../observe.ts';

/** Undefined if it is the model's own form, which has more members. */
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

/** The body of an order in the form of the target; any other body is unchanged. */
export function inForm(
  form: LearnedOrders | undefined,
  operation: OperationName,
  body: Json,
): Json {
  if (form === undefined || !isOrder(operation)) return body;
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  if (operation === 'openPosition') {
    const { instrument, side: _, volume: __, ...rest } = body;
    // The difference from the plain order is all that matters (POS-2).
    const isOther = instrument !== undefined && instrument !== 'EURUSD';
    return asJson({ ...rest, ...form.opening.terms, ...(isOther ? form.opening.other : {}) });
  }
  // A position is closed completely; members that neither side knows are sent too.
  const { [POSITION]: position, volume: _, ...rest } = body;
  const named = position === undefined ? {} : { [form.closing.name]: position };
  return asJson({ ...rest, ...form.closing.terms, ...named });
}

const asJson = (members: { readonly [name: string]: Json | undefined }): Json =>
  Object.fromEntries(
    Object.entries(members).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );

const isOrder = (operation: OperationName): boolean => /Position$/.test(operation);

/**
 * The order that an answer is about. Not its position: a platform may keep one position for several
 * orders of one instrument.
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

/** The answer to an opening, with its position in the place where sequences read it. */
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

export const TOKEN_FORMS: readonly TokenForm[] = ['json', 'form', 'basic'];

export function tokenRequest(form: TokenForm, members: Json) {
  const [id, secret] = ['client_id', 'client_secret'].map((name) =>
    String(memberAt(members, name)),
  );
  const call = tokenCall(id!, secret!, form);
  const { headers, body } = encodeCall(call);
  const own: HeaderLine[] = call.authorization ? [['authorization', call.authorization]] : [];
  return { headers: [...headers, ...own], body };
}

/** Possible names of a token, in the answer itself or in a member that wraps it. */
const NAMED = /^(?!refresh).*token$/i;

/** The answer with its token under the name that sequences expect. */
export function withToken(json: Json | undefined): Json | undefined {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return json;
  const token = tokenIn(json);
  return token === undefined ? json : { ...json, access_token: token };
}

export function tokenIn(json: Json | undefined): string | undefined {
  if (json === null || json === undefined || typeof json !== 'object') return undefined;
  const parts = [json, ...Object.values(json)].filter((each) => Object(each) === each);
  const texts = parts.flatMap((part) =>
    Object.keys(part as object).flatMap((name) => {
      const value = memberAt(part as Json, name);
      return NAMED.test(name) && typeof value === 'string' ? [value] : [];
    }),
  );
  return texts.sort((one, other) => other.length - one.length)[0];
}
