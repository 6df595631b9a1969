// Checks what is ended when a sequence is over, where it would go on by itself.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../engine/send/json.ts';
import type { CallStep } from '../sequence.ts';
import { Spent } from './ground.ts';
import type { Player } from './player.ts';
import { tidy } from './tidy.ts';

const tidying = suite('what is ended');

const answered = (status: number, path: string, json: Json, body: Json = {}, as = 'firm') => ({
  ...{ kind: 'answer', status, json },
  sent: { as, method: 'POST', target: `/api/v1${path}`, body: Buffer.from(JSON.stringify(body)) },
});

/** A play with these answers, and the calls that follow, of which `left` may be sent. */
function played(outcomes: Readonly<Record<number, object>>, disposable = false, left = 9) {
  const ended: CallStep[] = [];
  const player = {
    ground: { target: { disposable } },
    outcomes: new Map(Object.entries(outcomes).map(([n, each]) => [Number(n), each])),
    play: async (step: CallStep) => {
      if (ended.length === left) throw new Spent('all are sent');
      ended.push(step);
      return [];
    },
  } as unknown as Player;
  return { ended, player };
}

const hook = (id: number, as = 'firm') => answered(201, '/webhooks', { id }, {}, as);
const order = (id: string) =>
  answered(201, '/positions/open', { position_id: id }, { trading_account_id: '5' });

tidying('every subscription that is still enabled, as the credential that made it', async () => {
  const { ended, player } = played({
    ...{ 1: hook(7), 2: hook(8, 'brand'), 3: answered(422, '/webhooks', null) },
    4: answered(200, '/webhooks/7/disable', { id: 7 }),
    5: { kind: 'many', answers: [hook(9), hook(10)] },
  });
  await tidy(player);
  assert.equal(
    ended.map(({ n, operation, as, id }) => [n, operation, as, id]),
    [
      [6, 'disableWebhook', 'brand', '8'],
      [7, 'disableWebhook', 'firm', '9'],
      [8, 'disableWebhook', 'firm', '10'],
    ],
  );
});

const closed = answered(201, '/positions/close', {}, { position_id: '12' });
const opened = { 1: order('11'), 2: order('11'), 3: order('12'), 5: closed };

tidying('every position that is still open, once', async () => {
  const { ended, player } = played(opened);
  await tidy(player);
  assert.equal(
    ended.map(({ operation, body }) => [operation, body]),
    [['closePosition', { trading_account_id: '5', position_id: '11' }]],
  );
});

tidying('nothing where it is gone with its world, and no more than may be sent', async () => {
  for (const { ended, player } of [played(opened, true), played(opened, false, 0)]) {
    await tidy(player);
    assert.equal(ended, []);
  }
});

tidying.run();
