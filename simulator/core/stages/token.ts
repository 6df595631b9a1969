// Third stage: who is calling (AUTH-1).
import type { Attempt, Stage } from '../attempt.ts';
import type { Decision } from '../call.ts';
import { refuseUnnamed } from '../refuse.ts';
import { headerOf, rowOf } from './row.ts';

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** The token of a call: from the header, or on the events channel also from the query (NS-12). */
export function tokenText(attempt: Attempt): string | null {
  const header = headerOf(attempt, 'authorization');
  const fromHeader = header === undefined ? null : (bearer.exec(header)?.[1] ?? null);
  if (fromHeader !== null || attempt.operation !== 'streamEvents') return fromHeader;
  return attempt.query.get('access_token');
}

export const tokenStage: Stage = {
  name: 'token',
  decide(attempt) {
    if (rowOf(attempt).auth !== 'bearer') return null;
    const text = tokenText(attempt);
    if (text === null) {
      return refuseToken(attempt, 'Send an Authorization header: Bearer and an access token.');
    }
    const token = attempt.world.tokens.get(text);
    if (token === undefined) return refuseToken(attempt, 'This access token is not known here.');
    if (token.expiresAtMs !== null && token.expiresAtMs <= attempt.atMs) {
      return refuseToken(attempt, 'This access token has expired. Get a new one.');
    }
    attempt.token = token;
    attempt.credential = attempt.world.credentials.get(token.clientId) ?? null;
    if (attempt.credential !== null) return null;
    return refuseToken(attempt, 'The credential of this access token no longer exists.');
  },
};

// AUTH-1, NS-16: the specification names no status for it; RFC 6750 asks for this header.
function refuseToken(attempt: Attempt, detail: string): Decision {
  const { unauthorized_status: status, unauthorized_code: code } = attempt.behaviour.settings;
  return refuseUnnamed(
    attempt,
    { status, title: 'Unauthorized', code, detail },
    ['AUTH-1', 'NS-16'],
    { 'www-authenticate': 'Bearer' },
  );
}
