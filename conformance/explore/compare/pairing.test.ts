// Checks which delivery stands for which where an envelope of its own form names no record.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { Player } from '../play/player.ts';
import { Match } from './match.ts';
import { pairArrivals } from './pairing.ts';

const pairing = suite('pairs of deliveries');

const delivery = (subscription: string, envelope: object) =>
  ({
    headers: { lines: [['x-subscription', subscription]] },
    body: Buffer.from(JSON.stringify(envelope)),
  }) as unknown as ReceivedDelivery;

/** Somebody who has made these subscriptions. */
const subscribed = (...ids: readonly number[]) => {
  const made = (id: number) => ({ kind: 'answer', json: { id, event_categories: ['account'] } });
  return { outcomes: new Map(ids.map((id) => [id, made(id)])) } as unknown as Player;
};

// The number of an account that is a transaction's as well.
const own = (subscription: string) =>
  delivery(subscription, { id: 'e', seq: 5, body: { of: '2', what: 'new' } });
const due = (subscription: string) =>
  delivery(subscription, { id: 'm', seq: 5, category: 'transaction', data: { id: '11' } });

pairing('who is told of it, whatever record it may be about', () => {
  const match = new Match();
  for (const [mine, theirs] of [
    ['7', '70'],
    ['8', '80'],
  ]) {
    match.pair('subscription', mine!, theirs!);
  }
  match.pair('transaction', '1', '11');
  match.pair('transaction', '2', '12');
  const sides = { target: subscribed(7, 8), model: subscribed(70, 80) };
  // The one that subscribed later may be served first.
  const told = { own: [own('8'), own('7')], other: [due('70'), due('80')] };
  const paired = pairArrivals(told, sides, { seqName: 'seq', match });
  const of = ({ headers }: ReceivedDelivery) => headers.lines[0]![1];
  assert.equal(
    paired?.own.map((each, at) => [of(each), of(paired.other[at]!)]),
    [
      ['8', '80'],
      ['7', '70'],
    ],
  );
});

pairing.run();
