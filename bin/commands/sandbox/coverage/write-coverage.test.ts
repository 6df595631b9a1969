// Coverage files: only their owner can read them, whatever their mode was before.
import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CoverageShown } from '../../../../simulator/control/coverage.ts';
import { createSandbox } from '../../../../simulator/index.ts';
import { tellCoverage } from './write-coverage.ts';

const coverage = suite('coverage files');
const folder = mkdtempSync(join(tmpdir(), 'coverage-'));

async function tell(file: string, isCalled = true) {
  const sandbox = await createSandbox();
  if (isCalled) await sandbox.fetch('http://sandbox/api/v1/accounts');
  const shown = (await sandbox.control.getCoverage()) as unknown as CoverageShown;
  await sandbox.close();
  const said: string[] = [];
  const files = [{ format: 'json', file }];
  const code = await tellCoverage({ files, least: 0 }, shown, (text) => said.push(text));
  return { code, said: said.at(-1) ?? '', all: said.join('') };
}

coverage('a command without calls gets a hint about the base URL', async () => {
  const words =
    'called no operation of the API: its calls have to go to the address in SANDBOX_BASE';
  assert.match((await tell(join(folder, 'idle.json'), false)).all, words);
  assert.not.match((await tell(join(folder, 'busy.json'))).all, words);
});

coverage('a file that others could read is made private', async () => {
  const file = join(folder, 'open.json');
  writeFileSync(file, 'old');
  chmodSync(file, 0o644);
  const { code } = await tell(file);
  assert.is(code, 0);
  assert.ok(JSON.parse(readFileSync(file, 'utf8')).rules);
  if (process.platform !== 'win32') assert.is(statSync(file).mode & 0o777, 0o600);
});

coverage('a hard link to the file keeps its old content', async () => {
  const [file, other] = [join(folder, 'linked.json'), join(folder, 'other-name.json')];
  writeFileSync(other, 'theirs');
  linkSync(other, file);
  assert.is((await tell(file)).code, 0);
  assert.is(readFileSync(other, 'utf8'), 'theirs');
});

coverage('a folder is refused in one line', async () => {
  const { code, said } = await tell(folder);
  assert.equal([code, said], [2, `sandbox: --coverage=json=${folder}: it is a folder\n`]);
});

coverage.after(() => rmSync(folder, { recursive: true }));
coverage.run();
