// POST /oauth/token: client credentials as in RFC 6749 §4.4, and tokens delegated to one account
// (NS-8).
import type { Cite, Decision } from '../call.ts';
import { type Change, put, putAt } from '../change.ts';
import { headerOf } from '../pipeline/operation-row.ts';
import { refuse, refuseUnnamed } from '../pipeline/refuse.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { rateRefusal } from '../pipeline/stages.ts';
import type { Credential } from '../records.ts';
import { equalInConstantTime, seededToken } from '../values/digest.ts';
import { optionalText } from './members.ts';

interface Client {
  readonly id: string;
  readonly secret: string;
  readonly basic: boolean;
}

const wrongClient = 'client_id or client_secret is wrong.';
const longestId = 255;

export function issueToken(context: RequestContext): Decision {
  const client = findClient(context);
  if (client === null) {
    return refuseOauth(
      context,
      401,
      'invalid_client',
      'Send client_id and client_secret, in the body or as Basic.',
    );
  }
  // An id of this length names no client, and is not kept for counting.
  if (client.id.length > longestId && !context.world.credentials.has(client.id)) {
    return refuseOauth(context, 401, 'invalid_client', wrongClient);
  }
  const limited = limitTokens(context, client.id);
  if ('reply' in limited) return limited;
  const decision = issueFor(context, client);
  return { ...decision, changes: [...limited.changes, ...decision.changes] };
}

function issueFor(context: RequestContext, client: Client): Decision {
  const { world, body } = context;
  const credential = world.credentials.get(client.id);
  if (
    credential === undefined ||
    credential.kind !== 'server' ||
    !equalInConstantTime(credential.client_secret, client.secret)
  ) {
    return refuseOauth(context, 401, 'invalid_client', wrongClient);
  }
  if (world.firms.get(credential.firm_id)?.permissions.issueToken === false) {
    const detail = 'The firm may not use issueToken any more.';
    return refuse(context, { code: 'forbidden', detail, cites: ['AUTH-8'] });
  }
  if (body.grant_type !== 'client_credentials') {
    return refuseOauth(
      context,
      400,
      'unsupported_grant_type',
      'grant_type must be client_credentials.',
    );
  }
  const accountId = optionalText(body, 'account_id');
  const readOnly = readOnlyAsked(context);
  if (readOnly === null) {
    return refuseOauth(context, 400, 'invalid_request', 'read_only must be true or false.');
  }
  if (accountId !== null) return issueDelegated(context, credential, accountId, readOnly);
  if (readOnly) {
    return refuseOauth(context, 400, 'invalid_request', 'read_only goes with account_id.');
  }
  const scopes = narrowScopes(context, credential.scopes);
  if (scopes === null) return refuseScope(context);
  return grant(context, credential, scopes, []);
}

function issueDelegated(
  context: RequestContext,
  minter: Credential,
  accountText: string,
  readOnly: boolean,
): Decision {
  const delegated = delegate(context, minter, accountText, readOnly);
  if (delegated === null) {
    return refuseOauth(
      context,
      400,
      'invalid_request',
      'account_id names no account within reach.',
    );
  }
  const scopes = narrowScopes(context, delegated.scopes);
  if (scopes === null || delegated.scopes.length === 0) return refuseScope(context);
  return grant(context, delegated, scopes, [put('credentials', delegated)]);
}

/** The scopes asked for, when all of them are held; null otherwise. */
function narrowScopes(context: RequestContext, held: readonly string[]): readonly string[] | null {
  const asked = optionalText(context.body, 'scope');
  if (asked === null || asked.trim() === '') return held;
  const scopes = [...new Set(asked.trim().split(/ +/))];
  return scopes.every((scope) => held.includes(scope)) ? scopes : null;
}

function refuseScope(context: RequestContext): Decision {
  return refuseOauth(
    context,
    400,
    'invalid_scope',
    'A scope was asked for that this client does not hold.',
  );
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** AUTH-3a. */
function grant(
  context: RequestContext,
  credential: Credential,
  scopes: readonly string[],
  changes: readonly Change[],
): Decision {
  const { world, behaviour } = context;
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
      { type: 'counter', counter: 'token', to: count },
      put('tokens', {
        token,
        client_id: credential.client_id,
        expires_at_ms: context.atMs + lifetimeS * 1000,
        scopes: narrowed,
      }),
    ],
    cites: ['AUTH-3a', 'NS-8'],
  };
}

/** RFC 6749 §2.3.1: Basic, its parts form-encoded, or the body; not both. */
function findClient(context: RequestContext): Client | null {
  const header = headerOf(context, 'authorization');
  const basic = header === undefined ? null : /^basic +([A-Za-z0-9+/=]+) *$/i.exec(header);
  if (basic !== null) {
    const text = decodeBase64(basic[1] as string);
    const colon = text?.indexOf(':') ?? -1;
    if (text === null || colon < 0) return null;
    const id = decodePart(text.slice(0, colon));
    return { id, secret: decodePart(text.slice(colon + 1)), basic: true };
  }
  const id = optionalText(context.body, 'client_id');
  const secret = optionalText(context.body, 'client_secret');
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
  context: RequestContext,
  clientId: string,
): Decision | { changes: readonly Change[] } {
  const { limits } = context.behaviour;
  const budget = limits.tokenBudget(clientId);
  const since = context.atMs - limits.tokenWindowMs;
  const times = (context.world.tokenRequests.get(budget) ?? []).filter((at) => at > since);
  const oldest = times[0];
  if (times.length >= limits.tokenRequests && oldest !== undefined) {
    const waitMs = oldest - since;
    const most = `${limits.tokenRequests} tokens a minute`;
    const detail = `A client may ask for ${most}. Keep the one you have.`;
    return {
      reply: rateRefusal(context, waitMs, detail),
      changes: [],
      cites: ['AUTH-3b', 'AUTH-3c', 'LIM-6', 'NS-51'],
    };
  }
  const changes: Change[] = [putAt('tokenRequests', budget, [...times, context.atMs])];
  return { changes };
}

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
    const title = 'Token refused';
    return refuseUnnamed(context, { status, title, code: error, detail }, cites, headers);
  }
  const body = JSON.stringify({ error, error_description: detail });
  return {
    reply: { status, contentType: 'application/json', body, headers },
    changes: [],
    cites,
  };
}

/** Which of the minter's scopes stand for which trader scope. */
const passedOn: readonly (readonly [string, readonly string[]])[] = [
  ['trader:trade', ['trades:write', 'trader:trade']],
  ['trader:funds', ['transactions:write', 'trader:funds']],
];

/**
 * Whether a read-only token is asked for, in a form or in JSON; null for a value that says neither:
 * a guess would hand out a token that may write (AUTH-2). RFC 6749 §3.2: empty counts as left out.
 */
function readOnlyAsked({ body }: RequestContext): boolean | null {
  const asked = body.read_only ?? '';
  if (asked === true || asked === 'true') return true;
  return asked === false || asked === 'false' || asked === '' ? false : null;
}

/**
 * Always the same credential for one minter, account and mode, so that keys and limits stay with it
 * over renewed tokens. Null when the account is out of the minter's reach.
 */
function delegate(
  { world, behaviour }: RequestContext,
  minter: Credential,
  accountText: string,
  readOnly: boolean,
): Credential | null {
  const accountId = behaviour.values.id(accountText);
  const account = accountId === null ? undefined : world.accounts.get(accountId);
  if (account === undefined || !behaviour.reach.account(minter, account)) return null;
  const clientId = `${minter.client_id}/account-${account.id}${readOnly ? '/read-only' : ''}`;
  return {
    client_id: clientId,
    name: `${minter.name} for account ${account.id}${readOnly ? ', read-only' : ''}`,
    kind: 'delegated',
    client_secret: '',
    firm_id: minter.firm_id,
    brand_id: account.brand_id,
    scopes: passedOn
      .filter(([, from]) => from.some((scope) => minter.scopes.includes(scope)))
      .map(([scope]) => scope),
    read_only: readOnly,
    account_id: account.id,
    minted_by: minter.client_id,
    plan: 'sandbox',
    rate_per_second: null,
  };
}
