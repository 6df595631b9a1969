// Ends a sandbox that keeps its world in a file, at any moment of its work and without a word: the
// file it leaves is whole, and with its journal lacks at most what was answered in the last 100 ms.
// time limit: 180 s
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readStateFile } from '../../simulator/host/storage/state-file.ts';
import { root } from '../dev/root.ts';

const killed = suite('kill while saving');
const folder = mkdtempSync(join(tmpdir(), 'kill-'));
const path = join(folder, 'state.json');

interface Ready {
  readonly base_url: string;
  readonly credentials: readonly { readonly name: string; readonly token: string }[];
}

function startOn(file: string, ...more: readonly string[]): ChildProcess {
  const options = ['--port', '0', '--json', '--quiet', '--plan', 'pro', '--state', file, ...more];
  return spawn(process.execPath, ['bin/sandbox.js', 'start', ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function readyOf(child: ChildProcess): Promise<Ready> {
  if (child.stdout === null) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout }))
    return JSON.parse(line) as Ready;
  throw new Error('it ended before it was ready');
}

const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));

interface Acknowledged {
  readonly reference: string;
  readonly atMs: number;
}

/** Four callers at once; what was answered, and when. */
async function createUntilCut(ready: Ready, round: string): Promise<readonly Acknowledged[]> {
  const token = ready.credentials.find(({ name }) => name === 'brand-a')?.token;
  const answered: Acknowledged[] = [];
  const callAgain = async (caller: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const reference = `${round}-${caller}-${n}`;
      const response = await fetch(`${ready.base_url}/api/v1/accounts`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': reference,
        },
        body: JSON.stringify({ client_reference_id: reference, email: `${reference}@example.com` }),
      }).catch(() => null);
      if (response === null) return;
      if (response.status === 201) answered.push({ reference, atMs: performance.now() });
    }
  };
  await Promise.all([0, 1, 2, 3].map(callAgain));
  return answered;
}

async function killAfter(afterMs: number, round: string, ...options: readonly string[]) {
  const child = startOn(path, ...options);
  const ended = exitOf(child);
  const ready = await readyOf(child);
  let killedAtMs = 0;
  setTimeout(() => {
    killedAtMs = performance.now();
    child.kill('SIGKILL');
  }, afterMs);
  const answered = await createUntilCut(ready, round);
  await ended;
  const document = (await readStateFile(path)) as {
    readonly world: { readonly accounts: readonly { readonly reference: string }[] };
  };
  const kept = new Set(document.world.accounts.map(({ reference }) => reference));
  return { kept, answered, killedAtMs };
}

killed('whenever it is, nothing is lost but what was answered in the last 100 ms', async () => {
  const before = new Set<string>();
  for (const [round, afterMs] of [150, 480, 530, 790].entries()) {
    const { kept, answered, killedAtMs } = await killAfter(afterMs, `round-${round}`);
    const promised = answered.filter(({ atMs }) => atMs < killedAtMs - 100);
    const lost = promised.filter(({ reference }) => !kept.has(reference));
    assert.equal(lost, [], `of ${promised.length} answered`);
    for (const reference of before) assert.ok(kept.has(reference), `${reference} was saved`);
    for (const reference of kept) before.add(reference);
  }
});

killed('with --state-sync nothing that was answered is lost', async () => {
  const { kept, answered } = await killAfter(700, 'sync', '--state-sync');
  assert.ok(answered.length > 0);
  assert.equal(
    answered.filter(({ reference }) => !kept.has(reference)),
    [],
  );
});

killed('a file that is torn ends the start with 4, and stays as it is', async () => {
  const torn = join(folder, 'torn.json');
  writeFileSync(torn, readFileSync(path, 'utf8').slice(0, -40));
  const text = readFileSync(torn, 'utf8');
  const child = startOn(torn);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  assert.is(await exitOf(child), 4);
  assert.match(said, /--state .*torn\.json: is not whole JSON/);
  assert.is(readFileSync(torn, 'utf8'), text);
});

killed('a file that cannot be written ends the start with 4', async () => {
  const child = startOn(join(folder, 'no', 'such', 'state.json'));
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  assert.is(await exitOf(child), 4);
  assert.match(said, /cannot be written \(ENOENT\)/);
  assert.not.ok(existsSync(join(folder, 'no')));
});

killed.after(() => rmSync(folder, { recursive: true }));
killed.run();
