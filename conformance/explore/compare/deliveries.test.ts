// Checks the form of deliveries, how they are counted, and that their order is open.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventKinds } from '../../../fixtures/event-kinds.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { Player } from '../play/player.ts';
import { compareDeliveries } from './deliveries.ts';
import { type Comparing, comparedEvents, Match } from './sides.ts';

const form = suite('deliveries');

interface Arrived {
  readonly method?: string;
  readonly subscription?: string;
  readonly id?: string;
  readonly seq?: number | undefined;
  readonly signature?: string;
  readonly answered?: number;
  /** By the clock of the target; unknown if absent. */
  readonly arrivedMs?: number;
  /** An unreadable body. */
  readonly cut?: string;
  /** Other members of the envelope. */
  readonly about?: object;
}

/** A play whose subscription 7 got these deliveries; its clock is frozen. */
function heard(arrived: readonly Arrived[], ground: object = {}): Player {
  const times = new Map<ReceivedDelivery, [number, number]>();
  const deliveries = arrived.map((each) => {
    const { method = 'POST', subscription = '7', signature, answered = 200, arrivedMs } = each;
    const { id = 'a', about = {} } = each;
    const seq = 'seq' in each ? each.seq : 1;
    const lines = [['x-any-name', subscription]];
    if (signature !== undefined) lines.push(['x-signature', signature]);
    const body = Buffer.from(each.cut ?? JSON.stringify({ id, seq, ...about }));
    const one = { method, headers: { lines }, answered, atMs: 0, body };
    const delivery = one as unknown as ReceivedDelivery;
    if (arrivedMs !== undefined) times.set(delivery, [0, arrivedMs]);
    return delivery;
  });
  const sent = { target: '/api/v1/webhooks' };
  const made = { kind: 'answer', sent, json: { id: 7, event_categories: ['account'] } };
  const target = { disposable: true, offers: new Set(['clock']) };
  return {
    ...{ hooks: new Map([[1, { deliveries }]]), outcomes: new Map([[1, made]]) },
    ...{ arrived: times, ground: { isSteady: true, target, ...ground } },
  } as unknown as Player;
}

interface Given {
  readonly comparedEvents?: Comparing['comparedEvents'];
  /** Pairs of the target's and the model's records. */
  readonly pairs?: readonly (readonly [kind: string, target: string, model: string])[];
  /** Of the target. */
  readonly ground?: object;
}

function comparing({ pairs = [], comparedEvents: events }: Given = {}): Comparing {
  const match = new Match();
  for (const [kind, target, model] of pairs) match.pair(kind as 'account', target, model);
  return { seqName: 'seq', match, ...(events && { comparedEvents: events }) } as Comparing;
}

const compared = (target: Player, model: Player, given = comparing()) =>
  compareDeliveries(1, { ...given, target, model });

type Row = readonly [
  words: string,
  target: readonly Arrived[],
  model: readonly Arrived[],
  at?: string | undefined,
  given?: Given,
];

const second: Arrived = { id: 'b', seq: 2 };
const third: Arrived = { id: 'c', seq: 3 };
const signed: Arrived = { signature: 't=1,v1=aa' };
const signedAgain: Arrived = { signature: 't=2,v1=bb' };
const failed: Arrived = { answered: 500, signature: 't=0,v1=aa', arrivedMs: 0 };
const failedAgain: Arrived = { ...failed, signature: 't=1,v1=aa' };
const falselySigned: Arrived = { ...third, signature: `t=1,v1=${'A'.repeat(64)}` };
const renamed = (name: string): Arrived => ({ seq: undefined, about: { [name]: 1 } });
const nested = (name: string): Arrived => ({ seq: undefined, about: { meta: { [name]: 1 } } });
const late: Given = { ground: { deliversLate: true } };

const FORM: readonly Row[] = [
  ['a method other than POST', [{ method: 'PUT' }], [{}], 'method'],
  ['a missing subscription', [{ subscription: 'none' }], [{}], 'subscription header'],
  ['the form of a delivery that is not due', [{ method: 'PUT' }], [], 'count'],
  ['NS-9: a number under a likely name', [renamed('sequence')], [{}]],
  ['a number under another name', [renamed('other')], [{}], 'envelope.seq'],
  ['a number written as digits', [{ about: { seq: '1' } }], [{}]],
  ['a number inside a member', [nested('seq')], [{}]],
  ['a nested number of another name', [nested('revision')], [{}], 'envelope.seq'],
];

const COUNT: readonly Row[] = [
  ['the same events', [{}, second], [{}, second]],
  ['another event', [{}, { seq: 2 }], [{}, second], 'count'],
  ['another number', [{}, { id: 'b' }], [{}, second], 'envelope.seq'],
  ['a missing event', [{}], [{}, second], 'count'],
  ['a missing first event', [], [{}], 'count'],
  ['a missing event that may come late', [], [{}], undefined, late],
  ['an extra event that is late on the model', [{}], [], undefined, late],
  ['EVT-4: an identical delivery that arrives twice, however late', [signed, signed], [signed]],
  ['a retry', [signed, signedAgain], [signed], 'count'],
  ['twice within half a minute of the clock', [{ arrivedMs: 0 }, { arrivedMs: 1000 }], [{}]],
  ['twice in half a minute', [{ arrivedMs: 0 }, { arrivedMs: 30_000 }], [{}], 'count'],
  ['a failed attempt sent twice under one signature', [failed, failed], [failed]],
  ['a retry of a failed attempt', [failed, failedAgain], [failed], 'count'],
  ['NS-28: another order', [second, signed, third], [signed, second, third]],
  ['NS-28: another order, and twice', [second, signed, third, signed], [signed, second, third]],
  ['a false signature', [second, signed, falselySigned], [signed, second, third], 'signature'],
  ['NS-28: events after a failed event are not held back', [failed, second], [failed]],
  ['NS-28: events after a failed event are held back', [failed], [failed, second]],
  ['NS-28: a second attempt is counted', [failed, failedAgain, second], [failed], 'count'],
  ['NS-28: the failed event itself is counted', [], [failed], 'count'],
];

const record = (category: string, id: string, more: object = {}): Arrived => ({
  ...{ id: `${category} ${id}`, about: { category, data: { id, ...more } } },
});
const created = record('account', 'a');
const filled: Arrived = { ...record('orders', 'b'), seq: 2 };
const typed = (type: string): Arrived => ({ id: 'c', about: { category: type, kind: type } });

/** The observed kinds of a target, without some of them. */
const observed = (missing: RegExp, nameOf = (kind: string) => kind): Given => ({
  comparedEvents: comparedEvents({
    event_kinds: Object.fromEntries(
      eventKinds.filter((kind) => !missing.test(kind)).map((kind) => [kind, nameOf(kind)]),
    ),
  }),
});
const inCamelCase = observed(/account.created/, (kind) =>
  kind.replace(/(^|\.)./g, (each) => each.slice(-1).toUpperCase()),
);

/** Envelopes with these kinds, in the form of the target or of the model. */
const kinds = (all: readonly string[], own: boolean): Arrived[] =>
  all.map((kind, at) => ({
    ...{ id: `e${at}`, seq: at + 1 },
    about: own
      ? { category: 'accounts', kind, occurred_at: '2026-11-23T15:00:00Z', account_id: 2 ** 53 }
      : { category: 'account', kind, occurred_at: 5, account_id: '9007199254740993' },
  }));
const made = ['account.created', 'account.updated'];

const paid = (...statuses: readonly string[]): Arrived[] =>
  statuses.map((status, at) => ({
    ...record('transaction', '9', { status }),
    ...{ id: `e${at}`, seq: at + 1 },
  }));
const approved = paid('pending', 'approved');
const settled = paid('pending', 'approved', 'settled');
const cancelled = paid('pending', 'approved', 'cancelled');
const isRunning: Given = { ground: { isSteady: false } };

const EVENTS: readonly Row[] = [
  ['NS-11: other kinds', kinds(['NEW', 'CHANGED'], true), kinds(made, false)],
  ['NS-11: one kind for two', kinds(['NEW', 'OLD'], true), kinds([made[0]!, made[0]!], false)],
  ['NS-11: the name of another kind', kinds([made[1]!], true), kinds([made[0]!], false)],
  [
    'a position with the id of an account',
    [record('account', '9'), { ...record('position', '9'), seq: 2 }],
    [record('account', '9'), { ...record('position', '12'), seq: 2 }],
  ],
  ['NS-3: money that settles while the clock runs', settled, approved, undefined, isRunning],
  ['money that is cancelled while the clock runs', cancelled, approved, 'count', isRunning],
  ['money that settles while the clock stands', settled, approved, 'count'],
  ['a kind with every kind observed', [created, filled], [created], 'count', observed(/none/)],
  [
    'a kind in a category whose kinds are observed',
    [created, filled],
    [created],
    'count',
    observed(/account.updated/),
  ],
  [
    'NS-11: a kind in a category that has others',
    [created, filled],
    [created],
    undefined,
    observed(/order.filled/),
  ],
  [
    'NS-11: an envelope that names no known kind',
    [created, typed('AccountAssigned')],
    [created],
    undefined,
    inCamelCase,
  ],
  ['a kind of another name', [created, typed('OrderFilled')], [created], 'count', inCamelCase],
  [
    'NS-28: an event after a failed one that is not compared',
    [{ ...created, answered: 500 }, filled],
    [{ ...created, answered: 500 }],
    undefined,
    observed(/account.created/),
  ],
];

for (const [words, own, due, at, given = {}] of [...FORM, ...COUNT, ...EVENTS]) {
  form(`${words}: ${at === undefined ? 'alike' : `a difference in ${at}`}`, () => {
    const found = compared(heard(own, given.ground), heard(due), comparing(given));
    assert.is(found?.at, at);
  });
}

form('extra and missing deliveries are reported with their events', () => {
  const told = (kind: string): Arrived => ({
    ...{ id: kind, about: { kind, category: 'account', data: { id: kind } } },
  });
  const wordsOf = (own: readonly string[], due: readonly string[]) =>
    compared(heard(own.map(told)), heard(due.map(told)))?.target;
  const [one, other] = ['account.created', 'account.updated'];
  assert.is(wordsOf([one!], [one!, other!]), '1 delivery: 1 of account.updated missing');
  assert.is(wordsOf([one!, other!], [one!]), '2 deliveries: 1 of account.updated too many');
  // NS-11: kinds of the target are reported by category.
  assert.is(wordsOf(['opened'], [one!, other!]), '1 delivery: 1 of account missing');
});

form('an unreadable delivery is reported as such, and not as a missing event', () => {
  const found = compared(heard([{}, { cut: '{"id":"b","se' }]), heard([{}, second]));
  assert.is(found?.at, 'body');
  assert.is(found?.target, '13 bytes that are no JSON and end in …{"id":"b","se');
});

form('each of two subscriptions gets its own notice, in any order', () => {
  const play = (ids: readonly string[], about: object): Player => {
    const made = ids.map((id) => [+id, { kind: 'answer', json: { id, event_categories: [] } }]);
    const player = heard(ids.map((subscription) => ({ subscription, about })));
    return { ...player, outcomes: new Map(made as never) } as Player;
  };
  const target = play(['8', '7'], { body: { of: '2', what: 'new' } });
  const model = play(['70', '80'], { category: 'transaction', data: { id: '11' } });
  const pairs: Given['pairs'] = [
    ['subscription', '7', '70'],
    ['subscription', '8', '80'],
    // The id of an account that is also the id of a transaction.
    ['transaction', '1', '11'],
    ['transaction', '2', '12'],
  ];
  assert.is(compared(target, model, comparing({ pairs })), null);
});

form('an event is paired by its record, in whatever form it names it', () => {
  const own = (id: string, seq: number): Arrived => ({
    ...{ id: `t${seq}`, seq, about: { type: 'made', payload: { account: { id } } } },
  });
  const due = (id: string, seq: number): Arrived => ({
    ...record('account', id),
    id: `m${seq}`,
    seq,
  });
  const [target, model] = [
    heard([own('72', 1), own('71', 2)]),
    heard([due('11', 1), due('12', 2)]),
  ];
  const accounts = [
    ['account', '71', '11'],
    ['account', '72', '12'],
  ] as const;
  // In the other one only the second event was delivered.
  const before = comparing({ pairs: [...accounts, ['event', 't1', 'm2']] });
  assert.is(compared(target, model, before), null);
  const fresh = comparing({ pairs: accounts });
  compared(target, model, fresh);
  assert.is(fresh.match.modelOf('event', 't1'), 'm2');
});

form('events are paired by the names of their kinds, in any member of the envelope', () => {
  const due = [
    { kind: 'transaction.created', data: { id: '9002', account_id: '1001' } },
    { kind: 'account.created', data: { id: '1002' } },
  ].map((each, at) => ({
    ...{ id: `m${at}`, seq: at + 1, about: { ...each, category: each.kind.split('.')[0] } },
  }));
  const own = [
    { type: 'transaction.created', payload: { of: '1' } },
    { type: 'account.created', payload: { of: '2' } },
  ].map((about, at) => ({ id: `t${at}`, seq: at + 1, about }));
  const pairs: Given['pairs'] = [
    ['transaction', '1', '9001'],
    ['transaction', '2', '9002'],
    ['account', '2', '1002'],
  ];
  assert.is(compared(heard(own), heard(due), comparing({ pairs })), null);
});

form.run();
