// What the events channel repeats: the same events under the same numbers, and nothing too old.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { HeardOutcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { compareChannel } from './channel.ts';
import { Match } from './match.ts';
import type { Comparing } from './values.ts';

const channel = suite('the events channel');

const DAY_MS = 86_400_000;

const event = (id: string, seq: number): ReceivedDelivery =>
  ({
    ...{ headers: { lines: [] }, body: Buffer.from(JSON.stringify({ id, seq })) },
  }) as unknown as ReceivedDelivery;

const heard = (told: readonly ReceivedDelivery[] | undefined, isCut = false): HeardOutcome => ({
  ...{ kind: 'heard', n: 1, told, isCut, isLate: false, atMs: 9 * DAY_MS },
});

const player = (
  deliveries: readonly ReceivedDelivery[] = [],
  arrived: readonly (readonly [ReceivedDelivery, readonly [number, number]])[] = [],
): Player =>
  ({
    ...{ hooks: new Map([[1, { deliveries }]]), outcomes: new Map(), arrived: new Map(arrived) },
  }) as unknown as Player;

function placeOf(own: HeardOutcome, other: HeardOutcome, target = player()): string | undefined {
  const comparing = { seqName: 'seq', match: new Match() } as unknown as Comparing;
  return compareChannel(own, other, { target, model: player() }, comparing)?.at;
}

channel('as many events, each under one number', () => {
  const due = heard([event('a', 1), event('b', 2)]);
  assert.is(placeOf(heard([event('x', 5), event('y', 6)]), due), undefined);
  assert.is(placeOf(heard([event('x', 5)]), due), 'count');
  assert.is(placeOf(heard([event('x', 5), event('x', 6)]), due), 'envelope.id');
  assert.is(placeOf(heard([event('x', 5), event('y', 5)]), due), 'envelope.seq');
});

channel('where there is none, nothing is said', () => {
  assert.is(placeOf(heard(undefined), heard([event('a', 1)])), undefined);
});

channel('one that cannot repeat all may go on with what it has, but with nothing too old', () => {
  const told = event('x', 5);
  const of = (toMs: number) => player([told], [[told, [0, toMs]]]);
  assert.is(placeOf(heard([told]), heard([], true), of(DAY_MS)), 'age');
  assert.is(placeOf(heard([told]), heard([], true), of(2 * DAY_MS)), undefined);
});

channel.run();
