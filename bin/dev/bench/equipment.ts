// The sandbox inside a test suite: calls without a socket, worlds made and dropped, resets, and how
// long a save of many accounts holds others up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { emptyWorld } from '../../../fixtures/worlds/empty.ts';
import { type Container, own } from '../../../simulator/core/state/copy-world.ts';
import { StateFile } from '../../../simulator/host/storage/state-file.ts';
import { findStartingWorld } from '../../../simulator/host/world/find-starting-world.ts';
import { Sandbox } from '../../../simulator/host/world/sandbox.ts';
import { snapshotsOf, takeSnapshot } from '../../../simulator/host/world/snapshots.ts';
import type { WorldHost } from '../../../simulator/host/world/world-host.ts';
import { fetchCall } from '../../../simulator/transports/fetch.ts';
import { type Figure, median } from './figures.ts';

const some = 10_000;
const many = 100_000;
const saves = 3;
const unlimited = 100_000_000;

export async function equipment(log: (line: string) => void): Promise<Figure[]> {
  const figures = [
    await createsInProcess(),
    ...(await worldsAndResets()),
    ...(await forksAndRestores()),
  ];
  log('equipment: calls, worlds and resets are measured; now making many accounts');
  return [...figures, ...(await madeUpAndSaved())];
}

function begin(world: object): Promise<Sandbox> {
  return Sandbox.create({
    worldName: 'bench',
    fixture: findStartingWorld('default'),
    firstFixture: findStartingWorld(world),
    seed: '1',
    clock: { mode: 'real', nowMs: null },
    plan: 'pro',
    deliverer: {
      deliver: async () => ({ status: 204, error: null }),
      resolve: async () => ['93.184.216.34'],
      close: async () => undefined,
    },
  });
}

async function createsInProcess(): Promise<Figure> {
  const sandbox = await begin(emptyWorld);
  const { first } = sandbox;
  first.execute('changeFirm', { id: '1', rate_per_second: unlimited });
  const made = first.execute('createCredential', {
    firm_id: '1',
    brand_id: '10',
    scopes: ['accounts:write'],
    rate_per_second: unlimited,
  }) as { value: { token: string } };
  let count = 0;
  const create = async (): Promise<void> => {
    count += 1;
    const { status } = await fetchCall(sandbox, 'http://sandbox/api/v1/accounts', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${made.value.token}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${count}`,
      },
      body: JSON.stringify({ client_reference_id: `r-${count}`, email: `r-${count}@example.com` }),
    });
    if (status !== 201) throw new Error(`create answered ${status}`);
  };
  for (let n = 0; n < 5000; n += 1) await create();
  const rates: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const from = performance.now();
    for (let n = 0; n < 4000; n += 1) await create();
    rates.push(4_000_000 / (performance.now() - from));
  }
  await sandbox.close();
  const measured = median(rates);
  const value = `${Math.round(measured).toLocaleString('en')}/s`;
  return { name: 'createAccount in process', value, measured, aim: { atLeast: 20_000 } };
}

async function worldsAndResets(): Promise<Figure[]> {
  const sandbox = await begin(findStartingWorld('default'));
  const time = async (work: (n: number) => Promise<unknown>): Promise<number> => {
    const took: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      const from = performance.now();
      await work(n);
      took.push(performance.now() - from);
    }
    return median(took);
  };
  const world = await time(async (n) => {
    await sandbox.addWorld({ name: `bench-${n}` });
    sandbox.dropWorld(`bench-${n}`);
  });
  const reset = await time(() => sandbox.reset('default'));
  await sandbox.close();
  return [under('a world made and dropped', world, 5), under('a reset', reset, 5)];
}

/**
 * A copy shares everything until it is written to. Timed is the worst: all of it written to at
 * once.
 */
async function forksAndRestores(): Promise<Figure[]> {
  const sandbox = await begin({ ...emptyWorld, generate: { accounts: some } });
  const { first } = sandbox;
  const snapshots = snapshotsOf(first);
  const writeToAll = ({ world }: WorldHost) => {
    for (const member of world.shared ?? []) own(world, member as Container);
  };
  const forks: number[] = [];
  const restores: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const name = `fork-${n}`;
    const began = performance.now();
    writeToAll(await sandbox.addWorld({ name, from: takeSnapshot(first) }));
    forks.push(performance.now() - began);
    sandbox.dropWorld(name);
    snapshots.take('one');
    const left = performance.now();
    snapshots.restore('one');
    writeToAll(first);
    restores.push(performance.now() - left);
  }
  await sandbox.close();
  const of = `of ${some.toLocaleString('en')} accounts, and all of it written to`;
  return [under(`a fork ${of}`, median(forks), 50), under(`a restore ${of}`, median(restores), 50)];
}

function under(name: string, measured: number, atMost: number): Figure {
  return { name, value: `${measured.toFixed(1)} ms`, measured, aim: { atMost } };
}

async function madeUpAndSaved(): Promise<Figure[]> {
  const from = performance.now();
  const spentBefore = process.cpuUsage();
  const sandbox = await begin({ ...emptyWorld, generate: { accounts: many } });
  const made = performance.now() - from;
  // On a busy machine the wall says little about the work.
  const spentMs = process.cpuUsage(spentBefore).user / 1000;
  const waits: number[] = [];
  for (let n = 0; n < saves; n += 1) waits.push(await waitWhileSaving(sandbox));
  await sandbox.close();
  const accounts = `${many.toLocaleString('en')} accounts`;
  const parsedMs = parseAsMany();
  return [
    under(`${accounts} made up (${Math.round(spentMs)} ms of processor)`, made, 5000),
    {
      name: `${accounts} made up, against JSON.parse of as many records`,
      value: `${parsedMs.toFixed(0)} ms to parse`,
      ratio: spentMs / parsedMs,
    },
    under(`longest wait while ${accounts} are saved ${saves} times`, Math.max(...waits), 50),
  ];
}

/** How long somebody who wants a turn all the time waits for one at most. */
async function waitWhileSaving({ first }: Sandbox): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const onTrouble = (message: string) => {
    throw new Error(message);
  };
  const file = new StateFile(first, join(folder, 'state.json'), { onTrouble });
  let longest = 0;
  let saving = true;
  const turns = (async () => {
    while (saving) {
      const asked = performance.now();
      await nextTurn();
      longest = Math.max(longest, performance.now() - asked);
    }
  })();
  await file.save();
  saving = false;
  await turns;
  await file.close();
  rmSync(folder, { recursive: true });
  return longest;
}

/** The processor's time to read as many records as JSON: what this machine does at its best. */
function parseAsMany(): number {
  const person = {
    ...{ id: '1', client_reference_id: 'seeded-1', email: 'margaret.hamilton@example.com' },
    ...{ first_name: 'Margaret', last_name: 'Hamilton', phone: '+14155550100', country: 'US' },
    ...{ language: 'en', status: 'New', brand_id: '10', firm_id: '1', revision: 1 },
  };
  const text = JSON.stringify(Array.from({ length: many }, () => person));
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    JSON.parse(text);
    return process.cpuUsage(before).user / 1000;
  });
  return median(times);
}
