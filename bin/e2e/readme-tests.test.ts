// The examples in the guide for a partner's tests, copied into files and run as it says.
import { execFile, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';
import { codeOf, printsOf } from './testing/guides.ts';

const howTos = suite('how-tos of the README');
const folder = mkdtempSync(join(tmpdir(), 'readme-'));

/** Writes a file of the guide, and returns what it should print. */
function copy(file: string): string[] {
  const code = codeOf('simulator/IN-YOUR-TESTS.md', file);
  writeFileSync(join(folder, file), code);
  return printsOf(code);
}

function run(...args: string[]): Promise<string> {
  // A nested Node test run would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`));
    });
  });
}

howTos.before(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/trading-platform-sandbox'));
  symlinkSync(join(root, 'node_modules/msw'), join(folder, 'node_modules/msw'));
});
howTos.after(() => rmSync(folder, { recursive: true }));

howTos('the test of a client, with a world for each file', async () => {
  copy('sandbox.mjs');
  copy('retries.test.mjs');
  const output = await run('--test', '--test-reporter=tap', 'retries.test.mjs');
  assert.match(output, /^# pass 2$/m);
  assert.match(output, /^# fail 0$/m);
});

howTos('the examples of time, waits, a handler and msw print what the guide says', async () => {
  const files = ['clock.mjs', 'waits.mjs', 'handler.mjs', 'msw.mjs'];
  const expected = files.flatMap((file) => {
    const lines = copy(file);
    assert.ok(lines.length > 0, file);
    return lines;
  });
  // In one process, which ends when every example has closed its resources.
  writeFileSync(
    join(folder, 'all.mjs'),
    files.map((file) => `await import('./${file}');`).join('\n'),
  );
  assert.equal((await run('all.mjs')).trim().split('\n'), expected);
});

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
const withPytest = hasPytest ? howTos : howTos.skip;

withPytest('the set-up for pytest', async () => {
  copy('conftest.py');
  copy('test_accounts.py');
  copy('test_faults.py');
  const pytest = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  assert.match(await run(join(root, 'bin/sandbox.js'), 'exec', '--', ...pytest), '2 passed');
  copy('sandbox_fixture.py');
  appendFileSync(join(folder, 'conftest.py'), '\nfrom sandbox_fixture import sandbox\n');
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(join(root, 'bin/sandbox.js'), join(folder, 'node_modules/.bin/sandbox'));
  const { status, stdout } = spawnSync(pytest[0]!, pytest.slice(1), { cwd: folder });
  assert.is(status, 0, String(stdout));
});

howTos('a recorded bug is replayed', async () => {
  copy('bug.mjs');
  const session = `
    await fetch(process.env.SANDBOX_BASE_URL + '/api/v1/accounts', {
      headers: { authorization: 'Bearer ' + process.env.SANDBOX_TOKEN },
    });
    await fetch(process.env.SANDBOX_BASE_URL + '/api/v1/accounts', { method: 'POST' });
  `;
  const node = [process.execPath, '--input-type=module', '-e', session];
  await run(join(root, 'bin/sandbox.js'), 'exec', '--record', 'bug.jsonl', '--', ...node);
  const lines = (await run('bug.mjs')).trim().split('\n');
  assert.is(lines.length, 4);
  assert.match(lines[0] ?? '', /^200 \{"accounts":\[/);
  assert.match(lines[1] ?? '', /^4\d\d \{"type":/);
  assert.match(lines.slice(2).join('\n'), /^GET \/api\/v1\/accounts .*\bNS-2\b/m);
});

howTos.run();
