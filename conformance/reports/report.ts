// What a report holds, as its JSON has it: every other format is drawn from this and from nothing
// else, so what is redacted here is redacted everywhere.
import type { Kind } from '../engine/inventory/made.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Judged, RunVerdict, Verdict } from '../engine/types.ts';

export interface Report {
  readonly schema: 1;
  readonly tool: { readonly name: 'conformance'; readonly version: string };
  readonly target: ReportTarget;
  /** Decided the order of the scenarios. */
  readonly seed: number;
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly verdict: RunVerdict;
  /** How many rules have each verdict. */
  readonly summary: Readonly<Record<Verdict, number>>;
  readonly requests: number;
  readonly interrupted: boolean;
  /** In every reference, key and email that the run made. */
  readonly mark: string;
  /** Why nothing was tried; there only when nothing was, and the first of the notes. */
  readonly not_started?: string;
  /** Things to know of the run as a whole, one sentence each. */
  readonly notes: readonly string[];
  readonly rules: readonly ReportRule[];
  readonly scenarios: readonly ReportScenario[];
  readonly observed: readonly ReportObserved[];
  /** What to add so that more can be tested, the most rewarding first. */
  readonly unlock: readonly Unlock[];
  readonly baseline: ReportBaseline | null;
  /** What was made on the target; absent where nothing can be, as on a receiver. */
  readonly inventory?: ReportInventory;
}

export interface ReportInventory {
  /** In every name. */
  readonly mark: string;
  readonly made: Readonly<Record<Kind, number>>;
  /** Writes without an answer, of which nobody knows what came of them. */
  readonly unanswered: number;
  /** What still acts there by itself. */
  readonly enabled: readonly { readonly kind: 'subscription'; readonly id: string }[];
  /** False where all of it was in worlds of the run's own, which are gone. */
  readonly kept: boolean;
}

export interface ReportTarget {
  readonly base_url: string;
  /** Null where the target was judged without one. */
  readonly control_url: string | null;
  /** Names of the headers that were added for a gateway. */
  readonly headers?: readonly string[];
}

export interface ReportRule {
  readonly id: string;
  readonly family: string;
  readonly words: string;
  readonly verdict: Verdict;
  readonly scenarios: readonly string[];
  /** What is lacking, in the catalogue's words. */
  readonly needs: readonly string[];
  /** What to add so that it can be tested. */
  readonly unlock: readonly string[];
  /** What was given for it and is of no use now, such as an expired token; then it stays open. */
  readonly lost: readonly string[];
  /** Why a known deviation is borne with, or why it need not be tested. */
  readonly reason: string | null;
  readonly findings: readonly ReportFinding[];
}

export interface ReportFinding {
  readonly scenario: string;
  readonly verdict: Judged;
  readonly expected: string;
  readonly actual: string;
  /** Numbers of exchanges of the scenario. */
  readonly exchanges: readonly number[];
  /** The rule whose deviation is the reason for it, where it is blocked by one. */
  readonly because_of?: string;
  /** What hangs on it, where that is not the rule's own words. */
  readonly advice?: ReportAdvice;
  /** A command that tries it again. */
  readonly replay: string;
  /** The same for the same failure in every run; a baseline knows it by this. */
  readonly fingerprint: string;
}

export interface ReportAdvice {
  readonly why: string;
  readonly at_stake: string;
  readonly mend: string;
}

export interface ReportScenario {
  readonly id: string;
  readonly title: string;
  readonly verdict: Judged | 'not_selected';
  readonly rules: readonly string[];
  readonly by_rule: Readonly<Record<string, Judged | 'not_selected'>>;
  /** Why it did not run to its end. */
  readonly why: string | null;
  /** How often it was played, because something in between spoilt it. */
  readonly attempts: number;
  readonly duration_ms: number;
  /** What was expected on the way and held. */
  readonly shown: readonly ReportShown[];
  readonly exchanges: readonly ReportExchange[];
}

export interface ReportShown {
  readonly rules: readonly string[];
  readonly expected: string;
  readonly exchanges: readonly number[];
}

export interface ReportExchange {
  readonly n: number;
  /** A call to the API, a delivery from it, or a command of its operator. */
  readonly kind: 'call' | 'delivery' | 'operator';
  /** The credential that made the call, by its name. */
  readonly as: string | null;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HeaderLine[];
    readonly body: string | null;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderLine[];
    readonly body: string | null;
  } | null;
  /** Why there is no response. */
  readonly failure: string | null;
  readonly at_ms: number;
  readonly duration_ms: number;
}

export interface ReportObserved {
  readonly id: string;
  readonly question: string;
  /** Null when this run came by no answer. */
  readonly observed: string | null;
  readonly simulator: string;
  /** Null when it cannot be told. */
  readonly same: boolean | null;
  /** Settings with which the simulator behaves like the target. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Unlock {
  readonly add: string;
  /** Rules that this addition alone makes testable. */
  readonly rules: number;
  /** Rules that take it and something else besides. */
  readonly with_others: number;
}

export interface ReportBaseline {
  readonly known: number;
  /** Rules that it accepts as not tested. */
  readonly accepted: number;
  /** Entries that no longer deviate. */
  readonly stale: readonly BaselineLine[];
  /** Entries whose time is up, so that they count as deviations again. */
  readonly expired: readonly BaselineLine[];
}

export interface BaselineLine {
  readonly rule: string;
  readonly scenario: string;
  readonly reason: string;
  readonly expires: string | null;
}
