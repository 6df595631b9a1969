// POST /api/v1/oauth/token: client credentials as in RFC 6749 §4.4, and tokens delegated to one
// account (NS-8).
import type { Attempt } from '../attempt.ts';
import type { Decision } from '../call.ts';
import type { Change } from '../change.ts';
import type { Credential } from '../records.ts';
import { refuse, refuseUnnamed } from '../refuse.ts';
import { rateRefusal } from '../stages/rate.ts';
import { headerOf } from '../stages/row.ts';
import { equalInConstantTime, seededToken } from '../values/digest.ts';
import { delegate, readOnlyAsked } from './delegate.ts';
import { optionalText } from './members.ts';

interface Client {
  readonly id: string;
  readonly secret: string;
  readonly basic: boolean;
}

export function issueToken(attempt: Attempt): Decision {
  const client = findClient(attempt);
  if (client === null) {
    return refuseOauth(
      attempt,
      401,
      'invalid_client',
      'Send client_id and client_secret, in the body or as Basic.',
    );
  }
  const limited = limitTokens(attempt, client.id);
  if ('reply' in limited) return limited;
  const decision = issueFor(attempt, client);
  return { ...decision, changes: [...limited.changes, ...decision.changes] };
}

function issueFor(attempt: Attempt, client: Client): Decision {
  const { world, body } = attempt;
  const credential = world.credentials.get(client.id);
  if (
    credential === undefined ||
    credential.kind !== 'server' ||
    !equalInConstantTime(credential.clientSecret, client.secret)
  ) {
    return refuseOauth(attempt, 401, 'invalid_client', 'client_id or client_secret is wrong.');
  }
  if (world.firms.get(credential.firmId)?.permissions.issueToken === false) {
    const detail = 'The firm may not use issueToken any more.';
    return refuse(attempt, { code: 'forbidden', detail, cites: ['AUTH-8'] });
  }
  if (body.grant_type !== 'client_credentials') {
    return refuseOauth(
      attempt,
      400,
      'unsupported_grant_type',
      'grant_type must be client_credentials.',
    );
  }
  const accountId = optionalText(body, 'account_id');
  const readOnly = readOnlyAsked(attempt);
  if (readOnly === null) {
    return refuseOauth(attempt, 400, 'invalid_request', 'read_only must be true or false.');
  }
  if (accountId !== null) return issueDelegated(attempt, credential, accountId, readOnly);
  if (readOnly) {
    return refuseOauth(attempt, 400, 'invalid_request', 'read_only goes with account_id.');
  }
  const scopes = narrowScopes(attempt, credential.scopes);
  if (scopes === null) return refuseScope(attempt);
  return grant(attempt, credential, scopes, []);
}

function issueDelegated(
  attempt: Attempt,
  minter: Credential,
  accountText: string,
  readOnly: boolean,
): Decision {
  const delegated = delegate(attempt, minter, accountText, readOnly);
  if (delegated === null) {
    return refuseOauth(
      attempt,
      400,
      'invalid_request',
      'account_id names no account within reach.',
    );
  }
  const scopes = narrowScopes(attempt, delegated.scopes);
  if (scopes === null || delegated.scopes.length === 0) return refuseScope(attempt);
  return grant(attempt, delegated, scopes, [{ type: 'credential-set', credential: delegated }]);
}

/** The scopes asked for, when all of them are held; null otherwise. */
function narrowScopes(attempt: Attempt, held: readonly string[]): readonly string[] | null {
  const asked = optionalText(attempt.body, 'scope');
  if (asked === null || asked.trim() === '') return held;
  const scopes = [...new Set(asked.trim().split(/ +/))];
  return scopes.every((scope) => held.includes(scope)) ? scopes : null;
}

function refuseScope(attempt: Attempt): Decision {
  return refuseOauth(
    attempt,
    400,
    'invalid_scope',
    'A scope was asked for that this client does not hold.',
  );
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** AUTH-3a. */
function grant(
  attempt: Attempt,
  credential: Credential,
  scopes: readonly string[],
  changes: readonly Change[],
): Decision {
  const { world, behaviour } = attempt;
  const lifetimeS = behaviour.settings.token_lifetime_s;
  const count = world.counters.token + 1;
  const token = `tok_${seededToken(world.seed, `token:${world.name}:${count}`, 40, alphabet)}`;
  const narrowed = scopes.length === credential.scopes.length ? null : scopes;
  const body = {
    access_token: token,
    token_type: 'Bearer',
    expires_in: lifetimeS,
    scope: scopes.join(' '),
  };
  return {
    reply: {
      status: 200,
      contentType: 'application/json',
      body: JSON.stringify(body),
      headers: { 'cache-control': 'no-store' },
    },
    changes: [
      ...changes,
      { type: 'counted', counter: 'token', to: count },
      {
        type: 'token-issued',
        token: {
          token,
          clientId: credential.clientId,
          expiresAtMs: attempt.atMs + lifetimeS * 1000,
          scopes: narrowed,
        },
      },
    ],
    cites: ['AUTH-3a', 'NS-8'],
  };
}

/** RFC 6749 §2.3.1: Basic, its parts form-encoded, or the body; not both. */
function findClient(attempt: Attempt): Client | null {
  const header = headerOf(attempt, 'authorization');
  const basic = header === undefined ? null : /^basic +([A-Za-z0-9+/=]+) *$/i.exec(header);
  if (basic !== null) {
    const text = decodeBase64(basic[1] as string);
    const colon = text?.indexOf(':') ?? -1;
    if (text === null || colon < 0) return null;
    const id = decodePart(text.slice(0, colon));
    return { id, secret: decodePart(text.slice(colon + 1)), basic: true };
  }
  const id = optionalText(attempt.body, 'client_id');
  const secret = optionalText(attempt.body, 'client_secret');
  return id === null || secret === null ? null : { id, secret, basic: false };
}

function decodeBase64(text: string): string | null {
  try {
    return atob(text);
  } catch (error) {
    // Text that is not base64 names no client.
    if (error instanceof DOMException) return null;
    throw error;
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch (error) {
    // Many clients send the parts as they are; those are taken as they are.
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** AUTH-3b, AUTH-3c: at most ten in any minute for one client, apart from everything else. */
function limitTokens(
  attempt: Attempt,
  clientId: string,
): Decision | { changes: readonly Change[] } {
  const { limits } = attempt.behaviour;
  const budget = limits.tokenBudget(clientId);
  const since = attempt.atMs - limits.tokenWindowMs;
  const times = (attempt.world.tokenRequests.get(budget) ?? []).filter((at) => at > since);
  const oldest = times[0];
  if (times.length >= limits.tokenRequests && oldest !== undefined) {
    const waitMs = oldest - since;
    const most = `${limits.tokenRequests} tokens a minute`;
    const detail = `A client may ask for ${most}. Keep the one you have.`;
    return {
      reply: rateRefusal(attempt, waitMs, detail),
      changes: [],
      cites: ['AUTH-3b', 'AUTH-3c', 'LIM-6', 'NS-51'],
    };
  }
  const changes: Change[] = [
    { type: 'token-request', clientId: budget, times: [...times, attempt.atMs] },
  ];
  return { changes };
}

/** NS-50: the error JSON of RFC 6749 §5.2, or a problem like everywhere else. */
function refuseOauth(attempt: Attempt, status: number, error: string, detail: string): Decision {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (status === 401) headers['www-authenticate'] = 'Basic realm="token"';
  const cites = ['NS-8', 'NS-50', 'AUTH-1'];
  if (attempt.behaviour.settings.token_errors === 'problem') {
    const title = 'Token refused';
    return refuseUnnamed(attempt, { status, title, code: error, detail }, cites, headers);
  }
  const body = JSON.stringify({ error, error_description: detail });
  return {
    reply: { status, contentType: 'application/json', body, headers },
    changes: [],
    cites,
  };
}
