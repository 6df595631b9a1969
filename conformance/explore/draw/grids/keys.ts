// Grids about keys: every write and every kind of refusal, repeated after every pause; subjects
// that are alike but for their end.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person } from '../people.ts';
import { orderCall } from '../positions.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The writes but for orders, whose form is open (NS-1), and of what they refuse one each. */
function everyWrite(d: Drawing) {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const updated = updateCall(d, account, { status: `a${d.stem()}` });
  const made = [0, 1, 2].map(() => pendingAt(d, place));
  const [approved, rejected, cancelled] = made as [Made, Made, Made];
  const writes = [
    updated,
    bulkCall(d, d.main, [person(d, d.main), person(d, d.main)]),
    ...made.map(({ step }) => step),
    decideCall(d, 'approveTransaction', approved),
    decideCall(d, 'rejectTransaction', rejected),
    decideCall(d, 'cancelTransaction', cancelled),
  ];
  const refused = [
    createCall(d, d.main, { email: 'no-at-in-it' }),
    createCall(d, d.main, { email: account.email }),
    updateCall(d, account, { status: 'stale' }),
    bulkCall(d, d.main, [person(d, d.main, { client_reference_id: undefined })]),
    transactionCall(d, place, { amount: 'abc' }),
    decideCall(d, 'approveTransaction', rejected),
  ];
  return { setup: [created, open], calls: [created, ...writes, ...refused], account };
}

type Made = ReturnType<typeof pendingAt>;

/** IDEM-4, IDEM-7: all of them, and all of them again after each pause. */
function repeatedAfter(...waits: readonly number[]): Idea['draw'] {
  return (d) => {
    const { setup, calls, account } = everyWrite(d);
    const newest: Value = { $header: (calls[1] as CallStep).n, name: 'etag' };
    return [
      ...setup,
      ...calls.slice(1),
      updateCall(d, account, { status: `b${d.stem()}` }, { ifMatch: newest }),
      ...waits.flatMap((byMs): Step[] => [
        ...(byMs > 0 ? [advance(d, byMs)] : []),
        ...calls.map((step) => ({ ...step, n: d.scene.label() })),
      ]),
    ];
  };
}

/** The same of orders. */
function ordersRepeated(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const { tradingAccount: trading_account_id } = place;
  const order = (operation: 'openPosition' | 'closePosition', body: Members) =>
    call(d, { operation, as: d.main, key: newKey(d), body: { trading_account_id, ...body } });
  const opened = order('openPosition', { instrument: 'EURUSD', side: 'buy', volume: '1' });
  const closed = order('closePosition', { position_id: { $of: opened.n, at: 'position_id' } });
  const orders = [opened, closed];
  const again = () => orders.map((step) => ({ ...step, n: d.scene.label() }));
  const pauses = [61 * MINUTE_MS, 13 * HOUR_MS, 11 * HOUR_MS];
  return [
    created,
    open,
    ...orders,
    ...again(),
    ...pauses.flatMap((byMs) => [advance(d, byMs), ...again()]),
  ];
}

const pauses = [
  ['at-once', [0]],
  // Just before a day is over, and when it is: what was asked for meanwhile lives no longer.
  ['around-a-day', [23 * HOUR_MS + 58 * MINUTE_MS, 4 * MINUTE_MS]],
] as const;

/** As long as a reference may be, so that whatever keeps less of it shows. */
function alike(d: Drawing): readonly [Value, Value] {
  const stem: Value = { $fresh: `k${d.stem()}`, length: 254 };
  return [{ $join: [stem, 'a'] }, { $join: [stem, 'b'] }];
}

/** IDEM-2c: references that differ in their last letter alone, under one key and under two. */
function longSubjects(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const [one, other] = alike(d);
  const [here, there] = alike(d);
  const account = createCall(d, d.main, { client_reference_id: one });
  const paid = transactionCall(d, place, { client_reference_id: here });
  const named = (step: CallStep, reference: Value, key: Value = step.key!): CallStep => {
    const stem: Value = { $fresh: `e${d.stem()}` };
    const email: Value = { $join: [stem, '@explore.example.com'] };
    const own = step.operation === 'createAccount' ? { email } : {};
    const body = { ...(step.body as Members), ...own, client_reference_id: reference };
    return { ...step, n: d.scene.label(), key, body };
  };
  return [
    ...[created, open, account, paid],
    ...[named(account, other), named(account, other, newKey(d))],
    ...[named(paid, there), named(paid, there, newKey(d))],
  ];
}

/** IDEM-9, BULK-9: batches that differ in one row alone, wherever it stands. */
function longBatches(d: Drawing): readonly Step[] {
  return [2, 60, 130].flatMap((count) => {
    const [first, last] = [person(d, d.main), person(d, d.main)];
    const stem = `y${d.stem()}r$i`;
    const of = {
      client_reference_id: { $fresh: stem },
      email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
      brand_id: { $role: d.main, has: 'brand' },
    };
    const middle: Value = { $rows: d.disposable ? count : 2, of };
    const step = bulkCall(d, d.main, [first, middle, last]);
    const other = (accounts: readonly Value[]): CallStep => {
      return { ...step, n: d.scene.label(), body: { accounts } };
    };
    const email: Value = { $join: [{ $fresh: `y${d.stem()}` }, '@explore.example.com'] };
    return [
      step,
      other([first, middle, last, person(d, d.main)]),
      other([first, middle]),
      other([first, middle, { ...last, email }]),
      other([first, middle, { ...last, first_name: 'Edited' }]),
      bulkCall(d, d.main, [first, middle, person(d, d.main, { client_reference_id: undefined })]),
    ];
  });
}

/** IDEM-3: one key for operations whose subjects are spelt alike. */
function acrossOperations(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const [one, other] = [person(d, d.main), person(d, d.main)];
  const alone = (body: Members) => ({ ...createCall(d, d.main), body });
  const [row, single] = [bulkCall(d, d.main, [one]), alone(other)];
  const named = transactionCall(d, place, { client_reference_id: one.client_reference_id! });
  const under = (step: CallStep, { key }: CallStep): CallStep => ({ ...step, key: key! });
  const made = pendingAt(d, place);
  const approved = decideCall(d, 'approveTransaction', made);
  const update = updateCall(d, madeBy(created), { status: `x${d.stem()}` });
  return [
    ...[created, open, row, under(alone(one), row)],
    ...[single, under(bulkCall(d, d.main, [other]), single), under(named, single)],
    ...[made.step, approved, under(update, approved)],
    under(decideCall(d, 'cancelTransaction', made), approved),
  ];
}

/** IDEM-2a: each kind of refusal, and then its key for another subject. */
function refusedThenAnother(d: Drawing): readonly Step[] {
  const [created, other] = [createCall(d, d.main), createCall(d, d.main)];
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const { step: paysOut, place: provider } = openedAt(d, account.id, 'provider_trading_account');
  const owner: Value = { $of: other.n, at: 'id' };
  const { step: openOther, place: otherPlace } = openedAt(d, owner, 'second_trading_account');
  const payout = pendingAt(d, provider, { transaction_type: 'Withdrawal', amount: '-5.00' });
  const [here, there] = [pendingAt(d, place), [1, 2, 3].map(() => pendingAt(d, otherPlace))];
  const order = (at: typeof place, volume: Value) => orderCall(d, at.tradingAccount, { volume });
  const empty = { body: { reason: '' } };
  const bad = person(d, d.main, { client_reference_id: undefined });
  const pairs: readonly (readonly [CallStep, CallStep])[] = [
    [createCall(d, d.main, { email: 'no-at-in-it' }), createCall(d, d.main)],
    [createCall(d, d.main, { email: account.email }), createCall(d, d.main)],
    [
      updateCall(d, account, { status: 'x' }, { ifMatch: '"987654"' }),
      updateCall(d, madeBy(other), { status: `y${d.stem()}` }),
    ],
    [
      updateCall(d, account, { status: 'x' }, { id: '999999999' }),
      updateCall(d, account, { status: `y${d.stem()}` }),
    ],
    [bulkCall(d, d.main, [bad]), bulkCall(d, d.main, [person(d, d.main)])],
    [transactionCall(d, place, { amount: 'abc' }), pendingAt(d, place).step],
    [decideCall(d, 'approveTransaction', payout), decideCall(d, 'approveTransaction', there[0]!)],
    [
      decideCall(d, 'rejectTransaction', here, empty),
      decideCall(d, 'rejectTransaction', there[1]!),
    ],
    [
      decideCall(d, 'cancelTransaction', here, { id: '999999999' }),
      decideCall(d, 'cancelTransaction', there[2]!),
    ],
    // Last, because their form is open (NS-1).
    [order(place, '-1'), order(otherPlace, '1')],
  ];
  return [
    ...[created, other, open, paysOut, openOther, payout.step, here.step],
    ...there.map(({ step }) => step),
    ...pairs.flatMap(([refused, next]) => [refused, { ...next, key: refused.key! }]),
  ];
}

/** IDEM-3: each kind of refusal, and then its key for another operation on that subject. */
function refusedThenOtherwise(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const [one, two] = [pendingAt(d, place), pendingAt(d, place)];
  const { tradingAccount: trading_account_id } = place;
  const order = (operation: 'openPosition' | 'closePosition', body: Members) =>
    call(d, { operation, as: d.main, key: newKey(d), body: { trading_account_id, ...body } });
  const opened = order('openPosition', { instrument: 'EURUSD', side: 'buy', volume: '1' });
  const bad = createCall(d, d.main, { email: 'no-at-in-it' });
  const { client_reference_id } = bad.body as Members;
  const pairs: readonly (readonly [CallStep, CallStep])[] = [
    [bad, transactionCall(d, place, { client_reference_id: client_reference_id! })],
    [
      decideCall(d, 'approveTransaction', one, { id: '999999999' }),
      decideCall(d, 'rejectTransaction', one),
    ],
    [
      decideCall(d, 'rejectTransaction', two, { body: { reason: '' } }),
      decideCall(d, 'cancelTransaction', two),
    ],
    // Last, because their form is open (NS-1).
    [
      order('openPosition', { instrument: 'EURUSD', side: 'buy', volume: 'abc' }),
      order('closePosition', { position_id: { $of: opened.n, at: 'position_id' } }),
    ],
  ];
  const played = pairs.map(([refused, next]) => [refused, { ...next, key: refused.key! }]);
  return [
    ...[created, open, one.step, two.step],
    ...played.slice(0, -1).flat(),
    ...[opened, ...played.at(-1)!],
  ];
}

const needsPlace = ['trading_account'] as const;
const needsAll = [
  ...needsPlace,
  ...(['second_trading_account', 'provider_trading_account'] as const),
] as const;

export const keyGrids: readonly Idea[] = [
  ...pauses.map(
    ([when, waits]): Idea => ({
      id: `again/every-write-${when}`,
      weight: 4,
      needs: when === 'at-once' ? needsPlace : [...needsPlace, 'clock'],
      draw: repeatedAfter(...waits),
    }),
  ),
  {
    id: 'again/orders',
    weight: 2,
    needs: [...needsPlace, 'clock'],
    draw: ordersRepeated,
  },
  { id: 'again/long-subjects', weight: 4, needs: needsPlace, draw: longSubjects },
  { id: 'again/long-batches', weight: 4, draw: longBatches },
  { id: 'again/refused-then-another', weight: 5, needs: needsAll, draw: refusedThenAnother },
  { id: 'again/refused-then-otherwise', weight: 4, needs: needsPlace, draw: refusedThenOtherwise },
  { id: 'again/across-operations', weight: 4, needs: needsPlace, draw: acrossOperations },
];
