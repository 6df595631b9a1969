// Brings records into the states in which a focal call is to meet them.

import type { Value } from '../sequence.ts';
import { STATES } from './dimensions.ts';
import { accountOf, type Draft, type Drawn, type Members, plainCall } from './draft.ts';
import type { Resource } from './operations.ts';
import { OPS } from './operations.ts';

/** A record in the state of this number, one that is there already now and then. */
export async function recordIn(
  d: Draft,
  resource: Resource,
  state: number,
): Promise<Drawn | undefined> {
  const name = STATES[resource][state % STATES[resource].length]!;
  const met = d.of(resource).filter((each) => each.state === name);
  if (met.length > 0 && d.random.chance(0.5)) return d.random.pick(met);
  switch (resource) {
    case 'account':
      return accountIn(d, name);
    case 'place':
      return placeIn(d, name);
    case 'transaction':
      return transactionIn(d, name);
    case 'position':
      return positionIn(d, name);
    default:
      return subscriptionIn(d, name);
  }
}

/** The record that was made last, if the call has made one. */
async function made(d: Draft, resource: Resource, make: () => Promise<unknown>) {
  const before = d.of(resource).length;
  await make();
  return d.of(resource).length > before ? d.of(resource).at(-1) : undefined;
}

async function accountIn(d: Draft, state: string): Promise<Drawn | undefined> {
  const as = state === "a brand's" && d.can('brand') ? 'brand' : d.main;
  const isFull = d.random.chance(0.3);
  const { name } = OPS.createAccount;
  const call = plainCall(d, OPS[state === 'from a batch' ? 'bulkCreateAccounts' : name], {
    as,
    isFull,
  });
  const account = await made(d, 'account', () => d.call(call));
  if (account === undefined) return undefined;
  const updates =
    state === 'updated' ? 1 : state === 'often updated' ? d.random.pick([2, 3, 11]) : 0;
  for (let at = 0; at < updates; at += 1) {
    await d.call(plainCall(d, OPS.updateAccount, { as, subject: account }));
  }
  // Only a create shows the tag of an account that was made in a batch.
  if (account.tag === undefined) {
    await d.call({ ...plainCall(d, OPS.createAccount, { as }), body: account.body });
  }
  return account;
}

const SEEDS: Readonly<Record<string, 'trading_account' | 'provider_trading_account'>> = {
  plain: 'trading_account',
  provider: 'provider_trading_account',
};

async function placeIn(d: Draft, state: string): Promise<Drawn | undefined> {
  if (!d.can('fresh_trading_account')) {
    const kind = SEEDS[state] ?? ('second_trading_account' as const);
    if (!d.can(kind)) return undefined;
    const known = d.of('place').find(({ isProvider }) => isProvider === (state === 'provider'));
    return known ?? made(d, 'place', () => d.add({ do: 'place', kind }));
  }
  const account =
    d.of('account').length > 0 && d.random.chance(0.3)
      ? d.random.pick(d.of('account'))
      : await accountIn(d, d.random.pick(['new', 'from a batch']));
  if (account === undefined) return undefined;
  const open = (over: { provider?: true; currency?: string } = {}) =>
    made(d, 'place', () => d.add({ do: 'open', account: account.id, ...over }));
  if (state === 'second') await open();
  if (state === 'provider') return open({ provider: true });
  return open(state === 'in another currency' ? { currency: 'EUR' } : {});
}

/** TXN-6, TXN-7: what money can move by. */
const MOVES: readonly Members[] = [
  ...[{}, {}, { method: 'Deposit' }, { method: 'Bonus' }],
  { transaction_type: 'Withdrawal', method: 'Withdrawal' },
  { transaction_type: 'Withdrawal', method: 'Withdrawal', amount: '10.29' },
  ...[{ transaction_type: 'Credit' }, { transaction_type: 'Debit', method: 'Withdrawal' }],
  ...[{ amount: '1000.07' }, { amount: '0.01' }, { amount: '70.10' }, { amount: '123456.78' }],
];

async function transactionIn(d: Draft, state: string): Promise<Drawn | undefined> {
  const places = d.of('place').filter(({ isProvider }) => isProvider !== true);
  const isOld = places.length > 0 && d.random.chance(0.4);
  const place = isOld
    ? d.random.pick(places)
    : await placeIn(d, d.random.chance(0.2) ? 'second' : 'plain');
  if (place === undefined) return undefined;
  const over = d.can('fresh_trading_account') ? d.random.pick(MOVES) : {};
  const call = plainCall(d, OPS.createTransaction, { subject: place, over });
  const transaction = await made(d, 'transaction', () => d.call(call));
  if (transaction !== undefined) await decide(d, transaction, state);
  return transaction;
}

async function decide(d: Draft, transaction: Drawn, state: string): Promise<void> {
  const send = (name: 'approveTransaction' | 'rejectTransaction' | 'cancelTransaction') =>
    d.call(plainCall(d, OPS[name], { subject: transaction }));
  if (state === 'approved' || state === 'settled') await send('approveTransaction');
  if (state === 'settled' && d.can('settle')) await d.add({ do: 'settle', id: transaction.id });
  if (state === 'rejected') await send('rejectTransaction');
  if (state === 'cancelled') await send('cancelTransaction');
}

async function positionIn(d: Draft, state: string): Promise<Drawn | undefined> {
  if (!d.options.hasOrders) return undefined;
  const place = d.of('place')[0] ?? (await placeIn(d, 'plain'));
  if (place === undefined) return undefined;
  const call = plainCall(d, OPS.openPosition, { subject: place });
  const position = await made(d, 'position', () => d.call(call));
  if (position === undefined || state === 'open') return position;
  const part = state === 'partly closed' ? { volume: '0.04' } : {};
  await d.call(
    plainCall(d, OPS.closePosition, { subject: { ...position, parent: place }, over: part }),
  );
  if (state === 'partly closed') position.state = state;
  return position;
}

async function subscriptionIn(d: Draft, state: string): Promise<Drawn | undefined> {
  if (!d.can('receiver')) return undefined;
  if (d.hooks.length === 0) await d.add({ do: 'hook', answers: [200] });
  const call = plainCall(d, OPS.createWebhook);
  const subscription = await made(d, 'subscription', () => d.call(call));
  if (subscription === undefined || state === 'enabled') return subscription;
  const verb = state === 'disabled' ? 'disableWebhook' : 'rotateWebhookSecret';
  await d.call(plainCall(d, OPS[verb], { subject: subscription }));
  if (state === 'rotated') subscription.state = state;
  return subscription;
}

/** Another record of the same kind: what its id names instead of the one that is meant. */
export async function otherThan(d: Draft, record: Drawn): Promise<Drawn | undefined> {
  const others = d
    .of(record.resource)
    .filter((each) => each !== record && !isSameOwner(each, record));
  return others[0] ?? recordIn(d, record.resource, 0);
}

const isSameOwner = (one: Drawn, other: Drawn): boolean =>
  one.resource === 'transaction' &&
  JSON.stringify(accountOf(one)) === JSON.stringify(accountOf(other));

/** Of no record: no one on a live target has it either. */
export const UNKNOWN_ID: Value = '999999999999';
