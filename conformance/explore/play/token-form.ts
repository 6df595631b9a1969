// NS-8: how a target takes requests for tokens, and where its answers have the token. Sequences hold
// the model's form; what goes to the target is put into the form that it was seen to take.

import type { HeaderLine } from '../../engine/send/headers.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';

export const TOKEN_FORMS = ['json', 'form', 'basic'] as const;
export type TokenForm = (typeof TOKEN_FORMS)[number];

export interface TokenRequest {
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

/** The members of a request in this form: as JSON, as a form, or with Basic authentication. */
export function tokenRequest(form: TokenForm, members: Json): TokenRequest | undefined {
  if (members === null || typeof members !== 'object' || Array.isArray(members)) return undefined;
  if (form === 'json') {
    return { headers: [['content-type', 'application/json']], body: JSON.stringify(members) };
  }
  const type: HeaderLine = ['content-type', 'application/x-www-form-urlencoded'];
  const { client_id: id, client_secret: secret, ...rest } = members;
  const sent = form === 'basic' ? rest : members;
  const texts = Object.entries(sent).map(([name, value]) => [name, String(value)]);
  const body = new URLSearchParams(texts).toString();
  if (form === 'form') return { headers: [type], body };
  const pair = [id, secret].map((each) => encodeURIComponent(String(each))).join(':');
  return { headers: [type, ['authorization', `Basic ${btoa(pair)}`]], body };
}

/** Names that a token may have, of the answer itself or of a member that wraps it. */
const NAMED = /^(?!refresh).*token$/i;

/** The answer with its token under the name that sequences look for. */
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
