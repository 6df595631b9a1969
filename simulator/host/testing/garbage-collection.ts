// Garbage collection on demand, for tests of what has to outlive one.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects all garbage; twice, because the first round only breaks weak links. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    // What was looked at in this turn counts as held until the turn is over.
    await sleep(1);
    gc();
  }
  await sleep(1);
}

/** `pending`, or what became of it: the status of a response, or its rejection's reason. */
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
