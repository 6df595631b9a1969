// What a scenario has found so far, and how far it can be trusted once something came in between.
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
  /** Whether a part was left out because no order is known. */
  withoutOrders = false;
  readonly #scenario: Scenario;
  readonly #isLastAttempt: boolean;
  /** Answers that repeat a failed call: what failed may have run before (IDEM-6c). */
  readonly #repeats = new Set<number>();
  /** Failures that came again each time that the call was sent again. */
  readonly #lasting = new Set<number>();
  #isUnrepeatable = false;
  #disturbance: { readonly n: number; readonly words: string } | undefined;

  constructor(scenario: Scenario, isLastAttempt: boolean) {
    this.#scenario = scenario;
    this.#isLastAttempt = isLastAttempt;
  }

  /**
   * What is seen after a disturbance may be its doing: a lost call may have run, or may not. Of
   * several answers `together` any later one may be missing that should have counted.
   */
  record(found: Omit<Finding, 'rules'> & { readonly rules: Rules }, together = false): void {
    const finding = { ...found, rules: this.#listed(found.rules) };
    const { verdict, exchanges, actual } = finding;
    const isRepeat = exchanges.some((n) => this.#repeats.has(n));
    const isBefore =
      !together && exchanges.length > 0 && Math.max(...exchanges) < (this.#disturbance?.n ?? 0);
    const isDoubtful = isRepeat || (this.doubt !== undefined && !isBefore);
    // What was not to be had after a disturbance might be had without one.
    if (isDoubtful && (verdict === 'deviates' || verdict === 'not_tested')) {
      const doubted = `${actual} (${this.doubt ?? 'sent again after a failure'})`;
      this.list.push({ ...finding, verdict: 'inconclusive', actual: doubted });
    } else this.list.push(finding);
  }

  /** Why an answer is none that can be judged now; undefined when it can. */
  unjudgeable(answer: Answer): string | undefined {
    if (this.#scenario.provokes?.includes(answer.status)) {
      return answer.looksForeign ? FRONT : undefined;
    }
    if (answer.source === 'limit') return 'limited, though the pace was within the plan';
    if (answer.source === 'intermediary') return FRONT;
    // A failure that stays, in every fresh attempt, is how the target answers.
    const isJudgeable =
      answer.source === 'service' || (this.#isLastAttempt && this.#lasting.has(answer.n));
    return isJudgeable ? undefined : 'this may pass, and is safe to retry';
  }

  /**
   * Notes that a failed call was sent again until it was answered otherwise, or for as long as it
   * makes sense. A success leaves what a first attempt would have left if the call had a key; a
   * refusal may be of what the failed attempt did.
   */
  repeated(failed: Answer, answer: Answer, isRepeatable: boolean): void {
    if (answer.source === 'trouble') this.#lasting.add(answer.n);
    else if (answer.status < 300 && isRepeatable) this.#repeats.add(answer.n);
    else this.lost(answer.n, `a ${failed.status}, sent again,`, isRepeatable);
  }

  /** Notes an answer; one that cannot be judged puts what follows in doubt. */
  arrived(answer: Answer, isRepeatable: boolean): void {
    if (this.unjudgeable(answer) === undefined) return;
    const repeatable = isRepeatable || answer.source !== 'intermediary';
    this.lost(answer.n, `a ${answer.status}`, repeatable);
  }

  /**
   * Notes that a call was lost. One that is not repeatable may have run: sent again, it runs twice.
   */
  lost(n: number, words: string, isRepeatable: boolean): void {
    this.#disturbance ??= { n, words };
    if (!isRepeatable) this.#isUnrepeatable = true;
  }

  /** What came in between, in words; undefined when nothing did. */
  get doubt(): string | undefined {
    const before = this.#disturbance;
    return before && `after ${before.words} in exchange ${before.n}`;
  }

  /** Setup that was sent again, under its key, with success leaves no doubt behind. */
  settled(): void {
    if (!this.#isUnrepeatable) this.#disturbance = undefined;
  }

  /** One branch: when a control inside fails, only these rules are blocked. */
  async part(rules: Rules, expected: string, play: () => Promise<void>): Promise<void> {
    const listed = this.#listed(rules);
    try {
      await play();
    } catch (error) {
      if (!(error instanceof EarlyEnd)) throw error;
      const isDoubtful = this.doubt !== undefined;
      // NS-1: the rules about positions report that positions could not be read.
      if (error instanceof UnknownPayload && !isDoubtful) {
        this.withoutOrders = true;
        return;
      }
      const verdict = isDoubtful ? 'inconclusive' : error.verdict;
      this.list.push({ rules: listed, verdict, expected, actual: error.message, exchanges: [] });
    }
  }

  /** The tags of an expectation, each of which the scenario must list. ERR-1a is found in passing. */
  #listed(rules: Rules): readonly RuleId[] {
    const listed: readonly RuleId[] = typeof rules === 'string' ? [rules] : rules;
    const own: readonly RuleId[] = [...this.#scenario.rules, 'ERR-1a'];
    const stray = listed.find((each) => !own.includes(each));
    if (stray !== undefined) throw new Misuse(`the scenario does not list the rule ${stray}`);
    return listed;
  }
}
