// Which calls came too close, and what a busy judge may still say of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recorded } from '../testing/recorded.ts';
import { crowdIn } from './crowd.ts';

const crowd = suite('crowd');

const callsAtMs = (...times: readonly number[]) =>
  recorded(times.map((atMs) => ({ line: 'POST accounts', key: 'a', atMs }))).calls;

crowd('as many as are borne are none', () => {
  assert.is(crowdIn(callsAtMs(0, 1, 2), 3, 0), null);
  assert.is(crowdIn(callsAtMs(0, 400, 700, 1_000), 3, 0), null);
});

crowd('one more within a second is one, wherever it is', () => {
  const found = crowdIn(callsAtMs(0, 5_000, 5_100, 5_200, 5_300, 9_000), 3, 20);
  assert.equal(
    found?.calls.map(({ n }) => n),
    [2, 3, 4, 5],
  );
  assert.is(found?.withinMs, 300);
  assert.is(found?.isDoubtful, false);
});

crowd('what lies close only because it was looked at late is doubtful', () => {
  assert.is(crowdIn(callsAtMs(0, 100, 200, 600), 3, 300)?.isDoubtful, false);
  assert.is(crowdIn(callsAtMs(0, 100, 200, 600), 3, 500)?.isDoubtful, true);
});

crowd.run();
