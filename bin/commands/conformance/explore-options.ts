// The options of `conformance explore`, checked one by one before anything is sent.
import { type JudgeIo, UsageError } from './io.ts';
import {
  type Given as RunGiven,
  type RunOptions,
  readNumber,
  readReport,
  readRunOptions,
} from './run-options.ts';

export interface ExploreGiven extends Omit<Partial<RunGiven>, 'report'> {
  readonly requests?: string;
  readonly minutes?: string;
  readonly model?: string;
  readonly concurrency?: string;
  readonly replay?: string;
  readonly report?: readonly string[];
}

export const EXPLORE_FORMATS = ['json', 'html', 'markdown'] as const;

export interface ExploreReportFile {
  readonly format: (typeof EXPLORE_FORMATS)[number];
  readonly file: string;
}

export interface ExploreOptions {
  /** How the target is reached, as for a run of the judge. */
  readonly reach: RunOptions;
  readonly requests: number;
  readonly minutes: number | undefined;
  readonly model: string | undefined;
  readonly concurrency: number;
  readonly replay: { readonly file: string; readonly id: string } | undefined;
  readonly reports: readonly ExploreReportFile[];
}

/** Throws UsageError with what to give instead. */
export function readExploreOptions(given: ExploreGiven, env: JudgeIo['env']): ExploreOptions {
  const { report = [], ...rest } = given;
  const reports = report.map((each) => readReport(each, EXPLORE_FORMATS));
  const files = [...reports.map(({ file }) => file), given.observed].filter(Boolean);
  const twice = files.find((file, at) => files.indexOf(file) < at);
  if (twice !== undefined) {
    throw new UsageError(`${twice} is named twice: give each report and file a name of its own`);
  }
  return {
    reach: readRunOptions(rest, env),
    requests: readNumber('--requests', given.requests ?? '2000', [1, 10_000_000], true),
    minutes:
      given.minutes === undefined ? undefined : readNumber('--minutes', given.minutes, [0.1, 1440]),
    model: given.model,
    concurrency: readNumber('--concurrency', given.concurrency ?? '8', [1, 16], true),
    replay: given.replay === undefined ? undefined : readReplay(given.replay),
    reports,
  };
}

function readReplay(text: string): { file: string; id: string } {
  const [, file, id] = /^(.+)#([^#]+)$/.exec(text) ?? [];
  if (file !== undefined && id !== undefined) return { file, id };
  throw new UsageError(`--replay: "${text}" is not FILE#ID, such as report.json#d1`);
}
