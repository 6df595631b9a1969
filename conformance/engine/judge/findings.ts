// The findings of a scenario so far, and how reliable they are after a disturbance.
import { EarlyEnd, Misuse, UnknownPayload } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import type { Finding, Observation, RuleId, Scenario } from '../types.ts';

export type Rules = RuleId | readonly RuleId[];

const FRONT = 'this looks like something in front of the service';

export class Findings {
  readonly list: Finding[] = [];
  readonly observations: Observation[] = [];
  /** Whether a setup or control call of the scenario has succeeded. */
  controlled = false;
  /** Why a part was skipped, if no order payload is known that the target takes. */
  withoutOrders: string | undefined;
  readonly #scenario: Scenario;
  readonly #isLastAttempt: boolean;
  /** Answers to a repeat of a failed call: the failed call may have run (IDEM-6c). */
  readonly #repeats = new Set<number>();
  /** Failures that occurred in every repeat of the call. */
  readonly #lasting = new Set<number>();
  #isUnrepeatable = false;
  /** The exchange of the last call: a setup that failed failed there. */
  lastCall: number | undefined;
  #disturbance: { readonly n: number; readonly words: string } | undefined;

  constructor(scenario: Scenario, isLastAttempt: boolean) {
    this.#scenario = scenario;
    this.#isLastAttempt = isLastAttempt;
  }

  /**
   * A disturbance may explain what is seen after it: a lost call may have run, or not. Of several
   * answers that are judged `together`, any may be the one after the disturbance.
   */
  record(found: Omit<Finding, 'rules'> & { readonly rules: Rules }, together = false): void {
    const finding = { ...found, rules: this.#listed(found.rules) };
    const { verdict, exchanges, actual } = finding;
    const isRepeat = exchanges.some((n) => this.#repeats.has(n));
    const isBefore =
      !together && exchanges.length > 0 && Math.max(...exchanges) < (this.#disturbance?.n ?? 0);
    const isDoubtful = isRepeat || (this.doubt !== undefined && !isBefore);
    // What could not be tested after a disturbance might be testable without one.
    if (isDoubtful && (verdict === 'deviates' || verdict === 'not_tested')) {
      const doubted = `${actual} (${this.doubt ?? 'sent again after a failure'})`;
      this.list.push({ ...finding, verdict: 'inconclusive', actual: doubted });
    } else this.list.push(finding);
  }

  /** Why an answer cannot be judged now; undefined if it can. */
  unjudgeable(answer: Answer): string | undefined {
    if (this.#scenario.provokes?.includes(answer.status)) {
      return answer.looksForeign ? FRONT : undefined;
    }
    if (answer.source === 'limit') return 'limited, though the pace was within the plan';
    if (answer.source === 'intermediary') return FRONT;
    // A failure that recurs in every attempt is the target's answer.
    const isJudgeable =
      answer.source === 'service' || (this.#isLastAttempt && this.#lasting.has(answer.n));
    return isJudgeable ? undefined : 'this may pass, and is safe to retry';
  }

  /**
   * Notes that a failed call was repeated until it got another answer, or as often as is
   * reasonable. With a key, a success has the same effect as a first attempt; a refusal may be a
   * consequence of the failed attempt.
   */
  repeated(failed: Answer, answer: Answer, isRepeatable: boolean): void {
    if (answer.source === 'trouble') this.#lasting.add(answer.n);
    else if (answer.status < 300 && isRepeatable) this.#repeats.add(answer.n);
    else this.lost(answer.n, `a ${failed.status}, sent again,`, isRepeatable);
  }

  /** Notes an answer; if it cannot be judged, later findings are uncertain. */
  arrived(answer: Answer, isRepeatable: boolean): void {
    this.lastCall = answer.n;
    if (this.unjudgeable(answer) === undefined) return;
    const repeatable = isRepeatable || answer.source !== 'intermediary';
    this.lost(answer.n, `a ${answer.status}`, repeatable);
  }

  /** Notes that a call was lost. Without a key it may have run, and a repeat would run twice. */
  lost(n: number, words: string, isRepeatable: boolean): void {
    this.lastCall = n;
    this.#disturbance ??= { n, words };
    if (!isRepeatable) this.#isUnrepeatable = true;
  }

  /** A description of the disturbance; undefined if there was none. */
  get doubt(): string | undefined {
    const before = this.#disturbance;
    return before && `after ${before.words} in exchange ${before.n}`;
  }

  /** Setup that succeeded in a repeat under its key leaves no uncertainty. */
  settled(): void {
    if (!this.#isUnrepeatable) this.#disturbance = undefined;
  }

  /** One branch: if a control inside it fails, only these rules are blocked. */
  async part(rules: Rules, expected: string, play: () => Promise<void>): Promise<void> {
    const listed = this.#listed(rules);
    try {
      await play();
    } catch (error) {
      if (!(error instanceof EarlyEnd)) throw error;
      const { exchange = this.lastCall, message: actual, restsOn } = error;
      const isDoubtful = this.doubt !== undefined;
      // NS-1: the position rules report that no position could be opened.
      if (error instanceof UnknownPayload && !isDoubtful) {
        this.withoutOrders = actual;
        return;
      }
      const verdict = isDoubtful ? 'inconclusive' : error.verdict;
      const exchanges = exchange === undefined ? [] : [exchange];
      this.list.push({ rules: listed, verdict, expected, actual, exchanges, restsOn });
    }
  }

  /** The tags of an expectation, each of which the scenario must list. ERR-1a may be found anywhere. */
  #listed(rules: Rules): readonly RuleId[] {
    const listed = [rules].flat();
    const stray = listed.find((each) => ![...this.#scenario.rules, 'ERR-1a'].includes(each));
    if (stray !== undefined) throw new Misuse(`the scenario does not list the rule ${stray}`);
    return listed;
  }
}
