// Timeouts that survive garbage collection.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLimit } from './time-limit.ts';

const limit = suite('time limit');

limit('a time limit survives garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stop = new AbortController();
  const signals = Array.from({ length: 20 }, () => withLimit(stop.signal, 50));
  let aborted = 0;
  for (const each of signals) each.addEventListener('abort', () => (aborted += 1), { once: true });
  collect();
  await sleep(1);
  collect();
  await sleep(100);
  assert.equal([aborted, signals.filter((each) => each.aborted).length], [20, 20]);
});

limit.run();
