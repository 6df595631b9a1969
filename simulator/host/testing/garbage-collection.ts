// Garbage collection on demand, for tests of objects that must survive it.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects all garbage; twice, because the first round only breaks weak references. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    // A weak reference that was read in this turn keeps its target until the turn ends.
    await sleep(1);
    gc();
  }
  await sleep(1);
}

/** `pending`, or the outcome: the status of a response, or the reason of the rejection. */
export function watch(call: Promise<unknown>): () => unknown {
  let state: unknown = 'pending';
  call.then(
    (response) => {
      state = (response as Response | undefined)?.status;
    },
    (reason) => {
      state = reason;
    },
  );
  return () => state;
}
