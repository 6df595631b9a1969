// Options and files that the sandbox cannot use: the exit code and the message; no file is changed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox } from '../../simulator/index.ts';
import { runCommand, withServer } from '../commands/conformance/testing/run-judge.ts';
import { defineExec } from '../commands/sandbox/exec.ts';
import { defineStart } from '../commands/sandbox/start.ts';
import { SANDBOX } from './testing/program.ts';

const files = suite('files of a sandbox');
const folder = mkdtempSync(join(tmpdir(), 'files-'));

/** The exit code and the message of options that are refused, in this process. */
async function refusal(...options: readonly string[]) {
  const { code, err } = await runCommand(defineExec, {}, {}, [...options, '--', 'true']);
  assert.is(err.trim().split('\n').length, 1, err);
  return { code, err };
}

const REFUSED: readonly (readonly [args: string[], words: string])[] = [
  [['--config', 'absent.json'], '--config absent.json: there is no such file'],
  [['--control-token', 't', '--host', '192.0.2.1'], '--host 192.0.2.1: this machine has no such'],
  [['--coverage=json=no/such'], '--coverage=json=no/such: there is no folder '],
  [['--record', 'no/such/file'], '--record no/such/file: there is no folder /'],
  [['--record', join(folder, 'old.jsonl')], '/old.jsonl: is not empty'],
  [['--json'], "unknown option '--json'"],
  [['ls', '-q', 'x y'], "put -- before the command: sandbox exec -- ls -q 'x y' -- true"],
];
for (const [args, words] of REFUSED) {
  files(`${args.join(' ')} is refused with exit code 2 before anything runs`, async () => {
    writeFileSync(join(folder, 'old.jsonl'), 'evidence\n');
    const { code, err } = await refusal(...args);
    assert.is(code, 2, err);
    assert.ok(err.includes(words), err);
  });
}

files('without a command nothing runs', async () => {
  const { code, err } = await runCommand(defineExec, {});
  assert.is(code, 2);
  assert.match(err, 'name the command after --');
});

files('a failed start leaves no recording', async () => {
  const file = join(folder, 'new.jsonl');
  const { code, err } = await refusal('--record', file, '--ready-file', 'no/such/folder');
  assert.equal([code, existsSync(file)], [2, false]);
  assert.match(err, '--ready-file no/such/folder: there is no folder ');
});

files('a port in use is exit code 3, and says what to do', () =>
  withServer(
    () => {},
    async (url) => {
      const { port } = new URL(url);
      const { code, err } = await runCommand(defineStart, {}, {}, ['--port', port]);
      assert.is(code, 3);
      assert.match(err, `port ${port} on 127.0.0.1 is in use`);
      assert.match(err, '--port');
    },
  ),
);

files('a port that another sandbox serves is named as such, with or without a token', async () => {
  for (const options of [{}, { controlToken: 'secret' }]) {
    const other = await createSandbox(options);
    const { port } = new URL((await other.listen()).base_url);
    const { code, err } = await runCommand(defineStart, {}, {}, ['--port', port]);
    await other.close();
    assert.is(code, 3);
    assert.match(err, `in use by another sandbox: use that one (npx sandbox info --port ${port})`);
  }
});

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
