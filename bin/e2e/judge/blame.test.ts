// One defect at a time in the witness: the rules that it breaks deviate, and rules that only depend on
// them do not.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UNEXPLAINED } from '../../../conformance/reports/baseline.ts';
import { runJudge, withFolder } from '../../commands/conformance/testing/run-judge.ts';
import { readWitnessProof } from '../../dev/prove/witness.ts';
import { judgeWitness } from '../testing/judge-witness.ts';
import { blamedIn, repetitive, sandboxed, verdictOf } from '../testing/sandboxed.ts';
import { defectsOf } from '../testing/witness/defects.ts';

/** Each with rules that have similar symptoms but must not deviate. */
const DEFECTS: [defect: string, innocent: string[]][] = [
  ['ids-as-numbers', ['BULK-12']],
  ['create-200', ['LIM-5']],
  ['stale-written', ['IDEM-11', 'UPD-12']],
  ['bulk-duplicates', ['ACC-6', 'IDEM-4c']],
  ['replay-current', ['IDEM-7a']],
  ['known-409', ['ACC-14', 'IDEM-15']],
  ['last-name-ignored', ['UPD-1', 'UPD-12']],
  ['brand-wide', ['TXS-16', 'UPD-5', 'UPD-6']],
  ['hook-wants-key', ['ERR-2']],
  ['other-firm-403', ['HOOK-3']],
  ['firm-double', ['LIM-11']],
  ['amount-absolute', ['TXN-6']],
];

const blame = suite('blame');

for (const [id, innocent] of DEFECTS) {
  blame(`${id}: not ${innocent.join(', ')}`, async () => {
    const [defect] = defectsOf(id);
    const breaks: readonly string[] = defect!.breaks;
    // The first rule that catches it according to the record.
    const only = [readWitnessProof()[id]![0]!, ...innocent];
    const blamed = blamedIn(await judgeWitness({ defects: [defect!], only, skip: repetitive }));
    assert.ok(blamed.includes(only[0]!), `${only[0]} is not blamed`);
    assert.equal(
      blamed.filter((rule) => !breaks.includes(rule)),
      [],
    );
  });
}

/** Small defects, each visible in one call. */
const TOGETHER = ['country-upper', 'status-trimmed', 'method-deposit', 'hook-id-text', 'bulk-207'];

blame(`${TOGETHER.join(', ')}, all together: each is found by its rules`, async () => {
  const defects = defectsOf(...TOGETHER);
  const only = [...new Set(defects.flatMap(({ breaks }) => breaks))];
  const blamed = blamedIn(await judgeWitness({ defects, only, skip: repetitive }));
  assert.equal(
    defects.filter(({ breaks }) => !breaks.some((rule) => blamed.includes(rule))),
    [],
  );
});

blame('201 for a known reference does not hide the results of updates', async () => {
  const only = ['ACC-5', 'UPD-2', 'UPD-7', 'IDEM-4a'];
  const report = await judgeWitness({
    defects: defectsOf('known-201'),
    only,
    skip: repetitive,
  });
  const verdicts = only.map((id) => verdictOf(report, id));
  assert.equal(verdicts, ['deviates', 'passed', 'passed', 'passed']);
});

blame('a burst that grows over ten seconds: LIM-2, not the firm (LIM-3)', async () => {
  await sandboxed({ clock: 'frozen', deviations: ['limit-burst-gathers'] }, async (baseUrl) => {
    const only = ['lim-rate', 'lim-firm'];
    const { report } = await runJudge({ baseUrl, json: true, seed: '1', only });
    const verdicts = ['LIM-2', 'LIM-3'].map((id) => verdictOf(report, id));
    assert.equal(verdicts, ['deviates', 'blocked']);
  });
});

blame('what a known deviation hides is known too, and the run is complete', async () => {
  await sandboxed({ deviations: ['replay-answers-200'] }, (baseUrl) =>
    withFolder(async (cwd) => {
      const only = ['idem-replay-create-account'];
      const given = { baseUrl, json: true, only, baseline: 'known.json' };
      const { report } = await runJudge({ ...given, updateBaseline: true }, { cwd });
      const replay = report.rules.find(({ id }) => id === 'IDEM-4a')!;
      // The first call, and its replay with another status.
      assert.equal(replay.findings[0]?.exchanges, [1, 4]);
      const file = join(cwd, 'known.json');
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(UNEXPLAINED, 'ticket 7'));
      const { code, report: again } = await runJudge(given, { cwd });
      const rules = ['IDEM-4a', 'IDEM-4b', 'ACC-19', 'IDEM-5'];
      const verdicts = rules.map((id) => verdictOf(again, id));
      assert.equal([code, ...verdicts], [0, 'known', 'known', 'known', 'passed']);
    }),
  );
});

/** Setup takes any success, and needs only the members that its scenario uses. */
const SET_UP: [deviation: string, scenario: string, rule: string][] = [
  ['account-create-answers-200', 'conv-account-ids', 'CONV-1a'],
  ['hook-create-without-secret', 'hook-brand', 'HOOK-10'],
];
for (const [deviation, scenario, rule] of SET_UP) {
  blame(`${deviation} does not block ${scenario}`, async () => {
    await sandboxed({ deviations: [deviation] }, async (baseUrl) => {
      const { report } = await runJudge({ baseUrl, json: true, only: [scenario] });
      assert.is(verdictOf(report, rule), 'passed');
    });
  });
}

blame.run();
