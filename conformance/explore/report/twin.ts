// The settings with which a sandbox behaves like the target that was explored, with a statement of
// where they are from and how far that was looked at.
import { count } from '../../reports/verdict-words.ts';
import type { Explored } from '../explore.ts';
import type { ModelSettings } from '../model.ts';
import type { ExploreReport } from './schema.ts';

/** How the open questions are answered, as far as that is known. */
export interface Known {
  readonly settings: ModelSettings;
  /** Whose answers they are. */
  readonly from: 'the target' | '--model' | '--replay';
  /** What the target does, and a sandbox does not: in words. */
  readonly unlike: readonly string[];
}

interface Looked {
  readonly known: Known;
  readonly report: ExploreReport;
  readonly agreed: Explored['agreed'];
}

export interface Twin {
  /** The JSON of a `sandbox.config.json`. */
  readonly config: object;
  /** What is told of it. */
  readonly said: string;
}

/** Undefined where nothing was compared: nothing is known then but what a sandbox does anyway. */
export function twinOf(looked: Looked): Twin | undefined {
  const { known, report, agreed } = looked;
  const { differences, unexplained, open } = report;
  if (agreed + differences.length + unexplained.length + open.length === 0) return undefined;
  const said = statementOf(looked);
  return { config: { $comment: commentOf(looked, said), settings: known.settings }, said };
}

function statementOf({ known: { settings, from }, report, agreed }: Looked): string {
  const many = Object.keys(settings).length;
  const whose = from === 'the target' ? 'as the target answers' : `as ${from} has them`;
  const others = 'all others as the simulator comes';
  const under = `${agreed} of ${count(report.sequences, 'sequence')} agreed under them`;
  return `${count(many, 'setting')} ${whose} and ${others}; ${under}`;
}

function commentOf({ known, report }: Looked, said: string): string {
  const { target, started_at, requests, seed } = report;
  const how = `conformance explore, ${started_at}, ${count(requests, 'request')}, seed ${seed}`;
  const unlike = known.unlike.map((each) => ` Not so in a sandbox: ${each}.`);
  return `${target.base_url} (${how}): ${said}.${unlike.join('')}`;
}
