// One defect at a time in a platform of another hand: the rules that it breaks are blamed, and
// those that merely rest on them are not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { served as servedBent } from '../testing/bent-sandbox.ts';
import { type DefectId, defects } from '../testing/second-mind/defects.ts';
import { serve } from '../testing/second-mind/server/serve.ts';

/** Each with the innocent rules that its symptoms look like. */
const DEFECTS: [defect: DefectId, innocent: string[]][] = [
  ['conv-number-ids', ['BULK-12']],
  ['acc-create-200', ['LIM-5']],
  ['acc-phone-as-typed', ['ACC-12']],
  ['upd-412-after-write', ['IDEM-11', 'UPD-12']],
  ['bulk-resubmit-duplicates', ['ACC-6', 'IDEM-4c']],
  ['bulk-known-row-no-id', ['BULK-11', 'BULK-12']],
  ['idem-replay-current', ['IDEM-7a']],
  ['idem-batch-counted', ['IDEM-9a']],
  ['acc-known-409', ['ACC-14', 'BULK-11', 'IDEM-15']],
  ['acc-known-201', ['IDEM-1b', 'IDEM-2c', 'IDEM-7b', 'IDEM-9a']],
  ['upd-last-name-ignored', ['UPD-1', 'UPD-12']],
  ['auth-brand-wide', ['TXS-16', 'UPD-5', 'UPD-6']],
  ['hook-wants-key', ['ERR-2']],
  ['hook-other-firm-403', ['HOOK-11']],
  ['lim-firm-none', ['LIM-11']],
  ['hook-rotate-wants-key', ['HOOK-4', 'HOOK-6']],
  ['txs-approve-wants-json', ['ERR-1a', 'ERR-3']],
  ['txn-amount-absolute', ['TXN-6']],
];

const blame = suite('whom the judge blames');

for (const [id, innocent] of DEFECTS) {
  blame(`${id}: not ${innocent.join(', ')}`, async () => {
    const { breaks } = defects.find((each) => each.id === id)!;
    const served = await serve({ style: 'plain', defects: [id] });
    try {
      const only = [...breaks, ...innocent];
      const { report } = await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1', only });
      const deviating = report.rules.filter(({ verdict }) => verdict === 'deviates');
      const blamed = deviating.map((rule) => rule.id);
      assert.ok(blamed.length > 0, 'nobody is blamed');
      assert.equal(
        blamed.filter((rule) => !breaks.some((own) => own === rule)),
        [],
      );
    } finally {
      await served.close();
    }
  });
}

/** Small ones that show in one call each. */
const TOGETHER: DefectId[] = [
  'comb-empty-text',
  'comb-half-named',
  'comb-method-derived',
  'size-language-35',
  'size-id-int64',
  'size-index-in-chunk',
];

blame(`${TOGETHER.join(', ')}, all at once: each by its rules`, async () => {
  const broken = TOGETHER.map((id) => defects.find((each) => each.id === id)!.breaks);
  const served = await serve({ style: 'plain', defects: TOGETHER });
  try {
    const only = [...new Set(broken.flat())];
    const { report } = await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1', only });
    const deviating = report.rules.filter(({ verdict }) => verdict === 'deviates');
    const blamed = new Set<string>(deviating.map(({ id }) => id));
    assert.equal(
      broken.filter((breaks) => !breaks.some((rule) => blamed.has(rule))),
      [],
    );
  } finally {
    await served.close();
  }
});

blame('acc-known-201: what an account reads now is to be seen all the same', async () => {
  const served = await serve({ style: 'plain', defects: ['acc-known-201'] });
  try {
    const only = ['ACC-5', 'UPD-2', 'UPD-7', 'IDEM-4a'];
    const { report } = await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1', only });
    const verdicts = only.map((id) => report.rules.find((rule) => rule.id === id)!.verdict);
    assert.equal(verdicts, ['deviates', 'passed', 'passed', 'passed']);
  } finally {
    await served.close();
  }
});

blame('what a credential saves up for ten seconds: LIM-2, not its firm (LIM-3)', async () => {
  await servedBent(['limit-burst-of-ten-seconds'], async (baseUrl) => {
    const only = ['lim-rate', 'lim-firm'];
    const { report } = await runJudge({ baseUrl, json: true, seed: '1', only });
    const verdictOf = (id: string) => report.rules.find((rule) => rule.id === id)!.verdict;
    assert.equal([verdictOf('LIM-2'), verdictOf('LIM-3')], ['deviates', 'blocked']);
  });
});

blame.run();
