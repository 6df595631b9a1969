// Ends a sandbox that keeps its world in a file, at any moment of its work and without a word: the
// file it leaves is whole, and what is missing is less than the documented half second and a save.
// time limit: 180 s
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';

const killed = suite('kill while saving');
const folder = mkdtempSync(join(tmpdir(), 'kill-'));
const path = join(folder, 'state.json');

interface Ready {
  readonly base_url: string;
  readonly credentials: readonly { readonly name: string; readonly token: string }[];
}

function startOn(file: string): ChildProcess {
  const options = ['--port', '0', '--json', '--quiet', '--plan', 'pro', '--state', file];
  return spawn(process.execPath, ['--import', 'tsx', 'bin/sandbox.main.ts', 'start', ...options], {
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

async function createUntilCut({ base_url, credentials }: Ready, round: number): Promise<number> {
  const token = credentials.find(({ name }) => name === 'brand-a')?.token;
  let answered = 0;
  for (;;) {
    const reference = `round-${round}-${answered}`;
    const response = await fetch(`${base_url}/api/v1/accounts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': reference,
      },
      body: JSON.stringify({ client_reference_id: reference, email: `${reference}@example.com` }),
    }).catch(() => null);
    if (response === null) return answered;
    if (response.status === 201) answered += 1;
  }
}

killed('whenever it is, the file loads, and holds all but the last moments', async () => {
  let before = 0;
  for (const [round, afterMs] of [150, 480, 530, 790].entries()) {
    const child = startOn(path);
    const ended = exitOf(child);
    const ready = await readyOf(child);
    setTimeout(() => child.kill('SIGKILL'), afterMs);
    await createUntilCut(ready, round);
    await ended;
    const document = JSON.parse(readFileSync(path, 'utf8')) as { world: { accounts: unknown[] } };
    assert.ok(document.world.accounts.length >= before, 'nothing that was saved is lost');
    before = document.world.accounts.length;
  }
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
