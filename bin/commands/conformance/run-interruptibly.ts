// Runs one of the judges so that its exit code never lies: a mistake in the call is 2, a fault of
// our own 5, and a signal ends it in order with what is known.
import { printable } from '../../../conformance/reports/plain-text.ts';
import { endSignals } from '../end-signals.ts';
import { type JudgeIo, UsageError } from './io.ts';

interface Words {
  /** Who failed when an error is nobody's else, such as `the judge`. */
  readonly who: string;
  /** What is done before the end, after the first signal. */
  readonly ending: string;
}

/** The exit code of `work`. A first signal is told to it, a second one ends the program at once. */
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
  // Time limits alone keep no program alive: without it one that waits for nothing else would end.
  const alive = setInterval(() => {}, 1_000);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`error: ${printable(error.message)}\n`);
      return 2;
    }
    // Node's own code for what nobody catches is 1, which here means that something was found
    // wrong.
    io.err(`${who} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    return 5;
  } finally {
    clearInterval(alive);
    for (const signal of endSignals) process.off(signal, onSignal);
  }
}
