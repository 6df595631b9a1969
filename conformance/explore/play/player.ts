// Plays a sequence on one ground, step by step, and keeps the outcomes.
import { setTimeout as sleep } from 'node:timers/promises';
import { isRole } from '../../engine/capabilities.ts';
import { Inconclusive, RefusedByOperator, Unreachable } from '../../engine/scenario-errors.ts';
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import { type Json, memberAt, writeJson } from '../../engine/send/json.ts';
import { SANDBOX_PER_SECOND } from '../../providers/profile-provider.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import type { ReceivedDelivery, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { OPERATIONS, takesBody } from '../../spec/operations.ts';
import { type Arrival, eventOf, subscriptionOf, subscriptionsOf } from '../compare/deliveries.ts';
import {
  type BurstStep,
  type CallStep,
  type ManyStep,
  type MintWish,
  type OperatorStep,
  type RoleHas,
  rolesIn,
  type Step,
} from '../sequence.ts';
import { type Known, MISSING, resolve, resolveText } from '../values.ts';
import { hasCalls, untilDelivered, untilMet } from './await-arrivals.ts';
import { inForm, tokenRequest, withPosition, withToken } from './forms.ts';
import { type Ground, sendPaced } from './ground.ts';
import { jsonOf, type Outcome, type Played, type Sent } from './outcome.ts';

/** How long a call that a fault delays may take, by the wall clock. */
const DELAYED_MS = 60_000;
/** The clock is advanced by this much more than the delay. */
const MARGIN_MS = 1_000;
/** Pauses before the retries of a call that met contention (IDEM-6b). */
const CONTENTION_WAITS_MS = [0, 10, 30, 100, 300];
/** Credentials that a profile binds to a brand. */
const WITH_BRAND: ReadonlySet<string> = new Set(['firm', 'brand', 'other_brand', 'other_firm']);

const PROPERTIES = {
  account: 'accountId',
  tradingAccount: 'tradingAccountId',
  client: 'clientId',
  secret: 'clientSecret',
} as const;

export class Player implements Known {
  readonly nonce: string;
  readonly ground: Ground;
  row: number | undefined;
  readonly outcomes = new Map<number, Outcome>();
  readonly hooks = new Map<number, WebhookEndpoint>();
  readonly credentials = new Map<string, Credential>();
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
        return this.#burst(step);
      case 'many':
        return [await this.#many(step)];
      case 'call':
        return step.fault === undefined
          ? [await this.#callUntilServed(step)]
          : this.#callUnderFault(step);
      default:
        return [await this.#operate(step)];
    }
  }

  async #burst(step: BurstStep): Promise<readonly Outcome[]> {
    for (const { as } of step.calls) await this.credential(as);
    const outcomes = await Promise.all(step.calls.map((call) => this.#call(call)));
    for (const [at, call] of step.calls.entries()) {
      outcomes[at] = await this.#callUntilServed(call, outcomes[at]);
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
    const answer = this.#call(step);
    const meanwhile: Outcome[] = [];
    const isDelay = effect.kind === 'delay';
    if (isDelay) {
      await untilMet(() => fault.hits(), answer, this.ground.timeoutMs);
    } else await answer;
    // A call that was answered without its fault must not leave it to the others.
    if ((await fault.hits()) > 0) this.met.add(step.n);
    else await fault.remove();
    if (isDelay) {
      if (afterMs > 0) await this.advance(afterMs);
      for (const each of step.meanwhile ?? []) meanwhile.push(this.#noted(await this.#call(each)));
      this.#isFlushed = false;
      await this.advance(Number(effect.ms) - afterMs + MARGIN_MS);
    }
    const last = await answer;
    return [...meanwhile, this.met.has(step.n) ? last : this.#noted(last)];
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
    for (this.row = 0; this.row < count; this.row += 1) {
      answers.push(await this.#callUntilServed(call));
    }
    this.row = undefined;
    return { kind: 'many', n, answers };
  }

  flush(): Promise<void> {
    const isOurs = this.hooks.size > 0;
    return untilDelivered(this.ground, { delivers: this.#hasSubscribers, isOurs });
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

  /**
   * A refused settlement is an outcome: whether the transaction settles shows which of two concurrent
   * decisions won (TXS-5). Some control planes return the unchanged transaction instead of an error.
   */
  async #operate(step: OperatorStep): Promise<Outcome> {
    const { n } = step;
    const { operator } = this.ground.target;
    if (step.do === 'ledger') {
      const ledger = await operator.ledger(resolveText(step.tradingAccount, this));
      return { kind: 'ledger', n, ...ledger };
    }
    if (step.do !== 'settle') return { kind: 'done', n, json: await this.#perform(step) };
    const id = resolveText(step.id, this);
    const status = await operator.settle(id).catch((error: unknown) => {
      // The step that should have recorded it was refused.
      const isUnmade = id === MISSING;
      if (error instanceof RefusedByOperator && (error.status === 409 || isUnmade))
        return 'refused';
      throw error;
    });
    const isRefused = status !== undefined && status !== 'settled';
    if (!isRefused) this.settled.push(id);
    return { kind: 'done', n, json: null, ...(isRefused && { isRefused }) };
  }

  async #perform(step: Exclude<OperatorStep, { do: 'ledger' | 'settle' }>): Promise<Json> {
    const { target, seeds } = this.ground;
    const { operator } = target;
    switch (step.do) {
      case 'advance':
        await this.advance(step.byMs);
        return null;
      case 'open': {
        const { account, do: _, n: __, ...options } = step;
        return { ...(await operator.openTradingAccount(resolveText(account, this), options)) };
      }
      case 'place':
        return { ...(seeds?.get(step.kind) ?? (await target.seed(step.kind))) };
      case 'mint': {
        const credential = await operator.mint(await this.#optionsOf(step.wish));
        this.credentials.set(step.name, { ...credential, name: step.name });
        const { plan, perSecond = plan === 'sandbox' ? SANDBOX_PER_SECOND : null } = step.wish;
        if (perSecond !== null) this.rates.set(step.name, perSecond);
        return { account_id: credential.accountId ?? null, brand_id: credential.brandId ?? null };
      }
      case 'rescope': {
        this.isRescoped = true;
        const id = this.has(step.name, 'client');
        if (id !== undefined) await operator.rescope(id, step.scopes);
        return null;
      }
      case 'hook':
        return this.#hook(step.n, step.answers);
      case 'permit':
        this.isRescoped = true;
        await operator.permit('1', step.operation, step.allowed);
        return null;
    }
  }

  async #optionsOf({ account, mintedBy, ...options }: MintWish): Promise<CredentialOptions> {
    if (mintedBy !== undefined) await this.credential(mintedBy);
    const minter = mintedBy === undefined ? undefined : this.has(mintedBy, 'client');
    return {
      ...options,
      ...(account !== undefined && { accountId: resolveText(account, this) }),
      ...(minter !== undefined && { mintedBy: minter }),
    };
  }

  /**
   * An endpoint that answers the attempts of each notice with these statuses in turn, then repeats the
   * last one. So the order in which events arrive makes no difference (NS-28).
   */
  async #hook(n: number, answers: readonly number[]): Promise<Json> {
    const made = await this.ground.target.receiver();
    const earlier: Arrival[] = [];
    made.answer((arrival) => {
      // A delivery may come before the answer that shows its subscription, so all are named again.
      const known = subscriptionsOf(this);
      const noticeOf = (each: Arrival) => `${eventOf(each)} ${subscriptionOf(each, known)}`;
      const attempt = earlier.filter((each) => noticeOf(each) === noticeOf(arrival)).length;
      earlier.push(arrival);
      const status = answers[Math.min(attempt, answers.length - 1)] ?? 200;
      // EVT-9a: a redirect that is followed delivers once more.
      const isRedirect = status >= 300 && status < 400;
      return { status, ...(isRedirect && { headers: { location: made.url } }) };
    });
    this.hooks.set(n, made);
    return { url: made.url };
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
    if (what === 'brand') return credential?.brandId ?? this.#brandOf(role);
    return credential?.[PROPERTIES[what]];
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
