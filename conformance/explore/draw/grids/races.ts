// Grids of calls at once: every pair that has one name, one record or one first time between them.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { together } from '../bursts.ts';
import { decideCall } from '../decisions.ts';
import { type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { person, phoneMembers } from '../people.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import type { DrawnTransaction } from '../scene.ts';
import { updateCall } from '../updates.ts';

const pair = (d: Drawing, ...calls: readonly [CallStep, CallStep]) => together(d, calls);

/** ACC-5 to ACC-9, BULK-3: two creates, alone or as rows, of what may be there once only. */
function sameName(d: Drawing): readonly Step[] {
  const alone = (body: Members) => ({ ...createCall(d, d.main), body });
  const other = (over: Members) => ({ ...person(d, d.main), ...over });
  const [phone, spaced] = ['e164', 'spaced'] as const;
  return [0, 1, 2, 3, 4, 5].map((at) => {
    const stem = `z${d.stem()}`;
    const one = { ...person(d, d.main), ...phoneMembers(stem, phone) };
    const reference: Value = { $case: 'upper', of: one.client_reference_id! };
    const email: Value = { $case: 'upper', of: one.email! };
    const seconds: readonly CallStep[] = [
      alone({ ...one }),
      alone(other({ client_reference_id: reference })),
      alone(other({ email })),
      alone(other(phoneMembers(stem, spaced))),
      bulkCall(d, d.main, [person(d, d.main), one]),
      bulkCall(d, d.main, [other({ email })]),
    ];
    // A batch races a create, or another batch.
    const first = at === 5 ? bulkCall(d, d.main, [one]) : alone(one);
    return pair(d, first, seconds[at]!);
  });
}

/** UPD-7, ACC-5: of two updates under one tag one wins; a create finds what is being updated. */
function sameTag(d: Drawing): readonly Step[] {
  const bodies: readonly (readonly [Members, Members])[] = [
    [{ status: 'One' }, { status: 'Other' }],
    [{ first_name: 'One' }, { country: 'FR' }],
    [{ status: 'Same' }, { status: 'Same' }],
  ];
  return bodies.flatMap(([one, other]): Step[] => {
    const created = createCall(d, d.main);
    const account = madeBy(created);
    const updates = pair(d, updateCall(d, account, one), updateCall(d, account, other));
    const raced = createCall(d, d.main);
    const renamed = madeBy(raced);
    const found = pair(d, updateCall(d, renamed, one), rereadAccount(d, renamed));
    return [created, updates, rereadAccount(d, account), raced, found, rereadAccount(d, renamed)];
  });
}

const DECISIONS = [
  ['approveTransaction', 'approveTransaction'],
  ['approveTransaction', 'rejectTransaction'],
  ['approveTransaction', 'cancelTransaction'],
  ['rejectTransaction', 'cancelTransaction'],
  ['rejectTransaction', 'rejectTransaction'],
] as const;

/** TXS-2, TXS-12: of two decisions on one transaction one wins, and money moves once. */
function sameTransaction(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const settled = (one: DrawnTransaction): Step => {
    return { do: 'settle', n: d.scene.label(), id: one.id };
  };
  const decided = DECISIONS.flatMap(([one, other]): Step[] => {
    const made = pendingAt(d, place, { amount: '17.53' });
    const both = pair(d, decideCall(d, one, made), decideCall(d, other, made));
    return [made.step, both, settled(made), rereadTransaction(d, made)];
  });
  const paid = pendingAt(d, place, { amount: '8.09' });
  const taken = pair(
    d,
    decideCall(d, 'cancelTransaction', paid),
    decideCall(d, 'cancelTransaction', paid),
  );
  return [
    ...[created, open, ...decided, paid.step],
    ...[decideCall(d, 'approveTransaction', paid), settled(paid), taken],
    { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount },
  ];
}

/** TXN-2, TXS-2: one reference at once, and two first deposits at two places of one account. */
function sameAccount(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account: Value = { $of: created.n, at: 'id' };
  const [here, there] = [openedAt(d, account), openedAt(d, account)];
  const [one, other] = [pendingAt(d, here.place), pendingAt(d, there.place)];
  const named = pendingAt(d, here.place);
  const again = { ...named.step, n: d.scene.label(), key: newKey(d) };
  const amount = { ...(named.step.body as Members), amount: '3.21' };
  return [
    ...[created, here.step, there.step, one.step, other.step],
    pair(d, decideCall(d, 'approveTransaction', one), decideCall(d, 'approveTransaction', other)),
    pair(d, named.step, again),
    { ...again, n: d.scene.label(), key: newKey(d), body: amount },
  ];
}

const needsPlace = ['trading_account'] as const;

export const raceGrids: readonly Idea[] = [
  { id: 'burst/same-name', weight: 6, draw: sameName },
  { id: 'burst/same-tag', weight: 5, draw: sameTag },
  {
    id: 'burst/same-money',
    weight: 5,
    needs: needsPlace,
    draw: sameTransaction,
  },
  { id: 'burst/same-account', weight: 5, needs: ['fresh_trading_account'], draw: sameAccount },
];
