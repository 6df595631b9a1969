// The token endpoint, and the refusal of those without a token (AUTH-3, NS-8, NS-16, NS-50, NS-51).
import { randomBytes } from 'node:crypto';
import { rateLimited } from '../pipeline/limits.ts';
import type { Credential, Reply } from '../records.ts';
import { headerOf, inPlainText, refuse, replyWith, withHeader } from '../replies.ts';
import type { Context, World } from '../types.ts';
import { isObject, type JsonObject, parse } from '../values.ts';

export const TOKEN_PATH = '/api/v1/oauth/token';
const PER_WINDOW = 10;

export function unauthorized(context: Context): Reply {
  const words = 'a valid bearer token is required';
  const replies = {
    problem: () => refuse(context, 401, 'unauthorized', words),
    json: () => replyWith(context, 401, { error: words }),
    text: () => inPlainText(context, 401, words),
  };
  return withHeader(replies[context.world.style.unauthorized](), 'WWW-Authenticate', 'Bearer');
}

export function newToken(world: World, client_id: string, expires_ms: number | null): string {
  const value = `tok_${world.mark}_${randomBytes(18).toString('base64url')}`;
  world.store.saveToken({ value, client_id, expires_ms });
  return value;
}

export function issueToken(context: Context): Reply {
  const { world } = context;
  const asked = readRequest(context);
  if (asked === null) return tokenRefusal(context, 400, 'invalid_request');
  const { clientId, clientSecret, rest } = asked;
  const waitMs = waitOf(world, clientId);
  if (waitMs > 0) return rateLimited(context, waitMs / 1000, world.style.token.limit);
  const credential = world.store.credential(clientId);
  if (credential?.client_secret !== clientSecret) {
    return tokenRefusal(context, 401, 'invalid_client');
  }
  const isDelegated = rest.account_id !== undefined && rest.account_id !== '';
  return issued(context, isDelegated ? delegate(world, credential, rest) : credential);
}

function issued({ world, ...context }: Context, credential: Credential): Reply {
  const { name, status, seconds } = world.style.token;
  const expiresMs = world.clock.now() + world.clock.lasts('token')!;
  const value = newToken(world, credential.client_id, expiresMs);
  const lifetime: JsonObject =
    name === 'access_token'
      ? { expires_in: seconds, scope: credential.scopes.join(' ') }
      : { expires_at: expiresMs };
  const body = { [name]: value, token_type: 'Bearer', ...lifetime };
  return replyWith({ ...context, world }, status, body, [['Cache-Control', 'no-store']]);
}

/** AUTH-3b, AUTH-3c: how long a client has to wait for its next token; 0 counts this request. */
function waitOf(world: World, clientId: string): number {
  const nowMs = world.clock.now();
  const windowMs = world.clock.lasts('token window')!;
  const recent = world.tokenRequests.filter(
    (each) => each.clientId === clientId && nowMs - each.atMs < windowMs,
  );
  if (recent.length >= PER_WINDOW) return recent.at(-PER_WINDOW)!.atMs + windowMs - nowMs;
  world.tokenRequests.push({ clientId, atMs: nowMs });
  return 0;
}

interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly rest: JsonObject;
}

function readRequest({ world, call }: Context): TokenRequest | null {
  const { forms } = world.style.token;
  const isJson = /json/i.test(headerOf(call, 'content-type') ?? '');
  const form = () => Object.fromEntries(new URLSearchParams(call.body.toString('utf8')));
  const rest = isJson ? parse(call.body) : form();
  if (!isObject(rest) || !forms.includes(isJson ? 'json' : 'form')) return null;
  const basic = /^basic +(\S+)$/i.exec(headerOf(call, 'authorization') ?? '')?.[1];
  if (basic !== undefined && forms.includes('basic')) {
    const pair = Buffer.from(basic, 'base64').toString('utf8').split(':');
    const [clientId = '', clientSecret = ''] = pair.map(decodeURIComponent);
    return { clientId, clientSecret, rest };
  }
  const { client_id: clientId, client_secret: clientSecret } = rest;
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return null;
  return { clientId, clientSecret, rest };
}

/** A token for one account of a client; it can only trade there and move its money. */
function delegate({ store }: World, minter: Credential, rest: JsonObject): Credential {
  return store.saveCredential({
    ...minter,
    name: `${minter.name} for account ${rest.account_id}`,
    kind: 'delegated',
    client_id: `client_${randomBytes(6).toString('hex')}`,
    client_secret: randomBytes(12).toString('hex'),
    scopes: ['trader:trade', 'trader:funds'],
    read_only: rest.read_only === true || rest.read_only === 'true',
    account_id: String(rest.account_id),
    minted_by: minter.client_id,
  });
}

function tokenRefusal(context: Context, status: number, error: string): Reply {
  const words = 'no token is issued to this request';
  const replies = {
    oauth: () => replyWith(context, status, { error }),
    problem: () => refuse(context, status, error, words),
    text: () => inPlainText(context, status, words),
  };
  return replies[context.world.style.token.refusal]();
}
