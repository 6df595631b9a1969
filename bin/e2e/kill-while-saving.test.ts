// A sandbox with a state file is killed while it writes, or starts with a file that it cannot use.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';
import { kill } from '../dev/soak/kills.ts';

const killed = suite('kill while saving');
const folder = mkdtempSync(join(tmpdir(), 'kill-'));

function startOn(file: string, ...more: readonly string[]): ChildProcess {
  const options = ['--port', '0', '--json', '--quiet', '--plan', 'pro', '--state', file, ...more];
  return spawn(process.execPath, ['bin/sandbox.js', 'start', ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));

killed('a kill loses nothing but what was answered in the last 100 ms', async () => {
  assert.equal(await kill({ count: 3, seed: 3, sync: false }), []);
});

killed('with --state-sync a kill loses nothing that was answered', async () => {
  assert.equal(await kill({ count: 2, seed: 1, sync: true }), []);
});

killed('a file that is torn ends the start with 4, and stays as it is', async () => {
  const torn = join(folder, 'torn.json');
  writeFileSync(torn, '{"format":"trading-platform-sandbox-state","version":2,"wor');
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
  assert.match(said, /there is no folder/);
  assert.not.ok(existsSync(join(folder, 'no')));
});

killed.after(() => rmSync(folder, { recursive: true }));
killed.run();
