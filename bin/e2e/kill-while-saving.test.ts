// A sandbox with a state file is killed while it writes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kill } from '../dev/soak/kills.ts';

const killed = suite('kill while saving');

killed('a kill loses nothing but what was answered in the last 100 ms', async () => {
  assert.equal(await kill({ count: 1, seed: 3, sync: false }), []);
});

killed('with --state-sync a kill loses nothing that was answered', async () => {
  assert.equal(await kill({ count: 1, seed: 1, sync: true }), []);
});

killed.run();
