// The cleanup on a persistent target when a sequence is over.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../engine/send/json.ts';
import type { CallStep } from '../sequence.ts';
import { answered } from '../testing/outcomes.ts';
import { Spent } from './ground.ts';
import type { Player } from './player.ts';
import { tidy } from './tidy.ts';

const played = (status: number, path: string, json: Json, sentBody: Json = {}, as = 'firm') =>
  answered(`${status}`, { as, target: `/api/v1${path}`, sentBody, json });
const hook = (id: number, as = 'firm') => played(201, '/webhooks', { id }, {}, as);
const order = (id: string) =>
  played(201, '/positions/open', { position_id: id }, { trading_account_id: '5' });

const PLAYED = {
  ...{ 1: hook(7), 2: hook(8, 'brand'), 3: played(422, '/webhooks', null) },
  ...{ 4: played(200, '/webhooks/7/disable', { id: 7 }), 6: order('11'), 7: order('11') },
  ...{ 5: { kind: 'many', answers: [hook(9)] }, 8: order('12') },
  9: played(201, '/positions/close', {}, { position_id: '12' }),
};

/** The calls of the cleanup, if `left` calls may be sent. */
async function ended(disposable: boolean, left: number) {
  const calls: CallStep[] = [];
  const player = {
    ground: { target: { disposable } },
    outcomes: new Map(Object.entries(PLAYED).map(([n, each]) => [Number(n), each])),
    play: async (step: CallStep) => {
      if (calls.length === left) throw new Spent('all are sent');
      calls.push(step);
      return [];
    },
  };
  await tidy(player as unknown as Player);
  return calls.map(({ operation, as, id, body }) => [operation, as, id ?? body]);
}

const tidying = suite('cleanup');

tidying('ends each open subscription and position once, as its creator', async () => {
  assert.equal(await ended(false, 9), [
    ['disableWebhook', 'brand', '8'],
    ['disableWebhook', 'firm', '9'],
    ['closePosition', 'firm', { trading_account_id: '5', position_id: '11' }],
  ]);
});

tidying('ends nothing in a disposable world, and stops when the budget is used up', async () => {
  assert.equal([await ended(true, 9), await ended(false, 0)], [[], []]);
});

tidying.run();
