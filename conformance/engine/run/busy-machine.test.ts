// A scenario that misses something while this program has no turn is played again, and is
// inconclusive where that does not help; where the event loop runs in time it deviates.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { controlProvider } from '../../providers/control-provider.ts';
import type { ScenarioContext } from '../scenario/scenario-context.ts';
import { fetchSender } from '../send/sender.ts';
import { FAKE_BASE_URL, FAKE_CONTROL_URL, FakeTarget } from '../testing/fake-target.ts';
import type { Scenario } from '../types.ts';
import { runScenarios } from './run.ts';

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function play(run: (t: ScenarioContext, attempt: number) => Promise<void>) {
  let attempt = 0;
  const scenario: Scenario = {
    id: 'evt-something-comes',
    title: 'Something comes',
    rules: ['EVT-4', 'ACC-1'],
    run: (t) => {
      attempt += 1;
      return run(t, attempt);
    },
  };
  const sender = fetchSender(new FakeTarget().fetch);
  const parts = { baseUrl: FAKE_BASE_URL, controlUrl: FAKE_CONTROL_URL, sender };
  const provider = await controlProvider(parts);
  const { scenarios } = await runScenarios({ scenarios: [scenario], provider, sender });
  await provider.close();
  return scenarios[0]!;
}

/** Looks for what never comes. */
async function miss(t: ScenarioContext, blockMs: number): Promise<void> {
  const came = await t.until(() => {
    if (blockMs > 0) block(blockMs);
    return false;
  }, 20);
  t.claim('EVT-4', 'it comes', came, 'it never came');
}

const starved = suite('a starved scenario');

starved('is inconclusive where the event loop is never calm', async () => {
  const { verdict, attempts, findings } = await play((t) => miss(t, 350));
  assert.is(verdict, 'inconclusive');
  assert.is(attempts, 3);
  assert.match(findings[0]!.actual, /^it never came \(this machine gave the judge no turn/);
});

starved('is judged once it gets them', async () => {
  const seen = await play((t, attempt) => miss(t, attempt === 1 ? 350 : 0));
  assert.is(seen.verdict, 'deviates');
  assert.is(seen.attempts, 2);
});

starved('is played again, too, when its setup missed something', async () => {
  const seen = await play(async (t, attempt) => {
    if (attempt === 1) await miss(t, 350);
    if (attempt === 1) t.pick((await t.given.account()).answer, 'nothing.there');
    else t.expect('ACC-1', (await t.given.account()).answer).status(201);
    t.claim('EVT-4', 'it comes', true, '');
  });
  assert.is(seen.verdict, 'passed');
  assert.is(seen.attempts, 2);
});

starved('deviates at once with what no turn has to do with', async () => {
  const seen = await play(async (t) => {
    const { answer } = await t.given.account();
    block(350);
    t.expect('ACC-1', answer).status(299);
  });
  assert.is(seen.verdict, 'deviates');
  assert.is(seen.attempts, 1);
});

starved.run();
