// What a trial has found so far, and how far it can be trusted once something came in between.
import type { Answer } from './answer.ts';
import type { Ledger } from './expect.ts';
import { Blocked, Inconclusive, Misuse, Unreachable, Wanting } from './stop.ts';
import type { Finding, Judged, Observation, RuleId, Scenario } from './types.ts';

export class Notes implements Ledger {
  readonly findings: Finding[] = [];
  readonly observations: Observation[] = [];
  controlled = false;
  readonly #scenario: Scenario;
  /**
   * Exchanges that were answered 500 or the like in every attempt before; null: not the last one.
   */
  readonly #lasting: ReadonlySet<number> | null;
  /** Those of this attempt. */
  readonly troubled = new Set<number>();
  #disturbance: { readonly n: number; readonly words: string } | undefined;

  constructor(scenario: Scenario, lasting: ReadonlySet<number> | null) {
    this.#scenario = scenario;
    this.#lasting = lasting;
  }

  /** What is seen after a disturbance may be its doing: a lost call may have run, or may not. */
  record(finding: Finding): Judged {
    const last = Math.max(0, ...finding.exchanges);
    const before = this.#disturbance;
    const clean = before === undefined || (finding.exchanges.length > 0 && last < before.n);
    if (finding.verdict !== 'deviates' || clean) {
      this.findings.push(finding);
      return finding.verdict;
    }
    const actual = `${finding.actual} (after ${before.words} in exchange ${before.n})`;
    this.findings.push({ ...finding, verdict: 'inconclusive', actual });
    return 'inconclusive';
  }

  /** Why an answer is none that can be judged now; undefined when it can. */
  unjudgeable(answer: Answer): string | undefined {
    if (this.#scenario.provokes?.includes(answer.status)) return undefined;
    switch (answer.source) {
      case 'limit':
        return 'limited, though the pace was within the plan';
      case 'intermediary':
        return 'this looks like something in front of the service';
      case 'trouble':
        this.troubled.add(answer.n);
        // A 500 to the same request in every fresh attempt is how the target answers; one that
        // turns up here and there is a bad day.
        return this.#lasting?.has(answer.n) ? undefined : 'this may pass, and is safe to retry';
      case 'service':
        return undefined;
    }
  }

  /** Notes an answer; one that cannot be judged puts what follows in doubt. */
  arrived(answer: Answer): void {
    if (this.unjudgeable(answer) !== undefined) this.disturbed(answer.n, `a ${answer.status}`);
  }

  disturbed(n: number, words: string): void {
    this.#disturbance ??= { n, words };
  }

  get doubtful(): boolean {
    return this.#disturbance !== undefined;
  }

  /** Setup that was sent again, under its key, with success leaves no doubt behind. */
  settled(): void {
    this.#disturbance = undefined;
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
export function verdictOfStop(error: unknown): Judged | undefined {
  if (error instanceof Blocked) return 'blocked';
  if (error instanceof Inconclusive || error instanceof Unreachable) return 'inconclusive';
  if (error instanceof Wanting) return 'not_tested';
  return undefined;
}
