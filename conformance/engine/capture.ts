// Sends the calls of one trial at the pace allowed, and keeps every exchange for the report.
import type { Credential } from '../providers/target.ts';
import { Answer } from './answer.ts';
import type { Draft } from './client.ts';
import { type HeaderLine, Headers } from './headers.ts';
import type { Pacer } from './pace.ts';
import type { Sender } from './send.ts';
import { Inconclusive, Unreachable } from './stop.ts';
import type { Exchange } from './types.ts';

/** What all trials of a run share. */
export interface Line {
  readonly sender: Sender;
  readonly pacer: Pacer;
  readonly timeoutMs: number;
  readonly startedAtMs: number;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Lets that many milliseconds of the wall's time pass. */
  pause(ms: number): Promise<void>;
  /** Called for each request, to count them. */
  counted(): void;
  /** Told every secret that an answer shows, so that no report does. */
  secret(value: string): void;
}

const SECRET_FIELDS = ['secret', 'access_token', 'refresh_token', 'client_secret', 'token'];

export class Capture {
  readonly exchanges: Exchange[] = [];
  readonly #line: Line;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  #prepaid = 0;
  #count = 0;

  constructor(line: Line) {
    this.#line = line;
    this.#signal = AbortSignal.any([this.#over.signal, line.signal]);
  }

  /** How many exchanges there have been. */
  get count(): number {
    return this.#count;
  }

  /** Waits for room for `count` requests, which the next ones then use without waiting. */
  async room(credential: Credential, count: number): Promise<void> {
    await this.#line.pacer.take(credential.rates, count);
    this.#prepaid += count;
  }

  burst(credential: Credential): number {
    return credential.rates.length === 0 ? 50 : this.#line.pacer.burst(credential.rates);
  }

  /** Sends one call and records what came of it. Throws Unreachable when no answer came. */
  async call(baseUrl: string, credential: Credential, draft: Draft): Promise<Answer> {
    if (this.#prepaid > 0) this.#prepaid -= 1;
    else if (!draft.unpaced) await this.#line.pacer.take(credential.rates);
    if (this.#line.signal.aborted) throw new Inconclusive('the run was interrupted');
    this.#count += 1;
    const n = this.#count;
    this.#line.counted();
    const authorization =
      draft.authorization === undefined ? `Bearer ${credential.token}` : draft.authorization;
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
    const atMs = startedAt - this.#line.startedAtMs;
    const timeoutMs = draft.timeoutMs ?? this.#line.timeoutMs;
    const base = { n, kind: 'call', as: credential.name, request, atMs } as const;
    try {
      const response = await this.#line.sender.send({
        ...request,
        timeoutMs,
        signal: this.#signal,
      });
      const durationMs = performance.now() - startedAt;
      this.exchanges.push({ ...base, response, failure: null, durationMs });
      const parts = { n, status: response.status, body: response.body, atMs, durationMs };
      const answer = new Answer({ ...parts, headers: new Headers(response.headers) });
      this.#keepSecrets(answer);
      if (answer.status === 429) this.#slowDown(credential, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const durationMs = performance.now() - startedAt;
      this.exchanges.push({ ...base, response: null, failure: error.message, durationMs });
      throw error;
    }
  }

  /** Notes a delivery that the receiver answered, among the exchanges it belongs to. */
  delivery(request: Exchange['request'], status: number): number {
    this.#count += 1;
    const response = { status, headers: [], body: new Uint8Array() };
    const atMs = performance.now() - this.#line.startedAtMs;
    const n = this.#count;
    const rest = { response, failure: null, atMs, durationMs: 0 };
    this.exchanges.push({ n, kind: 'delivery', as: null, request, ...rest });
    return n;
  }

  /** Waits by the wall, but not beyond the end of the run. */
  async sleep(ms: number): Promise<void> {
    const { signal } = this.#line;
    let stop = () => {};
    const interrupted = new Promise<void>((resolve) => {
      stop = resolve;
      signal.addEventListener('abort', stop, { once: true });
    });
    if (!signal.aborted) await Promise.race([this.#line.pause(ms), interrupted]);
    signal.removeEventListener('abort', stop);
    if (signal.aborted) throw new Inconclusive('the run was interrupted');
  }

  /** Gives up whatever is still under way: the trial is over. */
  abort(): void {
    this.#over.abort();
  }

  #slowDown(credential: Credential, answer: Answer): void {
    const seconds = Number(answer.headers.get('retry-after') ?? 1);
    this.#line.pacer.backOff(credential.rates, (Number.isFinite(seconds) ? seconds : 1) * 1000);
  }

  #keepSecrets(answer: Answer): void {
    if (answer.status >= 300 || !/secret|token/.test(answer.text)) return;
    for (const field of SECRET_FIELDS) {
      const value = answer.at(field);
      if (typeof value === 'string' && value.length >= 6) this.#line.secret(value);
    }
  }
}
