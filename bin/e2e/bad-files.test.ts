// Files that the sandbox cannot use: the exit code and the message; the file is not changed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox, type SandboxOptions } from '../../simulator/index.ts';
import { SANDBOX } from './testing/program.ts';

const files = suite('files of a sandbox');
const folder = mkdtempSync(join(tmpdir(), 'files-'));

/** The exit code and the message of a sandbox with these options. */
function exec(...options: readonly string[]): { code: number | null; err: string } {
  const args = [SANDBOX, 'exec', ...options, '--', 'true'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  assert.is(stderr.trim().split('\n').length, 1, stderr);
  return { code: status, err: stderr };
}

/** The message of an in-process sandbox with these options. */
async function refusal(options: SandboxOptions): Promise<string> {
  try {
    await (await createSandbox(options)).close();
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}

const head = '{"format":"trading-platform-sandbox-state","version":';
const states: readonly (readonly [string, string, string])[] = [
  ['torn', `${head}5,"world":{"name":"def`, 'is not whole JSON; it was left as it is'],
  ['newer', `${head}99,"world":{}}`, 'is of a newer release'],
  ['other', '{"settings":{}}', 'this looks like a configuration file, which --config takes'],
];

for (const [name, text, words] of states) {
  files(`a state file that is ${name} is refused and not changed`, async () => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    assert.match(await refusal({ state: path }), words);
    assert.is(readFileSync(path, 'utf8'), text);
  });
}

files('a state file with an incomplete record is exit code 4, and is not changed', async () => {
  const path = join(folder, 'whole.json');
  await (await createSandbox({ state: path })).close();
  const whole = JSON.parse(readFileSync(path, 'utf8'));
  const text = JSON.stringify({ ...whole, world: { ...whole.world, timers: [null] } });
  writeFileSync(path, text);
  const { code, err } = exec('--state', 'whole.json');
  assert.is(code, 4, err);
  const words = 'world.timers[0] must be an object, not null';
  assert.ok(err.startsWith(`error: --state whole.json: ${words}`), err);
  assert.is(readFileSync(path, 'utf8'), text);
});

files('a clock before the history of the world is exit code 2', () => {
  const { code, err } = exec('--clock', '1970-01-01T00:00:00Z');
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

files('a state file that cannot be written is exit code 4', () => {
  const { code, err } = exec('--state', 'no/such/folder/state.json');
  const why = `there is no folder ${join(folder, 'no/such/folder')}`;
  assert.equal([code, err], [4, `error: --state no/such/folder/state.json: ${why}\n`]);
});

files(
  'a world file that generates too many accounts is refused with the name of the field',
  async () => {
    const firms = [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }];
    const path = join(folder, 'crowd.json');
    writeFileSync(path, JSON.stringify({ firms, credentials: [], generate: { accounts: 1e7 } }));
    const words = await refusal({ world: path });
    assert.match(words, /crowd\.json.*generate\.accounts must be from 1 to 1000000/);
  },
);

files.after(() => rmSync(folder, { recursive: true }));
files.run();
