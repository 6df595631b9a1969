// One scenario being played once: what its `run` function sees, and what it leaves behind.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { Credential } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { Role } from '../capabilities.ts';
import { Expectation } from '../judge/expect.ts';
import {
  DeliveryRecorder,
  evidence,
  type NumberedExchange,
  type RecordedDelivery,
} from '../record/delivery-recorder.ts';
import { Blocked } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import type { QuestionId, RuleId } from '../types.ts';
import { ScenarioSession, type ScenarioSessionOptions } from './scenario-session.ts';
import { ScenarioSetup } from './scenario-setup.ts';

export type Rules = RuleId | readonly RuleId[];

export class ScenarioContext extends ScenarioSession {
  /** Setup: records made for the scenario, retried where the specification allows, else blocked. */
  readonly given: ScenarioSetup;
  readonly #arrivals: DeliveryRecorder;

  constructor(options: ScenarioSessionOptions) {
    super(options);
    this.#arrivals = new DeliveryRecorder(options.recorder);
    this.given = new ScenarioSetup(this, options.target);
  }

  /**
   * Shows that the request succeeds without its one fault. Sent again where the specification
   * allows (429, 500, 503); anything but these statuses, or a success where none are named, ends
   * the scenario as blocked.
   */
  async control(
    words: string,
    send: () => Promise<Answer>,
    ...statuses: number[]
  ): Promise<Answer> {
    const answer = await this.sendUntilAnswered(words, send);
    const isWanted = statuses.length === 0 ? answer.status < 300 : statuses.includes(answer.status);
    if (!isWanted) {
      const wanted = statuses.join(' or ') || 'a success';
      throw new Blocked(`control failed: ${words}: expected ${wanted}, but ${answer.summary}`);
    }
    this.findings.controlled = true;
    return answer;
  }

  /** An expectation on one answer, tagged with the rules that ask for it. */
  expect(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, this.findings.listed(rules), answer);
  }

  /** Like expect, but ends the scenario if it is not met: what follows rests on it. */
  must(rules: Rules, answer: Answer): Expectation {
    return new Expectation(this.findings, this.findings.listed(rules), answer, { fatal: true });
  }

  /** Like expect, if the specification can be read in two ways: a miss is advice. */
  advise(rules: Rules, answer: Answer): Expectation {
    const failing = 'advisory';
    return new Expectation(this.findings, this.findings.listed(rules), answer, { failing });
  }

  /**
   * An expectation about several answers, or about something else that was seen. `truth` is
   * undefined if what was seen also fits a target that breaks the rules.
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
   * Findings from here to the end of the branch or scenario presume these rules: if one of them
   * deviates in the same run, it explains them.
   */
  presume(...rules: RuleId[]): void {
    this.findings.presumed = [...this.findings.presumed, ...rules];
  }

  /** These rules could not be tested here: `not_tested` with the reason. */
  notTested(rules: Rules, why: string): void {
    const finding = { expected: 'to be tested', actual: why, exchanges: [] };
    this.findings.record({ ...finding, rules: this.findings.listed(rules), verdict: 'not_tested' });
  }

  /**
   * What the target does where the specification is open, with the settings that imitate it;
   * `isUnlike` if it differs from the simulator in a way that no setting imitates.
   */
  observe(
    question: QuestionId,
    text: string,
    settings: { readonly [Key in SettingKey]?: unknown } = {},
    isUnlike = false,
  ): void {
    // After a 429, a 500 or a lost answer, what is seen may not be the target's choice.
    if (this.findings.doubtful) return;
    this.findings.observations.push({
      id: question,
      text,
      settings,
      ...(isUnlike && { isUnlike }),
    });
  }

  /**
   * One branch of a scenario: when a control inside fails, only the rules named here are blocked,
   * and the scenario goes on.
   */
  branch(rules: Rules, words: string, play: () => Promise<void>): Promise<void> {
    return this.findings.part(this.findings.listed(rules), words, play);
  }

  /** Sends all of them at the same moment, waiting first until the pace has room for all. */
  async sendTogether(
    count: number,
    send: (index: number) => Promise<Answer>,
    who: Role | Credential = this.mainRole,
  ): Promise<Answer[]> {
    const credential = typeof who === 'string' ? await this.credential(who) : who;
    await this.options.recorder.reserve(credential, count);
    const sent = Array.from({ length: count }, (_, index) => send(index));
    await Promise.allSettled(sent);
    return Promise.all(sent);
  }

  /** The most requests that `atOnce` may send under the plan, at most `wanted`. */
  async burstSize(wanted: number): Promise<number> {
    return Math.min(wanted, this.options.recorder.burst(await this.credential(this.mainRole)));
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
}
