// Plays a sequence on one ground, step by step, and keeps the outcomes.
import { isRole } from '../../engine/capabilities.ts';
import { Inconclusive, Unreachable } from '../../engine/scenario-errors.ts';
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import { type Json, memberAt, writeJson } from '../../engine/send/json.ts';
import { SANDBOX_PER_SECOND } from '../../providers/profile-provider.ts';
import type { Credential } from '../../providers/target.ts';
import type { ReceivedDelivery, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { OPERATIONS, takesBody } from '../../spec/operations.ts';
import {
  type BurstStep,
  type CallStep,
  type ManyStep,
  type RoleHas,
  rolesIn,
  type Step,
} from '../sequence.ts';
import { type Known, resolve, resolveText } from '../values.ts';
import { hasCalls, sleep, untilDelivered, untilMet } from './await-arrivals.ts';
import { type Ground, sendPaced } from './ground.ts';
import { operate } from './operate.ts';
import { jsonOf, type Outcome, type Played, type Sent } from './outcome.ts';
import { inForm, withPosition } from './position-form.ts';
import { tokenRequest, withToken } from './token-form.ts';

/** How long a call that a fault delays may take, by the wall clock. */
const DELAYED_MS = 60_000;
/** The clock is advanced by this much more than the delay. */
const MARGIN_MS = 1_000;
/** Pauses before the retries of a call that met contention (IDEM-6b). */
const CONTENTION_WAITS_MS = [0, 10, 30, 100, 300];
/** Credentials that a profile binds to a brand. */
const WITH_BRAND: ReadonlySet<string> = new Set(['firm', 'brand', 'other_brand', 'other_firm']);

export class Player implements Known {
  readonly nonce: string;
  readonly ground: Ground;
  row: number | undefined;
  readonly outcomes = new Map<number, Outcome>();
  /** Endpoints of hook steps. */
  readonly hooks = new Map<number, WebhookEndpoint>();
  readonly credentials = new Map<string, Credential>();
  /** Transactions that an operator has settled. */
  readonly settled: string[] = [];
  /** How far a model's clock has been advanced to follow a target's running clock. */
  followedMs = 0;
  /** The ground's own clock at the start, and its current time as far as it is known. */
  startMs = 0;
  nowMs: number | undefined;
  /** The time of that clock when each call was made, as far as it was known. */
  readonly beganAtMs = new Map<number, number>();
  /** The two times of that clock between which each delivery arrived. */
  readonly arrived = new WeakMap<ReceivedDelivery, readonly [fromMs: number, toMs: number]>();
  /** The target is closed: it sends nothing more. */
  isOver = false;
  /** An operator has changed the permissions of a credential or the firm. */
  isRescoped = false;
  /** Calls that reached the fault that was planted for them. */
  readonly met = new Set<number>();
  /** Calls whose answer was a transient failure and that were not retried: they prove nothing. */
  readonly passing = new Set<number>();
  /** The rate limits of credentials, if a sequence can reach the limit. */
  readonly rates = new Map<string, number>();
  /** Nothing has happened since all deliveries were answered. */
  #isFlushed = false;
  #hasSubscribers = false;
  readonly #startedAtMs = performance.now();

  constructor(ground: Ground, nonce: string) {
    this.ground = ground;
    this.nonce = nonce;
  }

  /** Plays one step; a burst has several outcomes. */
  async play(step: Step): Promise<readonly Outcome[]> {
    const beforeMs = this.nowMs;
    // A subscription shows what was delivered, and a change of it concerns later events only.
    if (hasCalls(step, /Webhook/)) await this.settle();
    const outcomes = await this.#play(step);
    for (const outcome of outcomes) {
      this.outcomes.set(outcome.n, outcome);
      if (beforeMs !== undefined) this.beganAtMs.set(outcome.n, beforeMs);
    }
    if (step.do === 'hook' || hasCalls(step, /^createWebhook/)) this.#hasSubscribers = true;
    this.#isFlushed = false;
    if (this.nowMs !== beforeMs) await this.settle(beforeMs);
    return outcomes;
  }

  async #play(step: Step): Promise<readonly Outcome[]> {
    switch (step.do) {
      case 'burst':
        for (const { as } of step.calls) await this.credential(as);
        return this.#burst(step);
      case 'many':
        return [await this.#many(step)];
      case 'call':
        return step.fault === undefined
          ? [await this.#callUntilServed(step)]
          : this.#callUnderFault(step);
      default:
        return [await operate(step, this)];
    }
  }

  /** Calls that have to be retried are sent again after all calls are answered. */
  async #burst(step: BurstStep): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    const answers = await Promise.all(step.calls.map((call) => this.#call(call)));
    for (const [at, call] of step.calls.entries()) {
      outcomes.push(await this.#callUntilServed(call, answers[at]));
    }
    return outcomes;
  }

  /** A fault is for one call: if that call does not reach it, it must not affect another one. */
  async #callUnderFault(step: CallStep): Promise<readonly Outcome[]> {
    const { phase, effect, afterMs = 0 } = step.fault!;
    const { operator } = this.ground.target;
    await this.credential(step.as);
    const match = { operation: step.operation };
    const fault = await operator.fault({ ...(phase && { phase }), match, effect, times: 1 });
    const outcomes: Outcome[] = [];
    const answer = this.#call(step);
    const isMet = async () => {
      if ((await fault.hits()) > 0) this.met.add(step.n);
      else await fault.remove();
      return this.met.has(step.n);
    };
    let isFaultMet: boolean | undefined;
    if (effect.kind === 'delay') {
      await untilMet({ hits: () => fault.hits(), answer, timeoutMs: this.ground.timeoutMs });
      // A call that is answered immediately must not leave its fault to the others.
      isFaultMet = await isMet();
      if (afterMs > 0) await this.advance(afterMs);
      for (const each of step.meanwhile ?? []) outcomes.push(this.#noted(await this.#call(each)));
      this.#isFlushed = false;
      await this.advance(Number(effect.ms) - afterMs + MARGIN_MS);
    }
    const last = await answer;
    isFaultMet ??= await isMet();
    return [...outcomes, isFaultMet ? last : this.#noted(last)];
  }

  async advance(byMs: number): Promise<void> {
    // Deliveries in flight are answered first: otherwise their 15 s expire when the clock is advanced,
    // but only on the slower side.
    await this.settle();
    await this.ground.target.operator.advance(byMs);
    if (this.nowMs !== undefined) this.nowMs += byMs;
  }

  /**
   * Retries a call after contention, a transient failure or another attempt, under its key, as the
   * retry table says (IDEM-6b, IDEM-6c, IDEM-14a). A failure that persists is the answer.
   */
  async #callUntilServed(step: CallStep, first?: Played): Promise<Played> {
    let outcome = first ?? (await this.#call(step));
    // A retry would use up allowance of a metered credential.
    if (this.rates.has(step.as)) {
      if (isInFlight(outcome)) this.passing.add(step.n);
      return this.#noted(outcome);
    }
    for (const waitMs of CONTENTION_WAITS_MS) {
      if (!isPassing(outcome) && !isInFlight(outcome)) break;
      await sleep(waitMs);
      outcome = await this.#call(step);
    }
    return outcome;
  }

  #noted(outcome: Played): Played {
    if (isPassing(outcome)) this.passing.add(outcome.n);
    return outcome;
  }

  async #many({ n, count, call }: ManyStep): Promise<Outcome> {
    const answers: Played[] = [];
    for (this.row = 0; this.row < count; this.row += 1)
      answers.push(await this.#callUntilServed(call));
    this.row = undefined;
    return { kind: 'many', n, answers };
  }

  async flush(): Promise<void> {
    const isOurs = this.hooks.size > 0;
    await untilDelivered(this.ground, { delivers: this.#hasSubscribers, isOurs });
  }

  /** Waits for the deliveries of the steps so far, which arrived after `fromMs`. */
  async settle(fromMs = this.nowMs): Promise<void> {
    if (this.#isFlushed || !this.#hasSubscribers) return;
    const { eventPauseMs = 0 } = this.ground;
    if (eventPauseMs > 0) await sleep(eventPauseMs);
    await this.flush();
    this.#isFlushed = true;
    if (fromMs === undefined) return;
    for (const each of [...this.hooks.values()].flatMap(({ deliveries }) => deliveries)) {
      if (!this.arrived.has(each)) this.arrived.set(each, [fromMs, this.nowMs ?? fromMs]);
    }
  }

  async #call(step: CallStep): Promise<Played> {
    const { readPauseMs = 0 } = this.ground;
    if (readPauseMs > 0 && OPERATIONS[step.operation].method === 'GET') await sleep(readPauseMs);
    const credential = await this.credential(step.as);
    for (const name of rolesIn(step)) await this.credential(name);
    const sent = this.#request(step);
    const headers: HeaderLine[] = [...sent.headers];
    const hasToken = headers.some(([name]) => name === 'authorization');
    if (credential !== undefined && !hasToken) {
      headers.push(['authorization', `Bearer ${credential.token}`]);
    }
    const { target, timeoutMs, signal } = this.ground;
    const sentAtMs = performance.now() - this.#startedAtMs;
    const about = () => ({
      ...{ n: step.n, sent, sentAtMs, answeredAtMs: performance.now() - this.#startedAtMs },
    });
    try {
      const answer = await sendPaced(this.ground, credential?.rates ?? [], {
        ...{ method: sent.method, url: `${target.baseUrl}${sent.target}`, headers, signal },
        ...{ body: sent.body, timeoutMs: step.fault === undefined ? timeoutMs : DELAYED_MS },
      });
      const { status, body, basis } = answer;
      const own = new Headers(answer.headers);
      const why = foreignAnswer(status, own.mediaType());
      if (why !== undefined) return { kind: 'lost', why, ...about() };
      return { kind: 'answer', status, headers: own, body, json: jsonOf(body), basis, ...about() };
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return { kind: 'lost', why: error.reason, ...about() };
    }
  }

  #request(step: CallStep) {
    const { as, operation, key, ifMatch } = step;
    const { method, path } = OPERATIONS[operation];
    const text = (value: Parameters<typeof resolve>[0]) => resolveText(value, this);
    const id = step.id === undefined ? '' : encodeURIComponent(text(step.id));
    const query = Object.entries(step.query ?? {})
      .map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`)
      .join('&');
    const own: HeaderLine[] = [
      ...(key === undefined ? [] : [['idempotency-key', text(key)] as const]),
      ...(ifMatch === undefined ? [] : [['if-match', text(ifMatch)] as const]),
      ...Object.entries(step.headers ?? {}).map(([name, value]) => [name, text(value)] as const),
    ];
    const { body, headers } = this.#bodyOf(step);
    const isTyped = headers.length > 0 || 'content-type' in (step.headers ?? {});
    const isJson =
      body !== undefined && (takesBody(operation) || step.body !== undefined) && !isTyped;
    const type: HeaderLine[] = isJson ? [['content-type', 'application/json']] : [...headers];
    return {
      ...{ as, method, target: path.replace(':id', id) + (query === '' ? '' : `?${query}`) },
      ...{ headers: [...type, ...own], body },
    };
  }

  /** NS-1, NS-8: encodes the body in the form that the target accepts. */
  #bodyOf({ operation, body, raw }: CallStep): Pick<Sent, 'headers' | 'body'> {
    const { orders, tokenForm } = this.ground;
    if (raw !== undefined) return { headers: [], body: Buffer.from(raw) };
    if (body === undefined) return { headers: [], body };
    const json = resolve(body, this);
    if (operation === 'issueToken' && tokenForm !== undefined) return tokenRequest(tokenForm, json);
    return { headers: [], body: Buffer.from(writeJson(inForm(orders, operation, json))) };
  }

  /** Created on first use; undefined for a call without a credential. */
  async credential(name: string): Promise<Credential | undefined> {
    if (name === 'anonymous') return undefined;
    const known = this.credentials.get(name);
    if (known !== undefined) return known;
    if (!isRole(name)) throw new Inconclusive(`no step has minted the credential ${name}`);
    const { target, delegates } = this.ground;
    const made = delegates?.get(name) ?? (await target.credential(name));
    this.credentials.set(name, made);
    // LIM-10: a delegated token has the rate of the Sandbox plan.
    if (made.accountId !== undefined) this.rates.set(name, SANDBOX_PER_SECOND);
    return made;
  }

  answer(step: number): Json | undefined {
    const outcome = this.outcomes.get(step);
    if (outcome?.kind === 'ledger') return { balance: outcome.balance };
    if (outcome?.kind === 'done') return outcome.json;
    if (outcome?.kind !== 'answer') return undefined;
    const { sent, json } = outcome;
    if (sent.target.endsWith('/oauth/token')) return withToken(json);
    return withPosition(this.ground.orders, sent.target, json);
  }

  header(step: number, name: string): string | undefined {
    const outcome = this.outcomes.get(step);
    return outcome?.kind === 'answer' ? outcome.headers.get(name) : undefined;
  }

  has(role: string, what: RoleHas): string | undefined {
    const credential = this.credentials.get(role);
    const known: Readonly<Record<RoleHas, string | undefined>> = {
      brand: credential?.brandId ?? this.#brandOf(role),
      account: credential?.accountId,
      tradingAccount: credential?.tradingAccountId,
      client: credential?.clientId,
      secret: credential?.clientSecret,
    };
    return known[what];
  }

  /** If a profile names none, the brand of the main credential is used. */
  #brandOf(role: string): string | undefined {
    const { target } = this.ground;
    if (!isRole(role)) return undefined;
    const main = WITH_BRAND.has(role) ? undefined : target.brandId(target.mainRole);
    return target.brandId(role) ?? main;
  }
}

const codeOf = (outcome: Outcome) =>
  outcome.kind === 'answer' ? memberAt(outcome.json, 'code') : undefined;

/** Whether the caller should retry the call: it may have had no effect. */
const isPassing = (outcome: Outcome): boolean =>
  ['write_contention', 'internal_error'].some((code) => code === codeOf(outcome));

/** An attempt may take a moment longer than its answer. */
const isInFlight = (outcome: Outcome): boolean => codeOf(outcome) === 'idempotency_in_flight';

/** Names a response of a gateway or a page in front of the service, instead of the API. */
function foreignAnswer(status: number, type: string): string | undefined {
  const isGateway = status === 502 || status === 504 || status >= 520;
  return isGateway || (status >= 400 && type === 'text/html') ? `${status} ${type}` : undefined;
}
