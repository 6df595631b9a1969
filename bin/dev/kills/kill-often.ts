// Kills a sandbox that keeps its world in a file, again and again in the middle of its work, and
// looks which writes that were answered are not in the file any more.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { drawFrom } from '../../../simulator/core/testing/random-inputs.ts';
import { readStateFile } from '../../../simulator/host/storage/state-file.ts';
import { Besieged } from '../siege/besieged.ts';

/** An answer is in the files so long after it at the latest. */
export const promisedMs = 100;

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Nothing at all may be lost then. */
  readonly sync: boolean;
  readonly onKill?: (kill: Kill) => void;
}

export interface Kill {
  readonly n: number;
  readonly afterMs: number;
  /** Writes that were answered before it. */
  readonly answered: number;
  /** How long before the kill each lost write was answered. */
  readonly lostMs: readonly number[];
  /** What was there after an earlier kill, and is not any more. */
  readonly gone: number;
}

/** So many kills share a file, which grows from one to the next. */
const killsPerFile = 10;
const callers = 4;
const longestMs = 1400;

export async function killOften(options: KillOptions): Promise<readonly Kill[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const draw = drawFrom(options.seed);
  const kills: Kill[] = [];
  let before: ReadonlySet<string> = new Set();
  try {
    for (let n = 1; n <= options.kills; n += 1) {
      const file = Math.ceil(n / killsPerFile);
      if (n % killsPerFile === 1) before = new Set();
      const state = join(folder, `state-${file}.json`);
      const { kill, kept } = await killOnce({
        ...options,
        n,
        state,
        before,
        afterMs: draw(longestMs),
      });
      before = kept;
      kills.push(kill);
      options.onKill?.(kill);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return kills;
}

interface OneKill {
  readonly n: number;
  readonly state: string;
  readonly sync: boolean;
  readonly afterMs: number;
  readonly before: ReadonlySet<string>;
}

async function killOnce({ n, state, sync, afterMs, before }: OneKill) {
  const more = sync ? ['--state-sync'] : [];
  const besieged = await Besieged.start(['--plan', 'pro', '--state', state, ...more]);
  const rate = { rate_per_second: 1_000_000 };
  await besieged.control('PATCH', 'firms/1', rate);
  const { credentials } = (await besieged.control('GET', 'credentials')) as {
    readonly credentials: readonly { readonly client_id: string; readonly name: string }[];
  };
  const brand = credentials.find(({ name }) => name === 'brand-a');
  await besieged.control('PATCH', `credentials/${brand?.client_id}`, rate);
  const answered = createUntilCut(besieged, `kill-${n}`);
  await pause(afterMs);
  const killedAtMs = performance.now();
  await besieged.stop('SIGKILL');
  const acknowledged = await answered;
  const kept = await referencesIn(state);
  const lost = acknowledged.filter(({ reference }) => !kept.has(reference));
  const kill: Kill = {
    n,
    afterMs,
    answered: acknowledged.length,
    lostMs: lost.map(({ atMs }) => killedAtMs - atMs),
    gone: [...before].filter((reference) => !kept.has(reference)).length,
  };
  return { kill, kept };
}

async function referencesIn(state: string): Promise<ReadonlySet<string>> {
  const document = (await readStateFile(state)) as {
    readonly world: { readonly accounts: readonly { readonly reference: string }[] };
  };
  return new Set(document.world.accounts.map(({ reference }) => reference));
}

interface Acknowledged {
  readonly reference: string;
  readonly atMs: number;
}

/** Several callers at once; what was answered, and when. */
async function createUntilCut(besieged: Besieged, name: string): Promise<readonly Acknowledged[]> {
  const pool = new Pool(besieged.ready.base_url, { connections: callers });
  const authorization = `Bearer ${besieged.tokenOf('brand-a')}`;
  const answered: Acknowledged[] = [];
  const callAgain = async (caller: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const reference = `${name}-${caller}-${n}`;
      const status = await create(pool, authorization, reference);
      if (status === null) return;
      if (status === 201) answered.push({ reference, atMs: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => callAgain(index)));
  await pool.destroy();
  return answered;
}

/** Null when the other side is gone. */
async function create(pool: Pool, authorization: string, reference: string) {
  const answer = await pool
    .request({
      method: 'POST',
      path: '/api/v1/accounts',
      headers: {
        authorization,
        'content-type': 'application/json',
        'idempotency-key': reference,
      },
      body: JSON.stringify({ client_reference_id: reference, email: `${reference}@example.com` }),
    })
    .catch(() => null);
  await answer?.body.dump();
  return answer?.statusCode ?? null;
}
