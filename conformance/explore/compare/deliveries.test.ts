// Checks the form in which deliveries come, and how they are counted where order is chance.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { Player } from '../play/player.ts';
import { compareDeliveries, countDeliveries } from './deliveries.ts';
import type { Comparing } from './values.ts';

const form = suite('deliveries');

const comparing = { seqName: 'seq' } as Comparing;

interface Arrived {
  readonly method?: string;
  readonly subscription?: string;
  readonly id?: string;
  readonly seq?: number;
}

/** Somebody who has subscribed as 7 and has heard these. */
function heard(...arrived: readonly Arrived[]): Player {
  const deliveries = arrived.map(
    ({ method = 'POST', subscription = '7', id = 'a', seq = 1 }) =>
      ({
        ...{ method, headers: { lines: [['x-any-name', subscription]] }, answered: 200 },
        body: Buffer.from(JSON.stringify({ id, seq })),
      }) as unknown as ReceivedDelivery,
  );
  const made = { kind: 'answer', json: { id: 7, event_categories: ['account'] } };
  return {
    ...{ hooks: new Map([[1, { deliveries }]]), outcomes: new Map([[1, made]]) },
    ...{ arrived: new Map(), ground: { target: { disposable: true, offers: new Set(['clock']) } } },
  } as unknown as Player;
}

const placeOf = (target: Player, model: Player) =>
  compareDeliveries(1, target, model, comparing)?.at;
const countedAt = (target: Player, model: Player) => {
  const steady = { ...target, ground: { ...target.ground, isSteady: true } } as Player;
  return countDeliveries(1, { target: steady, model }, comparing, [])?.at;
};

form('another method than POST is a difference, and so is no word of the subscription', () => {
  assert.is(placeOf(heard({ method: 'PUT' }), heard({})), 'method');
  assert.is(placeOf(heard({ subscription: 'none' }), heard({})), 'subscription header');
});

form('what is not due has no form that could be wrong', () => {
  assert.is(placeOf(heard({ method: 'PUT' }), heard()), 'count');
  assert.is(placeOf(heard(), heard({})), 'count');
});

form('as many of other events, or under other numbers, are told by what they lack', () => {
  const two = heard({}, { id: 'b', seq: 2 });
  assert.is(countedAt(heard({}, { id: 'b', seq: 2 }), two), undefined);
  assert.is(countedAt(heard({}, { seq: 2 }), two), 'envelope.id');
  assert.is(countedAt(heard({}, { id: 'b' }), two), 'envelope.seq');
  assert.is(countedAt(heard({}), two), 'count');
});

form.run();
