// The rate of a firm, judged in real time with the credentials of a profile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../commands/conformance/testing/run-judge.ts';
import { onLiveTarget } from './testing/live-profile.ts';

/** The verdict of LIM-3 for a firm with this rate; `isTold`: the profile names the rate. */
function judged(isTold: boolean, firmPerSecond: number): Promise<string> {
  const rates = { per_second: 2, ...(isTold ? { firm_per_second: 8 } : {}) };
  return onLiveTarget({ rates }, async ({ given, cwd, sandbox }) => {
    await sandbox.control('PATCH', 'firms/1', { rate_per_second: firmPerSecond });
    const { report } = await runJudge({ ...given, only: ['lim-firm-in-real-time'] }, { cwd });
    const rule = report.rules.find(({ id }) => id === 'LIM-3')!;
    return `${rule.verdict} ${rule.findings.map(({ actual }) => actual).join('; ')}`;
  });
}

const firmRate = suite('the rate of a firm');

firmRate('is judged in real time if the credentials together are allowed more', async () => {
  const cases = [judged(true, 8), judged(true, 16), judged(false, 4)];
  const [kept, tooFast, untold] = await Promise.all(cases);
  // A busy machine may be unable to decide, but it never confuses the cases.
  assert.match(kept!, /^(passed|inconclusive)/);
  assert.match(tooFast!, /^(deviates|inconclusive)/);
  assert.match(untold!, /^inconclusive .*(agreement|served in 12 s$)/);
});

firmRate.run();
