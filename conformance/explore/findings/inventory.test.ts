// What a target keeps is counted whatever it answers to it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../engine/send/answer.ts';
import type { Player } from '../play/player.ts';
import { EMPTY, withMadeBy } from './inventory.ts';

const inventory = suite('inventory');

const played = (...calls: readonly (readonly [path: string, status: number, json?: Json])[]) =>
  ({
    outcomes: new Map(
      calls.map(([path, status, json], n) => [
        n,
        {
          ...{ kind: 'answer', n, status, json },
          sent: { method: 'POST', target: `/api/v1${path}` },
          body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
        },
      ]),
    ),
  }) as unknown as Player;

inventory('a subscription is disabled where that is answered without a body', () => {
  const made = withMadeBy(
    EMPTY,
    played(
      ['/webhooks', 200, { id: 7 }],
      ['/webhooks', 201, { id: 8 }],
      ['/webhooks/7/disable', 204],
      ['/webhooks/8/disable', 503],
    ),
  );
  assert.is(made.subscriptions, 2);
  assert.equal(made.enabled, ['8']);
});

inventory('a position is opened whatever the answer is called, and a replay opens none', () => {
  const order = (order_id: string) => ({ order: { order_id } });
  const open = '/positions/open';
  const made = withMadeBy(
    EMPTY,
    played([open, 200, order('1')], [open, 200, order('1')], [open, 200, order('2')]),
  );
  assert.is(made.positions, 2);
});

inventory.run();
