// The input and output of every command; tests pass their own.
import { printable } from '../../conformance/reports/plain-text.ts';
import manifest from '../../package.json' with { type: 'json' };
import { endSignals } from './end-signals.ts';

export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly version: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Writes text to standard output, unchanged. */
  out(text: string): void;
  /** Writes text to standard error, unchanged. */
  err(text: string): void;
  /** Standard error is a terminal: progress is drawn there. */
  readonly isTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  nowMs(): number;
  /** Sets the exit code, to exit after all output is written. */
  finish(code: number): void;
  /** Stops the work, instead of the signals of the process. */
  readonly stop?: AbortSignal;
}

/** A mistake in the arguments or in a file that they name: exit code 2 by default. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode: number;

  /** A quoted file or argument must not control the terminal. */
  constructor(message: string, exitCode = 2) {
    super(printable(message));
    this.exitCode = exitCode;
  }
}

export function systemIo(): CommandIo {
  const { env } = process;
  const off = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  return {
    env,
    cwd: process.cwd(),
    version: manifest.version,
    stdin: process.stdin,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true && env.TERM !== 'dumb',
    color: !off && (forced || process.stdout.isTTY === true),
    columns: process.stdout.columns ?? 100,
    nowMs: () => Date.now(),
    finish: (code) => {
      process.exitCode = code;
    },
  };
}

/**
 * Runs long work: the first signal stops it and reports the results so far, a second one ends the
 * program. A bug is exit code 5: Node's default code is 1, which here means a deviation.
 */
export async function runInterruptibly(
  io: CommandIo,
  work: (stop: AbortSignal) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    io.err('\nInterrupted: reporting what is known; once more to end at once.\n');
    stop.abort();
  };
  for (const signal of endSignals) process.on(signal, onSignal);
  // A pending timeout does not keep the process alive: without this it would exit while it waits.
  const alive = setInterval(() => {}, 1_000);
  try {
    io.finish(await work(io.stop ?? stop.signal));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    io.err(`the judge failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    io.finish(5);
  } finally {
    clearInterval(alive);
    for (const signal of endSignals) process.off(signal, onSignal);
  }
}
