// Waits until a call has come to the fault that keeps it waiting: what follows must find it there.
import { Inconclusive } from '../../engine/scenario-errors.ts';

interface Waiting {
  /** How often the fault was met. */
  readonly hits: () => Promise<number>;
  readonly answer: Promise<unknown>;
  /** A slow way to the target takes as long as an answer may. */
  readonly timeoutMs: number;
}

const FIRST_STEP_MS = 5;
const LONGEST_STEP_MS = 100;

/** Or until it is answered, and so was not kept: it may have been refused before. */
export async function untilMet({ hits, answer, timeoutMs }: Waiting): Promise<void> {
  let isAnswered = false;
  const note = () => {
    isAnswered = true;
  };
  answer.then(note, note);
  const untilMs = performance.now() + timeoutMs;
  let stepMs = FIRST_STEP_MS;
  while (!isAnswered && (await hits()) === 0) {
    if (performance.now() > untilMs) {
      throw new Inconclusive('a call that a fault is to keep waiting has not come to it');
    }
    await new Promise((resolve) => setTimeout(resolve, stepMs));
    stepMs = Math.min(LONGEST_STEP_MS, stepMs * 2);
  }
}
