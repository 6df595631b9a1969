// The script of a recorded scenario proves: on a target that still deviates it ends with 1, on one
// that does not with 0, and says in words what differs, the operator's view included.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replay } from '../../commands/conformance/replay.ts';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { playScript, served } from '../testing/bent-sandbox.ts';

const proves = suite('replay scripts');
const folder = mkdtempSync(join(tmpdir(), 'replay-'));
proves.after(() => rmSync(folder, { recursive: true, force: true }));

/** The script of a scenario, recorded on a sandbox that is bent so. */
async function recorded(deviations: string[], scenario: string): Promise<string> {
  const file = `${scenario}-${deviations.length}.json`;
  const given = { only: [scenario], report: [`json=${file}`] };
  await served(deviations, (baseUrl) => runJudge({ ...given, baseUrl }, { cwd: folder }));
  return replay(file, scenario, { cwd: folder } as Parameters<typeof replay>[2]);
}

const BENT: [deviation: string, scenario: string, rule: string, shown: RegExp][] = [
  ['bulk-empty-is-200', 'bulk-sizes', 'BULK-6', /\d\. differs: status: recorded 200, now 422/],
  [
    'cancel-settled-keeps-money',
    'txs-reversal',
    'TXS-10',
    /the operator looks: ledger\n\{.*"balance"/,
  ],
];
for (const [deviation, scenario, rule, shown] of BENT) {
  proves(`${deviation}: seen again where it is, and not where it is not`, async () => {
    const script = await recorded([deviation], scenario);
    const bent = await playScript(script, [deviation]);
    assert.is(bent.code, 1, bent.out);
    assert.match(bent.out, `✗ ${rule} deviates as recorded: expected`);
    const right = await playScript(script, []);
    assert.is(right.code, 0, right.out);
    assert.match(right.out, `✓ ${rule} is not seen again`);
    assert.match(right.out, shown);
  });
}

proves('a recording in which nothing deviated tells where another target differs', async () => {
  const script = await recorded([], 'bulk-sizes');
  const bent = await playScript(script, ['bulk-empty-is-200']);
  assert.is(bent.code, 1, bent.out);
  assert.match(bent.out, /\d\. differs: status: recorded 422, now 200/);
});

proves('what cannot be played is no proof', async () => {
  const script = await recorded(['bulk-empty-is-200'], 'bulk-sizes');
  const dead = script.replace(/^FIRM_TOKEN=.*$/m, 'FIRM_TOKEN=nobody');
  const { code, out } = await playScript(dead, []);
  assert.is(code, 3, out);
  assert.match(out, /Not comparable: step 1 was answered 401, recorded 201/);
});

proves.run();
