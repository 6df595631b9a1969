// Plays a sequence on one ground, step by step, and keeps what came back.
import { isRole } from '../../engine/capabilities.ts';
import { OPERATIONS } from '../../engine/operations.ts';
import { Inconclusive, Unreachable } from '../../engine/scenario-errors.ts';
import { type Json, memberAt } from '../../engine/send/answer.ts';
import type { HeaderLine } from '../../engine/send/headers.ts';
import type { Credential } from '../../providers/target.ts';
import type { ReceivedDelivery, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { type CallStep, type ManyStep, type RoleHas, rolesIn, type Step } from '../sequence.ts';
import { type Known, resolve, resolveText } from '../values.ts';
import { isSubscribing, untilDelivered, untilMet } from './await-arrivals.ts';
import { type Ground, released, sendPaced } from './ground.ts';
import { operate } from './operate.ts';
import { type CallOutcome, Headers, jsonOf, type LostOutcome, type Outcome } from './outcome.ts';
import { inForm, withPosition } from './position-form.ts';
import { tokenRequest, withToken } from './token-form.ts';

/** How long a call may be kept waiting, by the wall. */
const PENDING_MS = 60_000;
/** So long it is waited before a call that met a contention is sent again, each time (IDEM-6b). */
const CONTENTION_WAITS_MS = [0, 10, 30, 100, 300];
/** Credentials that a profile gives a brand. */
const WITH_BRAND: ReadonlySet<string> = new Set(['firm', 'brand', 'other_brand', 'other_firm']);

export class Player implements Known {
  readonly nonce: string;
  row: number | undefined;
  readonly ground: Ground;
  readonly outcomes = new Map<number, Outcome>();
  /** Endpoints of hook steps. */
  readonly hooks = new Map<number, WebhookEndpoint>();
  readonly credentials = new Map<string, Credential>();
  /** Faults that were set, the newest last. */
  readonly faults: { hits(): Promise<number>; remove(): Promise<void> }[] = [];
  /** Calls that were kept waiting, by their labels. */
  readonly waited = new Map<number, CallStep>();
  /** How far a model's clock has been moved after a target's that runs. */
  followedMs = 0;
  /** Between which times of the ground's own clock each delivery came. */
  readonly arrived = new WeakMap<ReceivedDelivery, readonly [fromMs: number, toMs: number]>();
  /** What the ground's own clock read at the beginning, and reads now as far as it is known. */
  startMs = 0;
  nowMs: number | undefined;
  /** What it read when each call was made, as far as it was known. */
  readonly beganAtMs = new Map<number, number>();
  /** How many deliveries each endpoint had when a step was over, by the label of the step. */
  readonly heardAt = new Map<number, ReadonlyMap<number, number>>();
  /** Since the last step ended, which waited for its deliveries, nothing has happened. */
  isFlushed = false;
  /** Someone is subscribed, be it to an endpoint elsewhere. */
  #delivers = false;
  /** A fault was planted, so that a 503 may be its doing. */
  #wasStruck = false;
  /** What was answered to calls that were kept waiting, whether a step awaits it or not. */
  readonly #late = new Map<number, Outcome>();
  readonly #pending = new Map<number, Promise<Outcome>>();
  /** Transactions that an operator has settled. */
  readonly settled: string[] = [];
  readonly #startedAtMs = performance.now();

  constructor(ground: Ground, nonce: string) {
    this.ground = ground;
    this.nonce = nonce;
  }

  /** Plays one step; a burst is several outcomes. */
  async play(step: Step): Promise<readonly Outcome[]> {
    const beforeMs = this.nowMs;
    const made = await this.#play(step);
    for (const outcome of made) {
      this.outcomes.set(outcome.n, outcome);
      if (beforeMs !== undefined) this.beganAtMs.set(outcome.n, beforeMs);
    }
    if (step.do === 'advance' && this.nowMs !== undefined) this.nowMs += step.byMs;
    if (step.do === 'hook' || isSubscribing(step)) this.#delivers = true;
    this.isFlushed = this.#delivers && step.do !== 'hook';
    if (this.isFlushed) await this.flush();
    this.heardAt.set(
      step.n,
      new Map([...this.hooks].map(([n, { deliveries }]) => [n, deliveries.length])),
    );
    if (beforeMs !== undefined) this.#noteArrivals(beforeMs);
    return made;
  }

  #noteArrivals(fromMs: number): void {
    for (const { deliveries } of this.hooks.values()) {
      for (const each of deliveries) {
        if (!this.arrived.has(each)) this.arrived.set(each, [fromMs, this.nowMs ?? fromMs]);
      }
    }
  }

  async #play(step: Step): Promise<readonly Outcome[]> {
    if (step.do === 'burst') {
      for (const { as } of step.calls) await this.#credential(as);
      return released(step, (call) => this.#call(call));
    }
    if (step.do === 'many') return [await this.#many(step)];
    if (step.do === 'await') return this.#await(step.call);
    if (step.do === 'fault') this.#wasStruck = true;
    if (step.do !== 'call') return [await operate(step, this)];
    if (step.pending !== true) {
      const outcome = await this.#untilCalm(step);
      await this.#clearFaults();
      return [outcome];
    }
    const answer = this.#call(step);
    // What becomes of it is asked when it is awaited, if it ever is.
    answer.then(
      (outcome) => this.#late.set(step.n, outcome),
      () => {},
    );
    this.#pending.set(step.n, answer);
    this.waited.set(step.n, step);
    const fault = this.faults.at(-1);
    const { timeoutMs } = this.ground;
    if (fault !== undefined) await untilMet({ hits: () => fault.hits(), answer, timeoutMs });
    await this.#clearFaults();
    return [];
  }

  /**
   * A contention that no one has made passes: the call is sent again under its key, as the table of
   * retries has it (IDEM-6b). One that does not pass is the answer.
   */
  async #untilCalm(step: CallStep): Promise<CallOutcome | LostOutcome> {
    let outcome = await this.#call(step);
    // One that is metered would have less left than it should.
    if (this.#wasStruck || !(isRole(step.as) || step.as === 'anonymous')) return outcome;
    for (const waitMs of CONTENTION_WAITS_MS) {
      if (!isContention(outcome)) break;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      outcome = await this.#call(step);
    }
    return outcome;
  }

  /** A fault is for the next call alone: one that was not met would keep another waiting. */
  async #clearFaults(): Promise<void> {
    for (const fault of this.faults.splice(0)) {
      if ((await fault.hits()) === 0) await fault.remove();
    }
  }

  async #many({ n, count, call }: ManyStep): Promise<Outcome> {
    const answers: (CallOutcome | LostOutcome)[] = [];
    for (let at = 0; at < count; at += 1) {
      this.row = at;
      answers.push(await this.#untilCalm(call));
    }
    this.row = undefined;
    return { kind: 'many', n, answers };
  }

  /** The answer that was waited for, under the label of its call. */
  async #await(n: number): Promise<readonly Outcome[]> {
    const answer = this.#pending.get(n);
    this.#pending.delete(n);
    return answer === undefined ? [] : [await answer];
  }

  async flush(): Promise<void> {
    await untilDelivered(this.ground, { delivers: this.#delivers, isOurs: this.hooks.size > 0 });
  }

  async #call(step: CallStep): Promise<CallOutcome | LostOutcome> {
    const credential = await this.#credential(step.as);
    for (const name of rolesIn(step)) await this.#credential(name);
    const sent = this.#request(step);
    const headers: HeaderLine[] = [...sent.headers];
    const own = headers.some(([name]) => name === 'authorization');
    if (credential !== undefined && !own) {
      headers.push(['authorization', `Bearer ${credential.token}`]);
    }
    const { ground } = this;
    const sentAtMs = performance.now() - this.#startedAtMs;
    try {
      const answer = await sendPaced(ground, credential?.rates ?? [], {
        method: sent.method,
        url: `${ground.target.baseUrl}${sent.target}`,
        headers,
        body: sent.body,
        timeoutMs: step.pending === true ? PENDING_MS : ground.timeoutMs,
        signal: ground.signal,
      });
      const { status, body, basis } = answer;
      const answerHeaders = new Headers(answer.headers);
      const answeredAtMs = performance.now() - this.#startedAtMs;
      const times = { sentAtMs, answeredAtMs };
      const why = foreignAnswer(status, answerHeaders.mediaType());
      if (why !== undefined) return { kind: 'lost', n: step.n, sent, why, ...times };
      const json = jsonOf(body);
      const own = { status, headers: answerHeaders, body, json, basis };
      return { kind: 'answer', n: step.n, sent, ...own, ...times };
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const answeredAtMs = performance.now() - this.#startedAtMs;
      return { kind: 'lost', n: step.n, sent, why: error.reason, sentAtMs, answeredAtMs };
    }
  }

  #bodyOf({ operation, body }: CallStep): string | undefined {
    if (body === undefined) return undefined;
    return JSON.stringify(inForm(this.ground.orders, operation, resolve(body, this)));
  }

  /** NS-8: the request in the form that the target was seen to take. */
  #tokenRequest({ body }: CallStep) {
    const { tokenForm } = this.ground;
    return tokenForm === undefined || body === undefined
      ? undefined
      : tokenRequest(tokenForm, resolve(body, this));
  }

  #request(step: CallStep) {
    const { as, operation } = step;
    const { method, path, body } = OPERATIONS[operation];
    const id = step.id === undefined ? '' : encodeURIComponent(resolveText(step.id, this));
    const query = Object.entries(step.query ?? {})
      .map(([name, value]) => `${name}=${encodeURIComponent(resolveText(value, this))}`)
      .join('&');
    const headers: HeaderLine[] = [];
    const asked = operation === 'issueToken' ? this.#tokenRequest(step) : undefined;
    const text = step.raw ?? (asked === undefined ? this.#bodyOf(step) : asked.body);
    headers.push(...(asked?.headers ?? []));
    const typed = asked !== undefined || 'content-type' in (step.headers ?? {});
    if (text !== undefined && (body || step.body !== undefined) && !typed) {
      headers.push(['content-type', 'application/json']);
    }
    if (step.key !== undefined) headers.push(['idempotency-key', resolveText(step.key, this)]);
    if (step.ifMatch !== undefined) headers.push(['if-match', resolveText(step.ifMatch, this)]);
    for (const [name, value] of Object.entries(step.headers ?? {})) {
      headers.push([name, resolveText(value, this)]);
    }
    const target = path.replace(':id', id) + (query === '' ? '' : `?${query}`);
    const bytes = text === undefined ? undefined : Buffer.from(text);
    return { as, method, target, headers, body: bytes };
  }

  /** Made when it is first needed; undefined for no one. */
  async #credential(name: string): Promise<Credential | undefined> {
    if (name === 'anonymous') return undefined;
    const known = this.credentials.get(name);
    if (known !== undefined) return known;
    if (!isRole(name)) throw new Inconclusive(`no step has minted the credential ${name}`);
    const made = await this.ground.target.credential(name);
    this.credentials.set(name, made);
    return made;
  }

  /** For reports: what a step brought, and be it that no step has awaited it. */
  broughtBy(n: number): Outcome | undefined {
    return this.outcomes.get(n) ?? this.#late.get(n);
  }

  answer(step: number): Json | undefined {
    const outcome = this.outcomes.get(step);
    if (outcome === undefined || outcome.kind === 'lost') return undefined;
    if (outcome.kind === 'ledger') return { balance: outcome.balance };
    if (outcome.kind === 'many') return undefined;
    if (outcome.kind === 'answer') {
      const { sent, json } = outcome;
      const shown = withPosition(this.ground.orders, sent.target, json);
      if (shown !== json) return shown;
    }
    const isToken = outcome.kind === 'answer' && outcome.sent.target.endsWith('/oauth/token');
    return isToken ? withToken(outcome.json) : outcome.json;
  }

  header(step: number, name: string): string | undefined {
    const outcome = this.outcomes.get(step);
    return outcome?.kind === 'answer' ? outcome.headers.get(name) : undefined;
  }

  has(role: string, what: RoleHas): string | undefined {
    const credential = this.credentials.get(role);
    if (what === 'brand') return credential?.brandId ?? this.#brandOf(role);
    if (what === 'account') return credential?.accountId;
    if (what === 'client') return credential?.clientId;
    if (what === 'secret') return credential?.clientSecret;
    return credential?.tradingAccountId;
  }

  /** Where a profile says none, the brand of the main credential is as good. */
  #brandOf(role: string): string | undefined {
    const { target } = this.ground;
    if (!isRole(role)) return undefined;
    return (
      target.brandId(role) ?? (WITH_BRAND.has(role) ? undefined : target.brandId(target.mainRole))
    );
  }

  /** Makes sure that a role's credential is there before a value asks for what belongs to it. */
  async prepare(name: string): Promise<Credential | undefined> {
    return this.#credential(name);
  }
}

const isContention = (outcome: CallOutcome | LostOutcome): boolean =>
  outcome.kind === 'answer' &&
  outcome.status === 503 &&
  memberAt(outcome.json, 'code') === 'write_contention';

/** A gateway or a page in front of the service: not an answer of the API. */
function foreignAnswer(status: number, type: string): string | undefined {
  const isGateway = status === 502 || status === 504 || status >= 520;
  return isGateway || (status >= 400 && type === 'text/html') ? `${status} ${type}` : undefined;
}
