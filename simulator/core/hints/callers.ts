// What a caller was told before that makes this call unwise: to wait, or that it has a token.
import type { Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import type { CallerMemory } from '../journal.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import type { Hint } from './register.ts';

/** What is on its way when the 429 comes has not been told yet: so late it has been. */
const onItsWayMs = 250;

/** LIM-7: a call that comes before the wait is over, other than what was on its way. */
export function hintEarly(context: RequestContext, hints: Hint[]): void {
  const { world, receivedAtMs } = context;
  if (world.journal.callers.size === 0) return;
  const caller = callerName(context);
  const told = caller === null ? undefined : world.journal.callers.get(caller);
  if (told?.limited === undefined || told.limited === null) return;
  const { atMs, untilMs, call, n } = told.limited;
  if (receivedAtMs >= untilMs || context.n === n) return;
  const isRepeat = context.key !== null && call === callText(context);
  if (!isRepeat && receivedAtMs - atMs < onItsWayMs) return;
  const after = `${receivedAtMs - atMs} ms after it`;
  hints.push({
    code: 'before_retry_after',
    words: `Request ${n} was limited and told to wait ${(untilMs - atMs) / 1000} s; this one came ${after}. Wait as Retry-After says.`,
  });
}

/** AUTH-3b: a token is kept until it expires, and not asked for with each call. */
export function hintTokens(context: RequestContext, reply: Reply | null, hints: Hint[]): void {
  if (context.operation !== 'issueToken' || reply?.status !== 200) return;
  const { access_token: text } = JSON.parse(reply.body) as { access_token: string };
  const token = context.world.tokens.get(text);
  if (token === undefined) return;
  // Each account, scope and mode is a token of its own.
  const name = `token ${token.client_id} ${token.scopes?.join(' ') ?? ''}`;
  const before = context.world.journal.callers.get(name)?.token ?? null;
  const isGood = before !== null && before.untilMs > context.receivedAtMs;
  // A crowd that starts together asks together; a call in between shows that one was there.
  const times = isGood ? before.times + (context.n > before.n + 1 ? 1 : 0) : 1;
  const untilMs = token.expires_at_ms ?? context.receivedAtMs;
  remember(context, name, { limited: null, token: { n: context.n, times, untilMs } });
  if (times < 3) return;
  hints.push({
    code: 'token_again',
    words: `This is token number ${times} of this caller, while request ${before?.n} got one that is still good. Keep it until it expires.`,
  });
}

/** Keeps what a 429 told, for the calls that come after it. */
export function rememberLimit(context: RequestContext, reply: Reply): void {
  const seconds = Number(reply.headers?.['retry-after']);
  const caller = callerName(context);
  if (caller === null || !(seconds > 0)) return;
  const { nowMs: atMs } = context.world;
  const untilMs = atMs + seconds * 1000;
  const limited = { atMs, untilMs, call: callText(context), n: context.n };
  remember(context, caller, { limited, token: null });
}

function remember({ world }: RequestContext, name: string, memory: CallerMemory): void {
  evolve(world, [{ type: 'caller-remembered', name, memory }]);
}

function callerName({ credential }: RequestContext): string | null {
  return credential?.client_id ?? null;
}

function callText({ call, key }: RequestContext): string {
  return `${call.method} ${call.target} ${key}`;
}
