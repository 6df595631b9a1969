// What a scenario has found so far, and how far it can be trusted once something came in between.
import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Misuse,
  UnknownPayload,
  Unreachable,
} from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import type { Finding, Judged, Observation, RuleId, Scenario } from '../types.ts';

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
  record(finding: Finding, together = false): Judged {
    const { verdict, exchanges, actual } = finding;
    const isRepeat = exchanges.some((n) => this.#repeats.has(n));
    const isBefore = !together && exchanges.length > 0 && this.#isBeforeDoubt(exchanges);
    const isDoubtful = isRepeat || (this.doubt !== undefined && !isBefore);
    // What was not to be had after a disturbance might be had without one.
    if (!isDoubtful || !(verdict === 'deviates' || verdict === 'not_tested')) {
      this.list.push(finding);
      return verdict;
    }
    const doubted = `${actual} (${this.doubt ?? 'sent again after a failure'})`;
    this.list.push({ ...finding, verdict: 'inconclusive', actual: doubted });
    return 'inconclusive';
  }

  #isBeforeDoubt(exchanges: readonly number[]): boolean {
    return this.#disturbance === undefined || Math.max(...exchanges) < this.#disturbance.n;
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
  async part(rules: readonly RuleId[], words: string, play: () => Promise<void>): Promise<void> {
    try {
      await play();
    } catch (error) {
      const stop = verdictOfError(error);
      if (stop === undefined) throw error;
      const isDoubtful = this.doubt !== undefined;
      // NS-1: that positions could not be looked at is said by the rules that are about them.
      if (error instanceof UnknownPayload && !isDoubtful) {
        this.withoutOrders = true;
        return;
      }
      const verdict = isDoubtful ? 'inconclusive' : stop;
      const actual = error instanceof Error ? error.message : String(error);
      this.list.push({ rules, verdict, expected: words, actual, exchanges: [] });
    }
  }

  /** The tags of an expectation, each of which the scenario must list. */
  listed(rules: RuleId | readonly RuleId[]): readonly RuleId[] {
    const listed: readonly RuleId[] = typeof rules === 'string' ? [rules] : rules;
    const stray = listed.find((each) => !this.#scenario.rules.includes(each));
    if (stray !== undefined) throw new Misuse(`the scenario does not list the rule ${stray}`);
    return listed;
  }
}

/** The verdict that an early end stands for; undefined for errors that are none of ours. */
export function verdictOfError(error: unknown): Judged | undefined {
  if (error instanceof Blocked) return 'blocked';
  if (error instanceof Inconclusive || error instanceof Unreachable) return 'inconclusive';
  if (error instanceof MissingCapability) return 'not_tested';
  return undefined;
}

/** A member that a scenario goes on with, from an answer that can be judged. */
export function pickText(findings: Findings, answer: Answer, path: string): string {
  const doubt = findings.unjudgeable(answer);
  if (doubt !== undefined) throw new Inconclusive(`exchange ${answer.n}: ${doubt}`);
  const value = answer.at(path);
  // CONV-1a judges how an id is written: a JSON number names its record all the same.
  const text = /(^|[._])id$/.test(path) ? answer.idAt(path) : value;
  if (typeof text === 'string' && text !== '') return text;
  throw new Blocked(`the answer of exchange ${answer.n} (${answer.summary}) has no "${path}"`);
}
