// The report on a client, as its JSON has it: every other format is drawn from this and from
// nothing else, so what is redacted here is redacted everywhere.
import type { RunVerdict } from '../engine/types.ts';
import type { CheckVerdict } from './checks/check.ts';

/** Of a check in a report: `known` stands in the baseline. */
export type ReportVerdict = CheckVerdict | 'known' | 'not_selected';

export interface ClientReport {
  readonly schema: 'client/1';
  readonly tool: { readonly name: 'conformance'; readonly version: string };
  readonly command: readonly string[];
  readonly seed: number;
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly verdict: RunVerdict;
  readonly summary: Readonly<Record<ReportVerdict, number>>;
  /** How often the command was run. */
  readonly runs: number;
  readonly requests: number;
  readonly interrupted: boolean;
  /** What the first run did, in one line. */
  readonly does: string;
  /** Why only habits were judged; null where the first run was good. */
  readonly unusable: string | null;
  /** Things to know of the judgement as a whole, one sentence each. */
  readonly notes: readonly string[];
  readonly checks: readonly ReportCheck[];
  /** The runs that show something, by their numbers. */
  readonly recordings: readonly ReportRecording[];
  readonly baseline: ReportBaseline | null;
}

export interface ReportCheck {
  readonly id: string;
  readonly title: string;
  /** What it does to the client. */
  readonly orders: string;
  readonly expected: string;
  readonly at_stake: string;
  readonly mend: { readonly words: string; readonly example: string };
  readonly rules: readonly { readonly id: string; readonly words: string }[];
  readonly verdict: ReportVerdict;
  /** Why it was not judged, or what was left out. */
  readonly why: string | null;
  /** Of a known failure: why it is borne with. */
  readonly reason: string | null;
  /** At how many places it was tried. */
  readonly places: number;
  /** What is wrong or worth a look, the worst first. */
  readonly findings: readonly ReportFinding[];
  /** Where all was well: one place of it. */
  readonly shown: Omit<ReportFinding, 'fingerprint' | 'replay'> | null;
}

export interface ReportFinding {
  readonly place: string;
  readonly verdict: CheckVerdict;
  /** The kind of mistake. */
  readonly kind: string;
  readonly actual: string;
  /** `2 of 2 runs`. */
  readonly seen: string;
  /** The number of the recording. */
  readonly run: number;
  /** Numbers of the calls that show it. */
  readonly calls: readonly number[];
  /** A command that tries it again. */
  readonly replay: string;
  /** The same for the same mistake in every judgement; a baseline knows it by this. */
  readonly fingerprint: string;
}

export interface ReportRecording {
  readonly run: number;
  readonly ending: {
    readonly words: string;
    readonly code: number | null;
    readonly signal: string | null;
    readonly killed: boolean;
    readonly duration_ms: number;
    /** The last lines that it printed. */
    readonly output: string;
  };
  /** The first of them, and those that a finding names. */
  readonly calls: readonly ReportCall[];
  /** How many more there were. */
  readonly left_out: number;
}

export interface ReportCall {
  readonly n: number;
  readonly at_ms: number;
  readonly method: string;
  readonly target: string;
  readonly operation: string | null;
  readonly key: string | null;
  readonly if_match: string | null;
  readonly body: string | null;
  /** What the judge did to it; null where it was served as it is. */
  readonly struck: string | null;
  /** What was answered; null: nothing that the client could read. */
  readonly status: number | null;
  readonly retry_after: string | null;
  readonly answer: string | null;
  readonly answered_at_ms: number | null;
  readonly abandoned_at_ms: number | null;
}

export interface ReportBaseline {
  readonly known: number;
  readonly stale: readonly BaselineLine[];
  readonly expired: readonly BaselineLine[];
}

export interface BaselineLine {
  readonly check: string;
  readonly reason: string;
  readonly expires: string | null;
}
