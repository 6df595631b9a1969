// A platform that was written from the specification alone, by another hand: the judge has nothing
// to say against it, whatever it chose where the specification leaves a choice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleOfDay } from '../../../fixtures/testing/sample-of-day.ts';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { type ServeOptions, serve } from '../testing/second-mind/server/serve.ts';

async function judged(options: ServeOptions, only?: string[]) {
  const served = await serve(options);
  try {
    const scope = only === undefined ? {} : { only };
    return await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1', ...scope });
  } finally {
    await served.close();
  }
}

const secondMind = suite('second mind');

secondMind('keeps every rule in the style plain', async () => {
  const { report } = await judged({ style: 'plain' });
  const unpassed = report.rules.filter(({ verdict }) => verdict !== 'passed');
  assert.equal(
    unpassed.map(({ id, verdict, findings }) => `${id} ${verdict}: ${findings[0]?.actual}`),
    [],
  );
});

/** Where it chooses otherwise; deliveries and limits take their time, and know few choices. */
const CHOOSING = ['CONV', 'ACC', 'UPD', 'BULK', 'POS', 'TXN', 'TXS', 'IDEM', 'AUTH', 'HOOK', 'ERR'];

secondMind('keeps the rules in the style other', async () => {
  const only = sampleOfDay('families', CHOOSING, 4).map((family) => `${family}-*`);
  const { report } = await judged({ style: 'other' }, only);
  const unpassed = report.rules.filter(
    ({ verdict }) => verdict !== 'passed' && verdict !== 'not_selected',
  );
  assert.equal(
    unpassed.map(({ id, verdict, findings }) => `${id} ${verdict}: ${findings[0]?.actual}`),
    [],
  );
  assert.ok(report.summary.passed > 10, `${report.summary.passed} passed`);
});

secondMind.run();
