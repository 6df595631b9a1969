// LIM-5: a late refusal is a refusal. The specification does not say how soon it arrives, so neither a
// stalled machine nor a slow gateway is a deviation.
import { type RequestListener, request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge, withServer } from '../../commands/conformance/testing/run-judge.ts';
import { sandboxed, verdictOf } from '../testing/sandboxed.ts';

const lateMs = 900;
const late = suite('late refusals');

/** The verdict of LIM-5 behind a gateway that delays the refusals for which `isLate` is true. */
async function judgedBehind(isLate: (sinceFirstMs: number) => boolean, queues = false) {
  return await sandboxed({ clock: 'frozen' }, async (target) => {
    let firstAtMs = 0;
    const delay: RequestListener = (incoming, response) => {
      const { method, headers, url } = incoming;
      const onward = request(`${target}${url}`, { method, headers }, (answer) => {
        const give = () => {
          response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
          answer.pipe(response);
        };
        if (answer.statusCode !== 429) return give();
        // Delayed until the judge gives up, and never refused.
        if (queues) return answer.resume();
        firstAtMs ||= performance.now();
        setTimeout(give, isLate(performance.now() - firstAtMs) ? lateMs : 0);
      });
      incoming.pipe(onward);
    };
    return await withServer(delay, async (baseUrl) => {
      const options = { baseUrl, controlUrl: `${target}/_sandbox`, only: ['lim-rate'], json: true };
      return verdictOf((await runJudge(options)).report, 'LIM-5');
    });
  });
}

late('of one burst are not a deviation', async () => {
  assert.is(await judgedBehind((sinceMs) => sinceMs < lateMs / 2), 'passed');
});

late('of every burst are not a deviation', async () => {
  assert.is(await judgedBehind(() => true), 'passed');
});

late('that never arrive because the request is delayed are a deviation', async () => {
  assert.is(await judgedBehind(() => false, true), 'deviates');
});

late.run();
