// A platform that was written from the specification alone, by another hand: the judge has nothing
// to say against it, whatever it chose where the specification leaves a choice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { type ServeOptions, serve } from '../testing/second-mind/server/serve.ts';

async function judged(options: ServeOptions) {
  const served = await serve(options);
  try {
    return await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1' });
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

secondMind.run();
