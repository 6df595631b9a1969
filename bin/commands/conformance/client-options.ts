// The options of `conformance client`, checked before anything is run.
import type { FinishOptions } from './finish-run.ts';
import { UsageError } from './io.ts';
import { type ReportGiven, readReportOptions } from './report-options.ts';
import { readNumber } from './run-options.ts';

/** As commander parses them. */
export interface ClientGiven extends ReportGiven {
  readonly world?: string;
  readonly plan?: 'sandbox' | 'standard' | 'pro';
  readonly seed?: string;
  readonly timeoutS?: string;
  readonly jobs?: string;
  readonly list?: boolean;
}

export interface ClientOptions extends FinishOptions {
  readonly command: readonly string[];
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly world: string;
  readonly plan: 'sandbox' | 'standard' | 'pro';
  readonly seed: number;
  readonly timeoutS: number;
  /** undefined: as many as suit the machine. */
  readonly jobs: number | undefined;
  readonly list: boolean;
}

/** Throws UsageError with what to give instead. */
export function readClientOptions(given: ClientGiven, command: readonly string[]): ClientOptions {
  const list = given.list === true;
  if (command.length === 0 && !list) {
    throw new UsageError(
      'name the command to judge after --, such as conformance client -- node examples/deposit.js',
    );
  }
  return {
    ...readReportOptions(given),
    command,
    only: given.only ?? [],
    skip: given.skip ?? [],
    world: given.world ?? 'default',
    plan: given.plan ?? 'pro',
    seed: readNumber('--seed', given.seed ?? '1', [0, 999_999_999], true),
    timeoutS: readNumber('--timeout-s', given.timeoutS ?? '60', [0.5, 3_600]),
    jobs: given.jobs === undefined ? undefined : readNumber('--jobs', given.jobs, [1, 64], true),
    list,
  };
}
