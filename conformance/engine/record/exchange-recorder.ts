// Sends the calls of one scenario at the allowed pace, and records every exchange for the report:
// calls, deliveries and commands of an operator.

import type { Operator } from '../../providers/control-plane.ts';
import type { Credential, Target } from '../../providers/target.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { Role } from '../capabilities.ts';
import type { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import type { Pacer } from '../pace/pacer.ts';
import type { Reachability } from '../pace/reachability.ts';
import type { ScenarioRunOptions } from '../run/run.ts';
import { Inconclusive, MissingCapability, Unreachable } from '../scenario-errors.ts';
import { Answer } from '../send/answer.ts';
import { type ApiRequest, encodeCall, requestOf } from '../send/call.ts';
import { writeJson } from '../send/json.ts';
import type { Exchange, Finding } from '../types.ts';
import type { AnswerMonitor } from './answer-monitor.ts';

type SharedOption =
  | ('provider' | 'sender' | 'selection' | 'mark')
  | ('timeoutMs' | 'signal' | 'pause' | 'secret' | 'learned');

/** What all scenarios of a run share: its options with their defaults, and its state. */
export interface RunContext extends Required<Pick<ScenarioRunOptions, SharedOption>> {
  readonly pacer: Pacer;
  readonly startedAtMs: number;
  /** Aborted some time after `signal`: requests in flight are cancelled. */
  readonly abandonSignal: AbortSignal;
  /** Roles whose token worked at the start of the run and no longer works. */
  readonly expired: Set<Role>;
  /** The setup calls of each kind that failed to the last repeat, since one succeeded. */
  readonly failedSetups: Map<string, number>;
  readonly answerMonitor: AnswerMonitor;
  readonly eventLoop: EventLoopMonitor;
  readonly reachability: Reachability;
}

/** Why the remaining rules are untested after a target has stopped. */
export const GONE = 'the target stopped answering';
export const INTERRUPTED = 'the run was interrupted';

const CLEAN_UP_TIMEOUT_MS = 5_000;
/** Enough to show a race. */
const MAX_AT_ONCE = 50;

/** If a target asks for a longer wait, the scenario ends instead. */
export const LONGEST_WAIT_MS = 120_000;

/** The wait in Retry-After, in seconds or as a date; undefined if it has none. */
export function retryAfterMs({ headers }: Answer): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}

const SECRET_FIELDS = ['secret', 'access_token', 'refresh_token', 'client_secret', 'token'];

/** A delivery with its number among the exchanges of the report. */
export type RecordedDelivery = ReceivedDelivery & { readonly n: number };

export class ExchangeRecorder {
  readonly exchanges: Exchange[] = [];
  /** The findings of the monitor in these exchanges. */
  readonly monitorFindings: Finding[] = [];
  readonly run: RunContext;
  /** The number of the latest exchange. */
  count = 0;
  readonly #target: Target;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  /** The credential of each subscription that was created and is not disabled yet. */
  readonly #subscriptions = new Map<string, Credential>();
  readonly #deliveries = new Map<ReceivedDelivery, RecordedDelivery>();
  #prepaid = 0;
  #isCleaningUp = false;

  constructor(run: RunContext, target: Target) {
    this.run = run;
    this.#target = target;
    this.#signal = AbortSignal.any([this.#over.signal, run.abandonSignal]);
  }

  /** Waits for room for `count` requests, which can then be sent without waiting. */
  async reserve(credential: Credential, count: number): Promise<void> {
    const { pacer } = this.run;
    if (count > pacer.maxAtOnce) {
      const words = `${count} requests at once are more than --max-rate allows`;
      throw new MissingCapability('bursts', words);
    }
    await pacer.take(credential.rates, count);
    this.#prepaid += count;
  }

  burst(credential: Credential): number {
    return Math.min(MAX_AT_ONCE, this.run.pacer.burst(credential.rates));
  }

  /** Sends one call and records the exchange. Throws Unreachable if no response arrives. */
  async call(credential: Credential, call: ApiRequest): Promise<Answer> {
    const { pacer, signal, reachability, sender, answerMonitor } = this.run;
    const { baseUrl, addedHeaders = [] } = this.#target;
    if (this.#prepaid > 0) this.#prepaid -= 1;
    else await pacer.take(call.unpaced === true ? [] : credential.rates);
    if (signal.aborted && !this.#isCleaningUp) throw new Inconclusive(INTERRUPTED);
    if (reachability.isGone) throw new Inconclusive(GONE);
    const { authorization = `Bearer ${credential.token}` } = call;
    // The client secret of an Authorization header is also a secret in its base64 form.
    if (call.authorization?.startsWith('Basic ')) this.run.secret(call.authorization.slice(6));
    const { target, headers, body } = encodeCall(call);
    const own = authorization === null ? [] : [['authorization', authorization] as const];
    const url = baseUrl + target;
    const request = { method: call.method, url, headers: [...own, ...headers], body };
    const usualMs = call.timeoutMs ?? this.run.timeoutMs;
    const finish = this.#begin('call', credential.name);
    try {
      const response = await sender.send({
        ...request,
        headers: [...request.headers, ...addedHeaders],
        timeoutMs: this.#isCleaningUp ? Math.min(usualMs, CLEAN_UP_TIMEOUT_MS) : usualMs,
        signal: this.#isCleaningUp ? this.#over.signal : this.#signal,
      });
      const answer = new Answer(finish(request, response));
      reachability.noteAnswer();
      const isOwnToken = call.authorization === undefined;
      this.monitorFindings.push(...answerMonitor.inspect(answer, isOwnToken));
      answer.looksForeign ||= answerMonitor.isForeign(answer);
      this.#note(credential, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (error.reason === 'refused') reachability.noteRefusal(performance.now());
      finish(request, null, error.message);
      throw error;
    }
  }

  /** A delivery as an exchange of the report, recorded the first time it is seen. */
  delivery(arrival: ReceivedDelivery): RecordedDelivery {
    const known = this.#deliveries.get(arrival);
    if (known !== undefined) return known;
    const { method, url, headers, body, answered: status } = arrival;
    const response = { status, headers: [], body: new Uint8Array() };
    const finish = this.#begin('delivery');
    const { n } = finish({ method, url, headers: headers.lines, body }, response);
    const recorded = { ...arrival, n };
    this.#deliveries.set(arrival, recorded);
    return recorded;
  }

  /** The operator with its successful commands recorded, except for reading the clock. */
  recordingOperator(): Operator {
    const bytes = (value: unknown) => Buffer.from(value === undefined ? '' : writeJson(value));
    return new Proxy(this.#target.operator, {
      get: (powers, verb) => {
        const power: unknown = Reflect.get(powers, verb);
        if (typeof power !== 'function' || verb === 'nowMs') return power;
        return async (...given: unknown[]) => {
          const startedAtMs = performance.now();
          const result: unknown = await Reflect.apply(power, powers, given);
          const request = { method: String(verb), url: '', headers: [], body: bytes(given) };
          const response = { status: 200, headers: [], body: bytes(result) };
          this.#begin('operator', null, startedAtMs)(request, response);
          return result;
        };
      },
    });
  }

  /** Gives an exchange the next number; the result records it. */
  #begin(kind: Exchange['kind'], as: string | null = null, startedAtMs = performance.now()) {
    this.count += 1;
    const begun = { n: this.count, kind, as, atMs: startedAtMs - this.run.startedAtMs };
    return (
      request: Exchange['request'],
      response: Exchange['response'],
      failure: string | null = null,
    ): Exchange => {
      const durationMs = performance.now() - startedAtMs;
      const exchange = { ...begun, request, response, failure, durationMs };
      this.exchanges.push(exchange);
      return exchange;
    };
  }

  /** From now on calls are sent even after an interruption, because they undo what the scenario did. */
  startCleanUp(): void {
    this.#isCleaningUp = true;
  }

  /** Disables the subscriptions that were created and are not disabled yet, as far as that works. */
  async disableOpenSubscriptions(): Promise<void> {
    for (const [id, credential] of [...this.#subscriptions]) {
      const call = requestOf('disableWebhook', { id }, () => '');
      await this.call(credential, call).catch(() => {});
    }
  }

  /** Waits in real time, but not beyond the end of the run. */
  async sleep(ms: number): Promise<void> {
    await this.run.pause(ms);
    if (this.run.signal.aborted) throw new Inconclusive(INTERRUPTED);
  }

  /** Cancels requests in flight: the scenario is over. */
  abort(): void {
    this.#over.abort();
  }

  /** Notes limits, secrets and subscriptions in an answer. */
  #note(credential: Credential, answer: Answer): void {
    const { operation } = answer;
    // AUTH-3c: the token endpoint has its own allowance.
    if (answer.status === 429 && operation !== 'issueToken') this.#slowDown(credential, answer);
    if (answer.status >= 300) return;
    if (/secret|token/.test(answer.text)) {
      for (const field of SECRET_FIELDS) {
        const value = answer.at(field);
        if (typeof value === 'string' && value.length >= 6) this.run.secret(value);
      }
    }
    const id = answer.idAt('id');
    if (operation === 'createWebhook' && id !== undefined) this.#subscriptions.set(id, credential);
    if (operation === 'disableWebhook') this.#subscriptions.delete(answer.namedId ?? '');
  }

  #slowDown(credential: Credential, answer: Answer): void {
    const limit = Number(answer.headers.get('x-ratelimit-limit'));
    if (limit > 0) this.run.pacer.learn(credential.rates, limit);
    const waitMs = retryAfterMs(answer) ?? 1_000;
    if (waitMs <= LONGEST_WAIT_MS) this.run.pacer.backOff(credential.rates, waitMs);
  }
}
