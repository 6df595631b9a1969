// Checks how long a call that is to be kept waiting is waited for, before what follows is sent; and
// that deliveries are waited for wherever they go, and for longer where they come to us.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Inconclusive } from '../../engine/scenario-errors.ts';
import type { Sides } from '../compare/sides.ts';
import type { Step } from '../sequence.ts';
import { untilArrived, untilDelivered, untilMet } from './await-arrivals.ts';
import type { Ground } from './ground.ts';
import { Player } from './player.ts';

const waiting = suite('a call on its way to a fault');

const never = new Promise<never>(() => {});
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

waiting('by a slow way it is waited for until it is there', async () => {
  const fromMs = performance.now();
  const hits = async () => (performance.now() - fromMs > 1_200 ? 1 : 0);
  await untilMet({ hits, answer: never, timeoutMs: 10_000 });
  assert.ok(performance.now() - fromMs > 1_200);
});

waiting('one that is answered meanwhile is not waited for any longer', async () => {
  await untilMet({ hits: async () => 0, answer: later(20), timeoutMs: 10_000 });
  const lost = later(20).then(() => Promise.reject(new Error('no answer')));
  await untilMet({ hits: async () => 0, answer: lost, timeoutMs: 10_000 });
});

waiting('of one that never comes nothing can be said', async () => {
  try {
    await untilMet({ hits: async () => 0, answer: never, timeoutMs: 30 });
    assert.unreachable('what is not kept waiting was taken for it');
  } catch (error) {
    assert.instance(error, Inconclusive);
  }
});

waiting.run();

const delivered = suite('deliveries on their way');

/** A ground on which so many looks still see one. */
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

delivered('where no one is subscribed nothing is on its way', async () => {
  const { ground: own, looks } = ground(1);
  await untilDelivered(own, { delivers: false, isOurs: false });
  assert.is(looks(), 0);
});

delivered('one of ours is answered in the end, or nothing can be said', async () => {
  const { ground: own, looks } = ground(9);
  await untilDelivered(own, { delivers: true, isOurs: true });
  assert.is(looks(), 10);
  const never = ground(Number.POSITIVE_INFINITY).ground;
  const failed = await untilDelivered(never, { delivers: true, isOurs: true }).catch((e) => e);
  assert.instance(failed, Inconclusive);
});

delivered('one that goes elsewhere is waited for a while', async () => {
  const { ground: own, looks } = ground(Number.POSITIVE_INFINITY);
  await untilDelivered(own, { delivers: true, isOurs: false });
  assert.is(looks(), 2);
});

/** Someone with one endpoint, to whom each flush brings another delivery. */
function someoneTold(times: number, most: number) {
  const one = { headers: { lines: [] }, body: Buffer.from('{}'), answered: 200 };
  const deliveries = Array.from({ length: times }, () => one);
  const flush = async () => {
    if (deliveries.length < most) deliveries.push(one);
  };
  const target = { offers: new Set(['clock']), disposable: true };
  const hooks = new Map([[1, { deliveries }]]);
  return { hooks, outcomes: new Map(), ground: { isSteady: true, target }, flush };
}

delivered('one after the other they are waited for as long as more come', async () => {
  for (const [most, expected] of [
    [30, 30],
    [12, 12],
  ] as const) {
    const target = someoneTold(0, most);
    await untilArrived({ target, model: someoneTold(30, 30) } as unknown as Sides, 'seq');
    assert.is(target.hooks.get(1)?.deliveries.length, expected);
  }
});

// EVT-11: a subscription is disabled when its first delivery is due, and a read may come sooner.
delivered('a subscription to an endpoint elsewhere is enough', async () => {
  const { ground: own, looks } = ground(0);
  const send = async () => ({ status: 201, headers: [], body: Buffer.from('{}') });
  const credential = async () => ({ token: 't', rates: [] });
  const target = { ...own.target, credential };
  const player = new Player({ target, sender: { send } } as unknown as Ground, 'nonce');
  const create = (n: number, operation: 'createAccount' | 'createWebhook'): Step => {
    return { do: 'call', n, operation, as: 'firm', body: {} };
  };
  await player.play(create(1, 'createAccount'));
  assert.is(looks(), 0);
  await player.play(create(2, 'createWebhook'));
  await player.play(create(3, 'createAccount'));
  assert.is(looks(), 2);
});

delivered.run();
