// The types of the judge: scenarios, findings, verdicts, and what a run passes to its reports.
import type { QuestionId } from '../../fixtures/questions.ts';
import type { RuleId } from '../../fixtures/rules.ts';
import type { Capability, Lane } from './capabilities.ts';
import type { ScenarioContext } from './scenario/scenario-context.ts';
import type { WireAnswer, WireRequest } from './send/sender.ts';

export type { QuestionId, RuleId };

/** The verdict of one rule in one scenario, before baselines and selections. */
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

export interface Scenario {
  /** Kebab case, starting with its family: `bulk-rows-in-order`. Never changes once released. */
  readonly id: string;
  /** One sentence in the words of the specification. */
  readonly title: string;
  /** Every rule that an expectation of this scenario is tagged with. */
  readonly rules: readonly RuleId[];
  /** Open questions whose answers are observed along the way. */
  readonly observes?: readonly QuestionId[];
  /** Without all of these the scenario does not start. */
  readonly needs?: readonly Capability[];
  /** By default what its needs require. */
  readonly lane?: Lane;
  /**
   * Scenarios that test the same but need more. This one only runs if one of them cannot run
   * because of a missing capability, and then replaces its results.
   */
  readonly standsInFor?: readonly string[];
  /**
   * The part of a profile that it checks before rules rely on it; MissingCapability withdraws it. A
   * scenario of the profile family has no rules.
   */
  readonly confirms?: Capability;
  /** Statuses that the scenario provokes on purpose, so that they do not count as a disturbance. */
  readonly provokes?: readonly number[];
  run(t: ScenarioContext): Promise<void>;
}

/** A scenario as it is written; its id is the name of its export, in kebab case. */
export type Story = Omit<Scenario, 'id'>;

/**
 * One request and its answer, one delivery and the receiver's response, or one operator command
 * (its method is the verb, its body the arguments, its answer the result).
 */
export interface Exchange {
  readonly n: number;
  readonly kind: 'call' | 'delivery' | 'operator';
  /** The role or the name of the credential that made the call. */
  readonly as: string | null;
  readonly request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;
  readonly response: WireAnswer | null;
  /** Why no answer came. */
  readonly failure: string | null;
  /** Since the start of the run. */
  readonly atMs: number;
  readonly durationMs: number;
}

/** The result of one tagged expectation. */
export interface Finding {
  readonly rules: readonly RuleId[];
  readonly verdict: Judged;
  readonly expected: string;
  readonly actual: string;
  /** Numbers of the exchanges that serve as evidence. */
  readonly exchanges: readonly number[];
  /** The rule whose deviation explains this one. */
  readonly explainedBy?: RuleId;
  /** The rules that a failed control rests on. */
  readonly restsOn?: readonly RuleId[];
  /** The scenario could not continue after it. */
  readonly endsScenario?: boolean;
}

export interface Observation {
  readonly id: QuestionId;
  readonly text: string;
  /** Settings with which the simulator behaves like the target. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The target differs from the simulator in a way that no setting imitates. */
  readonly isUnlike?: boolean;
}

/** A judged call that no answer of the API came to, in each attempt at its scenario. */
export interface CrashedCall {
  /** The rules that it leaves open. */
  readonly rules: readonly RuleId[];
  /** Of each attempt, the last one last. */
  readonly exchanges: readonly Exchange[];
}

export interface ScenarioResult {
  readonly id: string;
  readonly rules: readonly RuleId[];
  readonly verdict: Judged | 'not_selected';
  /** Verdict of each listed rule, from this scenario alone. */
  readonly byRule: Readonly<Partial<Record<RuleId, Judged | 'not_selected'>>>;
  readonly findings: readonly Finding[];
  readonly observations: readonly Observation[];
  readonly exchanges: readonly Exchange[];
  /** Why it ended early. */
  readonly why: string | null;
  /** The verdict that the early end leads to. */
  readonly ending?: Judged | null;
  /** The exchange of the last call before it ended early. */
  readonly endedAt?: number | undefined;
  /** The rules that the failed setup rests on. */
  readonly restsOn?: readonly RuleId[] | undefined;
  readonly missing: readonly Capability[];
  /** The missing capabilities that were configured but do not work. */
  readonly lost?: readonly Capability[];
  readonly standsInFor?: readonly string[] | undefined;
  readonly attempts: number;
  readonly crashed?: readonly CrashedCall[];
  readonly durationMs: number;
}
