// Sends the calls of one scenario at the pace allowed, and keeps every exchange for the report:
// calls, deliveries and what an operator did.
import type { Credential, Operator } from '../../providers/target.ts';
import type { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import type { Pacer } from '../pace/pacer.ts';
import type { Reachability } from '../pace/reachability.ts';
import { Inconclusive, MissingCapability, Unreachable } from '../scenario-errors.ts';
import { Answer } from '../send/answer.ts';
import { apiPathOf, type RequestDraft } from '../send/client.ts';
import { type HeaderLine, Headers } from '../send/headers.ts';
import { idText } from '../send/json.ts';
import type { Sender } from '../send/sender.ts';
import type { Exchange, Finding } from '../types.ts';
import type { AnswerMonitor } from './answer-monitor.ts';

/** What all scenarios of a run share. */
export interface RunContext {
  readonly sender: Sender;
  readonly pacer: Pacer;
  readonly timeoutMs: number;
  readonly startedAtMs: number;
  /** Aborted when the run is interrupted: nothing new is sent. */
  readonly signal: AbortSignal;
  /** Aborted a little later: requests in flight are given up. */
  readonly abandonSignal: AbortSignal;
  /** Waits in real time. */
  pause(ms: number): Promise<void>;
  /** Called for each request, to count them. */
  onRequest(): void;
  /** Called with every secret in a response, so that no report shows it. */
  onSecret(value: string): void;
  /** What was found out about the target beyond the specification, for every scenario of the run. */
  readonly learned: Map<string, unknown>;
  readonly answerMonitor: AnswerMonitor;
  readonly eventLoop: EventLoopMonitor;
  readonly reachability: Reachability;
}

/** Why the rest is open once a target has gone away. */
export const GONE = 'the target stopped answering';
const INTERRUPTED = 'the run was interrupted';

const CLEAN_UP_TIMEOUT_MS = 5_000;
/** As many as show a race; more would show nothing else. */
const MOST_AT_ONCE = 50;

/** If a target asks for a longer wait, the scenario ends instead. */
export const LONGEST_WAIT_MS = 120_000;

/** What Retry-After asks for, in seconds or as a date; undefined if it says nothing. */
export function retryAfterMs({ headers }: Answer): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}

const SECRET_FIELDS = ['secret', 'access_token', 'refresh_token', 'client_secret', 'token'];

export class ExchangeRecorder {
  readonly exchanges: Exchange[] = [];
  /** What the monitor found in them. */
  readonly monitorFindings: Finding[] = [];
  readonly #run: RunContext;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  /** The credential of each subscription that was created and is not disabled yet. */
  readonly #subscriptions = new Map<string, Credential>();
  /** Sent with every call and not recorded. */
  addedHeaders: readonly HeaderLine[] = [];
  #prepaid = 0;
  #count = 0;
  #isCleaningUp = false;

  constructor(runContext: RunContext) {
    this.#run = runContext;
    this.#signal = AbortSignal.any([this.#over.signal, runContext.abandonSignal]);
  }

  get sender(): Sender {
    return this.#run.sender;
  }

  /** How many exchanges there have been. */
  get count(): number {
    return this.#count;
  }

  /** Waits for room for `count` requests, which the next ones then use without waiting. */
  async reserve(credential: Credential, count: number): Promise<void> {
    const { pacer } = this.#run;
    if (count > pacer.mostAtOnce) {
      const words = `${count} requests at once are more than --max-rate allows`;
      throw new MissingCapability('bursts', words);
    }
    await pacer.take(credential.rates, count);
    this.#prepaid += count;
  }

  burst(credential: Credential): number {
    return Math.min(MOST_AT_ONCE, this.#run.pacer.burst(credential.rates));
  }

  /** Sends one call and records the exchange. Throws Unreachable when no response came. */
  async call(baseUrl: string, credential: Credential, draft: RequestDraft): Promise<Answer> {
    const { pacer, signal, reachability, sender, answerMonitor } = this.#run;
    if (this.#prepaid > 0) this.#prepaid -= 1;
    else await pacer.take(draft.unpaced ? [] : credential.rates);
    if (signal.aborted && !this.#isCleaningUp) throw new Inconclusive(INTERRUPTED);
    if (reachability.isGone) throw new Inconclusive(GONE);
    this.#run.onRequest();
    const { authorization = `Bearer ${credential.token}` } = draft;
    // The client secret of an Authorization header is a secret in base64 too.
    if (draft.authorization?.startsWith('Basic ')) this.#run.onSecret(draft.authorization.slice(6));
    const own: HeaderLine[] = authorization === null ? [] : [['authorization', authorization]];
    const request = {
      method: draft.method,
      url: baseUrl + draft.target,
      headers: [...own, ...draft.headers],
      body: draft.body,
    };
    const startedAt = performance.now();
    const usualMs = draft.timeoutMs ?? this.#run.timeoutMs;
    const common = { ...this.#next('call', startedAt), as: credential.name, request };
    try {
      const response = await sender.send({
        ...request,
        headers: [...request.headers, ...this.addedHeaders],
        timeoutMs: this.#isCleaningUp ? Math.min(usualMs, CLEAN_UP_TIMEOUT_MS) : usualMs,
        signal: this.#isCleaningUp ? this.#over.signal : this.#signal,
      });
      reachability.noteAnswer();
      const durationMs = performance.now() - startedAt;
      const exchange: Exchange = { ...common, response, failure: null, durationMs };
      this.exchanges.push(exchange);
      this.monitorFindings.push(
        ...answerMonitor.inspect(exchange, draft.authorization === undefined),
      );
      const answer = new Answer({
        ...{ n: common.n, status: response.status, body: response.body, durationMs },
        ...{ headers: new Headers(response.headers), atMs: common.atMs },
        foreign: answerMonitor.isForeign(exchange),
      });
      this.#noteSecrets(answer);
      this.#noteSubscription(draft, credential, answer);
      // AUTH-3c: the token endpoint has an allowance of its own.
      const isToken = draft.target.startsWith('/api/v1/oauth/');
      if (answer.status === 429 && !isToken) this.#slowDown(credential, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (error.reason === 'refused') reachability.noteRefusal(performance.now());
      const durationMs = performance.now() - startedAt;
      this.exchanges.push({ ...common, response: null, failure: error.message, durationMs });
      throw error;
    }
  }

  /** Records a delivery with the status that the receiver answered. */
  delivery(request: Exchange['request'], status: number): number {
    const response = { status, headers: [], body: new Uint8Array() };
    const rest = { as: null, request, response, failure: null, durationMs: 0 };
    const exchange: Exchange = { ...this.#next('delivery', performance.now()), ...rest };
    this.exchanges.push(exchange);
    return exchange.n;
  }

  /** The same operator, whose successful commands are recorded; reading the clock is not. */
  recording(operator: Operator): Operator {
    return new Proxy(operator, {
      get: (powers, verb) => {
        const power: unknown = Reflect.get(powers, verb);
        if (typeof power !== 'function' || verb === 'nowMs') return power;
        return async (...given: unknown[]) => {
          const startedAt = performance.now();
          const result: unknown = await Reflect.apply(power, powers, given);
          this.#noteCommand(String(verb), given, result, startedAt);
          return verb === 'fault' ? this.#recordingFault(result as Fault) : result;
        };
      },
    });
  }

  #recordingFault(fault: Fault): Fault {
    return {
      hits: () => fault.hits(),
      remove: async () => {
        const startedAt = performance.now();
        await fault.remove();
        this.#noteCommand('removeFault', [], null, startedAt);
      },
    };
  }

  #noteCommand(verb: string, given: unknown, result: unknown, startedAt: number): void {
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
    const request = { method: verb, url: '', headers: [], body: bytes(given) };
    const response = { status: 200, headers: [], body: bytes(result) };
    const durationMs = performance.now() - startedAt;
    const rest = { as: null, request, response, failure: null, durationMs };
    this.exchanges.push({ ...this.#next('operator', startedAt), ...rest });
  }

  #next<K extends Exchange['kind']>(kind: K, startedAt: number) {
    this.#count += 1;
    return { n: this.#count, kind, atMs: startedAt - this.#run.startedAtMs };
  }

  /** From now on calls are sent even after an interruption: they undo what the scenario did. */
  startCleanUp(): void {
    this.#isCleaningUp = true;
  }

  /** Disables the subscriptions that were created and are not disabled yet, as far as that works. */
  async disableOpenSubscriptions(baseUrl: string): Promise<void> {
    for (const [id, credential] of [...this.#subscriptions]) {
      const target = `/api/v1/webhooks/${encodeURIComponent(id)}/disable`;
      const rest = { headers: [], body: undefined, authorization: undefined, unpaced: false };
      const draft = { method: 'POST', target, ...rest, timeoutMs: undefined };
      await this.call(baseUrl, credential, draft).catch(() => {});
    }
  }

  /** Waits in real time, but not beyond the end of the run. */
  async sleep(ms: number): Promise<void> {
    const { signal } = this.#run;
    let stop = () => {};
    const interrupted = new Promise<void>((resolve) => {
      stop = resolve;
      signal.addEventListener('abort', stop, { once: true });
    });
    if (!signal.aborted) await Promise.race([this.#run.pause(ms), interrupted]);
    signal.removeEventListener('abort', stop);
    if (signal.aborted) throw new Inconclusive(INTERRUPTED);
  }

  /** Gives up requests in flight: the scenario is over. */
  abort(): void {
    this.#over.abort();
  }

  #slowDown(credential: Credential, answer: Answer): void {
    const limit = Number(answer.headers.get('x-ratelimit-limit'));
    if (limit > 0) this.#run.pacer.learn(credential.rates, limit);
    const waitMs = retryAfterMs(answer) ?? 1_000;
    if (waitMs <= LONGEST_WAIT_MS) this.#run.pacer.backOff(credential.rates, waitMs);
  }

  #noteSecrets(answer: Answer): void {
    if (answer.status >= 300 || !/secret|token/.test(answer.text)) return;
    for (const field of SECRET_FIELDS) {
      const value = answer.at(field);
      if (typeof value === 'string' && value.length >= 6) this.#run.onSecret(value);
    }
  }

  #noteSubscription({ method, target }: RequestDraft, credential: Credential, answer: Answer) {
    if (method !== 'POST' || answer.status >= 300) return;
    const path = apiPathOf(target);
    const id = path === '/api/v1/webhooks' ? idText(answer.at('id')) : undefined;
    if (id !== undefined) this.#subscriptions.set(id, credential);
    const disabled = /^\/api\/v1\/webhooks\/([^/]+)\/disable$/.exec(path)?.[1];
    if (disabled !== undefined) this.#subscriptions.delete(decodeURIComponent(disabled));
  }
}

type Fault = Awaited<ReturnType<Operator['fault']>>;
