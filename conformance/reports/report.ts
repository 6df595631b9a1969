// The report of every judge: of an API, of a webhook receiver and of an API client. All formats are
// rendered from this model only, so what is redacted here is redacted everywhere.
import type { Kind } from '../engine/inventory/inventory.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Judged, RunVerdict, Verdict } from '../engine/types.ts';

export interface Report {
  readonly schema: 1;
  /** Absent: the report on an API. */
  readonly judge?: 'receiver' | 'client';
  readonly tool: { readonly name: 'conformance'; readonly version: string };
  readonly target: ReportTarget;
  /** Decides the order of the scenarios. */
  readonly seed: number;
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly verdict: RunVerdict;
  /** How many rules have each verdict. */
  readonly summary: Readonly<Record<Verdict, number>>;
  readonly requests: number;
  readonly interrupted: boolean;
  /** Part of every reference, key and email that the run made. */
  readonly mark: string;
  /** Why nothing was tried, also the first of the notes; absent when something was. */
  readonly not_started?: string;
  /** About the run as a whole, one sentence each. */
  readonly notes: readonly string[];
  /** Requests of one kind that always failed in the same way. */
  readonly crashes?: readonly ReportCrash[];
  /** Why several rules or checks fail together, the most general cause first. */
  readonly causes?: readonly ReportCause[];
  /** About the judged command; only in the report on a client. */
  readonly client?: ReportClient;
  readonly rules: readonly ReportRule[];
  readonly scenarios: readonly ReportScenario[];
  readonly observed: readonly ReportObserved[];
  /** What to add so that more can be tested; the addition that unlocks most comes first. */
  readonly unlock: readonly Unlock[];
  readonly baseline: ReportBaseline | null;
  /** What the run made on the target; absent where a judge makes nothing. */
  readonly inventory?: ReportInventory;
}

export interface ReportCrash {
  readonly operation: string;
  /** How these requests differ from those that were answered: `with method: Bonus`, or empty. */
  readonly distinguishes: string;
  /** `500 with an HTML page`, `connection reset`. */
  readonly failure: string;
  readonly times: number;
  readonly of: number;
  /** Rules that cannot be judged because of it. */
  readonly rules: readonly string[];
}

export interface ReportCause {
  readonly title: string;
  readonly mend: string;
  readonly rules: readonly string[];
}

export interface ReportClient {
  readonly command: readonly string[];
  /** How often the command was run. */
  readonly runs: number;
  /** What the first run did, in one line. */
  readonly does: string;
}

export interface ReportInventory {
  /** Part of every name. */
  readonly mark: string;
  readonly made: Readonly<Record<Kind, number>>;
  /** Writes without a response, which may or may not have run. */
  readonly unanswered: number;
  /** What is still active on the target. */
  readonly enabled: readonly { readonly kind: 'subscription'; readonly id: string }[];
  /** Ids of positions that are still open. */
  readonly positions?: readonly string[];
  /** Ids of transactions that are still pending, and that are approved. */
  readonly pending?: readonly string[];
  readonly approved?: readonly string[];
  /** False when everything was made in worlds of the run, which no longer exist. */
  readonly kept: boolean;
}

export interface ReportTarget {
  /** The URL that was judged; for a client the command. */
  readonly base_url: string;
  /** Null when the target was judged without one. */
  readonly control_url: string | null;
  /** Names of the headers that were added to every request. */
  readonly headers?: readonly string[];
}

export interface ReportRule {
  readonly id: string;
  readonly family: string;
  readonly words: string;
  readonly verdict: Verdict;
  readonly scenarios: readonly string[];
  /** What is missing, in the words of the catalogue. */
  readonly needs: readonly string[];
  /** What to add so that the rule can be tested. */
  readonly unlock: readonly string[];
  /** What was provided but no longer works, such as an expired token. */
  readonly lost: readonly string[];
  /** Why a check was not judged, or which part of it. */
  readonly why?: string;
  /** From the baseline: why a deviation is accepted, or why the rule need not be tested. */
  readonly reason: string | null;
  readonly findings: readonly ReportFinding[];
}

export interface ReportFinding {
  readonly scenario: string;
  readonly verdict: Judged;
  readonly expected: string;
  readonly actual: string;
  /** Numbers of exchanges of the scenario, or of the recording if there is one. */
  readonly exchanges: readonly number[];
  /** Where in the client's run it happened. */
  readonly place?: string;
  /** `2 of 2 runs`. */
  readonly seen?: string;
  /** The id of the scenario that holds the exchanges, if it is not `scenario`. */
  readonly recording?: string;
  /** The rule whose deviation explains this finding. */
  readonly because_of?: string;
  /** Why it matters and how to mend it, if the rule's words do not say so. */
  readonly advice?: ReportAdvice;
  /** A command that tries it again. */
  readonly replay: string;
  /** The same for the same failure in every run; a baseline recognises a failure by it. */
  readonly fingerprint: string;
}

export interface ReportAdvice {
  readonly why: string;
  readonly at_stake: string;
  readonly mend: string;
  /** A short exchange in HTTP that is right. */
  readonly example?: string;
}

export interface ReportScenario {
  readonly id: string;
  readonly title: string;
  readonly verdict: Judged | 'not_selected';
  readonly rules: readonly string[];
  readonly by_rule: Readonly<Record<string, Judged | 'not_selected'>>;
  /** Why it did not run to its end. */
  readonly why: string | null;
  /** How often it was played; more than once after a disturbance. */
  readonly attempts: number;
  readonly duration_ms: number;
  /** How the command of a client ended. */
  readonly ending?: ReportEnding;
  /** Expectations that held. */
  readonly shown: readonly ReportShown[];
  readonly exchanges: readonly ReportExchange[];
}

export interface ReportShown {
  /** Where in the client's run it held. */
  readonly place?: string;
  readonly rules: readonly string[];
  readonly expected: string;
  readonly exchanges: readonly number[];
}

export interface ReportEnding {
  readonly words: string;
  readonly at_ms: number;
  /** The last lines that it printed. */
  readonly output: string;
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
  /** What the judge of a client did to the call. */
  readonly note?: string;
  /** When the client closed the connection without having read the response. */
  readonly abandoned_at_ms?: number;
  readonly at_ms: number;
  readonly duration_ms: number;
}

export interface ReportObserved {
  readonly id: string;
  readonly question: string;
  /** Null when this run did not observe it. */
  readonly observed: string | null;
  readonly simulator: string;
  /** Null when it cannot be decided. */
  readonly same: boolean | null;
  /** Settings that make the simulator behave like the target. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Unlock {
  readonly add: string;
  /** Rules that this addition alone makes testable. */
  readonly rules: number;
  /** Rules that need something else as well. */
  readonly with_others: number;
}

export interface ReportBaseline {
  readonly known: number;
  /** Rules accepted as not tested. */
  readonly accepted: number;
  /** Entries that no longer deviate. */
  readonly stale: readonly BaselineLine[];
  /** Entries whose date has passed; they count as deviations again. */
  readonly expired: readonly BaselineLine[];
}

export interface BaselineLine {
  readonly rule: string;
  readonly scenario: string;
  readonly reason: string;
  readonly expires: string | null;
}
