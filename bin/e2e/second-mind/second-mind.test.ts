// A platform that was written from the specification alone, by another hand: the judge has nothing
// to say against it, whatever it chose where the specification leaves a choice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleOfDay } from '../../../fixtures/testing/sample-of-day.ts';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { type ServeOptions, serve } from '../testing/second-mind/server/serve.ts';

async function judged(options: ServeOptions, only: string[]) {
  const served = await serve(options);
  try {
    return await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1', only });
  } finally {
    await served.close();
  }
}

const secondMind = suite('second mind');

/** Those whose deliveries and limits take their time know few choices. */
const PATIENT = ['LIM', 'EVT'];
const CHOOSING = ['CONV', 'ACC', 'UPD', 'BULK', 'POS', 'TXN', 'TXS', 'IDEM', 'AUTH', 'HOOK', 'ERR'];

for (const [style, families] of [
  ['plain', [...PATIENT, ...sampleOfDay('families, plain', CHOOSING, 5)]],
  ['other', sampleOfDay('families, other', CHOOSING, 4)],
] as const) {
  secondMind(`keeps the rules in the style ${style}`, async () => {
    const { report } = await judged(
      { style },
      families.map((family) => `${family}-*`),
    );
    const unpassed = report.rules.filter(
      ({ verdict }) => verdict !== 'passed' && verdict !== 'not_selected',
    );
    assert.equal(
      unpassed.map(({ id, verdict, findings }) => `${id} ${verdict}: ${findings[0]?.actual}`),
      [],
    );
    assert.ok(report.summary.passed > 10, `${report.summary.passed} passed`);
  });
}

secondMind.run();
