// One defect at a time in the witness: the rules that it breaks deviate, and rules that only depend on
// them do not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
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
    const wronged = blamed.filter((rule) => !breaks.includes(rule));
    assert.equal(wronged, []);
  });
}

/** Small defects, each visible in one call. */
const TOGETHER = ['country-upper', 'status-trimmed', 'method-deposit', 'hook-id-text', 'bulk-207'];

blame(`${TOGETHER.join(', ')}, all together: each is found by its rules`, async () => {
  const defects = defectsOf(...TOGETHER);
  const only = [...new Set(defects.flatMap(({ breaks }) => breaks))];
  const blamed = blamedIn(await judgeWitness({ defects, only, skip: repetitive }));
  const missed = defects.filter(({ breaks }) => !breaks.some((rule) => blamed.includes(rule)));
  assert.equal(missed, []);
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
  const report = await judgeDeviating('limit-burst-gathers', ['lim-rate', 'lim-firm'], 'frozen');
  const verdicts = ['LIM-2', 'LIM-3'].map((id) => verdictOf(report, id));
  assert.equal(verdicts, ['deviates', 'blocked']);
});

/** Setup takes any success, and needs only the members that its scenario uses. */
const SET_UP: [deviation: string, scenario: string, rule: string][] = [
  ['account-create-answers-200', 'acc-shape', 'CONV-1a'],
  ['hook-create-without-secret', 'hook-brand', 'HOOK-10'],
];
for (const [deviation, scenario, rule] of SET_UP) {
  blame(`${deviation} does not block ${scenario}`, async () => {
    assert.is(verdictOf(await judgeDeviating(deviation, [scenario]), rule), 'passed');
  });
}

/** The simulator with this deviation, judged by a few scenarios. */
const judgeDeviating = (deviation: string, only: string[], clock: 'real' | 'frozen' = 'real') =>
  sandboxed({ clock, deviations: [deviation] }, async (baseUrl) => {
    return (await runJudge({ baseUrl, json: true, seed: '1', only })).report;
  });

blame.run();
