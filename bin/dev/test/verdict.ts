// What a finished test file or tool amounts to: pure, from its exit code and its output.
import type { Run } from './run.ts';

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** One line for a person; empty when nothing failed. */
  readonly problem: string;
}

/** For a file that names none. */
export const defaultLimitMs = 120_000;

/** Limits are those of a quiet machine, and stop what hangs; a busy one may take so much longer. */
export const patience = 3;

/** The file's own `// time limit: N s`, where it has one. */
export function ownTimeLimitMs(source: string): number | null {
  const own = /^\/\/ time limit: (\d+) s$/m.exec(source)?.[1];
  return own ? Number(own) * 1000 : null;
}

/** A tool is one check: clean, or not. */
export function judgeTool(run: Run): Verdict {
  const problem = crash(run) ?? '';
  return { passed: problem ? 0 : 1, failed: problem ? 1 : 0, problem };
}

/**
 * A test file counts its tests by uvu's closing summary. No summary, no test, a skipped test and
 * an exit code that the summary does not explain are failures too.
 */
export function judgeFile(run: Run): Verdict {
  const summary = readSummary(run.output);
  if (!summary)
    return failedBeside(0, crash(run) ?? 'no test ran: does every suite end in .run()?');
  const { total, passed, skipped } = summary;
  if (total === 0) return failedBeside(0, 'no test ran: does every suite end in .run()?');
  const failed = total - passed;
  if (failed > 0) return { passed, failed, problem: `${failed} of ${total} tests failed` };
  if (skipped > 0) return failedBeside(passed, `${skipped} tests skipped`);
  const problem = crash(run);
  return problem ? failedBeside(passed, problem) : { passed, failed: 0, problem: '' };
}

function failedBeside(passed: number, problem: string): Verdict {
  return { passed, failed: 1, problem };
}

function crash(run: Run): string | undefined {
  if (run.timedOut) return `not done after ${run.limitMs / 1000} s (see // time limit: N s)`;
  if (run.exitCode === null) return 'ended by a signal';
  return run.exitCode === 0 ? undefined : `exit code ${run.exitCode}`;
}

function readSummary(output: string) {
  const found = [
    ...output.matchAll(/^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm),
  ];
  const last = found.at(-1);
  return last && { total: Number(last[1]), passed: Number(last[2]), skipped: Number(last[3]) };
}
