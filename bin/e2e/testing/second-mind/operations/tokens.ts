// Tokens: who asks for one, and what is said to those who have none (NS-8, NS-16, AUTH-3a to c).
import { randomBytes } from 'node:crypto';
import { bucketOf, limited, rateOf } from '../checks/limits.ts';
import type { SecondMind } from '../mind.ts';
import {
  answerWith,
  dropHeader,
  headerOf,
  type RequestContext,
  refuse,
  setHeader,
} from '../request-context.ts';
import { endRacingTokens } from '../sealed-effects.ts';
import type { JsonObject } from '../values/json.ts';
import type { Answer, Credential } from '../values/records.ts';

export const TOKEN_PATH = '/api/v1/oauth/token';
const A_MINUTE_MS = 60_000;
const A_MINUTES_REQUESTS = 10;

export function unauthorized(ctx: RequestContext): Answer {
  const answer =
    ctx.mind.style.unauthorized === 'problem'
      ? refuse(ctx, 401, 'unauthorized', 'a valid bearer token is required')
      : answerWith(ctx, 401, { error: 'who are you?' });
  setHeader(answer, 'WWW-Authenticate', 'Bearer');
  return answer;
}

export function newToken(mind: SecondMind, clientId: string, expiresAtMs: number | null): string {
  const value = `tok_${mind.mark}_${randomBytes(18).toString('base64url')}`;
  mind.tokens.push({ value, clientId, expiresAtMs });
  if (expiresAtMs !== null && mind.has('auth-token-dead')) mind.tokens.pop();
  if (mind.has('size-tokens-5')) endOldest(mind, clientId);
  return value;
}

/** A defect that keeps the five newest tokens of each who asks for them. */
function endOldest(mind: SecondMind, clientId: string): void {
  const own = mind.tokens.filter((each) => each.clientId === clientId && each.expiresAtMs !== null);
  if (own.length > 5) mind.tokens.splice(mind.tokens.indexOf(own[0]!), 1);
}

interface Asked {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly rest: Readonly<Record<string, unknown>>;
}

export function issueToken(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const asked = readAsked(ctx);
  if (asked === null) return refusal(ctx, 400, 'invalid_request');
  const waitMs = tooMany(ctx, asked.clientId);
  if (waitMs > 0) {
    const answer = limited(ctx, waitMs / 1000, mind.style.token.limit);
    if (mind.has('lim-token-bare')) dropHeader(answer, 'X-RateLimit-Limit');
    return answer;
  }
  const credential = mind.credentials.find((each) => each.clientId === asked.clientId);
  if (credential !== undefined && mind.has('auth-token-costs-traffic')) {
    bucketOf(mind, `credential ${credential.clientId}`, rateOf(mind, credential)).tokens -= 1;
  }
  if (credential === undefined || credential.clientSecret !== asked.clientSecret) {
    return refusal(ctx, 401, 'invalid_client');
  }
  return issued(ctx, asked.rest.account_id === undefined ? credential : delegated(ctx, asked));
}

/** One that a defect gives again. */
function livingToken(mind: SecondMind, { clientId }: Credential): string | undefined {
  if (!mind.has('time-token-shared')) return undefined;
  const living = (endsMs: number | null) => endsMs !== null && endsMs > mind.now();
  return mind.tokens.find((each) => each.clientId === clientId && living(each.expiresAtMs))?.value;
}

function issued(ctx: RequestContext, credential: Credential): Answer {
  const { token } = ctx.mind.style;
  const expiresAtMs = ctx.mind.now() + token.seconds * 1000;
  const value =
    livingToken(ctx.mind, credential) ?? newToken(ctx.mind, credential.clientId, expiresAtMs);
  endRacingTokens(ctx, credential.clientId);
  ctx.token = value;
  const body: JsonObject = { [token.name]: value, token_type: 'Bearer' };
  if (token.name === 'access_token') {
    body.expires_in = token.seconds;
    body.scope = credential.scopes.join(' ');
  } else body.expires_at = expiresAtMs;
  return answerWith(ctx, token.status, body, [['Cache-Control', 'no-store']]);
}

/** AUTH-3b: how long to wait where ten were asked for within the last minute. */
function tooMany({ mind, overlaps }: RequestContext, clientId: string): number {
  const nowMs = mind.now();
  const isOwn = (each: string) => each === clientId || mind.has('auth-token-one-budget');
  const own = mind.tokenRequests.filter((each) => isOwn(each.clientId));
  const recent = own.filter((each) => nowMs - each.atMs < A_MINUTE_MS);
  const most = mostTokens(mind, own.at(-1 - recent.length)?.atMs);
  const racing = mind.has('race-token-budget') ? overlaps.length : 0;
  const isFull = recent.length >= most + racing;
  if (!isFull || mind.has('time-token-ban')) mind.tokenRequests.push({ clientId, atMs: nowMs });
  return isFull ? recent.at(-most)!.atMs + A_MINUTE_MS - nowMs : 0;
}

function mostTokens(mind: SecondMind, lastMs: number | undefined): number {
  if (mind.has('auth-token-unlimited')) return Number.POSITIVE_INFINITY;
  if (mind.has('auth-token-five')) return A_MINUTES_REQUESTS / 2;
  const isIdle = lastMs !== undefined && mind.now() - lastMs > 3_600_000;
  return isIdle && mind.has('time-token-budget-hour') ? 2 * A_MINUTES_REQUESTS : A_MINUTES_REQUESTS;
}

function readAsked(ctx: RequestContext): Asked | null {
  const { forms } = ctx.mind.style.token;
  const text = ctx.call.body.toString('utf8');
  const isJson = /json/i.test(headerOf(ctx.call, 'content-type') ?? '');
  let rest: Record<string, unknown>;
  try {
    rest = isJson
      ? (JSON.parse(text) as Record<string, unknown>)
      : Object.fromEntries(new URLSearchParams(text));
  } catch {
    return null;
  }
  if (!forms.includes(isJson ? 'json' : 'form')) return null;
  const basic = /^basic +(\S+)$/i.exec(headerOf(ctx.call, 'authorization') ?? '')?.[1];
  if (basic !== undefined && forms.includes('basic')) {
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':');
    return {
      clientId: decodeURIComponent(id),
      clientSecret: decodeURIComponent(secret),
      rest,
    };
  }
  const { client_id: clientId, client_secret: clientSecret } = rest;
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return null;
  return { clientId, clientSecret, rest };
}

/** A token for one account of whoever asks; it can do no more than trade and move its money. */
function delegated({ mind }: RequestContext, { clientId, rest }: Asked): Credential {
  const minter = mind.credentials.find((each) => each.clientId === clientId)!;
  const made: Credential = {
    ...minter,
    name: `${minter.name} for account ${String(rest.account_id)}`,
    kind: 'delegated',
    clientId: `client_${randomBytes(6).toString('hex')}`,
    clientSecret: randomBytes(12).toString('hex'),
    scopes: ['trader:trade', 'trader:funds'],
    readOnly: rest.read_only === true || rest.read_only === 'true',
    accountId: String(rest.account_id),
    mintedBy: clientId,
    plan: 'sandbox',
    ratePerSecond: null,
  };
  mind.credentials.push(made);
  return made;
}

function refusal(ctx: RequestContext, status: number, error: string): Answer {
  if (ctx.mind.style.token.refusal === 'problem') {
    return refuse(ctx, status, error, 'no token is issued to this request');
  }
  return answerWith(ctx, status, { error });
}
