// Files that the sandbox cannot use: the exit code and the message; the file is not changed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox } from '../../simulator/index.ts';
import { runCommand } from '../commands/conformance/testing/run-judge.ts';
import { defineExec } from '../commands/sandbox/exec.ts';
import { SANDBOX } from './testing/program.ts';

const files = suite('files of a sandbox');
const folder = mkdtempSync(join(tmpdir(), 'files-'));

/** The exit code and the message of options that are refused, in this process. */
async function refusal(...options: readonly string[]) {
  const { code, err } = await runCommand(defineExec, {}, {}, [...options, '--', 'true']);
  assert.is(err.trim().split('\n').length, 1, err);
  return { code, err };
}

const sandbox = await createSandbox();
const whole = (await sandbox.control('GET', 'state')) as { readonly world: object };
await sandbox.close();
const head = '{"format":"trading-platform-sandbox-state","version":';
const states: readonly (readonly [string, string, string])[] = [
  ['torn', `${head}5,"world":{"name":"def`, 'is not whole JSON; it was left as it is'],
  ['newer', `${head}99,"world":{}}`, 'is of a newer release'],
  [
    'incomplete',
    JSON.stringify({ ...whole, world: { ...whole.world, timers: [null] } }),
    'world.timers[0] must be an object, not null',
  ],
  ['other', '{"settings":{}}', 'this looks like a configuration file, which --config takes'],
];

for (const [name, text, words] of states) {
  files(`a state file that is ${name} is exit code 4, and is not changed`, async () => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    const { code, err } = await refusal('--state', path);
    assert.is(code, 4);
    assert.ok(err.startsWith(`error: --state ${path}: `), err);
    assert.match(err, words);
    assert.is(readFileSync(path, 'utf8'), text);
  });
}

files('a clock before the history of the world is exit code 2', async () => {
  const { code, err } = await refusal('--clock', '1970-01-01T00:00:00Z');
  assert.is(code, 2, err);
  assert.match(err, /^error: --clock must be 1970-\S+Z or later/);
});

files('a message about a file has no escape sequences and shows no value of a wrong type', () => {
  const steering = '\u001b[2J\u009b1m';
  const config = {
    [steering]: 1,
    $comment: ['tok_secret'],
    settings: { settlement_delay_ms: 'tok_secret' },
  };
  const world = {
    [steering]: 1,
    firms: [{ id: steering, name: { key: 'tok_secret' }, brands: 'tok_secret' }],
  };
  writeFileSync(join(folder, 'escapes.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'world.json'), JSON.stringify(world));
  for (const options of [
    ['--config', 'escapes.json'],
    ['--world', 'world.json'],
  ]) {
    const args = [SANDBOX, 'exec', ...options, '--', 'true'];
    const ran = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    assert.is(ran.status, 2, ran.stderr);
    assert.match(ran.stderr, /not a (list|string)/);
    assert.not.match(ran.stderr, /[^\P{C}\n]/u);
    assert.not.match(ran.stderr, 'tok_secret');
  }
});

files('a state file that cannot be written is exit code 4', async () => {
  const path = join(folder, 'no/such/folder');
  const { code, err } = await refusal('--state', `${path}/state.json`);
  const words = `--state ${path}/state.json: there is no folder ${path}`;
  assert.equal([code, err], [4, `error: ${words}\n`]);
});

files('a world file that generates too many accounts is refused with the field', async () => {
  const firms = [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }];
  const path = join(folder, 'crowd.json');
  writeFileSync(path, JSON.stringify({ firms, credentials: [], generate: { accounts: 1e7 } }));
  const { code, err } = await refusal('--world', path);
  assert.is(code, 2);
  assert.match(err, /crowd\.json.*generate\.accounts must be from 1 to 1000000/);
});

files.after(() => rmSync(folder, { recursive: true }));
files.run();
