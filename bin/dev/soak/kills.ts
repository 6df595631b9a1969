// Kills a sandbox while it writes its state to a file, and checks for lost writes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { drawFrom } from '../../../simulator/core/testing/random-inputs.ts';
import { readStateFile } from '../../../simulator/host/storage/state-file.ts';
import type { Program } from '../program.ts';
import { startSandbox } from './sandbox.ts';

export interface KillOptions {
  readonly count: number;
  readonly seed: number;
  /** With `--state-sync`, no write may be lost. */
  readonly sync: boolean;
}

/** Without `--state-sync`, a write is in the files this long after its response. */
const promisedMs = 100;
const longestMs = 1400;
const clients = 4;
/** A state file is reused for this many kills. */
const killsPerFile = 10;

/** Resolves to a line for each lost write that should have been kept. */
export async function kill({ count, seed, sync }: KillOptions): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const draw = drawFrom(seed);
  const broken: string[] = [];
  let kept = new Set<string>();
  let answered = 0;
  try {
    for (let n = 0; n < count; n += 1) {
      if (n % killsPerFile === 0) kept = new Set();
      const state = join(folder, `state-${Math.floor(n / killsPerFile)}.json`);
      const sandbox = await startSandbox('--state', state, ...(sync ? ['--state-sync'] : []));
      const acknowledged = new Map<string, number>();
      const write = await writerTo(sandbox, acknowledged);
      // Even on a slow machine, the kill comes after an answered write.
      await write(`kill-${n}`);
      const writing = Array.from({ length: clients }, async (_, client) => {
        for (let m = 0; await write(`kill-${n}-${client}-${m}`); m += 1);
      });
      await pause(draw(longestMs));
      const killedAtMs = performance.now();
      await sandbox.stop('SIGKILL');
      await Promise.all(writing);
      const found = await referencesIn(state);
      for (const reference of [...kept].filter((each) => !found.has(each))) {
        broken.push(`kill ${n}: ${reference} was saved and is gone`);
      }
      for (const [reference, atMs] of acknowledged) {
        const ageMs = Math.round(killedAtMs - atMs);
        if (found.has(reference) || (!sync && ageMs <= promisedMs)) continue;
        broken.push(`kill ${n}: ${reference} was answered ${ageMs} ms before, and is lost`);
      }
      kept = found;
      answered += acknowledged.size;
      if (n % killsPerFile === killsPerFile - 1) {
        console.log(`${n + 1} kills, ${answered} writes answered, ${broken.length} lost`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return answered > 0 ? broken : ['no write was answered'];
}

async function referencesIn(state: string): Promise<Set<string>> {
  const { world } = (await readStateFile(state)) as {
    readonly world: { readonly accounts: readonly { readonly client_reference_id: string }[] };
  };
  return new Set(world.accounts.map((account) => account.client_reference_id));
}

/** Creates an account, records the time of the 201 response, and returns whether it was answered. */
async function writerTo(sandbox: Program, acknowledged: Map<string, number>) {
  const token = await sandbox.makeToken();
  return async (reference: string): Promise<boolean> => {
    const response = await fetch(`${sandbox.ready.base_url}/api/v1/accounts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': reference,
      },
      body: JSON.stringify({ client_reference_id: reference, email: `${reference}@example.com` }),
    }).catch(() => null);
    if (response?.status === 201) acknowledged.set(reference, performance.now());
    await response?.arrayBuffer().catch(() => null);
    return response !== null;
  };
}
