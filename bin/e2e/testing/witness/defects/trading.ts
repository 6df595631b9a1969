// Defects of conventions, positions, transactions and their states, reads, and crashes.
import { bodyOf, type Context } from '../context.ts';
import type { Entry, Reply } from '../records.ts';
import type { Store } from '../store.ts';
import { changeStatus, effectOf, transactionBody } from '../transactions.ts';
import { DAY_MS } from '../values.ts';
import type { Seams } from '../world.ts';
import {
  caller,
  decision,
  found,
  hasOverlap,
  keyed,
  leaving,
  overlapping,
  type Rows,
  refusal,
  request,
  savedTransaction,
  sent,
  shown,
  statusOf,
  stored,
  transactionOf,
} from '../wrap.ts';

const RECORD = 'createTransaction';
const APPROVE = 'approveTransaction';
const REJECT = 'rejectTransaction';
const DECIDE = `${APPROVE} ${REJECT} cancelTransaction`;
const MONEY = `${RECORD} ${DECIDE}`;

/** Converts a member of each row of a read to text. */
const rowText = (names: string, member: string): Seams =>
  decision(names, (reply) => {
    const number = new RegExp(`("${member}"):(\\d+)`, 'g');
    return { ...reply, body: reply.body.replace(number, '$1:"$2"') };
  });

/** Accepts a decision although the state refuses it. */
const decideAnyway = (name: string, from: string, status: 'approved' | 'rejected'): Seams =>
  decision(name, (reply, context) => {
    const each = transactionOf(context);
    if (reply.status !== 409 || each?.status !== from) return undefined;
    return context.reply(200, transactionBody(changeStatus(context.world, each, { status })));
  });

/** Changes ledger entries when they are booked; an empty amount drops them. */
const booked = (
  change: (entry: Entry, store: Store) => { place?: string; amount?: string } | null,
): Seams =>
  stored((store) => ({
    book: (id, entry) => {
      const { place = id, amount = entry.amount } = change(entry, store) ?? {};
      if (amount !== '') store.book(place, { ...entry, amount });
    },
  }));

const html = (isMet: (context: Context) => boolean): Seams => {
  const headers = [['Content-Type', 'text/html'] as const];
  const body = '<!doctype html><html><body><h1>Internal Server Error</h1></body></html>';
  const page: Reply = { status: 500, headers, body };
  return { before: (context) => (isMet(context) ? page : undefined) };
};

export const conventionDefects: Rows = {
  'ids-as-numbers (CONV-1a ACC-18): accounts show their id as a number': shown(
    'createAccount updateAccount',
    ({ id }, { row }) => (row === undefined ? { id: Number(id) } : {}),
  ),
  'number-ids-taken (CONV-1b ERR-2): a transaction may name its account by a number': sent(
    RECORD,
    ({ account_id }) => ({ account_id: String(account_id) }),
  ),
  'ids-parsed-loosely (CONV-1c UPD-5): letters after an id in the path do not count': request(
    `updateAccount ${DECIDE}`,
    (context) => {
      context.pathId = /^\d+/.exec(context.pathId)?.[0] ?? context.pathId;
    },
  ),
  'amount-float (CONV-2a): amounts of more than seven digits go through a short float':
    savedTransaction(({ amount }, before) => {
      const isLong = amount.replace(/\D/g, '').length > 7 && before === undefined;
      return isLong ? { amount: Math.fround(Number(amount)).toFixed(2) } : {};
    }),
  'amount-absolute (CONV-2a): transactions show their amount without its sign': shown(
    MONEY,
    ({ amount }) => ({ amount: String(amount).replace('-', '') }),
  ),
  'read-ids-as-text (CONV-3): bulk reads give record_id as a string': rowText(
    'listAccounts listTransactions',
    'record_id',
  ),
  'seconds (CONV-4): created_at of a transaction counts seconds': shown(
    MONEY,
    ({ created_at }) => ({ created_at: Math.floor(Number(created_at) / 1000) }),
  ),
};

export const tradingDefects: Rows = {
  'trader-refused (POS-1 AUTH-4 AUTH-5): trader:trade opens no positions': caller(
    'openPosition',
    ({ scopes }) => ({ scopes: scopes.filter((scope) => scope !== 'trader:trade') }),
  ),
  'orders-share-keys (POS-3 IDEM-3): opening and closing share their keys': keyed(
    ({ operation }) => (/Position$/.test(operation) ? { operation: 'position' } : {}),
  ),
  'created-approved (TXN-1 TXS-1 TXS-6 TXS-8 TXS-2): a transaction is created approved':
    savedTransaction((_, before) => (before === undefined ? { status: 'approved' } : {})),
  'approved-frees-reference (TXN-2 IDEM-12): an approved reference is free again': found(
    ['transactionByReference'],
    ({ status }) => status !== 'approved',
  ),
  'money-reference-week (TXN-2 IDEM-12): a reference of a transaction is free after a week': found(
    ['transactionByReference'],
    ({ created_at }, { nowMs }) => nowMs - created_at < 7 * DAY_MS,
  ),
  'method-deposit (TXN-6): a method that is left out is always Deposit': sent(
    RECORD,
    ({ method = 'Deposit' }) => ({ method }),
  ),
  'type-optional (TXN-7 ERR-2): transaction_type may be left out': sent(
    RECORD,
    ({ transaction_type = 'Deposit' }) => ({ transaction_type }),
  ),
  'shows-reason (TXN-9 TXS-19): transactions show the reason of their end': shown(
    MONEY,
    ({ id }, { store }) => ({ reason: store.transaction(String(id))!.reason }),
  ),
  'account-422 (TXN-10 TXN-11 ERR-3 AUTH-5 AUTH-6 AUTH-7): an unknown account is answered 422':
    refusal(RECORD, 404, 422),
  "credit-any-place (TXN-11): a credit may name another account's trading account": sent(
    RECORD,
    ({ transaction_type, trading_account_id }, { store }) => {
      const place = store.tradingAccount(String(trading_account_id));
      return transaction_type === 'Credit' && place ? { account_id: place.account_id } : {};
    },
  ),
  'approve-202 (TXS-1 TXS-18): an approval answers 202': statusOf(APPROVE, 200, 202),
  'pending-expires (TXS-1): what was pending for 30 days cannot be approved': request(
    APPROVE,
    (context) => {
      const each = transactionOf(context);
      const isOld = each !== undefined && context.nowMs - each.changed_ms >= 30 * DAY_MS;
      if (!isOld || each.status !== 'pending') return;
      changeStatus(context.world, each, { status: 'cancelled' });
    },
  ),
  'ftd-undone (TXS-2): cancelling a first deposit takes the mark away': savedTransaction(
    ({ status }) => (status === 'cancelled' ? { is_ftd: false } : {}),
  ),
  'rejected-approved (TXS-5): a rejected transaction is approved': decideAnyway(
    APPROVE,
    'rejected',
    'approved',
  ),
  'bonus-kept (TXS-10): cancelling a settled bonus leaves the money': booked((entry, store) => {
    const isBonus = store.transaction(entry.transaction_id)?.method === 'Bonus';
    return entry.kind === 'compensation' && isBonus ? { amount: '' } : null;
  }),
  'reversal-1000 (TXS-10): a reversal takes back 1000 at most': booked(({ kind, amount }) => {
    const isMuch = kind === 'compensation' && Math.abs(Number(amount)) > 1000;
    return isMuch ? { amount: amount.startsWith('-') ? '-1000.00' : '1000.00' } : null;
  }),
  "second-place (TXS-10 TXS-4): money is booked at the place of an account's oldest transaction":
    booked(({ transaction_id }, store) => {
      const owner = store.transaction(transaction_id)?.account_id;
      const first = [...store.transactions()].find(({ account_id }) => account_id === owner);
      return first === undefined ? null : { place: first.trading_account_id };
    }),
  'cancelled-rejected (TXS-12): a cancelled transaction is rejected': decideAnyway(
    REJECT,
    'cancelled',
    'rejected',
  ),
  'account-optional (TXS-15): account_id may be left out': request(DECIDE, (context) => {
    const owner = transactionOf(context)?.account_id;
    if (owner === undefined || context.query.has('account_id')) return;
    context.query.set('account_id', owner);
  }),
  'race-approvals (TXS-4 IDEM-15 IDEM-4c): two approvals that race credit twice': overlapping(
    decision(APPROVE, (reply, context) => {
      const { store, overlaps, pathId } = context;
      const each = transactionOf(context);
      const isRaced = overlaps.some((one) => one.pathId === pathId) && hasOverlap(context, APPROVE);
      if (reply.status !== 200 || each === undefined || !isRaced) return undefined;
      const entry = { transaction_id: each.id, kind: 'movement', at_ms: 0 } as const;
      store.book(each.trading_account_id, { ...entry, amount: effectOf(each) });
    }),
  ),
  'read-account-ids-as-text (CONV-3): bulk reads of transactions give account_id as a string':
    rowText('listTransactions', 'account_id'),
};

export const crashDefects: Rows = {
  'crash-bonus (TXN-1 TXN-6 TXN-2): a create with the method Bonus is an HTML page with 500': html(
    ({ operation, call }) => operation.name === RECORD && bodyOf(call).method === 'Bonus',
  ),
  'crash-country (UPD-1 UPD-2 UPD-3 UPD-7 UPD-8 UPD-12): updates of the country are cut off':
    leaving((_, { operation, call }) =>
      operation.name === 'updateAccount' && 'country' in bodyOf(call) ? null : undefined,
    ),
  'crash-null-row (ERR-2 ACC-1 BULK-3 ACC-12): a phone_region in lower case is an HTML page': html(
    ({ call }) => /^[a-z]+$/.test(String(bodyOf(call).phone_region ?? '')),
  ),
  'crash-list (HOOK-11 HOOK-3 HOOK-6 AUTH-4): a list with a disabled subscription is cut off':
    leaving((reply, { operation }) => {
      const hasDisabled = /"disabled":true/.test(reply.body);
      return operation.name === 'listWebhooks' && hasDisabled ? null : undefined;
    }),
};
