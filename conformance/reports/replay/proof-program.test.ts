// The end of a replay script: what deviated is seen again, gone, or could not be looked for.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROOF_PROGRAM } from './proof-program.ts';

const proof = suite('proof of a replay');
const folder = mkdtempSync(join(tmpdir(), 'proof-'));

/** A script of one step, recorded as 200, that is answered so now. */
function proves(expected: string, status: string, [before, now]: readonly string[] = []) {
  const headers = before === undefined ? [] : [['Retry-After', before]];
  const step = { n: 1, status: 200, headers, body: '{}', clipped: false };
  const finding = { rule: 'ACC-1', expected, actual: '200', exchanges: [1] };
  const recorded = { mark: '', steps: [step], findings: [finding] };
  writeFileSync(join(folder, 'prove.cjs'), PROOF_PROGRAM);
  writeFileSync(join(folder, 'recorded.json'), JSON.stringify(recorded));
  writeFileSync(join(folder, '1.status'), `${status} after 0.1 s`);
  writeFileSync(join(folder, '1.body'), '{}');
  writeFileSync(join(folder, '1.headers'), now === undefined ? '' : `Retry-After: ${now}\r\n`);
  const args = [join(folder, 'prove.cjs'), folder];
  const { status: code, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code, stdout };
}

for (const [name, expected, status, code] of [
  ['the same answer is seen again', '201', '200', 1],
  ['the right one is gone', '201', '201', 0],
  ['who is not let in has shown nothing', '201', '401', 3],
  ['who is limited has shown nothing', '201', '429', 3],
  ['a failure has shown nothing', '201', '502', 3],
  ['no answer has shown nothing', '201', '000', 3],
  ['a refusal that the rule wants is the right answer', '401 or 403', '401', 0],
] as const) {
  proof(name, () => {
    const { code: came, stdout } = proves(expected, status);
    assert.is(came, code, stdout);
    if (code === 3) assert.match(stdout, /which shows nothing\n\nNot comparable: 1 of 1/);
  });
}

proof('another wait is no difference, and a wait of another form is', () => {
  const date = 'Sun, 22 Nov 2026 22:23:35 GMT';
  assert.is(proves('1', '200', ['7', '3']).code, 1);
  assert.is(proves('1', '200', [date, 'Mon, 23 Nov 2026 10:00:00 GMT']).code, 1);
  assert.is(proves('1', '200', [date, '3']).code, 0);
  assert.is(proves('1', '200', ['0', '3']).code, 0);
  assert.is(proves('1', '200', ['1.5', '3']).code, 0);
});

proof.after(() => rmSync(folder, { recursive: true }));
proof.run();
