// The form of the JSON report of an exploration, which the readable ones are made of.
import type { Inventory } from '../findings/inventory.ts';
import type { Sequence } from '../sequence.ts';

export interface ExploreReport {
  readonly schema: 'explore/1';
  readonly tool: { readonly name: 'conformance'; readonly version: string };
  readonly target: { readonly base_url: string; readonly control_url: string | null };
  readonly seed: number;
  readonly started_at: string;
  readonly requests: number;
  readonly sequences: number;
  readonly duration_ms: number;
  readonly verdict: 'agrees' | 'differs' | 'invalid';
  readonly interrupted: boolean;
  readonly differences: readonly ReportDifference[];
  readonly open: readonly { readonly question: string; readonly seen: number }[];
  readonly unexplained: readonly ReportDifference[];
  /** Calls to which no answer came, and that were answered when they were made again. */
  readonly lost: number;
  /** Sequences that could not be compared, with the reasons. */
  readonly inconclusive: readonly string[];
  /** What was made on the target and stays there; null where each sequence had a world. */
  readonly inventory: Inventory | null;
  readonly coverage: {
    readonly operations: Readonly<Record<string, number>>;
    readonly answers: Readonly<Record<string, number>>;
    readonly rules: Readonly<Record<string, number>>;
    readonly settings_learned: Readonly<Record<string, unknown>>;
  };
  readonly notes: readonly string[];
}

export interface ReportDifference {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly questions: readonly string[];
  readonly reproduced: string;
  readonly calls: number;
  readonly shrunk_from: number;
  readonly times: number;
  /** Where else the same rule was broken in the same way. */
  readonly also: readonly string[];
  readonly steps: readonly ReportStep[];
  /** How to play it again. */
  readonly replay: string;
  /** The same with curl alone; null where it would be very long, or where curl cannot show it. */
  readonly script: string | null;
  readonly sequence: Sequence;
}

export interface ReportStep {
  readonly n: number;
  /** Of calls at the same time: when each was sent and answered, in ms from the beginning. */
  readonly at_once?: { readonly sent_ms: number; readonly answered_ms: number };
  readonly as: string | null;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  } | null;
  /** What an operator did, where it is no call. */
  readonly operator: Readonly<Record<string, unknown>> | null;
  readonly model: ReportAnswer | null;
  readonly target: ReportAnswer | null;
  readonly differs: boolean;
  /** Where in the answer, on the step that differs, and what each side has there. */
  readonly at?: string;
  readonly there?: { readonly model: string; readonly target: string };
}

export interface ReportAnswer {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
