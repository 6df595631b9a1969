// Checks which differences another operation is asked about.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Capability } from '../../engine/capabilities.ts';
import { callsOf } from '../sequence.ts';
import { elsewhere } from './elsewhere.ts';
import type { Play } from './investigate.ts';
import { call } from './plain-calls.ts';
import { foundOf } from './testing/made.ts';

const asking = suite('elsewhere');

const due = '422 validation_failed';
const madeWith = (came: string) =>
  foundOf({ steps: [call(1, 'createTransaction', 'firm', {})], due, came });

/** A target of which every operation answers so. */
const answering =
  (came: string): Play =>
  async ({ steps }) => {
    const last = callsOf(steps).at(-1)!;
    const { difference } = foundOf({ steps: [last], due, came });
    return { ...foundOf({ steps, due, came }).duel, difference };
  };

asking('a refusal that comes from another operation too is of both', async () => {
  const came = '400 validation_failed';
  assert.is(await elsewhere(madeWith(came), answering(came)), 'createAccount');
});

asking('another operation that answers otherwise is no likeness', async () => {
  const found = madeWith('400 validation_failed');
  assert.is(await elsewhere(found, answering('409 invalid_state')), undefined);
});

asking('what two operations serve are two checks that lack', async () => {
  assert.is(await elsewhere(madeWith('201'), answering('201')), undefined);
});

asking('money is looked at where an account can be opened, or is named by a profile', async () => {
  const state = { due: '409 invalid_state', came: '422 validation_failed' };
  const opened = async (offers: readonly Capability[]) => {
    const steps = [call(1, 'createAccount', 'firm', {})];
    const doing: string[] = [];
    const play: Play = async ({ steps: played }) => {
      doing.push(...played.flatMap((each) => (each.do === 'call' ? [] : [each.do])));
      const { duel, difference } = foundOf({ ...state, steps: [callsOf(played).at(-1)!] });
      return { ...duel, difference };
    };
    const also = await elsewhere(foundOf({ ...state, steps, offers }), play);
    return [also, doing.join()];
  };
  assert.equal(await opened(['fresh_trading_account']), ['approveTransaction', 'open']);
  assert.equal(await opened(['trading_account']), ['approveTransaction', 'place']);
  assert.equal(await opened([]), [undefined, '']);
});

asking.run();
