// Third stage: who is calling (AUTH-1).

import type { Decision } from '../call.ts';
import { headerOf, operationRowOf } from './operation-row.ts';
import { refuseUnnamed } from './refuse.ts';
import type { RequestContext, Stage } from './request-context.ts';

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** The token of a call: from the header, or on the events channel also from the query (NS-12). */
export function tokenText(context: RequestContext): string | null {
  const header = headerOf(context, 'authorization');
  const fromHeader = header === undefined ? null : (bearer.exec(header)?.[1] ?? null);
  if (fromHeader !== null || context.operation !== 'streamEvents') return fromHeader;
  return context.query.get('access_token');
}

export const tokenStage: Stage = {
  name: 'token',
  decide(context) {
    if (operationRowOf(context).auth !== 'bearer') return null;
    const text = tokenText(context);
    if (text === null) {
      return refuseToken(context, 'Send an Authorization header: Bearer and an access token.');
    }
    const token = context.world.tokens.get(text);
    if (token === undefined) return refuseToken(context, 'This access token is not known here.');
    if (token.expires_at_ms !== null && token.expires_at_ms <= context.atMs) {
      return refuseToken(context, 'This access token has expired. Get a new one.');
    }
    context.token = token;
    context.credential = context.world.credentials.get(token.client_id) ?? null;
    if (context.credential !== null) return null;
    return refuseToken(context, 'The credential of this access token no longer exists.');
  },
};

// AUTH-1, NS-16: the specification names no status for it; RFC 6750 asks for this header.
export function refuseToken(context: RequestContext, detail: string): Decision {
  const { unauthorized_status: status, unauthorized_code: code } = context.behaviour.settings;
  return refuseUnnamed(
    context,
    { status, title: 'Unauthorized', code, detail },
    ['AUTH-1', 'NS-16'],
    { 'www-authenticate': 'Bearer' },
  );
}
