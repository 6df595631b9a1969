// Judges deviations in worker processes.
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { root } from '../root.ts';
import { scenariosOf } from './chosen-scenarios.ts';
import { ANY_SCENARIO } from './expectations.ts';
import type { JudgedDeviation } from './judge-deviation.ts';
import type { Order } from './worker.ts';

const workerFile = join(root, 'bin/dev/prove/worker.ts');

/** Every scenario for a deviation, or those of its rules and the ones named. */
export function orderOf(
  { id, breaks, alsoSeenAs = {} }: Deviation,
  whole: boolean,
  named: readonly string[] = [],
): Order {
  // A finding that any scenario may come to does not say which of them came to it.
  const isWhole = whole || named.includes(ANY_SCENARIO);
  const rules = isWhole ? null : [...breaks, ...Object.keys(alsoSeenAs)];
  return { id, scenarios: scenariosOf(rules, named).map((scenario) => scenario.id) };
}

export async function judgeAll(
  orders: readonly Order[],
  onTried: (tried: JudgedDeviation) => void,
): Promise<void> {
  const count = Math.min(availableParallelism(), orders.length);
  const next = orders.values();
  await Promise.all(Array.from({ length: count }, () => work(next, onTried)));
}

async function work(
  orders: Iterator<Order>,
  onTried: (tried: JudgedDeviation) => void,
): Promise<void> {
  const worker = fork(workerFile, { execArgv: process.execArgv });
  try {
    for (let next = orders.next(); !next.done; next = orders.next()) {
      onTried(await ask(worker, next.value));
    }
  } finally {
    worker.disconnect();
  }
}

function ask(worker: ChildProcess, order: Order): Promise<JudgedDeviation> {
  return new Promise((resolve, reject) => {
    worker.once('message', (message: { tried?: JudgedDeviation; failed?: string }) => {
      worker.off('exit', onExit);
      if (message.tried !== undefined) resolve(message.tried);
      else reject(new Error(message.failed));
    });
    const onExit = () => reject(new Error(`the worker process ended while judging ${order.id}`));
    worker.once('exit', onExit);
    worker.send(order);
  });
}
