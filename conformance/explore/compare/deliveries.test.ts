// Checks the form of deliveries, how they are counted, and that their order is open.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventKinds } from '../../../fixtures/event-kinds.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { comparedEvents } from '../model.ts';
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
  readonly answered?: number;
  /** Other members of the envelope. */
  readonly about?: object;
}

const linesOf = (subscription: string, signature: string | undefined) => [
  ['x-any-name', subscription],
  ...(signature === undefined ? [] : [['x-signature', signature]]),
];

/** A play whose subscription 7 got these deliveries; its clock is frozen. */
function heard(...arrived: readonly Arrived[]): Player {
  const deliveries = arrived.map(
    ({
      method = 'POST',
      subscription = '7',
      id = 'a',
      seq = 1,
      signature,
      answered = 200,
      about = {},
    }) =>
      ({
        ...{ method, headers: { lines: linesOf(subscription, signature) }, answered, atMs: 0 },
        body: Buffer.from(JSON.stringify({ id, seq, ...about })),
      }) as unknown as ReceivedDelivery,
  );
  const sent = { target: '/api/v1/webhooks' };
  const made = { kind: 'answer', sent, json: { id: 7, event_categories: ['account'] } };
  const target = { disposable: true, offers: new Set(['clock']) };
  return {
    ...{ hooks: new Map([[1, { deliveries }]]), outcomes: new Map([[1, made]]) },
    ...{ arrived: new Map(), ground: { isSteady: true, target } },
  } as unknown as Player;
}

const running = (player: Player) =>
  ({ ...player, ground: { ...player.ground, isSteady: false } }) as Player;
const compared = (target: Player, model: Player, comparing = withMatch()) =>
  compareDeliveries(1, { ...comparing, target, model });
const placeOf = (target: Player, model: Player, comparing = withMatch()) =>
  compared(target, model, comparing)?.at;

form('a method other than POST is a difference, and so is a missing subscription', () => {
  assert.is(placeOf(heard({ method: 'PUT' }), heard({})), 'method');
  assert.is(placeOf(heard({ subscription: 'none' }), heard({})), 'subscription header');
});

form('deliveries that are not due have no form to compare', () => {
  assert.is(placeOf(heard({ method: 'PUT' }), heard()), 'count');
  assert.is(placeOf(heard(), heard({})), 'count');
});

form('deliveries that may come late are not counted', () => {
  const late = (player: Player) =>
    ({ ...player, ground: { ...player.ground, deliversLate: true } }) as Player;
  for (const [own, due] of [[heard({}), heard()] as const, [heard(), heard({})] as const]) {
    assert.is(placeOf(late(own), due), undefined);
    assert.is(placeOf(own, due), 'count');
  }
});

form('a number under a likely name counts if its name was not observed (NS-9)', () => {
  const renamed = (name: string) => heard({ about: { [name]: 1, seq: undefined } });
  assert.is(placeOf(renamed('sequence'), heard({})), undefined);
  assert.is(placeOf(renamed('other'), heard({})), 'envelope.seq');
});

form('the same number of other events or numbers is reported by the missing ones', () => {
  const two = heard({}, { id: 'b', seq: 2 });
  assert.is(placeOf(heard({}, { id: 'b', seq: 2 }), two), undefined);
  assert.is(placeOf(heard({}, { seq: 2 }), two), 'count');
  assert.is(placeOf(heard({}, { id: 'b' }), two), 'envelope.seq');
  assert.is(placeOf(heard({}), two), 'count');
});

form('extra and missing deliveries are reported with their events', () => {
  const told = (kind: string, id: string, category = 'account'): Arrived => ({
    ...{ id, about: { kind, category, data: { id } } },
  });
  const [made, updated] = [told('account.created', 'a'), told('account.updated', 'b')];
  const rows: readonly (readonly [own: readonly Arrived[], due: readonly Arrived[], string])[] = [
    [[made], [made, updated], '1 delivery: 1 of account.updated missing'],
    [[], [made], '0 deliveries: 1 of account.created missing'],
    [
      ...([[made, told('account.created', 'c')], [made]] as const),
      '2 deliveries: 1 of account.created too many',
    ],
    // NS-11: kinds of the target are reported by category, and its categories are not compared.
    [[told('opened', 'a')], [made, updated], '1 delivery: 1 of account missing'],
    [[told('opened', 'a', 'people')], [made, updated], '1 delivery'],
  ];
  for (const [own, due, words] of rows) {
    assert.is(compared(heard(...own), heard(...due))?.target, words);
  }
});

form('an unreadable delivery is reported as such, and not as a missing event', () => {
  const cut = heard({}, { id: 'b', seq: 2 });
  const [, second] = cut.hooks.get(1)!.deliveries;
  (second as { body: Uint8Array }).body = Buffer.from('{"id":"b","se');
  const found = compared(cut, heard({}, { id: 'b', seq: 2 }));
  assert.is(found?.at, 'body');
  assert.is(found?.target, '13 bytes that are no JSON and end in …{"id":"b","se');
});

/** The observed kinds of a target, without some of them. */
const asked = (missing: RegExp, nameOf = (kind: string) => kind) =>
  comparedEvents({
    event_kinds: Object.fromEntries(
      eventKinds.filter((kind) => !missing.test(kind)).map((kind) => [kind, nameOf(kind)]),
    ),
  });

form('no event is compared in a category with several events per operation (NS-11)', () => {
  const told = (category: string, id: string) => ({ id, about: { category, data: { id } } });
  const [made, filled] = [told('account', 'a'), { ...told('orders', 'b'), seq: 2 }];
  const camel = (kind: string) => kind.replace(/(^|\.)./g, (each) => each.slice(-1).toUpperCase());
  const typed = (type: string, id: string) => ({ id, about: { category: type, kind: type } });
  const announced = typed('AccountAssigned', 'c');
  const rows = [
    [[made, filled], comparedEvents({}), 'count'],
    [[made, filled], asked(/none/), 'count'],
    [[made, filled], asked(/account.updated/), 'count'],
    [[made, filled], asked(/order.filled/), undefined],
    // An envelope that names neither a category nor a known kind belongs to an open one.
    [[made, announced], asked(/account.created/, camel), undefined],
    [[made, typed('OrderFilled', 'd')], asked(/account.created/, camel), 'count'],
  ] as const;
  for (const [own, events, at] of rows) {
    const comparing = { ...withMatch(), comparedEvents: events };
    assert.is(placeOf(heard(...own), heard(made), comparing), at);
  }
});

form('an event that is not compared and has failed may hold back the others (NS-28)', () => {
  const told = (category: string, id: string, answered = 200): Arrived => ({
    ...{ id, answered, about: { category, data: { id } } },
  });
  const comparing = { ...withMatch(), comparedEvents: asked(/account.created/) };
  const filled = { ...told('order', 'b'), seq: 2 };
  const placeAfter = (answered: number) => {
    const made = told('account', 'a', answered);
    return placeOf(heard(made, filled), heard(made), comparing);
  };
  assert.equal([placeAfter(500), placeAfter(200)], [undefined, 'count']);
});

form('an identical delivery that arrives twice is no retry, however late (EVT-4)', () => {
  const [once, again] = [{ signature: 't=1,v1=aa' }, { signature: 't=2,v1=bb' }];
  assert.is(placeOf(heard(once, once), heard(once)), undefined);
  assert.is(placeOf(heard(once, again), heard(once)), 'count');
});

form('an event of a position is not compared with an account of the same id', () => {
  const about = (category: string, id: string) => ({ category, data: { id } });
  const after = (positionId: string) =>
    heard(
      { about: about('account', '9') },
      { id: 'b', seq: 2, about: about('position', positionId) },
    );
  assert.is(placeOf(after('9'), after('12')), undefined);
});

form('NS-28: the order of deliveries is open, and their signatures are not', () => {
  const one = { signature: 't=1,v1=aa' };
  const [two, later] = [
    { id: 'b', seq: 2 },
    { id: 'c', seq: 3 },
  ];
  const signed = (v1: string) => ({ ...later, signature: `t=1,v1=${v1.repeat(64)}` });
  const due = heard(one, two, later);
  assert.is(placeOf(heard(two, one, later), due), undefined);
  assert.is(placeOf(heard(two, one, later, one), due), undefined);
  assert.is(placeOf(heard(two, one, signed('A')), due), 'signature');
});

/** Event `a` fails at first; `b` comes after it. */
const failing = (attempts: number, ...after: readonly Arrived[]): Player => {
  const tries = Array.from({ length: attempts }, (_, at) => ({ signature: `t=${at},v1=aa` }));
  const player = heard(...tries, ...after);
  const all = player.hooks.get(1)!.deliveries as unknown as { answered: number }[];
  for (const each of all.slice(0, attempts)) each.answered = 500;
  return player;
};

form('NS-28: events after a failed event may be held back or not', () => {
  const after = { id: 'b', seq: 2 };
  assert.is(placeOf(failing(1, after), failing(1)), undefined);
  assert.is(placeOf(failing(1), failing(1, after)), undefined);
  assert.is(placeOf(failing(2, after), failing(1)), 'count');
  assert.is(placeOf(heard({}), heard({}, after)), 'count');
  assert.is(placeOf(heard(), failing(1)), 'count');
});

// NS-3
form('if the clock runs, the time of settlement is open and its other events are not', () => {
  const told = (status: string, seq: number): Arrived => {
    const about = { category: 'transaction', data: { id: '9', status } };
    return { id: `e${seq}`, seq, about };
  };
  const paid = [told('pending', 1), told('approved', 2)];
  const at = (status: string, isSteady: boolean) => {
    const target = heard(...paid, told(status, 3));
    return placeOf(isSteady ? target : running(target), heard(...paid));
  };
  assert.equal(
    [at('settled', false), at('cancelled', false), at('settled', true)],
    [undefined, 'count', 'count'],
  );
});

form('each of two subscriptions gets its own notice, in any order', () => {
  const match = new Match();
  match.pair('subscription', '7', '70');
  match.pair('subscription', '8', '80');
  // The id of an account that is also the id of a transaction.
  match.pair('transaction', '1', '11');
  match.pair('transaction', '2', '12');
  const play = (ids: readonly string[], about: object): Player => {
    const made = ids.map((id) => [+id, { kind: 'answer', json: { id, event_categories: [] } }]);
    const player = heard(...ids.map((subscription) => ({ subscription, about })));
    return { ...player, outcomes: new Map(made as never) } as Player;
  };
  const target = play(['8', '7'], { body: { of: '2', what: 'new' } });
  const model = play(['70', '80'], { category: 'transaction', data: { id: '11' } });
  assert.is(compared(target, model, withMatch(match)), null);
});

form('an event is paired by its record, in whatever form it names it', () => {
  const model = (id: string, seq: number): Arrived => ({
    ...{ id: `m${seq}`, seq, about: { category: 'account', data: { id } } },
  });
  const own = (id: string, seq: number): Arrived => ({
    ...{ id: `t${seq}`, seq, about: { type: 'made', payload: { account: { id } } } },
  });
  const [mine, theirs] = [heard(own('72', 1), own('71', 2)), heard(model('11', 1), model('12', 2))];
  const accounts = () => {
    const comparing = withMatch();
    comparing.match.pair('account', '71', '11');
    comparing.match.pair('account', '72', '12');
    return comparing;
  };
  // In the other one only the second event was delivered.
  const both = accounts();
  both.match.pair('event', 't1', 'm2');
  assert.is(placeOf(mine, theirs, both), undefined);
  const fresh = accounts();
  compared(mine, theirs, fresh);
  assert.is(fresh.match.modelOf('event', 't1'), 'm2');
});

form('all other members of an envelope are free (NS-9, NS-11)', () => {
  const told = (abouts: readonly object[]) =>
    heard(...abouts.map((about, at) => ({ id: `e${at}`, seq: at + 1, about })));
  const model = (kind: string) => ({
    ...{ category: 'account', kind, occurred_at: 5, account_id: '9007199254740993' },
  });
  const own = (kind: string) => ({
    ...{ category: 'accounts', kind, occurred_at: '2026-11-23T15:00:00Z' },
    account_id: 9007199254740992,
  });
  const placed = (mine: readonly string[], theirs: readonly string[]) =>
    placeOf(told(mine.map(own)), told(theirs.map(model)));
  assert.is(placed(['NEW', 'CHANGED'], ['account.created', 'account.updated']), undefined);
  assert.is(placed(['NEW', 'OLD'], ['account.created', 'account.created']), undefined);
  assert.is(placed(['account.updated'], ['account.created']), undefined);
});

form('a number may be written as digits, and be nested in the envelope', () => {
  const placed = (about: object) => placeOf(heard({ about }), heard({}));
  assert.is(placed({ seq: '1' }), undefined);
  assert.is(placed({ seq: undefined, meta: { seq: 1 } }), undefined);
  assert.is(placed({ seq: undefined, meta: { revision: 1 } }), 'envelope.seq');
});

form('a failed attempt may be sent twice under one signature', () => {
  const failed = { answered: 500, signature: 't=1,v1=ab' };
  const placed = (second: Arrived) => {
    const player = heard(failed, second);
    for (const each of player.hooks.get(1)!.deliveries) player.arrived.set(each, [0, 0]);
    return placeOf(player, heard(failed));
  };
  assert.equal(
    [placed(failed), placed({ ...failed, signature: 't=2,v1=cd' })],
    [undefined, 'count'],
  );
});

form('events are paired by the names of their kinds, in any member of the envelope', () => {
  const told = (id: string, seq: number, kind: string, data: object): Arrived => ({
    ...{ id, seq, about: { kind, category: kind.split('.')[0], data } },
  });
  const match = new Match();
  match.pair('transaction', '1', '9001');
  match.pair('transaction', '2', '9002');
  match.pair('account', '2', '1002');
  const thin = (id: string, seq: number, type: string, account: string): Arrived => ({
    ...{ id, seq, about: { type, payload: { of: account } } },
  });
  const due = heard(
    told('a', 1, 'transaction.created', { id: '9002', account_id: '1001' }),
    told('b', 2, 'account.created', { id: '1002' }),
  );
  const own = heard(thin('x', 1, 'transaction.created', '1'), thin('y', 2, 'account.created', '2'));
  assert.is(placeOf(own, due, withMatch(match)), undefined);
});

form('a delivery that arrives twice within half a minute of the clock is no retry', () => {
  const placed = (afterMs: number) => {
    const player = heard({}, {});
    const [one, other] = player.hooks.get(1)!.deliveries;
    (player.arrived as unknown as Map<unknown, unknown>).set(one, [0, 0]).set(other, [0, afterMs]);
    return placeOf(player, heard({}));
  };
  assert.equal([placed(1000), placed(30_000)], [undefined, 'count']);
});

form.run();
