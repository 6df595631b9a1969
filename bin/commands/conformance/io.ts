// Input and output of the conformance commands; tests pass their own.
import { printable } from '../../../conformance/reports/plain-text.ts';

export interface JudgeIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly version: string;
  /** Text on standard output, as it is. */
  out(text: string): void;
  /** Text on standard error, as it is. */
  err(text: string): void;
  /** Standard error is a terminal: progress is drawn there. */
  readonly isTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  nowMs(): number;
}

/** A mistake in the arguments or in a file that they name: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** A quoted file or argument must not steer the terminal. */
  constructor(message: string) {
    super(printable(message));
  }
}

export function systemJudgeIo(version: string): JudgeIo {
  const { env } = process;
  const off = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  return {
    env,
    cwd: process.cwd(),
    version,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true && env.TERM !== 'dumb',
    color: !off && (forced || process.stdout.isTTY === true),
    columns: process.stdout.columns ?? 100,
    nowMs: () => Date.now(),
  };
}
