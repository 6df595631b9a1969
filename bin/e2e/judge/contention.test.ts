// IDEM-6b: any write may be answered 503 `write_contention`, and run when it is repeated under its
// key. A platform that sometimes does so has no deviation.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATIONS } from '../../../conformance/spec/operations.ts';
import { runJudge, withFolder } from '../../commands/conformance/testing/run-judge.ts';
import { writeProfile } from '../testing/live-profile.ts';
import { complaintsOf, sandboxed } from '../testing/sandboxed.ts';

const contended = suite('contention in passing');

const WRITES = Object.entries(OPERATIONS).flatMap(([name, { keyed }]) => (keyed ? [name] : []));
const ONLY = ['ACC-1*', 'UPD-*', 'IDEM-6b'];

async function judged(probability: number) {
  return sandboxed({ plan: 'pro', seed: 'contended' }, async (baseUrl, sandbox) => {
    const effect = { kind: 'status', status: 503 };
    for (const operation of WRITES) {
      await sandbox.control('POST', 'faults', { match: { operation }, effect, probability });
    }
    return await withFolder(async (cwd) => {
      const profile = await writeProfile(sandbox, cwd, { per_second: 200, firm_per_second: 800 });
      const given = { baseUrl, controlUrl: 'none', profile, json: true, only: ONLY };
      return runJudge(given, { cwd });
    });
  });
}

contended('a target that answers every tenth write so deviates from nothing', async () => {
  const { report } = await judged(0.1);
  assert.equal(complaintsOf(report), []);
  const refused = report.scenarios.flatMap(({ exchanges }) =>
    exchanges.filter(({ response }) => response?.body?.includes('write_contention')),
  );
  assert.ok(refused.length > 5, `${refused.length} were contended`);
  assert.ok(report.summary.passed >= 12, `${report.summary.passed} passed`);
});

contended.run();
