// How long the player waits for a delayed call to reach its fault, and for deliveries in flight.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Inconclusive } from '../../engine/scenario-errors.ts';
import type { OperationName } from '../../spec/operations.ts';
import type { Comparing } from '../compare/sides.ts';
import type { Step } from '../sequence.ts';
import { untilArrived, untilDelivered, untilMet } from './await-arrivals.ts';
import type { Ground } from './ground.ts';
import { Player } from './player.ts';

const waiting = suite('waiting for arrivals');

waiting('the player waits for a call until it reaches the fault or is answered', async () => {
  const never = new Promise<never>(() => {});
  let looks = 0;
  const hits = async () => Number(++looks > 9);
  await untilMet(hits, never, 10_000);
  assert.is(looks, 10);
  const none = async () => 0;
  const lost = sleep(20).then(() => Promise.reject(new Error('no answer')));
  for (const answer of [lost, sleep(20)]) await untilMet(none, answer, 10_000);
  const failed = untilMet(none, never, 30);
  assert.instance(await failed.catch((error: unknown) => error), Inconclusive);
});

/** A ground on which this many polls still show one delivery in flight. */
function ground(busy: number) {
  let looks = 0;
  const operator = {
    advance: async () => {},
    deliveriesInFlight: async () => {
      looks += 1;
      return looks > busy ? 0 : 1;
    },
  };
  const target = { baseUrl: 'http://x', offers: new Set(['clock']), operator };
  return { ground: { target } as unknown as Ground, looks: () => looks };
}

waiting('the player waits longer for deliveries to its own endpoints', async () => {
  const looksOf = async (busy: number, delivers: boolean, isOurs: boolean) => {
    const { ground: own, looks } = ground(busy);
    const error = await untilDelivered(own, { delivers, isOurs }).catch((each: unknown) => each);
    return error instanceof Inconclusive ? 'inconclusive' : looks();
  };
  assert.is(await looksOf(1, false, false), 0);
  assert.is(await looksOf(9, true, true), 10);
  assert.is(await looksOf(Number.POSITIVE_INFINITY, true, true), 'inconclusive');
  assert.is(await looksOf(Number.POSITIVE_INFINITY, true, false), 2);
});

/** A play whose one endpoint receives another delivery with each flush. */
function playTold(times: number, most: number, isOver = false) {
  const one = { headers: { lines: [] }, body: Buffer.from('{}'), answered: 200 };
  const deliveries = Array.from({ length: times }, () => one);
  const flush = async () => {
    if (isOver) throw new Error('the world is closed');
    if (deliveries.length < most) deliveries.push(one);
  };
  const target = { offers: new Set(['clock']), disposable: true };
  const hooks = new Map([[1, { deliveries }]]);
  return { hooks, outcomes: new Map(), ground: { isSteady: true, target }, flush, isOver };
}

waiting('waiting goes on while deliveries arrive, and ends with the target', async () => {
  const arrived = async (target: ReturnType<typeof playTold>) => {
    const comparing = { target, model: playTold(30, 30), seqName: 'seq' };
    await untilArrived(comparing as unknown as Comparing);
    return target.hooks.get(1)?.deliveries.length;
  };
  assert.is(await arrived(playTold(0, 30)), 30);
  assert.is(await arrived(playTold(0, 12)), 12);
  assert.is(await arrived(playTold(5, 12, true)), 5);
});

// EVT-11: a subscription is disabled when its first delivery is due, and a read may come sooner.
waiting('a subscription to a foreign endpoint is enough to wait', async () => {
  const { ground: own, looks } = ground(0);
  const send = async () => ({ status: 201, headers: [], body: Buffer.from('{}') });
  const credential = async () => ({ token: 't', rates: [] });
  const target = { ...own.target, credential };
  const player = new Player({ target, sender: { send } } as unknown as Ground, 'nonce');
  const call = (n: number, operation: OperationName): Step => {
    return { do: 'call', n, operation, as: 'firm' };
  };
  await player.play(call(1, 'createAccount'));
  await player.play(call(2, 'listWebhooks'));
  assert.is(looks(), 0);
  await player.play(call(3, 'createWebhook'));
  await player.play(call(4, 'createAccount'));
  assert.is(looks(), 0);
  await player.play(call(5, 'listWebhooks'));
  assert.is(looks(), 1);
});

waiting.run();
