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
import { reportCoverage } from './write-coverage.ts';

const coverage = suite('coverage files');
const folder = mkdtempSync(join(tmpdir(), 'coverage-'));

async function report(file: string, isCalled = true) {
  const sandbox = await createSandbox();
  if (isCalled) await sandbox.fetch('http://sandbox/api/v1/accounts');
  const shown = (await sandbox.control.getCoverage()) as unknown as CoverageShown;
  await sandbox.close();
  const printed: string[] = [];
  const files = [{ format: 'json', file }];
  const code = await reportCoverage({ files, least: 0 }, shown, (text) => printed.push(text));
  return { code, said: printed.at(-1) ?? '', all: printed.join('') };
}

coverage('a command without calls gets a hint about the base URL', async () => {
  const words =
    'called no operation of the API: its calls have to go to the address in SANDBOX_BASE';
  assert.match((await report(join(folder, 'idle.json'), false)).all, words);
  assert.not.match((await report(join(folder, 'busy.json'))).all, words);
});

coverage(
  'a file that others could read is made private, and its hard links keep what they had',
  async () => {
    const [file, other] = [join(folder, 'open.json'), join(folder, 'other-name.json')];
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    linkSync(file, other);
    assert.is((await report(file)).code, 0);
    assert.ok(JSON.parse(readFileSync(file, 'utf8')).rules);
    if (process.platform !== 'win32') assert.is(statSync(file).mode & 0o777, 0o600);
    assert.is(readFileSync(other, 'utf8'), 'old');
  },
);

coverage('a folder is refused in one line', async () => {
  const { code, said: printed } = await report(folder);
  assert.equal([code, printed], [2, `sandbox: --coverage=json=${folder}: it is a folder\n`]);
});

coverage.after(() => rmSync(folder, { recursive: true }));
coverage.run();
