// The token endpoint (AUTH-3, NS-8, NS-50, NS-51).
import { randomBytes } from 'node:crypto';
import { bodyOf, type Context, Early } from './context.ts';
import { rateLimited } from './limits.ts';
import type { Credential, Reply } from './records.ts';
import type { JsonObject } from './values.ts';
import type { World } from './world.ts';

export const TOKEN_PATH = '/api/v1/oauth/token';
const PER_WINDOW = 10;

export function newToken(world: World, client_id: string, expires_ms: number | null): string {
  const value = `tok_${world.mark}_${randomBytes(18).toString('base64url')}`;
  world.store.saveToken({ value, client_id, expires_ms });
  return value;
}

export function issueToken(context: Context): Reply {
  const { world, store, style, nowMs } = context;
  const { name, status, seconds, limit } = style.token;
  const { clientId, clientSecret, rest } = readRequest(context);
  const waitMs = waitOf(world, clientId);
  if (waitMs > 0) return rateLimited(context, waitMs / 1000, limit);
  const client = store.credential(clientId);
  if (client?.client_secret !== clientSecret) refuseToken(context, 401, 'invalid_client');
  const credential = rest.account_id ? delegate(world, client!, rest) : client!;
  const expires_at = nowMs + world.clock.lasts('token')!;
  const value = newToken(world, credential.client_id, expires_at);
  const usual = { expires_in: seconds, scope: credential.scopes.join(' ') };
  const lifetime: JsonObject = name === 'access_token' ? usual : { expires_at };
  const body = { [name]: value, token_type: 'Bearer', ...lifetime };
  return context.reply(status, body, [['Cache-Control', 'no-store']]);
}

/** AUTH-3b, AUTH-3c: how long a client has to wait for its next token; 0 counts this request. */
function waitOf({ clock, tokenRequests }: World, clientId: string): number {
  const [nowMs, windowMs] = [clock.now(), clock.lasts('token window')!];
  const recent = tokenRequests.filter(
    (each) => each.clientId === clientId && nowMs - each.atMs < windowMs,
  );
  if (recent.length >= PER_WINDOW) return recent.at(-PER_WINDOW)!.atMs + windowMs - nowMs;
  tokenRequests.push({ clientId, atMs: nowMs });
  return 0;
}

function readRequest(context: Context) {
  const { call, style } = context;
  const { forms } = style.token;
  const isJson = /json/i.test(context.headers('content-type')[0] ?? '');
  const form = Object.fromEntries(new URLSearchParams(call.body.toString('utf8')));
  const rest: JsonObject = isJson ? bodyOf(call) : form;
  if (!forms.includes(isJson ? 'json' : 'form')) refuseToken(context, 400, 'invalid_request');
  const basic = /^basic +(\S+)$/i.exec(context.headers('authorization')[0] ?? '')?.[1];
  if (basic !== undefined && forms.includes('basic')) {
    const pair = Buffer.from(basic, 'base64').toString('utf8').split(':');
    const [clientId = '', clientSecret = ''] = pair.map(decodeURIComponent);
    return { clientId, clientSecret, rest };
  }
  const { client_id: clientId, client_secret: clientSecret } = rest;
  if (typeof clientId === 'string' && typeof clientSecret === 'string') {
    return { clientId, clientSecret, rest };
  }
  return refuseToken(context, 400, 'invalid_request');
}

/** A token for one account of a client; it can only trade and move money in that account. */
function delegate({ store }: World, minter: Credential, rest: JsonObject): Credential {
  return store.saveCredential({
    ...{ ...minter, name: `${minter.name} for account ${rest.account_id}`, kind: 'delegated' },
    client_id: `client_${randomBytes(6).toString('hex')}`,
    client_secret: randomBytes(12).toString('hex'),
    scopes: ['trader:trade', 'trader:funds'],
    read_only: rest.read_only === true || rest.read_only === 'true',
    ...{ account_id: String(rest.account_id), minted_by: minter.client_id },
  });
}

function refuseToken(context: Context, status: number, error: string): never {
  const words = 'no token is issued to this request';
  const replies = {
    oauth: () => context.reply(status, { error }),
    problem: () => context.refusal(status, error, words),
    text: () => context.plain(status, words),
  };
  throw new Early(replies[context.style.token.refusal]());
}
