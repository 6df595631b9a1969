// One scenario being played once: what its `run` function sees, and what it leaves behind.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { Credential, Operator, Place, Target } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { Capability, Role } from '../capabilities.ts';
import { Expectation } from '../judge/expect.ts';
import { Findings } from '../judge/findings.ts';
import { ConditionWaiter } from '../pace/condition-waiter.ts';
import type { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import {
  DeliveryRecorder,
  evidence,
  type NumberedExchange,
  type RecordedDelivery,
} from '../record/delivery-recorder.ts';
import type { ExchangeRecorder } from '../record/exchange-recorder.ts';
import { recordingOperator } from '../record/recording-operator.ts';
import { Blocked, Unreachable } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import { ApiClient, isRepeatable, type RequestBody, type RequestDraft } from '../send/client.ts';
import type { Sender } from '../send/sender.ts';
import type { QuestionId, RuleId, Scenario } from '../types.ts';
import { FreshValues } from './fresh-values.ts';
import { newAccount, newTransaction } from './request-bodies.ts';
import { ScenarioSetup } from './scenario-setup.ts';

export type Rules = RuleId | readonly RuleId[];

export interface ScenarioContextOptions {
  readonly scenario: Scenario;
  readonly target: Target;
  readonly recorder: ExchangeRecorder;
  readonly eventLoop: EventLoopMonitor;
  readonly learned: Map<string, unknown>;
  readonly nonce: string;
  readonly attempt: number;
  /** On the last attempt, the exchanges that met trouble in all before it. */
  readonly lasting: ReadonlySet<number> | null;
}

export class ScenarioContext {
  readonly fresh: FreshValues;
  /** Setup: records made for the scenario, retried where the specification allows, else blocked. */
  readonly given: ScenarioSetup;
  /** What was found so far, and how far it can be trusted. */
  readonly findings: Findings;
  /** What was found out of the target beyond the specification, kept for the whole run. */
  readonly learned: Map<string, unknown>;
  readonly sender: Sender;
  readonly #options: ScenarioContextOptions;
  readonly #ends: (() => Promise<void>)[] = [];
  readonly #arrivals: DeliveryRecorder;
  readonly #patience: ConditionWaiter;

  constructor(options: ScenarioContextOptions) {
    this.#options = options;
    this.learned = options.learned;
    this.sender = options.recorder.sender;
    this.#arrivals = new DeliveryRecorder(options.recorder);
    this.#patience = new ConditionWaiter(options.eventLoop, (ms) => this.sleep(ms));
    this.findings = new Findings(options.scenario, options.lasting);
    this.fresh = new FreshValues(options.nonce, options.scenario.id, options.attempt);
    this.given = new ScenarioSetup(this, options.target);
  }

  /**
   * The main credential: firm-wide where there is one. Its calls are judged, so never sent twice.
   */
  get api(): ApiClient {
    return this.as(this.mainRole);
  }

  /** The API as another role, or as a credential that was made on demand. */
  as(who: Role | Credential): ApiClient {
    return new ApiClient((draft) => this.#dispatch(who, draft));
  }

  /** The brand that bodies name under a role; undefined when a profile does not say. */
  brandId(role: Role): string | undefined {
    return this.#options.target.brandId(role);
  }

  get mainRole(): Role {
    return this.#options.target.mainRole;
  }

  get baseUrl(): string {
    return this.#options.target.baseUrl;
  }

  credential(role: Role): Promise<Credential> {
    return this.#options.target.credential(role);
  }

  /** The powers of an operator; the scenario lists the needs it uses. */
  get operator(): Operator {
    const { target, recorder } = this.#options;
    return recordingOperator(target.operator, (act) => recorder.recordOperatorCall(act));
  }

  /** Whether the target offers something: for depth beyond what the rules themselves need. */
  has(need: Capability): boolean {
    return this.#options.target.offers.has(need);
  }

  /** A valid create-account body, fresh, with `over` laid over; `undefined` leaves a field out. */
  newAccount(over: RequestBody = {}, role: Role = this.mainRole): RequestBody {
    return newAccount(this.fresh, this.brandId(role), over);
  }

  /** A valid create-transaction body: a deposit of 25.00 unless `over` says otherwise. */
  newTransaction(place: Place, over: RequestBody = {}): RequestBody {
    return newTransaction(this.fresh, place, over);
  }

  /**
   * Shows that the request succeeds without its one fault. Sent again where the specification
   * allows (429, 500, 503); anything but these statuses ends the scenario as blocked.
   */
  async control(
    words: string,
    send: () => Promise<Answer>,
    ...statuses: number[]
  ): Promise<Answer> {
    const wanted = statuses.length === 0 ? [200, 201] : statuses;
    const answer = await this.given.sendUntilAnswered(words, send);
    if (!wanted.includes(answer.status)) {
      throw new Blocked(
        `control failed: ${words}: expected ${wanted.join(' or ')}, but ${answer.summary}`,
      );
    }
    this.findings.controlled = true;
    return answer;
  }

  /** An expectation on one answer, tagged with the rules that ask for it. */
  expect(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, this.findings.listed(rules), answer);
  }

  /** As expect, but the scenario ends when it is not met: what follows rests on it. */
  must(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, this.findings.listed(rules), answer, { fatal: true });
  }

  /** As expect, where the specification can be read two ways: not met is a piece of advice. */
  advise(rules: Rules, answer: Answer): Expectation {
    const failing = 'advisory';
    return new Expectation(this.findings, this.findings.listed(rules), answer, { failing });
  }

  /**
   * An expectation about several answers, or about what was seen elsewhere. Undefined where what
   * was seen fits a target that keeps the rules and one that does not.
   */
  claim(
    rules: Rules,
    words: string,
    truth: boolean | undefined,
    actual: string,
    ...answers: NumberedExchange[]
  ): boolean {
    const finding = { rules: this.findings.listed(rules), expected: words, ...evidence(answers) };
    const met = { ...finding, verdict: 'passed', actual: 'as expected' } as const;
    const verdict = truth === undefined ? 'inconclusive' : 'deviates';
    this.findings.record(truth === true ? met : { ...finding, verdict, actual }, true);
    return truth === true;
  }

  /**
   * What is found from here to the end of the part or scenario takes these rules for granted:
   * where one of them deviates in the same run, that is the reason, and nobody else is blamed.
   */
  presume(...rules: RuleId[]): void {
    this.findings.presumed = [...this.findings.presumed, ...rules];
  }

  /** Says that these rules could not be tried here, and why: `not_tested`, never passed. */
  notTested(rules: Rules, why: string): void {
    const finding = { expected: 'to be tested', actual: why, exchanges: [] };
    this.findings.record({ ...finding, rules: this.findings.listed(rules), verdict: 'not_tested' });
  }

  /** What the target does where the specification is open; with the settings that imitate it. */
  observe(
    question: QuestionId,
    text: string,
    settings: { readonly [Key in SettingKey]?: unknown } = {},
  ): void {
    this.findings.observations.push({ id: question, text, settings });
  }

  /**
   * One branch of a scenario: when a control inside fails, only the rules named here are blocked,
   * and the scenario goes on.
   */
  branch(rules: Rules, words: string, play: () => Promise<void>): Promise<void> {
    return this.findings.part(this.findings.listed(rules), words, play);
  }

  /** A string member that the scenario goes on with; blocked when the answer has none. */
  pick(answer: Answer, path: string): string {
    return this.findings.pickText(answer, path);
  }

  pickNumber(answer: Answer, path: string): number {
    return this.findings.pickNumber(answer, path);
  }

  /** Sends all of them at the same moment, waiting first until the pace has room for all. */
  async sendTogether(
    count: number,
    send: (index: number) => Promise<Answer>,
    who: Role | Credential = this.mainRole,
  ): Promise<Answer[]> {
    const credential = typeof who === 'string' ? await this.credential(who) : who;
    await this.#options.recorder.reserve(credential, count);
    const sent = Array.from({ length: count }, (_, index) => send(index));
    await Promise.allSettled(sent);
    return Promise.all(sent);
  }

  /** The most requests that `atOnce` may send under the plan, at most `wanted`. */
  async burstSize(wanted: number): Promise<number> {
    return Math.min(wanted, this.#options.recorder.burst(await this.credential(this.mainRole)));
  }

  /** Lets time pass: by the target's clock where it can be moved, else by waiting. */
  async wait(ms: number): Promise<void> {
    if (this.has('clock')) await this.operator.advance(ms);
    else await this.sleep(ms);
  }

  /** Waits by the wall. */
  sleep(ms: number): Promise<void> {
    return this.#options.recorder.sleep(ms);
  }

  /**
   * Waits, in short steps by the wall, until something is so; false when it never was. Time in
   * which this program had no turn does not count.
   */
  until(test: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    return this.#patience.until(test, withinMs);
  }

  /** Why what was missed may be this program's own doing; undefined when it cannot be. */
  get starvation(): string | undefined {
    return this.#patience.starvation;
  }

  /** A webhook endpoint of this scenario's own that the target can reach. Needs `receiver`. */
  async receiver(): Promise<WebhookEndpoint> {
    const hook = await this.#options.target.receiver();
    this.#patience.watchDeliveries(hook);
    return hook;
  }

  /**
   * What has arrived at a hook once there are `count` deliveries, or when the time is up: the
   * caller looks at how many there are. Each becomes an exchange of the report.
   */
  async deliveriesAt(
    hook: WebhookEndpoint,
    count: number,
    withinMs = 5_000,
  ): Promise<RecordedDelivery[]> {
    await this.until(() => hook.deliveries.length >= count, withinMs);
    return this.#arrivals.at(hook);
  }

  /** Runs when the scenario is over, however it ended; skipped where the target is thrown away. */
  addCleanUp(end: () => Promise<void>): void {
    if (!this.#options.target.disposable) this.#ends.push(end);
  }

  async cleanUp(): Promise<void> {
    const { recorder, target } = this.#options;
    recorder.startCleanUp();
    for (const end of this.#ends.reverse()) await end().catch(() => {});
    if (!target.disposable) await recorder.disableOpenSubscriptions(this.baseUrl);
    recorder.abort();
  }

  async #dispatch(who: Role | Credential, draft: RequestDraft): Promise<Answer> {
    const credential = typeof who === 'string' ? await this.credential(who) : who;
    try {
      const answer = await this.#options.recorder.call(this.baseUrl, credential, draft);
      this.findings.arrived(answer, isRepeatable(draft));
      return answer;
    } catch (error) {
      const lost = error instanceof Unreachable && error.reason !== 'aborted';
      const { count } = this.#options.recorder;
      if (lost) this.findings.lost(count, error.message, isRepeatable(draft));
      throw error;
    }
  }
}
