// Runs the gate over worker processes, and gathers its proofs.
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { programFile, root } from '../root.ts';
import type { JudgedDeviation } from './judge-deviation.ts';
import type { Order } from './worker.ts';

const workerFile = programFile('bin/dev/prove/worker.ts');

/** Tries every deviation, with all scenarios or those that its rules concern or that noticed it. */
export async function judgeAll(
  all: readonly (Deviation | null)[],
  whole: boolean,
  onTried: (tried: JudgedDeviation) => void,
): Promise<void> {
  const orders = all.map((deviation): Order => orderOf(deviation, whole));
  // Of all scenarios one waits for 14 s on the wall's clock: others can work meanwhile.
  const atOnce = availableParallelism() * (whole ? 3 : 1);
  const count = Math.min(atOnce, orders.length);
  const next = orders.values();
  await Promise.all(Array.from({ length: count }, () => work(next, onTried)));
}

function orderOf(deviation: Deviation | null, whole: boolean): Order {
  if (deviation === null) return { id: 'conforming', rules: null };
  const rules = [...deviation.breaks, ...Object.keys(deviation.alsoSeenAs ?? {})];
  if (whole) return { id: deviation.id, rules: null };
  return { id: deviation.id, rules, witnesses: witnessesOf(deviation.id) };
}

/** Scenarios that noticed it the last time, some of them in passing while about others. */
function witnessesOf(id: string): readonly string[] {
  const path = join(root, 'fixtures', 'proof.json');
  const { matrix } = JSON.parse(readFileSync(path, 'utf8')) as {
    matrix: Record<string, Record<string, readonly string[]>>;
  };
  return Object.values(matrix[id] ?? {}).flat();
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
      worker.off('exit', gone);
      if (message.tried !== undefined) resolve(message.tried);
      else reject(new Error(message.failed));
    });
    const gone = () => reject(new Error(`the gate's worker ended while trying ${order.id}`));
    worker.once('exit', gone);
    worker.send(order);
  });
}
