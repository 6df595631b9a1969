// What a scenario has found so far, and how far it can be trusted once something came in between.

import { presumesSomething } from '../../spec/presumes.ts';
import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Misuse,
  UnknownPayload,
  Unreachable,
} from '../scenario-errors.ts';
import type { Answer, Json } from '../send/answer.ts';
import { idText } from '../send/json.ts';
import type { Finding, Judged, Observation, RuleId, Scenario } from '../types.ts';
import type { FindingSink } from './expect.ts';

const FRONT = 'this looks like something in front of the service';

export class Findings implements FindingSink {
  readonly list: Finding[] = [];
  /** What is seen in passing of a rule that the scenario need not be about: one of each will do. */
  readonly inPassing: Finding[] = [];
  readonly observations: Observation[] = [];
  /** Rules that everything found from now on takes for granted. */
  presumed: readonly RuleId[] = [];
  controlled = false;
  /** Whether a part was left out because no order is known. */
  withoutOrders = false;
  readonly #scenario: Scenario;
  /**
   * Exchanges that were answered 500 or the like in every attempt before; null: not the last one.
   */
  readonly #lasting: ReadonlySet<number> | null;
  /** Those of this attempt. */
  readonly troubled = new Set<number>();
  /** Exchanges that repeat a failed call: what failed may have run before (IDEM-6c). */
  readonly #repeats = new Set<number>();
  #unrepeatable = false;
  #disturbance: { readonly n: number; readonly words: string } | undefined;

  constructor(scenario: Scenario, lasting: ReadonlySet<number> | null) {
    this.#scenario = scenario;
    this.#lasting = lasting;
  }

  /**
   * What is seen after a disturbance may be its doing: a lost call may have run, or may not. Of
   * several answers `together` any later one may be missing that should have counted.
   */
  record(found: Finding, together = false): Judged {
    const general = this.#scenario.presumes ?? {};
    // What one of its rules takes for granted, another need not.
    const parted = (rule: RuleId) => general[rule] !== undefined || presumesSomething(rule);
    if (found.rules.length > 1 && found.rules.some(parted)) {
      for (const rule of found.rules) this.record({ ...found, rules: [rule] }, together);
      return found.verdict;
    }
    const own = found.rules.flatMap((rule) => general[rule] ?? []);
    const presumes = [...own, ...this.presumed, ...(found.presumes ?? [])];
    return this.#keep({ ...found, presumes }, together);
  }

  #keep(finding: Finding, together: boolean): Judged {
    const last = Math.max(0, ...finding.exchanges);
    const earlier = !together && finding.exchanges.length > 0;
    const isRepeat = finding.exchanges.some((n) => this.#repeats.has(n));
    const isDoubted = this.doubtful && !(earlier && this.#isBeforeDoubt(last));
    // What was not to be had after a disturbance might be had without one.
    const doubtful = finding.verdict === 'deviates' || finding.verdict === 'not_tested';
    if (!doubtful || !(isRepeat || isDoubted)) {
      this.list.push(finding);
      return finding.verdict;
    }
    const actual = `${finding.actual} (${this.doubt ?? 'sent again after a failure'})`;
    this.list.push({ ...finding, verdict: 'inconclusive', actual });
    return 'inconclusive';
  }

  lacksCode(answer: Answer, expected: string): void {
    if (this.inPassing.length > 0 || this.unjudgeable(answer) !== undefined) return;
    if (!this.#isBeforeDoubt(answer.n)) return;
    const words = `a problem in the form of the error table: ${expected}`;
    const actual = `no code: ${answer.summary}`;
    const exchanges = [answer.n];
    this.inPassing.push({
      rules: ['ERR-1a'],
      verdict: 'deviates',
      expected: words,
      actual,
      exchanges,
    });
  }

  /** Why an answer is none that can be judged now; undefined when it can. */
  unjudgeable(answer: Answer): string | undefined {
    if (this.#scenario.provokes?.includes(answer.status)) return this.#provoked(answer);
    switch (answer.source) {
      case 'limit':
        return 'limited, though the pace was within the plan';
      case 'intermediary':
        return FRONT;
      case 'trouble':
        this.troubled.add(answer.n);
        // A 500 to the same request in every fresh attempt is how the target answers; one that
        // turns up here and there is a bad day.
        return this.#isLasting(answer.n) ? undefined : 'this may pass, and is safe to retry';
      case 'service':
        return undefined;
    }
  }

  /** One that looks like a gateway's is one, unless it comes at that place in every attempt. */
  #provoked(answer: Answer): string | undefined {
    if (!answer.looksForeign) return undefined;
    this.troubled.add(answer.n);
    return this.#isLasting(answer.n) ? undefined : FRONT;
  }

  #isLasting(n: number): boolean {
    return this.#lasting?.has(n) === true;
  }

  /**
   * Notes that a failed call was sent again, with another answer. A success leaves what a first
   * attempt would have left; a refusal may be of what the failed attempt did.
   */
  repeated(failed: Answer, { n, status }: Answer): void {
    if (status < 300) this.#repeats.add(n);
    else this.lost(n, `a ${failed.status}, sent again,`, true);
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
    if (!isRepeatable) this.#unrepeatable = true;
  }

  #isBeforeDoubt(n: number): boolean {
    return this.#disturbance === undefined || n < this.#disturbance.n;
  }

  get doubtful(): boolean {
    return this.#disturbance !== undefined;
  }

  /** What came in between, in words; undefined when nothing did. */
  get doubt(): string | undefined {
    const before = this.#disturbance;
    return before && `after ${before.words} in exchange ${before.n}`;
  }

  /** Setup that was sent again, under its key, with success leaves no doubt behind. */
  settled(): void {
    if (!this.#unrepeatable) this.#disturbance = undefined;
  }

  /** One branch: when a control inside fails, only these rules are blocked. */
  async part(rules: readonly RuleId[], words: string, play: () => Promise<void>): Promise<void> {
    const { presumed } = this;
    try {
      await play();
    } catch (error) {
      const stop = verdictOfError(error);
      if (stop === undefined) throw error;
      // NS-1: that positions could not be looked at is said by the rules that are about them.
      if (error instanceof UnknownPayload && !this.doubtful) {
        this.withoutOrders = true;
        return;
      }
      const verdict = this.doubtful ? 'inconclusive' : stop;
      const actual = error instanceof Error ? error.message : String(error);
      this.list.push({ rules, verdict, expected: words, actual, exchanges: [] });
    } finally {
      this.presumed = presumed;
    }
  }

  /** CONV-1a judges how an id is written: a JSON number names its record all the same. */
  pickText(answer: Answer, path: string): string {
    const value = this.#valueAt(answer, path);
    if (typeof value === 'string' && value !== '') return value;
    const id = /(^|[._])id$/.test(path) ? idText(value) : undefined;
    if (id !== undefined) return id;
    throw lacking(answer, path);
  }

  pickNumber(answer: Answer, path: string): number {
    const value = this.#valueAt(answer, path);
    if (typeof value === 'number') return value;
    throw lacking(answer, path);
  }

  #valueAt(answer: Answer, path: string): Json | undefined {
    const doubt = this.unjudgeable(answer);
    if (doubt !== undefined) throw new Inconclusive(`exchange ${answer.n}: ${doubt}`);
    return answer.at(path);
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

function lacking(answer: Answer, path: string): Blocked {
  return new Blocked(`the answer of exchange ${answer.n} (${answer.summary}) has no "${path}"`);
}
