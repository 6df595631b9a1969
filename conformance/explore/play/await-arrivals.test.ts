// Checks how long a call that is to be kept waiting is waited for, before what follows is sent.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Inconclusive } from '../../engine/scenario-errors.ts';
import { untilMet } from './await-arrivals.ts';

const waiting = suite('a call on its way to a fault');

const never = new Promise<never>(() => {});
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

waiting('by a slow way it is waited for until it is there', async () => {
  const fromMs = performance.now();
  const hits = async () => (performance.now() - fromMs > 1_200 ? 1 : 0);
  await untilMet({ hits, answer: never, timeoutMs: 10_000 });
  assert.ok(performance.now() - fromMs > 1_200);
});

waiting('one that is answered meanwhile is not waited for any longer', async () => {
  await untilMet({ hits: async () => 0, answer: later(20), timeoutMs: 10_000 });
  const lost = later(20).then(() => Promise.reject(new Error('no answer')));
  await untilMet({ hits: async () => 0, answer: lost, timeoutMs: 10_000 });
});

waiting('of one that never comes nothing can be said', async () => {
  try {
    await untilMet({ hits: async () => 0, answer: never, timeoutMs: 30 });
    assert.unreachable('what is not kept waiting was taken for it');
  } catch (error) {
    assert.instance(error, Inconclusive);
  }
});

waiting.run();
