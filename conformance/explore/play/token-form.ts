// NS-8: the form in which a target takes token requests, and the place of the token in its answers.
// Sequences use the model's form; requests to the target are converted to the form that it accepts.
import { encodeCall, type TokenForm, tokenCall } from '../../engine/send/call.ts';
import type { HeaderLine } from '../../engine/send/headers.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';

export const TOKEN_FORMS: readonly TokenForm[] = ['json', 'form', 'basic'];

/** Headers and body of a request by the client in `members`. */
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
