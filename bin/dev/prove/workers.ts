// Judges deviations in worker processes, one for each processor.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import type { Judged } from './judge.ts';
import type { Order } from './worker.ts';

export async function judgeAll(
  orders: readonly Order[],
  onJudged: (judged: Judged) => void,
): Promise<void> {
  const left = orders.values();
  const work = async () => {
    const worker = fork(join(root, 'bin/dev/prove/worker.ts'), { execArgv: process.execArgv });
    let judging = '';
    worker.once('exit', (code) => {
      if (code === 0) return;
      console.error(`a worker process ended while it judged ${judging}`);
      process.exit(2);
    });
    for (const order of left) {
      judging = order.id;
      worker.send(order);
      const [judged] = await once(worker, 'message');
      onJudged(judged);
    }
    worker.disconnect();
  };
  const count = Math.min(availableParallelism(), orders.length);
  await Promise.all(Array.from({ length: count }, work));
}
