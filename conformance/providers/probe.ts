// The first careful requests to a live target: whether it takes a token, and which brand a token is
// bound to.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Capability } from '../engine/capabilities.ts';
import { Unreachable } from '../engine/scenario-errors.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Sender, WireAnswer } from '../engine/send/sender.ts';

export interface ProbeSession {
  readonly baseUrl: string;
  readonly sender: Sender;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /**
   * So long after each answer nothing is sent: LIM-1, and the run must find its allowance unused.
   */
  readonly gapMs?: number;
  /** What the selected scenarios may take; all there is when left out. */
  readonly needed?: ReadonlySet<Capability>;
  /** In every name that is made, as the run has it. */
  readonly mark?: string;
  /** Set once asking again and again brought nothing: from then on everything is asked once. */
  givenUp?: boolean;
  /** Requests one after the other that nothing answered. */
  unanswered?: number;
}

/** So many are no mishap any more. */
const SILENT_AFTER = 2;

/** Nobody is there: the run itself then says so, and looking further only takes time. */
export function isSilent({ unanswered = 0 }: ProbeSession): boolean {
  return unanswered >= SILENT_AFTER;
}

/** Whether anybody will take what is about to be looked at. */
export function isNeeded({ needed }: ProbeSession, capability: Capability): boolean {
  return needed === undefined || needed.has(capability);
}

/** A name that nothing else has, with the mark of the run in it. */
export function probeName({ mark }: ProbeSession, kind: string): string {
  return `${kind}-${mark ?? 'probe'}-${randomBytes(4).toString('hex')}`;
}

/** Preflight asks little; whoever is slower than this is found slow by the run itself. */
const PROBE_TIMEOUT_MS = 10_000;

const TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/**
 * One request with a token, again where something in between or a limit answered; undefined when
 * nothing answered.
 */
export async function sendProbe(
  session: ProbeSession,
  token: string,
  method: string,
  path: string,
  body?: object,
  more: readonly HeaderLine[] = [],
): Promise<WireAnswer | undefined> {
  const headers: HeaderLine[] = [['authorization', `Bearer ${token}`], ...more];
  if (body !== undefined) headers.push(['content-type', 'application/json']);
  // Without a key a lost answer may mean that it was done, and twice is more than was meant.
  const mayRepeat = more.some(([name]) => name === 'idempotency-key');
  let last: WireAnswer | undefined;
  if (isSilent(session)) return undefined;
  const tries = session.givenUp ? 1 : TRIES;
  for (let attempt = 1; attempt <= tries && !session.signal?.aborted; attempt += 1) {
    try {
      last = await session.sender.send({
        method,
        url: `${session.baseUrl}${path}`,
        headers,
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
        timeoutMs: Math.min(session.timeoutMs, PROBE_TIMEOUT_MS),
        signal: session.signal,
      });
      session.unanswered = 0;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      noteSilence(session, error);
      // Who does not listen, or is too slow once, is found so by the run itself.
      if (!mayRepeat || error.reason !== 'reset') return undefined;
      last = undefined;
    }
    if (session.gapMs !== undefined) await sleep(session.gapMs);
    if (last !== undefined && !isTransient(last)) return last;
    if (attempt < tries) await sleep(waitMsAfter(last, attempt));
  }
  session.givenUp = true;
  return last;
}

/** A connection that does not come about is no mishap. */
function noteSilence(session: ProbeSession, { neverSent }: Unreachable): void {
  session.unanswered = neverSent ? SILENT_AFTER : (session.unanswered ?? 0) + 1;
}

/** LIM-1, IDEM-6: what a limit, a gateway or a service in trouble said is no answer yet. */
function isTransient({ status }: WireAnswer): boolean {
  return status === 429 || status >= 500;
}

function waitMsAfter(answer: WireAnswer | undefined, attempt: number): number {
  const told = answer?.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  const seconds = Number(told);
  const waitMs = seconds > 0 ? seconds * 1000 : 100 * 2 ** attempt;
  return Math.min(waitMs, LONGEST_WAIT_MS);
}

/** AUTH-1: a create without a key and without a field does no harm, and tells whether it got in. */
export async function isTokenRefused(session: ProbeSession, token: string): Promise<boolean> {
  // Not shown which comes first, key or token: with a key a 401 can only be the token's.
  const key: HeaderLine = ['idempotency-key', probeName(session, 'token')];
  const answer = await sendProbe(session, token, 'POST', '/api/v1/accounts', {}, [key]);
  return answer?.status === 401;
}

/**
 * The brand of a brand-bound credential, told by an account that it creates without naming one;
 * undefined for a firm-wide one (ACC-15).
 */
export async function findBrand(session: ProbeSession, token: string): Promise<string | undefined> {
  const name = probeName(session, 'first');
  const account = { client_reference_id: name, email: `${name}@conformance.example.com` };
  const key: HeaderLine = ['idempotency-key', name];
  const answer = await sendProbe(session, token, 'POST', '/api/v1/accounts', account, [key]);
  if (answer === undefined || answer.status >= 300) return undefined;
  const brand = memberOf(answer, 'brand_id');
  return typeof brand === 'string' && /^[0-9]+$/.test(brand) ? brand : undefined;
}

/** A member of a JSON answer; undefined when there is none. */
export function memberOf(answer: WireAnswer, name: string): unknown {
  try {
    const body: unknown = JSON.parse(Buffer.from(answer.body).toString());
    return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  } catch {
    return undefined;
  }
}
