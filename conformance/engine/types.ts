// The words of the judge: scenarios, expectations, findings, verdicts, and what a run hands to its
// reports.
import type { QuestionId } from '../../fixtures/questions.ts';
import type { RuleId } from '../../fixtures/rules.ts';
import type { Capability, ReportedCapability } from './capabilities.ts';
import type { ScenarioContext } from './scenario/scenario-context.ts';
import type { HeaderLine } from './send/headers.ts';

export type { QuestionId, RuleId };

/** A verdict for each rule that a scenario lists. */
export type ByRule = Readonly<Partial<Record<RuleId, Judged | 'not_selected'>>>;

/** What can be said of one rule in one scenario, before baselines and selections. */
export type Judged =
  | 'passed'
  | 'advisory'
  | 'not_tested'
  | 'inconclusive'
  | 'blocked'
  | 'harness_error'
  | 'deviates';

export type Verdict = Judged | 'not_selected' | 'known';

export type RunVerdict = 'conformant' | 'deviates' | 'incomplete' | 'invalid';

/**
 * Where a scenario plays. `shared`: beside others, told apart by fresh references.
 * `own_world`: moves the clock, sets faults, names or permissions, so it has a world to itself
 * (or the whole target, one at a time). `limits`: exhausts a rate, last and on its own credentials.
 */
export type Lane = 'shared' | 'own_world' | 'limits';

export interface Scenario {
  /** Kebab case, led by its family: `bulk-rows-in-order`. Never changes once released. */
  readonly id: string;
  /** One sentence in the words of the specification. */
  readonly title: string;
  /** Every rule that an expectation of this scenario is tagged with. */
  readonly rules: readonly RuleId[];
  /** Open questions whose answer is observed on the way. */
  readonly observes?: readonly QuestionId[];
  /** Without all of these the scenario does not start. */
  readonly needs?: readonly Capability[];
  /** `shared` unless said otherwise. */
  readonly lane?: Lane;
  /**
   * Scenarios that show the same with more means. This one is played only where one of them cannot
   * be for want of something, and what it shows then counts in its place.
   */
  readonly standsInFor?: readonly string[];
  /**
   * The part of a profile that it tries before rules rest on it; MissingCapability withdraws it.
   * A scenario of the profile family has no rules.
   */
  readonly confirms?: Capability;
  /** Statuses that the scenario provokes on purpose, so that they do not count as a disturbance. */
  readonly provokes?: readonly number[];
  run(t: ScenarioContext): Promise<void>;
}

/**
 * One request and its answer, one delivery and what the receiver answered, or one command of an
 * operator (its method the verb, its body the arguments, the answer what came of it).
 */
export interface Exchange {
  readonly n: number;
  readonly kind: 'call' | 'delivery' | 'operator';
  /** The role or the name of the credential that made the call. */
  readonly as: string | null;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HeaderLine[];
    readonly body: Uint8Array | undefined;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderLine[];
    readonly body: Uint8Array;
  } | null;
  /** Why there is no answer. */
  readonly failure: string | null;
  /** Since the start of the run. */
  readonly atMs: number;
  readonly durationMs: number;
}

/** What one tagged expectation came to. */
export interface Finding {
  readonly rules: readonly RuleId[];
  readonly verdict: Judged;
  readonly expected: string;
  readonly actual: string;
  /** Numbers of the exchanges that show it. */
  readonly exchanges: readonly number[];
  /** The rule whose deviation is the reason for it. */
  readonly explainedBy?: RuleId;
}

export interface Observation {
  readonly id: QuestionId;
  readonly text: string;
  /** Settings with which the simulator behaves like the target. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Something in it that no setting says is not as the simulator has it. */
  readonly isUnlike?: boolean;
}

export interface ScenarioResult {
  readonly id: string;
  readonly rules: readonly RuleId[];
  readonly verdict: Judged | 'not_selected';
  /** Verdict of each listed rule, in this scenario alone. */
  readonly byRule: ByRule;
  readonly findings: readonly Finding[];
  readonly observations: readonly Observation[];
  readonly exchanges: readonly Exchange[];
  /** Why it did not run to its end. */
  readonly why: string | null;
  /** What that early end stands for. */
  readonly ending?: Judged | null;
  readonly missing: readonly Capability[];
  /** Those of them that were given, and are of no use now. */
  readonly lost?: readonly Capability[];
  readonly standsInFor?: readonly string[] | undefined;
  readonly attempts: number;
  readonly durationMs: number;
}

export interface RuleResult {
  readonly id: RuleId;
  readonly verdict: Verdict;
  readonly scenarios: readonly string[];
  /** In the catalogue's words. */
  readonly needs: readonly ReportedCapability[];
  /** In the words of a profile: what to add so that it can be tested. */
  readonly unlock: readonly string[];
  /** What the rule itself needs of that. */
  readonly lacks: readonly Capability[];
  /** Of that, what was given and is of no use now. */
  readonly lost: readonly string[];
  readonly findings: readonly (Finding & { readonly scenario: string })[];
}
