// Every development tool says what it can be asked, and ends with one line where it does not know.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from './root.ts';

const args = suite('arguments of tools');
const folder = join(root, 'bin/dev');

args('each tool that is run reads its arguments by the one door', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const tools = files.filter((name) =>
    /^\/\/ `(npm run|npm test|(npx )?tsx)/.test(readFileSync(join(folder, name), 'utf8')),
  );
  assert.ok(tools.length > 15);
  for (const name of tools) {
    const source = readFileSync(join(folder, name), 'utf8');
    assert.match(source, 'readArgs(', name);
    assert.not.match(source, /parseArgs|process\.argv/, name);
  }
});

args('what is not known and what is no number end with one line; --help says what there is', () => {
  for (const [tool, given, words] of [
    ['trace', ['--nothing'], "trace: Unknown option '--nothing'; --help says what there is\n"],
    ['prove', ['LIM-1', 'LIM-l'], /^prove: no deviation and no rule is LIM-l; .+\n$/],
    [
      'kills',
      ['--kills', '0'],
      /^kills: --kills must be a whole number from 1 on, and is "0"; .+\n$/,
    ],
  ] as const) {
    const { status, stderr, stdout } = run(tool, ...given);
    assert.equal([status, stdout], [2, '']);
    assert.match(stderr, words);
  }
  const { status, stdout } = run('trace', '--help');
  assert.is(status, 0);
  assert.match(stdout, /^npm run trace \[-- --json\]: every rule with its words/);
});

function run(tool: string, ...given: string[]) {
  const file = join(folder, `${tool}.ts`);
  return spawnSync(process.execPath, ['--import', 'tsx', file, ...given], { encoding: 'utf8' });
}

args.run();
