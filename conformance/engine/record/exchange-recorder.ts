// Sends the calls of one scenario at the pace allowed, and keeps every exchange for the report.
import type { Credential } from '../../providers/target.ts';
import type { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import type { Pacer } from '../pace/pacer.ts';
import type { Reachability } from '../pace/reachability.ts';
import { Inconclusive, MissingCapability, Unreachable } from '../scenario-errors.ts';
import { Answer } from '../send/answer.ts';
import type { RequestDraft } from '../send/client.ts';
import { type HeaderLine, Headers } from '../send/headers.ts';
import type { Sender } from '../send/sender.ts';
import type { Exchange, Finding } from '../types.ts';
import type { AnswerMonitor } from './answer-monitor.ts';
import type { OperatorCallListener } from './recording-operator.ts';

/** What all scenarios of a run share. */
export interface RunContext {
  readonly sender: Sender;
  readonly pacer: Pacer;
  readonly timeoutMs: number;
  readonly startedAtMs: number;
  /** Aborted when the run is interrupted: nothing new is sent. */
  readonly signal: AbortSignal;
  /** Aborted a little later: what is still under way is given up. */
  readonly abandonSignal: AbortSignal;
  /** Lets that many milliseconds of the wall's time pass. */
  pause(ms: number): Promise<void>;
  /** Called for each request, to count them. */
  onRequest(): void;
  /** Told every secret that an answer shows, so that no report does. */
  onSecret(value: string): void;
  /** What was found out of the target beyond the specification, for every scenario of the run. */
  readonly learned: Map<string, unknown>;
  /** Looks at every answer for what none may be. */
  readonly answerMonitor: AnswerMonitor;
  /** Whether the event loop of this program runs in time. */
  readonly eventLoop: EventLoopMonitor;
  readonly reachability: Reachability;
}

/** What is said of everything that a target which has gone away leaves open. */
export const GONE = 'the target stopped answering';

const CLEAN_UP_TIMEOUT_MS = 5_000;
/** As many as show a race; more would show nothing else. */
const MOST_AT_ONCE = 50;

/** A target that asks for a longer wait is not waited for. */
export const LONGEST_WAIT_MS = 120_000;

/** What Retry-After asks for, in seconds or as a date; undefined where it says nothing. */
export function retryAfterMs({ headers }: Answer): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}

const SECRET_FIELDS = ['secret', 'access_token', 'refresh_token', 'client_secret', 'token'];

export class ExchangeRecorder {
  readonly exchanges: Exchange[] = [];
  /** What the watch found in them. */
  readonly monitorFindings: Finding[] = [];
  readonly #runContext: RunContext;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #leftovers = new OpenSubscriptions();
  #prepaid = 0;
  #count = 0;
  #tidying = false;

  constructor(runContext: RunContext) {
    this.#runContext = runContext;
    this.#signal = AbortSignal.any([this.#over.signal, runContext.abandonSignal]);
  }

  get sender(): Sender {
    return this.#runContext.sender;
  }

  /** How many exchanges there have been. */
  get count(): number {
    return this.#count;
  }

  /** Waits for room for `count` requests, which the next ones then use without waiting. */
  async reserve(credential: Credential, count: number): Promise<void> {
    const { pacer } = this.#runContext;
    if (count > pacer.mostAtOnce) {
      const words = `${count} requests at once are more than --max-rate allows`;
      throw new MissingCapability('bursts', words);
    }
    await pacer.take(credential.rates, count);
    this.#prepaid += count;
  }

  burst(credential: Credential): number {
    return Math.min(MOST_AT_ONCE, this.#runContext.pacer.burst(credential.rates));
  }

  /** Sends one call and records what came of it. Throws Unreachable when no answer came. */
  async call(baseUrl: string, credential: Credential, draft: RequestDraft): Promise<Answer> {
    if (this.#prepaid > 0) this.#prepaid -= 1;
    else await this.#runContext.pacer.take(draft.unpaced ? [] : credential.rates);
    if (this.#runContext.signal.aborted && !this.#tidying) {
      throw new Inconclusive('the run was interrupted');
    }
    if (this.#runContext.reachability.isGone) throw new Inconclusive(GONE);
    this.#count += 1;
    const n = this.#count;
    this.#runContext.onRequest();
    const authorization =
      draft.authorization === undefined ? `Bearer ${credential.token}` : draft.authorization;
    // A client's secret in another spelling is still its secret.
    if (draft.authorization?.startsWith('Basic '))
      this.#runContext.onSecret(draft.authorization.slice(6));
    const headers: HeaderLine[] =
      authorization === null
        ? [...draft.headers]
        : [['authorization', authorization], ...draft.headers];
    const request = {
      method: draft.method,
      url: baseUrl + draft.target,
      headers,
      body: draft.body,
    };
    const startedAt = performance.now();
    const atMs = startedAt - this.#runContext.startedAtMs;
    const timeoutMs = draft.timeoutMs ?? this.#runContext.timeoutMs;
    const base = { n, kind: 'call', as: credential.name, request, atMs } as const;
    try {
      const response = await this.#runContext.sender.send({
        ...request,
        timeoutMs: this.#tidying ? Math.min(timeoutMs, CLEAN_UP_TIMEOUT_MS) : timeoutMs,
        signal: this.#tidying ? this.#over.signal : this.#signal,
      });
      this.#runContext.reachability.noteAnswer();
      const durationMs = performance.now() - startedAt;
      const exchange = { ...base, response, failure: null, durationMs };
      this.exchanges.push(exchange);
      this.monitorFindings.push(
        ...this.#runContext.answerMonitor.inspect(exchange, draft.authorization === undefined),
      );
      const foreign = this.#runContext.answerMonitor.isForeign(exchange);
      const { status, body } = response;
      const parts = { n, status, body, atMs, durationMs, foreign };
      const answer = new Answer({ ...parts, headers: new Headers(response.headers) });
      this.#keepSecrets(answer);
      this.#leftovers.note(draft, credential, answer);
      // AUTH-3c: the token endpoint counts apart.
      const apart = draft.target.startsWith('/api/v1/oauth/');
      if (answer.status === 429 && !apart) this.#slowDown(credential, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (error.reason === 'refused') this.#runContext.reachability.noteRefusal(performance.now());
      const durationMs = performance.now() - startedAt;
      this.exchanges.push({ ...base, response: null, failure: error.message, durationMs });
      throw error;
    }
  }

  /** Notes a delivery that the receiver answered, among the exchanges it belongs to. */
  delivery(request: Exchange['request'], status: number): number {
    this.#count += 1;
    const response = { status, headers: [], body: new Uint8Array() };
    const atMs = performance.now() - this.#runContext.startedAtMs;
    const n = this.#count;
    const rest = { response, failure: null, atMs, durationMs: 0 };
    this.exchanges.push({ n, kind: 'delivery', as: null, request, ...rest });
    return n;
  }

  /** Notes what an operator did, among the exchanges it belongs to. */
  recordOperatorCall({
    verb,
    given,
    result,
    startedAt,
  }: Parameters<OperatorCallListener>[0]): void {
    this.#count += 1;
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
    const request = { method: verb, url: '', headers: [], body: bytes(given) };
    const response = { status: 200, headers: [], body: bytes(result) };
    const atMs = startedAt - this.#runContext.startedAtMs;
    const durationMs = performance.now() - startedAt;
    const rest = { request, response, failure: null, atMs, durationMs };
    this.exchanges.push({ n: this.#count, kind: 'operator', as: null, ...rest });
  }

  /** From now on calls are sent even after an interruption: they put things back in order. */
  startCleanUp(): void {
    this.#tidying = true;
  }

  /** Disables the subscriptions that were made and are not disabled yet. */
  async disableOpenSubscriptions(baseUrl: string): Promise<void> {
    for (const [draft, credential] of this.#leftovers.disableCalls()) {
      // Best effort: what cannot be disabled now is not the scenario's subject.
      await this.call(baseUrl, credential, draft).catch(() => {});
    }
  }

  /** Waits by the wall, but not beyond the end of the run. */
  async sleep(ms: number): Promise<void> {
    const { signal } = this.#runContext;
    let stop = () => {};
    const interrupted = new Promise<void>((resolve) => {
      stop = resolve;
      signal.addEventListener('abort', stop, { once: true });
    });
    if (!signal.aborted) await Promise.race([this.#runContext.pause(ms), interrupted]);
    signal.removeEventListener('abort', stop);
    if (signal.aborted) throw new Inconclusive('the run was interrupted');
  }

  /** Gives up whatever is still under way: the scenario is over. */
  abort(): void {
    this.#over.abort();
  }

  #slowDown(credential: Credential, answer: Answer): void {
    const limit = Number(answer.headers.get('x-ratelimit-limit'));
    if (limit > 0) this.#runContext.pacer.learn(credential.rates, limit);
    const waitMs = retryAfterMs(answer) ?? 1_000;
    if (waitMs <= LONGEST_WAIT_MS) this.#runContext.pacer.backOff(credential.rates, waitMs);
  }

  #keepSecrets(answer: Answer): void {
    if (answer.status >= 300 || !/secret|token/.test(answer.text)) return;
    for (const field of SECRET_FIELDS) {
      const value = answer.at(field);
      if (typeof value === 'string' && value.length >= 6) this.#runContext.onSecret(value);
    }
  }
}

const PATH = '/api/v1/webhooks';

class OpenSubscriptions {
  readonly #open = new Map<string, Credential>();

  /** Sees a call and its answer: a subscription that was made, or one that was disabled. */
  note(draft: RequestDraft, credential: Credential, answer: Answer): void {
    if (draft.method !== 'POST' || answer.status >= 300) return;
    const path = draft.target.split('?')[0]!;
    if (path === PATH) {
      const id = answer.at('id');
      if (typeof id === 'number' || typeof id === 'string') this.#open.set(String(id), credential);
    }
    const disabled = /^\/api\/v1\/webhooks\/([^/]+)\/disable$/.exec(path)?.[1];
    if (disabled !== undefined) this.#open.delete(disabled);
  }

  /** The calls that put an end to what is left, each with the credential that began it. */
  disableCalls(): [RequestDraft, Credential][] {
    return [...this.#open].map(([id, credential]) => {
      const target = `${PATH}/${encodeURIComponent(id)}/disable`;
      const rest = { headers: [], body: undefined, authorization: undefined };
      return [
        { method: 'POST', target, ...rest, timeoutMs: undefined, unpaced: false },
        credential,
      ];
    });
  }
}
