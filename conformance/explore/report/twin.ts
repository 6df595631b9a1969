// The settings with which a sandbox behaves like the target that was explored, and what is known of
// how well they fit.
import { count } from '../../reports/verdict-words.ts';
import type { ModelSettings } from '../model.ts';
import type { ExploreReport } from './report.ts';

/** How the open questions are answered, as far as that is known. */
export interface Known {
  readonly settings: ModelSettings;
  /** Whose answers they are. */
  readonly from: 'the target' | '--model' | '--replay';
  /** What the target does and a sandbox does not, in words. */
  readonly unlike: readonly string[];
}

export interface Twin {
  /** The JSON of a `sandbox.config.json`. */
  readonly config: object;
  readonly statement: string;
}

/** Undefined if nothing was compared. */
export function twinOf(known: Known, report: ExploreReport, agreed: number): Twin | undefined {
  const { differences, unexplained, open, sequences, target, started_at: when } = report;
  if (agreed + differences.length + unexplained.length + open.length === 0) return undefined;
  const { settings, from, unlike } = known;
  const whose = from === 'the target' ? 'as the target answers' : `as ${from} has them`;
  const statement =
    `${count(Object.keys(settings).length, 'setting')} ${whose} and all others as the simulator ` +
    `comes; ${agreed} of ${count(sequences, 'sequence')} agreed under them`;
  const how = `conformance explore, ${when}, ${count(report.requests, 'request')}, seed ${report.seed}`;
  const others = unlike.map((each) => ` Not so in a sandbox: ${each}.`);
  const $comment = `${target.base_url} (${how}): ${statement}.${others.join('')}`;
  return { config: { $comment, settings }, statement };
}
