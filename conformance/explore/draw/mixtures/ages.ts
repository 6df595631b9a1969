// Ideas about what stays as it was: whatever else is said beside it, and however long ago it was.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy } from '../made.ts';
import { transactionCall } from '../money.ts';
import { phoneMembers } from '../people.ts';
import type { DrawnPlace } from '../scene.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { openedPlace, transactionOf } from './lookalikes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AGES_MS = [HOUR_MS + 1, 13 * HOUR_MS, 25 * HOUR_MS, 8 * DAY_MS, 32 * DAY_MS, 400 * DAY_MS];

/** The same call about what it has made, under a key of its own and with members changed. */
function again(d: Drawing, step: CallStep, over: Members = {}): CallStep {
  const body = { ...(step.body as Members), ...over };
  return { ...step, n: d.scene.label(), key: newKey(d), body };
}

function secondPlace(d: Drawing, place: DrawnPlace, currency: string) {
  const n = d.scene.label();
  const open: Step = { do: 'open', n, account: place.account, currency };
  const second: DrawnPlace = {
    ...place,
    tradingAccount: { $of: n, at: 'trading_account_id' },
    currency: { $of: n, at: 'currency' },
  };
  return { open, second };
}

/** The first money of an account is the first whatever the next is like (TXS-2). */
function paidInOtherwise(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const { open, second } = secondPlace(d, place, 'EUR');
  const paid = (at: DrawnPlace, over: Members = {}): readonly Step[] => {
    const made = transactionCall(d, at, over);
    return [made, decideCall(d, 'approveTransaction', transactionOf(made, at))];
  };
  const other = openedPlace(d);
  return [
    ...steps,
    ...paid(place),
    ...paid(place, { currency: 'JPY' }),
    open,
    ...paid(second),
    ...paid(place, { method: 'Deposit', amount: '-5' }),
    ...paid(place, { amount: '1000000000000.10' }),
    ...other.steps,
    ...paid(other.place),
  ];
}

/** A known reference names its transaction whatever else is sent with it (TXN-2). */
function transactionNamedAgain(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const { open, second } = secondPlace(d, place, 'EUR');
  const made = transactionCall(d, place);
  const transaction = transactionOf(made, place);
  const otherwise: readonly Members[] = [
    { amount: '7.77' },
    { transaction_type: 'Withdrawal' },
    { method: 'Bonus' },
    { currency: 'JPY' },
    { trading_account_id: second.tradingAccount },
    { client_reference_id: { $case: 'upper', of: transaction.reference } },
  ];
  const fate = d.random.pick([
    [],
    [decideCall(d, 'approveTransaction', transaction)],
    [decideCall(d, 'rejectTransaction', transaction)],
    [decideCall(d, 'cancelTransaction', transaction)],
  ]);
  return [...steps, open, made, ...fate, ...otherwise.map((over) => again(d, made, over))];
}

/** The same of an account (ACC-5): nothing that is sent with its reference changes it. */
function accountNamedAgain(d: Drawing): readonly Step[] {
  const stem = `g${d.stem()}`;
  const phone = phoneMembers(stem, 'e164');
  const created = createCall(d, d.main, { ...phone, first_name: 'Ada', last_name: 'King' });
  const account = madeBy(created);
  const other = createCall(d, d.main);
  const updated = updateCall(d, account, { status: 'Kept' });
  const otherwise: readonly Members[] = [
    { first_name: 'Grace' },
    { email: { $join: [{ $fresh: `h${d.stem()}` }, '@explore.example.com'] } },
    { email: (other.body as Members).email! },
    { country: 'FR', language: 'fr' },
    { client_reference_id: { $case: 'upper', of: account.reference } },
    { ...phoneMembers(stem, 'spaced') },
  ];
  return [
    other,
    created,
    updated,
    ...otherwise.map((over) => again(d, created, over)),
    bulkCall(d, d.main, [created.body as Members, other.body as Members]),
  ];
}

/** Everything that is known of an account, asked for again when it is old. */
function agedAccount(d: Drawing): readonly Step[] {
  const stem = `o${d.stem()}`;
  const created = createCall(d, d.main, phoneMembers(stem, 'e164'));
  const account = madeBy(created);
  const updated = updateCall(d, account, { status: 'Old' });
  account.tags.push(updated.n);
  const newest: Value = { $header: updated.n, name: 'etag' };
  const first: Value = { $header: created.n, name: 'etag' };
  return [
    created,
    updated,
    advance(d, d.random.pick(AGES_MS)),
    again(d, created),
    createCall(d, d.main, { email: account.email }),
    createCall(d, d.main, phoneMembers(stem, 'spaced')),
    updateCall(d, account, { status: 'Stale' }, { ifMatch: first }),
    updateCall(d, account, { status: 'New again' }, { ifMatch: newest }),
    { ...created, n: d.scene.label() },
    { ...updated, n: d.scene.label() },
  ];
}

/** The same of transactions in each state. */
function agedMoney(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const [kept, rejected, cancelled, settled] = [0, 1, 2, 3].map(() => {
    const made = transactionCall(d, place);
    return { made, transaction: transactionOf(made, place) };
  }) as [Aged, Aged, Aged, Aged];
  const all = [kept, rejected, cancelled, settled];
  const approve = ({ transaction }: Aged) => decideCall(d, 'approveTransaction', transaction);
  const cancel = ({ transaction }: Aged) => decideCall(d, 'cancelTransaction', transaction);
  const reject = ({ transaction }: Aged) => decideCall(d, 'rejectTransaction', transaction);
  const settle: Step = { do: 'settle', n: d.scene.label(), id: settled.transaction.id };
  const { tradingAccount } = place;
  return [
    ...steps,
    ...all.map(({ made }) => made),
    ...[reject(rejected), cancel(cancelled), approve(settled), settle],
    advance(d, d.random.pick(AGES_MS)),
    ...all.map(({ made }) => again(d, made)),
    ...[reject(rejected), approve(rejected), cancel(cancelled), reject(cancelled)],
    approve(kept),
    cancel(settled),
    { do: 'ledger', n: d.scene.label(), tradingAccount },
  ];
}

interface Aged {
  readonly made: CallStep;
  readonly transaction: ReturnType<typeof transactionOf>;
}

/** Events that wait behind one that was refused are not forgotten, however many (EVT-4). */
function manyWaiting(d: Drawing): readonly Step[] {
  const hook = d.scene.label();
  const stem = `q${d.stem()}r$i`;
  const row: Members = {
    client_reference_id: { $fresh: stem },
    email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
    brand_id: { $role: d.main, has: 'brand' },
  };
  const body = { url: { $of: hook, at: 'url' }, event_categories: ['account'] };
  return [
    { do: 'hook', n: hook, answers: [500, 200] },
    call(d, { operation: 'createWebhook', as: d.main, body }),
    bulkCall(d, d.main, [{ $rows: d.random.pick([12, 30, 110]), of: row }]),
    advance(d, 30_000),
    createCall(d, d.main),
  ];
}

const needsPlace = ['fresh_trading_account'] as const;

export const ageIdeas: readonly Idea[] = [
  { id: 'alike/paid-in-otherwise', weight: 2, needs: needsPlace, draw: paidInOtherwise },
  {
    id: 'alike/transaction-named-again',
    weight: 2,
    needs: needsPlace,
    draw: transactionNamedAgain,
  },
  { id: 'alike/account-named-again', weight: 2, draw: accountNamedAgain },
  { id: 'alike/aged-account', weight: 3, needs: ['clock'], draw: agedAccount },
  {
    id: 'alike/aged-money',
    weight: 3,
    needs: [...needsPlace, 'clock', 'settle', 'ledger'],
    draw: agedMoney,
  },
  {
    id: 'alike/many-waiting',
    weight: 2,
    needs: ['receiver', 'clock'],
    draw: (d) => (d.disposable ? manyWaiting(d) : []),
  },
];
