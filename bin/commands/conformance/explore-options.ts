// The options of `conformance explore`, checked one by one before anything is sent.
import { type JudgeIo, UsageError } from './io.ts';
import {
  type ReportFile,
  type RunGiven,
  type RunOptions,
  readNumber,
  readReportFiles,
  readRunOptions,
} from './options.ts';

export interface ExploreGiven extends RunGiven {
  readonly requests?: string;
  readonly minutes?: string;
  readonly model?: string;
  readonly concurrency?: string;
  readonly replay?: string;
}

export const EXPLORE_FORMATS = ['json', 'html', 'markdown'] as const;

export interface ExploreOptions {
  /** How the target is reached, as for a run of the judge. */
  readonly reach: RunOptions;
  readonly requests: number;
  readonly minutes: number | undefined;
  readonly model: string | undefined;
  readonly concurrency: number;
  readonly replay: { readonly file: string; readonly id: string } | undefined;
  readonly reports: readonly ReportFile<(typeof EXPLORE_FORMATS)[number]>[];
}

/** Throws UsageError with what to give instead. */
export function readExploreOptions(given: ExploreGiven, env: JudgeIo['env']): ExploreOptions {
  const { report: _, ...rest } = given;
  return {
    reports: readReportFiles(given, EXPLORE_FORMATS),
    reach: readRunOptions(rest, env),
    requests: readNumber('--requests', given.requests ?? '2000', [1, 10_000_000], true),
    minutes:
      given.minutes === undefined ? undefined : readNumber('--minutes', given.minutes, [0.1, 1440]),
    model: given.model,
    concurrency: readNumber('--concurrency', given.concurrency ?? '8', [1, 16], true),
    replay: given.replay === undefined ? undefined : readReplay(given.replay),
  };
}

function readReplay(text: string): { file: string; id: string } {
  const [, file, id] = /^(.+)#([^#]+)$/.exec(text) ?? [];
  if (file !== undefined && id !== undefined) return { file, id };
  throw new UsageError(`--replay: "${text}" is not FILE#ID, such as report.json#d1`);
}
