// Runs a command so that its exit code is right: a mistake in the arguments is 2, a bug of the judge
// 5, and a signal ends it with what is known.
import { printable } from '../../../conformance/reports/plain-text.ts';
import { endSignals } from '../end-signals.ts';
import { type JudgeIo, UsageError } from './io.ts';

interface Words {
  /** The subject of the message about a bug, such as `the judge`. */
  readonly who: string;
  /** What is done before the end, after the first signal. */
  readonly ending: string;
}

/** The exit code of `work`; 2 for a mistake in the arguments or in a file that they name. */
export async function reportingUsage(
  io: Pick<JudgeIo, 'err'>,
  work: () => number | Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.err(`error: ${printable(error.message)}\n`);
    return 2;
  }
}

/** The same for work that takes long: the first signal stops it, a second one ends the program. */
export async function runInterruptibly(
  io: JudgeIo,
  { who, ending }: Words,
  work: (stop: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    io.err(`\nInterrupted: ${ending}; once more to end at once.\n`);
    stop.abort();
  };
  for (const signal of endSignals) process.on(signal, onSignal);
  // Timeouts alone keep no program alive: without it a program that waits for nothing else would end.
  const alive = setInterval(() => {}, 1_000);
  try {
    return await reportingUsage(io, () => work(stop.signal));
  } catch (error) {
    // Node's own code for an uncaught error is 1, which here means that something deviates.
    io.err(`${who} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    return 5;
  } finally {
    clearInterval(alive);
    for (const signal of endSignals) process.off(signal, onSignal);
  }
}
