// Files that the sandbox is given and cannot use: its exit code, what it says, and the file itself
// left as it was.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';

const files = suite('files of a sandbox');
const folder = mkdtempSync(join(tmpdir(), 'files-'));

/** Runs a command in a sandbox with these options. */
function exec(options: readonly string[], program = ''): { code: number | null; err: string } {
  const command = ['--', process.execPath, '--input-type=module', '-e', program];
  const args = [join(root, 'bin/sandbox.js'), 'exec', ...options, ...command];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return { code: status, err: stderr };
}

const head = '{"format":"trading-platform-sandbox-state","version":';
const states: readonly (readonly [string, string, string])[] = [
  ['torn', `${head}4,"world":{"name":"def`, 'is not whole JSON; it was left as it is'],
  ['newer', `${head}5,"world":{}}`, 'is of a newer release'],
  ['other', '{"settings":{}}', 'this looks like a configuration file, which --config takes'],
];

for (const [name, text, words] of states) {
  files(`a state file that is ${name} is exit code 4`, () => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    const { code, err } = exec(['--state', `${name}.json`]);
    assert.is(code, 4, err);
    assert.ok(err.startsWith(`sandbox: --state ${name}.json: `), err);
    assert.ok(err.includes(words), err);
    assert.is(err.trim().split('\n').length, 1);
    assert.is(readFileSync(path, 'utf8'), text);
  });
}

files('a state file with a record that is not whole is exit code 4, and is left', () => {
  const path = join(folder, 'whole.json');
  const made = exec(['--state', 'whole.json']);
  assert.is(made.code, 0, made.err);
  const whole = JSON.parse(readFileSync(path, 'utf8'));
  const broken: readonly (readonly [object, string])[] = [
    [{ timers: [null] }, 'world.timers[0] must be an object, not null'],
  ];
  for (const [parts, words] of broken) {
    const text = JSON.stringify({ ...whole, world: { ...whole.world, ...parts } });
    writeFileSync(path, text);
    const { code, err } = exec(['--state', 'whole.json']);
    assert.is(code, 4, err);
    assert.ok(err.startsWith(`sandbox: --state whole.json: ${words}`), err);
    assert.is(err.trim().split('\n').length, 1);
    assert.is(readFileSync(path, 'utf8'), text);
  }
});

files('a clock before what the world tells of its past is exit code 2', () => {
  const { code, err } = exec(['--clock', '1970-01-01T00:00:00Z']);
  assert.is(code, 2, err);
  assert.match(err, /^sandbox: --clock must be 1970-\S+Z or later/);
  assert.is(err.trim().split('\n').length, 1);
});

files(
  'text of a file that is refused steers no terminal, and a value of another type is not shown',
  () => {
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
      const { code, err } = exec(options);
      assert.is(code, 2, err);
      assert.match(err, /not a (list|string)/);
      assert.not.match(err, /[^\P{C}\n]/u);
      assert.not.match(err, 'tok_secret');
    }
  },
);

files('a state file where none can be written is exit code 4', () => {
  const { code, err } = exec(['--state', 'no/such/folder/state.json']);
  const why = `there is no folder ${join(folder, 'no/such/folder')}`;
  assert.equal([code, err], [4, `sandbox: --state no/such/folder/state.json: ${why}\n`]);
});

const worlds: readonly (readonly [string, unknown, string])[] = [
  [
    'with too large a crowd',
    {
      firms: [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }],
      credentials: [],
      generate: { accounts: 1e7 },
    },
    'generate.accounts must be from 1 to 1000000',
  ],
];

for (const [name, world, words] of worlds) {
  files(`a world file ${name} is exit code 2, and the field is named`, () => {
    writeFileSync(join(folder, 'world.json'), JSON.stringify(world));
    const { code, err } = exec(['--world', 'world.json']);
    assert.is(code, 2, err);
    assert.ok(err.includes('world.json') && err.includes(words), err);
  });
}

files.after(() => rmSync(folder, { recursive: true }));
files.run();
