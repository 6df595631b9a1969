// Ideas about what stays as it was: whatever else is said beside it, and however long ago it was.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { phoneMembers } from '../people.ts';
import type { DrawnPlace } from '../scene.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { followed } from '../webhooks.ts';
import { openedPlace, transactionOf } from './lookalikes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest most often: whatever is forgotten sooner is forgotten then. */
const AGES_MS = [
  ...[HOUR_MS + 1, 13 * HOUR_MS, 25 * HOUR_MS, 8 * DAY_MS, 32 * DAY_MS],
  ...[400 * DAY_MS, 400 * DAY_MS, 400 * DAY_MS, 400 * DAY_MS],
];

/** The same call about what it has made, under a key of its own and with members changed. */
function again(d: Drawing, step: CallStep, over: Members = {}): CallStep {
  const body = { ...(step.body as Members), ...over };
  return { ...step, n: d.scene.label(), key: newKey(d), body };
}

function secondPlace(d: Drawing, place: DrawnPlace, currency: string) {
  if (place.isSeed) {
    const { step, place: other } = openedAt(d, place.account, 'second_trading_account');
    return { open: step, second: other };
  }
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

/** A subscription that was used, one that was not, and one that was disabled, when they are old. */
function agedSubscriptions(d: Drawing): readonly Step[] {
  const [used, disabled] = [followed(d, [200]), followed(d, [200])];
  const idle = followed(d, [200]);
  const all = [used, disabled, idle];
  return [
    ...[...used.steps, ...disabled.steps],
    createCall(d, d.main),
    disabled.about('disableWebhook'),
    ...idle.steps,
    advance(d, d.random.pick(AGES_MS)),
    ...all.map(({ about }) => about('getWebhook')),
    createCall(d, d.main),
    ...all.map(({ about }) => about('getWebhook')),
  ];
}

/** What becomes of deliveries that wait when their subscription is rotated or disabled. */
function changedWhileWaiting(d: Drawing): readonly Step[] {
  const [rotated, disabled, kept] = [
    [500, 200],
    [500, 200],
    [500, 500, 200],
  ].map((answers) => followed(d, answers)) as [Followed, Followed, Followed];
  const all = [rotated, disabled, kept];
  return [
    ...all.flatMap(({ steps }) => steps),
    createCall(d, d.main),
    // Later than the event, for whoever compares the two times.
    advance(d, 1_000),
    rotated.about('rotateWebhookSecret'),
    disabled.about('disableWebhook'),
    createCall(d, d.main),
    advance(d, 30_000),
    advance(d, 120_000),
    ...all.map(({ about }) => about('getWebhook')),
    createCall(d, d.main),
  ];
}

type Followed = ReturnType<typeof followed>;

/** One update after another, so that a number of them has one digit more (UPD-1). */
function manyUpdates(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const updates = Array.from({ length: 11 }, (_, at) => {
    const newest: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const step = updateCall(d, account, { status: `v${at}` }, { ifMatch: newest });
    account.tags.push(step.n);
    return step;
  });
  const early: Value = { $header: updates[1]!.n, name: 'etag' };
  return [created, ...updates, updateCall(d, account, { status: 'late' }, { ifMatch: early })];
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
    needs: ['trading_account', 'second_trading_account'],
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
    id: 'alike/aged-subscriptions',
    weight: 3,
    needs: ['receiver', 'clock'],
    draw: agedSubscriptions,
  },
  {
    id: 'alike/changed-while-waiting',
    weight: 3,
    needs: ['receiver', 'clock'],
    draw: changedWhileWaiting,
  },
  { id: 'alike/many-updates', weight: 1, draw: manyUpdates },
  {
    id: 'alike/many-waiting',
    weight: 2,
    needs: ['receiver', 'clock'],
    draw: (d) => (d.disposable ? manyWaiting(d) : []),
  },
];
