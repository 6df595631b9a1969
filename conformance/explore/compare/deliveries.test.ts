// Checks the form in which deliveries come, how they are counted, and that their order is open.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventCategory, eventKinds } from '../../../fixtures/event-kinds.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { openCategories } from '../model.ts';
import type { Player } from '../play/player.ts';
import { compareDeliveries } from './deliveries.ts';
import { Match } from './match.ts';
import type { Comparing } from './values.ts';

const form = suite('deliveries');

const withMatch = (match = new Match()) => ({ seqName: 'seq', match }) as Comparing;

interface Arrived {
  readonly method?: string;
  readonly subscription?: string;
  readonly id?: string;
  readonly seq?: number;
  readonly signature?: string;
  readonly about?: { readonly category: string; readonly data: { readonly id: string } };
}

const linesOf = (subscription: string, signature: string | undefined) => [
  ['x-any-name', subscription],
  ...(signature === undefined ? [] : [['x-signature', signature]]),
];

/** A play whose subscription 7 got these deliveries. */
function heard(...arrived: readonly Arrived[]): Player {
  const deliveries = arrived.map(
    ({ method = 'POST', subscription = '7', id = 'a', seq = 1, signature, about = {} }) =>
      ({
        ...{ method, headers: { lines: linesOf(subscription, signature) }, answered: 200, atMs: 0 },
        body: Buffer.from(JSON.stringify({ id, seq, ...about })),
      }) as unknown as ReceivedDelivery,
  );
  const made = { kind: 'answer', json: { id: 7, event_categories: ['account'] } };
  return {
    ...{ hooks: new Map([[1, { deliveries }]]), outcomes: new Map([[1, made]]) },
    ...{ arrived: new Map(), ground: { target: { disposable: true, offers: new Set(['clock']) } } },
  } as unknown as Player;
}

const placeOf = (target: Player, model: Player) =>
  compareDeliveries(1, { target: target, model: model }, withMatch())?.at;
const countedAt = (target: Player, model: Player) => {
  const steady = { ...target, ground: { ...target.ground, isSteady: true } } as Player;
  return compareDeliveries(1, { target: steady, model }, withMatch())?.at;
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
  assert.is(countedAt(heard({}, { seq: 2 }), two), 'count');
  assert.is(countedAt(heard({}, { id: 'b' }), two), 'envelope.seq');
  assert.is(countedAt(heard({}), two), 'count');
});

form('of too many and too few it is said which events they are of', () => {
  const told = (kind: string, id: string, category = 'account') =>
    ({ id, about: { kind, category, data: { id } } }) as Arrived;
  const [made, updated] = [told('account.created', 'a'), told('account.updated', 'b')];
  const targetOf = (own: readonly Arrived[], due: readonly Arrived[]) =>
    compareDeliveries(1, { target: heard(...own), model: heard(...due) }, withMatch())?.target;
  assert.is(targetOf([made], [made, updated]), '1 delivery: 1 of account.updated missing');
  assert.is(targetOf([], [made]), '0 deliveries: 1 of account.created missing');
  const again = told('account.created', 'c');
  assert.is(targetOf([made, again], [made]), '2 deliveries: 1 of account.created too many');
  // NS-11: kinds of its own are told by their category, and categories of its own not at all.
  assert.is(targetOf([told('opened', 'a')], [made, updated]), '1 delivery: 1 of account missing');
  assert.is(targetOf([told('opened', 'a', 'people')], [made, updated]), '1 delivery');
});

form('what cannot be read is told as that, and not as too few events', () => {
  const cut = heard({}, { id: 'b', seq: 2 });
  const [, second] = cut.hooks.get(1)!.deliveries;
  (second as { body: Uint8Array }).body = Buffer.from('{"id":"b","se');
  const sides = { target: cut, model: heard({}, { id: 'b', seq: 2 }) };
  const found = compareDeliveries(1, sides, withMatch());
  assert.is(found?.at, 'body');
  assert.is(found?.target, '13 bytes that are no JSON and end in …{"id":"b","se');
});

form('of orders as many as there are may be told, where no setting makes them alike', () => {
  const told = (category: string, id: string) => ({ id, about: { category, data: { id } } });
  const [made, filled] = [told('account', 'a'), { ...told('orders', 'b'), seq: 2 }];
  const sides = { target: heard(made, filled), model: heard(made) };
  const counted = (...open: readonly EventCategory[]) =>
    compareDeliveries(1, sides, { ...withMatch(), openCategories: open });
  assert.is(counted()?.at, 'count');
  assert.is(counted('account')?.at, 'count');
  assert.is(counted('order', 'position')?.at, undefined);
});

form('of a category in which an operation brings several events none is compared (NS-11)', () => {
  const names = eventKinds.map((kind) => [kind, kind] as const);
  const without = (missing: string) =>
    openCategories({ event_kinds: Object.fromEntries(names.filter(([kind]) => kind !== missing)) });
  assert.equal(openCategories({}), []);
  assert.equal(without(''), []);
  assert.equal(without('account.updated'), ['account', 'transaction']);
  assert.equal(without('order.filled'), ['order', 'position']);
});

form('one that comes twice as it was sent is no retry, however late it comes (EVT-4)', () => {
  const [once, again] = [{ signature: 't=1,v1=aa' }, { signature: 't=2,v1=bb' }];
  assert.is(countedAt(heard(once, once), heard(once)), undefined);
  assert.is(countedAt(heard(once, again), heard(once)), 'count');
});

form('an event of a position is not compared with an account of the same id', () => {
  const about = (category: string, id: string) => ({ category, data: { id } });
  const after = (positionId: string) =>
    heard(
      { about: about('account', '9') },
      { id: 'b', seq: 2, about: about('position', positionId) },
    );
  assert.is(countedAt(after('9'), after('12')), undefined);
});

form('NS-28: the order of deliveries is open, and their signatures are not', () => {
  const one = { signature: 't=1,v1=aa' };
  const [two, later] = [
    { id: 'b', seq: 2 },
    { id: 'c', seq: 3 },
  ];
  const signed = (v1: string) => ({ ...later, signature: `t=1,v1=${v1.repeat(64)}` });
  const due = heard(one, two, later);
  assert.is(countedAt(heard(two, one, later), due), undefined);
  assert.is(countedAt(heard(two, one, later, one), due), undefined);
  assert.is(countedAt(heard(two, one, signed('A')), due), 'signature');
});

/** Event `a` fails at first; `b` comes after it. */
const failing = (attempts: number, ...after: readonly Arrived[]): Player => {
  const tries = Array.from({ length: attempts }, (_, at) => ({ signature: `t=${at},v1=aa` }));
  const player = heard(...tries, ...after);
  const all = player.hooks.get(1)!.deliveries as unknown as { answered: number }[];
  for (const each of all.slice(0, attempts)) each.answered = 500;
  return player;
};

form('NS-28: what comes after an event that has failed may be held back or not', () => {
  const after = { id: 'b', seq: 2 };
  assert.is(countedAt(failing(1, after), failing(1)), undefined);
  assert.is(countedAt(failing(1), failing(1, after)), undefined);
  assert.is(countedAt(failing(2, after), failing(1)), 'count');
  assert.is(countedAt(heard({}), heard({}, after)), 'count');
  assert.is(countedAt(heard(), failing(1)), 'count');
});

// NS-3
form(
  'by a clock that runs it is open when money arrives, and what else is told of it is not',
  () => {
    const told = (status: string, seq: number) => {
      const about = { category: 'transaction', data: { id: '9', status } };
      return { id: `e${seq}`, seq, about };
    };
    const paid = [told('pending', 1), told('approved', 2)];
    const settling = heard(...paid, told('settled', 3));
    const cancelling = heard(...paid, told('cancelled', 3));
    const running = (player: Player) =>
      ({ ...player, ground: { ...player.ground, isSteady: false } }) as Player;
    const at = (target: Player) =>
      compareDeliveries(1, { target, model: heard(...paid) }, withMatch())?.at;
    assert.is(at(running(settling)), undefined);
    assert.is(at(running(cancelling)), 'count');
    assert.is(countedAt(settling, heard(...paid)), 'count');
  },
);

form('what stands in an event is compared where it is the record as the API shows it', () => {
  const told = (data: object) => heard({ about: { category: 'account', data } as never });
  const whole = withMatch();
  const record = { id: '9', revision: 1, client_reference_id: 'a', status: 'New', phone: null };
  const names = { first_name: 'A', last_name: '', country: null, language: null };
  const full = { ...record, ...names, brand_id: '10', firm_id: '1' };
  const placed = (target: object) =>
    compareDeliveries(1, { target: told(target), model: told(full) }, whole)?.at;
  assert.is(placed({ revision: 1 }), undefined);
  assert.is(placed({ ...full, status: 'Old' }), 'envelope.data.status');
});

form('of two subscriptions each gets its own notice, whichever is served first', () => {
  const match = new Match();
  match.pair('subscription', '7', '70');
  match.pair('subscription', '8', '80');
  // The number of an account that is a transaction's as well.
  match.pair('transaction', '1', '11');
  match.pair('transaction', '2', '12');
  const play = (ids: readonly string[], about: object): Player => {
    const player = heard(...ids.map((subscription) => ({ subscription, about: about as never })));
    const made = ids.map((id) => [+id, { kind: 'answer', json: { id, event_categories: [] } }]);
    return { ...player, outcomes: new Map(made as never) } as Player;
  };
  const target = play(['8', '7'], { body: { of: '2', what: 'new' } });
  const model = play(['70', '80'], { category: 'transaction', data: { id: '11' } });
  const steady = { ...target, ground: { ...target.ground, isSteady: true } } as Player;
  assert.is(compareDeliveries(1, { target: steady, model }, withMatch(match)), null);
});

form(
  'in whatever form an event names its record, it stands for the event about that record',
  () => {
    const model = (id: string, seq: number) =>
      ({ id: `m${seq}`, seq, about: { category: 'account', data: { id } } }) as const;
    const own = (id: string, seq: number): Arrived => ({
      id: `t${seq}`,
      seq,
      about: { type: 'made', payload: { account: { id } } } as never,
    });
    const both = withMatch();
    both.match.pair('account', '71', '11');
    both.match.pair('account', '72', '12');
    // Elsewhere only the second has been told of.
    both.match.pair('event', 't1', 'm2');
    const [mine, theirs] = [
      heard(own('72', 1), own('71', 2)),
      heard(model('11', 1), model('12', 2)),
    ];
    const steady = (player: Player) =>
      ({ ...player, ground: { ...player.ground, isSteady: true } }) as Player;
    assert.is(
      compareDeliveries(1, { target: steady(mine), model: steady(theirs) }, both)?.at,
      undefined,
    );
    const fresh = withMatch();
    fresh.match.pair('account', '71', '11');
    fresh.match.pair('account', '72', '12');
    compareDeliveries(1, { target: steady(mine), model: steady(theirs) }, fresh);
    assert.is(fresh.match.modelOf('event', 't1'), 'm2');
  },
);

form('what an envelope calls things is its own, and stays what it was', () => {
  const told = (...about: readonly object[]) =>
    heard(...about.map((each, at) => ({ id: `e${at}`, seq: at + 1, about: each as never })));
  const model = (kind: string, account_id = '9007199254740993') => ({
    ...{ category: 'account', kind, occurred_at: 5, account_id },
  });
  const own = (kind: string) => ({
    ...{ category: 'accounts', kind, occurred_at: '2026-11-23T15:00:00Z' },
    account_id: 9007199254740992,
  });
  const placed = (mine: readonly string[], theirs: readonly string[]) =>
    compareDeliveries(
      1,
      { target: told(...mine.map(own)), model: told(...theirs.map((each) => model(each))) },
      withMatch(),
    )?.at;
  assert.is(placed(['NEW', 'CHANGED'], ['account.created', 'account.updated']), undefined);
  assert.is(placed(['NEW', 'OLD'], ['account.created', 'account.created']), 'envelope.kind');
  assert.is(placed(['account.updated'], ['account.created']), 'envelope.kind');
});

form('a number may be written as digits, and stand in a part of the envelope', () => {
  const told = (about: object) => heard({ about: about as never });
  const placed = (about: object) =>
    compareDeliveries(1, { target: told(about), model: heard({}) }, withMatch())?.at;
  assert.is(placed({ seq: '1' }), undefined);
  assert.is(placed({ seq: undefined, meta: { seq: 1 } }), undefined);
  assert.is(placed({ seq: undefined, meta: { revision: 1 } }), 'envelope.seq');
});

form('a delivery that comes twice within half a minute of the clock is no retry', () => {
  const steady = (player: Player) =>
    ({ ...player, ground: { ...player.ground, isSteady: true } }) as Player;
  const twice = (afterMs: number) => {
    const player = steady(heard({}, {}));
    const [one, other] = player.hooks.get(1)!.deliveries;
    (player.arrived as unknown as Map<unknown, unknown>).set(one, [0, 0]).set(other, [0, afterMs]);
    return player;
  };
  const placed = (afterMs: number) =>
    compareDeliveries(1, { target: twice(afterMs), model: steady(heard({})) }, withMatch())?.at;
  assert.is(placed(1000), undefined);
  assert.is(placed(30_000), 'count');
});

form.run();
