// Whether the sandbox slows down as it fills, and what an account costs in memory.
import { type Figure, median, medianRatio } from './figures.ts';
import { drive } from './load.ts';
import { createAccountRequests } from './requests.ts';
import { type SandboxSubject, startSandbox } from './sandbox.ts';
import { withScales } from './subject.ts';

const small = 10_000;
const large = 1_000_000;
const rowsABatch = 1000;
const rounds = 5;
const roundMs = 1500;

const nodeOptions = [...withScales, '--max-old-space-size=8192'];

/** Two sandboxes side by side, one nearly empty and one full, measured in turns. */
export async function size(log: (line: string) => void): Promise<Figure[]> {
  const [few, many] = [await startSandbox(nodeOptions), await startSandbox(nodeOptions)];
  try {
    await fill(few, small);
    const before = await many.weigh();
    await fill(many, large);
    const perAccount = ((await many.weigh()) - before) / large;
    log(`size: ${large.toLocaleString('en')} accounts are in`);
    const rates = { few: [] as number[], many: [] as number[] };
    for (let round = -1; round < rounds; round++) {
      const pair = { few: await rate(few), many: await rate(many) };
      if (round < 0) continue;
      rates.few.push(pair.few);
      rates.many.push(pair.many);
    }
    const speed = `${Math.round(median(rates.many)).toLocaleString('en')}/s`;
    return [
      {
        name: 'sandbox, new key each, at 1,000,000 accounts against 10,000',
        value: speed,
        ratio: medianRatio(rates.many, rates.few),
        aim: { atLeast: 0.8 },
      },
      {
        name: 'sandbox, memory an account',
        value: `${perAccount.toFixed(0)} bytes`,
        measured: perAccount,
        aim: { atMost: 1536 },
      },
    ];
  } finally {
    await Promise.all([few.stop(), many.stop()]);
  }
}

async function rate(sandbox: SandboxSubject): Promise<number> {
  const { port, token } = sandbox;
  const next = createAccountRequests({ port, token });
  const { perSecond, statuses } = await drive({ port, durationMs: roundMs, next });
  if (statuses.size !== 1 || !statuses.has(201)) throw new Error('not every create was a 201');
  return perSecond;
}

async function fill(sandbox: SandboxSubject, count: number): Promise<void> {
  const { port, token } = sandbox;
  for (let first = 0; first < count; first += rowsABatch) {
    const accounts = Array.from({ length: rowsABatch }, (_, row) => {
      const serial = first + row;
      return {
        client_reference_id: `seeded-${serial}`,
        email: `seeded-${serial}@example.com`,
        first_name: 'Margaret',
        last_name: 'Hamilton',
        country: 'US',
        language: 'en',
      };
    });
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/accounts/bulk`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `seeding-${first}`,
      },
      body: JSON.stringify({ accounts }),
    });
    const { created } = (await response.json()) as { created?: number };
    if (created !== rowsABatch) throw new Error(`seeding: ${response.status}, ${created} created`);
  }
}
