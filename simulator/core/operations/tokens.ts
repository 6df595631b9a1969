// POST /oauth/token: client credentials as in RFC 6749 §4.4, and tokens delegated to one account
// (NS-8).
import { decodePercent } from '../../../fixtures/lenient.ts';
import type { Cite, Decision } from '../call.ts';
import { type Change, put, putAt } from '../change.ts';
import {
  headerOf,
  type RequestContext,
  refuse,
  refuseUnnamed,
} from '../pipeline/request-context.ts';
import { rateRefusal } from '../pipeline/stages.ts';
import type { Credential } from '../records.ts';
import { equalInConstantTime, seededSecret } from '../values/digest.ts';
import { optionalText } from './members.ts';

interface Client {
  readonly id: string;
  readonly secret: string;
}

const wrongClient = 'client_id or client_secret is wrong.';
const wrongScope = 'A scope was asked for that this client does not hold.';
/** A longer id is no client's, and its requests are not counted. */
const longestId = 255;

export function issueToken(context: RequestContext): Decision {
  const { world, behaviour, atMs } = context;
  const client = findClient(context);
  if (client === null) {
    const detail = 'Send client_id and client_secret, in the body or as Basic.';
    return refuseOauth(context, 401, 'invalid_client', detail);
  }
  if (client.id.length > longestId && !world.credentials.has(client.id)) {
    return refuseOauth(context, 401, 'invalid_client', wrongClient);
  }
  // AUTH-3b, AUTH-3c: at most ten in any minute for one client, independent of all other limits.
  const { tokenBudget, tokenWindowMs, tokenRequests } = behaviour.limits;
  const budget = tokenBudget(client.id);
  const sinceMs = atMs - tokenWindowMs;
  const times = (world.tokenRequests.get(budget) ?? []).filter((time) => time > sinceMs);
  const [oldest] = times;
  if (oldest !== undefined && times.length >= tokenRequests) {
    const detail = `A client may ask for ${tokenRequests} tokens a minute. Keep the one you have.`;
    const reply = rateRefusal(context, oldest - sinceMs, detail);
    return { reply, changes: [], cites: ['AUTH-3b', 'AUTH-3c', 'LIM-6', 'NS-51'] };
  }
  const decision = issueFor(context, client);
  const counted = putAt('tokenRequests', budget, [...times, atMs]);
  return { ...decision, changes: [counted, ...decision.changes] };
}

function issueFor(context: RequestContext, client: Client): Decision {
  const { world, body } = context;
  const credential = world.credentials.get(client.id);
  const isRight =
    credential?.kind === 'server' && equalInConstantTime(credential.client_secret, client.secret);
  if (credential === undefined || !isRight) {
    return refuseOauth(context, 401, 'invalid_client', wrongClient);
  }
  if (world.firms.get(credential.firm_id)?.permissions.issueToken === false) {
    const detail = 'The firm may not use issueToken any more.';
    return refuse(context, 'forbidden', ['AUTH-8'], detail);
  }
  const grantType = optionalText(body, 'grant_type');
  if (grantType !== 'client_credentials') {
    const error = grantType === null ? 'invalid_request' : 'unsupported_grant_type';
    return refuseOauth(context, 400, error, 'grant_type must be client_credentials.');
  }
  // A value other than true or false is refused, because guessing could issue a token that may
  // write (AUTH-2). RFC 6749 §3.2: an empty value counts as omitted.
  const readOnly = String(body.read_only ?? '');
  if (!['true', 'false', ''].includes(readOnly)) {
    return refuseOauth(context, 400, 'invalid_request', 'read_only must be true or false.');
  }
  const accountId = optionalText(body, 'account_id');
  if (accountId === null) {
    return readOnly === 'true'
      ? refuseOauth(context, 400, 'invalid_request', 'read_only goes with account_id.')
      : grant(context, credential, []);
  }
  const delegated = delegate(context, credential, accountId, readOnly === 'true');
  if (delegated === null) {
    const detail = 'account_id names no account within reach.';
    return refuseOauth(context, 400, 'invalid_request', detail);
  }
  return delegated.scopes.length === 0
    ? refuseOauth(context, 400, 'invalid_scope', wrongScope)
    : grant(context, delegated, [put('credentials', delegated)]);
}

/** AUTH-3a: a token with the requested scopes, if the credential has all of them. */
function grant(
  context: RequestContext,
  credential: Credential,
  changes: readonly Change[],
): Decision {
  const { world, behaviour, atMs } = context;
  const requested = (optionalText(context.body, 'scope') ?? '').trim();
  const held = credential.scopes;
  const scopes = requested === '' ? held : [...new Set(requested.split(/ +/))];
  if (!scopes.every((scope) => held.includes(scope))) {
    return refuseOauth(context, 400, 'invalid_scope', wrongScope);
  }
  const lifetimeS = behaviour.settings.token_lifetime_s;
  const count = world.counters.token + 1;
  const token = `tok_${seededSecret(world.seed, `token:${world.name}:${count}`)}`;
  const body = JSON.stringify({
    access_token: token,
    token_type: 'Bearer',
    expires_in: lifetimeS,
    scope: scopes.join(' '),
  });
  const headers = { 'cache-control': 'no-store' };
  return {
    reply: { status: 200, contentType: 'application/json', body, headers },
    changes: [
      ...changes,
      { type: 'counter', counter: 'token', to: count },
      put('tokens', {
        token,
        client_id: credential.client_id,
        expires_at_ms: atMs + lifetimeS * 1000,
        scopes: scopes.length === held.length ? null : scopes,
      }),
    ],
    cites: ['AUTH-3a', 'NS-8'],
  };
}

/** RFC 6749 §2.3.1: Basic, its parts form-encoded, or the body; not both. */
function findClient(context: RequestContext): Client | null {
  const basic = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(headerOf(context, 'authorization') ?? '');
  if (basic === null) {
    const id = optionalText(context.body, 'client_id');
    const secret = optionalText(context.body, 'client_secret');
    return id === null || secret === null ? null : { id, secret };
  }
  const text = Buffer.from(basic[1] as string, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  return { id: decodePart(text.slice(0, colon)), secret: decodePart(text.slice(colon + 1)) };
}

/** Many clients do not encode the parts; these are accepted unchanged. */
const decodePart = (part: string) => decodePercent(part.replaceAll('+', ' ')) ?? part;

/** NS-50: the error JSON of RFC 6749 §5.2, or a problem like everywhere else. */
function refuseOauth(
  context: RequestContext,
  status: number,
  error: string,
  detail: string,
): Decision {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (status === 401) headers['www-authenticate'] = 'Basic realm="token"';
  const cites: readonly Cite[] = ['NS-8', 'NS-50', 'AUTH-1'];
  if (context.behaviour.settings.token_errors === 'problem') {
    const problem = { status, title: 'Token refused', code: error, detail };
    return refuseUnnamed(context, problem, cites, headers);
  }
  const body = JSON.stringify({ error, error_description: detail });
  const reply = { status, contentType: 'application/json', body, headers } as const;
  return { reply, changes: [], cites };
}

/** Which scopes of the minter allow it to delegate which trader scope. */
const passedOn: readonly (readonly [string, readonly string[]])[] = [
  ['trader:trade', ['trades:write', 'trader:trade']],
  ['trader:funds', ['transactions:write', 'trader:funds']],
];

/** The same credential for one minter, account and mode; null if the account is out of reach. */
function delegate(
  { world, behaviour }: RequestContext,
  minter: Credential,
  accountText: string,
  readOnly: boolean,
): Credential | null {
  const account = world.accounts.get(behaviour.values.id(accountText) ?? '');
  if (account === undefined || !behaviour.reach.account(minter, account)) return null;
  const holds = (scope: string) => minter.scopes.includes(scope);
  return {
    client_id: `${minter.client_id}/account-${account.id}${readOnly ? '/read-only' : ''}`,
    name: `${minter.name} for account ${account.id}${readOnly ? ', read-only' : ''}`,
    kind: 'delegated',
    client_secret: '',
    firm_id: minter.firm_id,
    brand_id: account.brand_id,
    scopes: passedOn.filter(([, from]) => from.some(holds)).map(([scope]) => scope),
    read_only: readOnly,
    account_id: account.id,
    minted_by: minter.client_id,
    plan: 'sandbox',
    rate_per_second: null,
  };
}
