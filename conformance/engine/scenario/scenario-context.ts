// One attempt at a scenario: the API for its `run` function, and what it records.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { Operator } from '../../providers/control-plane.ts';
import type { Credential, Place, Target } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { NEW_PROFILE } from '../../spec/literals.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { Capability, Role } from '../capabilities.ts';
import { laneOf } from '../capabilities.ts';
import { describeAnswer, Expectation } from '../judge/expect.ts';
import type { Findings, Rules } from '../judge/findings.ts';
import { ConditionWaiter } from '../pace/condition-waiter.ts';
import {
  type ExchangeRecorder,
  LONGEST_WAIT_MS,
  type RecordedDelivery,
  type RunContext,
  retryAfterMs,
} from '../record/exchange-recorder.ts';
import { Blocked, Inconclusive, Unreachable } from '../scenario-errors.ts';
import { Answer } from '../send/answer.ts';
import {
  type ApiRequest,
  type Call,
  type Called,
  isRepeatable,
  type RecordId,
  type RequestBody,
  requestOf,
  type Who,
  wordsOf,
} from '../send/call.ts';
import type { QuestionId, Scenario } from '../types.ts';
import { FreshValues } from './fresh-values.ts';
import { ScenarioSetup } from './scenario-setup.ts';

export type { Rules } from '../judge/findings.ts';

/** Waits before setup, or a judged call that got a 500 or 503, is repeated. */
const REPEAT_AFTER_MS = [50, 200, 400];
const SETUP_AFTER_MS = [50, 200, 500, 1_000, 2_000];
/** The setup calls of a kind that failed to the end, after which fewer repeats will do. */
const FAILED_SETUPS = 3;
const FEWER_REPEATS = 2;
/** After this many permanent failures, calls no longer wait for the target to recover. */
const LASTING_FAILURES = 3;

interface ScenarioContextOptions {
  readonly scenario: Scenario;
  readonly target: Target;
  readonly recorder: ExchangeRecorder;
  readonly findings: Findings;
  readonly attempt: number;
}

export class ScenarioContext {
  /** What the target offers in addition to its API. */
  readonly target: Target;
  readonly fresh: FreshValues;
  readonly findings: Findings;
  readonly given: ScenarioSetup;
  /** Commands of an operator; the scenario lists the capabilities it uses. */
  readonly operator: Operator;
  readonly #scenario: Scenario;
  readonly #recorder: ExchangeRecorder;
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly #waiter: ConditionWaiter;
  #lastingFailures = 0;

  constructor({ scenario, target, recorder, findings, attempt }: ScenarioContextOptions) {
    this.target = target;
    this.findings = findings;
    this.#scenario = scenario;
    this.#recorder = recorder;
    this.#waiter = new ConditionWaiter(recorder.run.eventLoop, (ms) => this.sleep(ms));
    this.operator = recorder.recordingOperator();
    this.fresh = new FreshValues(recorder.run.mark, scenario.id, attempt);
    this.given = new ScenarioSetup(this);
  }

  /** Sends one call, whose response may be judged. */
  call(called: Called, more: Call = {}): Promise<Answer> {
    return this.#dispatch(called, more, false);
  }

  /** Repeats it until the service itself answers: after a 429, a 500, a gateway error or no answer. */
  answered(called: Called, more: Call = {}): Promise<Answer> {
    return this.#dispatch(called, more, true);
  }

  /**
   * Shows that a call succeeds: as setup, or as the request without its one fault. Any status other than
   * a success, or than these, ends the scenario as blocked. Which success it is, is judged elsewhere.
   */
  async control(called: Called, more: Call = {}, ...also: number[]): Promise<Answer> {
    const answer = await this.answered(called, more);
    if (!answer.isServed && !also.includes(answer.status)) {
      const words = `${wordsOf(called)}: expected a success, but ${describeAnswer(answer)}`;
      throw new Blocked(`control failed: ${words}`);
    }
    this.findings.controlled = true;
    return answer;
  }

  get mainRole(): Role {
    return this.target.mainRole;
  }

  /** The brand that a role names in bodies; undefined if the profile does not give it. */
  brandId(role: Role): string | undefined {
    return this.target.brandId(role);
  }

  credential(role: Role): Promise<Credential> {
    return this.target.credential(role);
  }

  /** Whether the target offers a capability: for extra depth beyond the needs of the rules. */
  has(need: Capability): boolean {
    return this.target.offers.has(need);
  }

  get baseUrl(): string {
    return this.target.baseUrl;
  }

  /** What all scenarios of the run share: its sender, and facts about the target. */
  get run(): RunContext {
    return this.#recorder.run;
  }

  /**
   * A valid create-account body with fresh values, overridden by `over`; `undefined` removes a field.
   * No phone, because two accounts must not share one.
   */
  newAccount(over: RequestBody = {}, role: Role = this.mainRole): RequestBody {
    const brand_id = this.brandId(role);
    return {
      client_reference_id: this.fresh.reference(),
      email: this.fresh.email(),
      ...NEW_PROFILE,
      ...(brand_id !== undefined && { brand_id }),
      ...over,
    };
  }

  /** A valid create-transaction body: a deposit of 25.00, overridden by `over`. */
  newTransaction(place: Place, over: RequestBody = {}): RequestBody {
    const client_reference_id = this.fresh.reference();
    const { account_id, trading_account_id, currency } = place;
    const where = { client_reference_id, account_id, trading_account_id, currency };
    return { ...where, amount: '25.00', transaction_type: 'Deposit', ...over };
  }

  /** Creates an account, judged: a valid body overridden by `over`, at the brand of the caller's role. */
  create(over: RequestBody = {}, more: Call = {}): Promise<Answer> {
    const role = typeof more.as === 'string' ? more.as : this.mainRole;
    return this.call('createAccount', { ...more, body: this.newAccount(over, role) });
  }

  /** Updates an account under a tag, judged. */
  update(
    id: RecordId | undefined,
    body: RequestBody,
    ifMatch: Call['ifMatch'],
    more: Call = {},
  ): Promise<Answer> {
    return this.call('updateAccount', { ...more, id, body, ifMatch });
  }

  /** Records a transaction, judged: a valid body overridden by `over`. */
  record(place: Place, over: RequestBody = {}, more: Call = {}): Promise<Answer> {
    return this.call('createTransaction', { ...more, body: this.newTransaction(place, over) });
  }

  /** An expectation on one answer, tagged with the rules that require it. */
  expect(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, rules, answer);
  }

  /** Like expect, but ends the scenario if it is not met, because the rest depends on it. */
  must(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, rules, answer, 'must');
  }

  /** Like expect, for an ambiguous specification: if it is not met, the finding is advice. */
  advise(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, rules, answer, 'advise');
  }

  /**
   * An expectation about several answers or deliveries, or another observation. `truth` is
   * undefined if what was seen also fits a target that breaks the rules.
   */
  claim(
    rules: Rules,
    expected: string,
    truth: boolean | undefined,
    seen: string,
    ...answers: readonly { readonly n: number }[]
  ): boolean {
    const verdict = truth === undefined ? 'inconclusive' : truth ? 'passed' : 'deviates';
    const actual = truth === true ? 'as expected' : seen;
    const exchanges = answers.map(({ n }) => n);
    this.findings.record({ rules, verdict, expected, actual, exchanges }, true);
    return truth === true;
  }

  /** These rules cannot be tested here: `not_tested` with the reason. */
  notTested(rules: Rules, actual: string): void {
    const finding = { rules, expected: 'to be tested', actual, exchanges: [] };
    this.findings.record({ ...finding, verdict: 'not_tested' });
  }

  /**
   * What the target does where the specification is open, with the settings that imitate it;
   * `isUnlike` if no setting imitates it.
   */
  observe(
    id: QuestionId,
    text: string,
    settings: { readonly [Key in SettingKey]?: unknown } = {},
    isUnlike = false,
  ): void {
    // After a 429, a 500 or a lost answer, the observation may not be the target's choice.
    if (this.findings.doubt !== undefined) return;
    this.findings.observations.push({ id, text, settings, ...(isUnlike && { isUnlike }) });
  }

  /**
   * One branch of a scenario: if a control inside it fails, only the rules named here are blocked,
   * and the scenario continues.
   */
  branch(rules: Rules, words: string, play: () => Promise<void>): Promise<void> {
    return this.findings.part(rules, words, play);
  }

  /** A string member that the scenario needs; blocked if the response has none. */
  pick(answer: Answer, path: string): string {
    const doubt = this.findings.unjudgeable(answer);
    if (doubt !== undefined) throw new Inconclusive(`exchange ${answer.n}: ${doubt}`);
    // CONV-1a judges how an id is written: a JSON number still names its record.
    const text = /(^|[._])id$/.test(path) ? answer.idAt(path) : answer.at(path);
    if (typeof text === 'string' && text !== '') return text;
    throw new Blocked(`the answer of exchange ${answer.n} (${answer.summary}) has no "${path}"`);
  }

  /** Sends all of them simultaneously, after waiting until the pace has room for all. */
  async sendTogether(
    count: number,
    send: (index: number) => Promise<Answer>,
    who: Who = this.mainRole,
  ): Promise<Answer[]> {
    await this.#recorder.reserve(await this.#credentialOf(who), count);
    const sent = Array.from({ length: count }, (_, index) => send(index));
    await Promise.allSettled(sent);
    return Promise.all(sent);
  }

  /** The most requests that `sendTogether` may send under the plan, at most `wanted`. */
  async burstSize(wanted: number): Promise<number> {
    return Math.min(wanted, this.#recorder.burst(await this.credential(this.mainRole)));
  }

  /** Lets time pass: on the clock of the target if it can be moved, otherwise by waiting. */
  async wait(ms: number): Promise<void> {
    if (this.has('clock')) await this.operator.advance(ms);
    else await this.sleep(ms);
  }

  sleep(ms: number): Promise<void> {
    return this.#recorder.sleep(ms);
  }

  /**
   * Polls in real time until a condition holds; false if it never did. Time during which this program
   * was stalled does not count.
   */
  until(test: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    return this.#waiter.until(test, withinMs);
  }

  /** A webhook endpoint of this scenario that the target can reach. Needs `receiver`. */
  async receiver(): Promise<WebhookEndpoint> {
    const hook = await this.target.receiver();
    this.#waiter.watchDeliveries(hook);
    return hook;
  }

  /**
   * The deliveries to a hook once there are `count` of them, or when the time is up: the caller checks
   * how many there are. Each becomes an exchange of the report.
   */
  async deliveriesAt(
    hook: WebhookEndpoint,
    count: number,
    withinMs = 5_000,
  ): Promise<RecordedDelivery[]> {
    await this.until(() => hook.deliveries.length >= count, withinMs);
    return hook.deliveries.map((arrival) => this.#recorder.delivery(arrival));
  }

  /** Why this program's own stall may explain a missed delivery; undefined if it cannot. */
  get starvation(): string | undefined {
    return this.#waiter.starvation;
  }

  /** Runs when the scenario ends for any reason; skipped if the target is discarded. */
  addCleanUp(cleanUp: () => Promise<void>): void {
    if (!this.target.disposable) this.#cleanUps.push(cleanUp);
  }

  async cleanUp(): Promise<void> {
    const recorder = this.#recorder;
    recorder.startCleanUp();
    for (const cleanUp of this.#cleanUps.reverse()) await cleanUp().catch(() => {});
    // A target may limit the number of subscriptions, so they are disabled in a shared world too.
    const isShared = laneOf(this.#scenario) === 'shared';
    if (isShared || !this.target.disposable) await recorder.disableOpenSubscriptions();
    recorder.abort();
  }

  async #credentialOf(who: Who): Promise<Credential> {
    return typeof who === 'string' ? this.credential(who) : who;
  }

  /**
   * IDEM-6b, IDEM-6c: neither a 503 nor a 500 is recorded, so a repeat under the same key runs. A
   * failed judged call is only judged if the failure is permanent.
   */
  async #dispatch(called: Called, more: Call, isSetup: boolean): Promise<Answer> {
    const request = requestOf(called, more, () => this.fresh.key());
    const { as: who = this.mainRole } = request;
    const canRepeat = isRepeatable(request);
    const wasDoubtful = this.findings.doubt !== undefined;
    const { failedSetups } = this.#recorder.run;
    const words = wordsOf(called);
    let failed: Answer | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const seen = await this.#send(who, request, isSetup);
      const answer = seen instanceof Answer ? seen : undefined;
      const waitMs = isSetup
        ? setupWaitMs(attempt, answer, failedSetups.get(words) ?? 0)
        : this.#repeatWaitMs(attempt, answer!);
      if (answer !== undefined && (isSetup || waitMs === 0)) this.#note(answer, failed, canRepeat);
      if (answer !== undefined && waitMs === 0) {
        if (answer.source === 'service') failedSetups.delete(words);
        if (isSetup && !wasDoubtful) this.findings.settled();
        return answer;
      }
      if (waitMs > LONGEST_WAIT_MS) {
        failedSetups.set(words, (failedSetups.get(words) ?? 0) + 1);
        throw setupFailed(words, seen, waitMs, attempt + 1);
      }
      if (answer?.source === 'trouble') failed ??= answer;
      await this.sleep(waitMs);
    }
  }

  #note(answer: Answer, failed: Answer | undefined, canRepeat: boolean): void {
    if (failed !== undefined) {
      if (answer.source === 'trouble') this.#lastingFailures += 1;
      this.findings.repeated(failed, answer, canRepeat);
    }
    this.findings.arrived(answer, canRepeat);
  }

  /** The answer or, for setup, why there is none. */
  async #send(who: Who, request: ApiRequest, isSetup: boolean): Promise<Answer | Unreachable> {
    try {
      const credential = await this.#credentialOf(who);
      const answer = await this.#recorder.call(credential, request);
      if (typeof who === 'string') await this.#requireUnexpired(answer, who, request);
      return answer;
    } catch (error) {
      const isLost = error instanceof Unreachable && error.reason !== 'aborted';
      if (isLost) this.findings.lost(this.#recorder.count, error.message, isRepeatable(request));
      if (isLost && isSetup) return error;
      throw error;
    }
  }

  /**
   * A profile's token that worked at the start of the run and now gets a 401 has expired or was
   * revoked, so its answers say nothing about the rules. AUTH-1: a create without a field is
   * harmless, and only needs a valid token.
   */
  async #requireUnexpired({ status }: Answer, role: Role, call: ApiRequest): Promise<void> {
    const isOwn = call.authorization === undefined && !this.has('mint');
    if (status !== 401 || !isOwn || this.#scenario.rules.length === 0) return;
    const { expired } = this.#recorder.run;
    if (!expired.has(role)) {
      const probe: ApiRequest = { ...OPERATIONS.createAccount, body: {}, key: this.fresh.key() };
      const answer = await this.#recorder.call(await this.credential(role), probe);
      if (answer.status !== 401) return;
      expired.add(role);
    }
    const why = `the token of credentials.${role} is refused (401) since: it expired or was revoked`;
    throw new Inconclusive(why);
  }

  /** 0 if the answer can be judged. */
  #repeatWaitMs(attempt: number, { source, status }: Answer): number {
    const { lane, provokes = [] } = this.#scenario;
    const isFailure = source === 'trouble' && !provokes.includes(status) && lane !== 'limits';
    if (!isFailure || this.#lastingFailures >= LASTING_FAILURES) return 0;
    return REPEAT_AFTER_MS[attempt] ?? 0;
  }
}

/** 0 if the service answered; Infinity after the last attempt. */
function setupWaitMs(attempt: number, answer: Answer | undefined, failedBefore: number): number {
  if (answer?.source === 'service') return 0;
  const usualMs = SETUP_AFTER_MS[attempt];
  const isHopeless = failedBefore >= FAILED_SETUPS && attempt >= FEWER_REPEATS;
  if (usualMs === undefined || isHopeless) return Number.POSITIVE_INFINITY;
  return (answer && retryAfterMs(answer)) || usualMs;
}

/** A failing service blocks a scenario; a network fault makes it inconclusive. */
function setupFailed(words: string, seen: Answer | Unreachable, waitMs: number, times: number) {
  const trouble = `${words}: ${seen instanceof Answer ? seen.summary : seen.message}`;
  if (Number.isFinite(waitMs)) {
    const seconds = Math.round(waitMs / 1000);
    return new Inconclusive(`${trouble} asks to wait ${seconds} s (Retry-After)`);
  }
  const isFailing = seen instanceof Answer && seen.source === 'trouble';
  return isFailing
    ? new Blocked(`setup failed: ${trouble}, ${times} times`)
    : new Inconclusive(`${trouble}, ${times} times`);
}
