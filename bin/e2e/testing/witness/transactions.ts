// Recording, deciding and reading transactions, and the money that they move (TXN, TXS, NS-3).
import { page, referenceOf } from './accounts.ts';
import type { Context } from './context.ts';
import { aboutOf, type Reply, type TradingAccount, type Transaction } from './records.ts';
import {
  absolute,
  isDecimal,
  isNegative,
  isZero,
  type JsonObject,
  negated,
  sumOf,
  textOr,
} from './values.ts';
import type { World } from './world.ts';

const METHODS = ['Deposit', 'Withdrawal', 'Bonus'];
const TYPES = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];

/** TXN-8 */
export function transactionBody(each: Transaction): JsonObject {
  const { client_reference_id, settles_ms, changed_ms, reason, operator, ...shown } = each;
  return shown;
}

const shown = (context: Context, status: number, each: Transaction): Reply =>
  context.reply(status, transactionBody(each));

export function createTransaction(context: Context): Reply {
  const { body, store, style, nowMs, world } = context;
  const reference = referenceOf(context);
  // NS-56
  if (style.validatesBeforeReference) checkFields(context);
  const known = store.transactionByReference(context, reference);
  if (known !== undefined) return shown(context, 200, known);
  checkFields(context);
  const place = placeOf(context);
  const currency = context.text('currency');
  const fits = style.foreignCurrency || currency === place.currency;
  context.need(fits, `currency must be ${place.currency}`, 'currency');
  const transaction = store.saveTransaction({
    ...{
      id: store.nextId('transaction'),
      account_id: place.account_id,
      trading_account_id: place.id,
    },
    ...{ currency, amount: style.amount(String(body.amount)), method: methodOf(context) },
    ...{ transaction_type: context.text('transaction_type'), status: 'pending', is_ftd: false },
    ...{ created_at: nowMs, client_reference_id: reference, settles_ms: null },
    ...{ changed_ms: nowMs, reason: null, operator: null },
  });
  announce(world, transaction, 'transaction.created');
  return shown(context, 201, transaction);
}

/** TXN-6 */
const methodOf = ({ body }: Context): string =>
  textOr(body.method, isNegative(String(body.amount)) ? 'Withdrawal' : 'Deposit');

/** TXN-4 to TXN-7 */
function checkFields(context: Context): void {
  const { laxDecimals, zeroAmount, signMustFit } = context.style;
  const [amount, method] = [String(context.body.amount), methodOf(context)];
  const type = context.text('transaction_type');
  const check = (field: string, isRight: boolean, words: string) =>
    context.need(isRight, `${field} ${words}`, field);
  for (const field of ['account_id', 'trading_account_id']) context.id(context.text(field), field);
  check('currency', context.text('currency').trim() !== '', 'must not be empty');
  check('amount', isDecimal(amount, laxDecimals), 'must be a decimal');
  check('amount', zeroAmount || !isZero(amount), 'must not be zero');
  check('method', METHODS.includes(method), `must be one of ${METHODS.join(', ')}`);
  check('transaction_type', TYPES.includes(type), `must be one of ${TYPES.join(', ')}`);
  const fits = isZero(amount) || (method === 'Withdrawal') === isNegative(amount);
  context.need(fits || !signMustFit, 'the sign of amount does not fit the method', 'amount');
}

/** TXN-10, TXN-11 */
function placeOf(context: Context): TradingAccount {
  const named = (field: string) => context.id(context.text(field), field);
  const account = context.account(named('account_id')) ?? context.notFound();
  const place = context.tradingAccount(named('trading_account_id')) ?? context.notFound();
  return place.account_id === account.id ? place : context.notFound();
}

/** TXS-15, TXS-16: the transaction of the path, if it belongs to the account of the query. */
function transactionOf(context: Context): Transaction {
  const accountId = context.query.get('account_id');
  context.need(accountId !== null, 'the query needs account_id', 'account_id');
  const id = context.id(context.pathId, 'id');
  const account = context.account(context.id(accountId!, 'account_id')) ?? context.notFound();
  const found = context.store.transaction(id) ?? context.notFound();
  return found.account_id === account.id ? found : context.notFound();
}

export function approveTransaction(context: Context): Reply {
  const { world, style, store, nowMs } = context;
  const each = transactionOf(context);
  const isAgain = each.status === 'approved' || (each.status === 'settled' && style.approveSettled);
  if (isAgain) return shown(context, 200, each);
  checkState(context, each, each.status === 'pending');
  const place = store.tradingAccount(each.trading_account_id)!;
  // TXS-3
  if (each.transaction_type === 'Withdrawal' && place.provider_payouts) {
    context.refuse(501, 'not_implemented', 'approve this withdrawal in the back office');
  }
  const settlesAfterMs = world.clock.lasts('settlement', each);
  const settles_ms = settlesAfterMs === null ? null : nowMs + settlesAfterMs;
  if (style.creditsAt === 'approved') bookMovement(world, each);
  const change = { status: 'approved', is_ftd: isFirstDeposit(context, each), settles_ms } as const;
  return shown(context, 200, changeStatus(world, each, change));
}

function checkState(context: Context, { status }: Transaction, isRight: boolean): void {
  if (!isRight) context.refuse(409, 'invalid_state', `the transaction is ${status}`);
}

/** TXS-2, NS-43 */
function isFirstDeposit({ store, style }: Context, each: Transaction): boolean {
  if (each.transaction_type !== 'Deposit') return false;
  if (each.method === 'Bonus' && !style.bonusIsDeposit) return false;
  const own = [...store.transactions()].filter((one) => one.account_id === each.account_id);
  return !own.some((one) => one.is_ftd);
}

/** TXS-14 */
function checkReason(context: Context): void {
  context.need(context.text('reason').trim() !== '', 'reason must not be empty', 'reason');
}

export function rejectTransaction(context: Context): Reply {
  const each = transactionOf(context);
  if (context.style.reasonBeforeState) checkReason(context);
  if (each.status === 'rejected') return shown(context, 200, each);
  checkState(context, each, each.status === 'pending');
  return ended(context, each, 'rejected');
}

export function cancelTransaction(context: Context): Reply {
  const { world, style, credential } = context;
  const each = transactionOf(context);
  const { status } = each;
  if (style.reasonBeforeState) checkReason(context);
  if (status === 'cancelled') return shown(context, 200, each);
  const isOpen = status === 'pending' || (status === 'approved' && style.cancelApproved);
  checkState(context, each, isOpen || status === 'settled');
  // TXS-11
  if (status === 'settled' && !credential.scopes.includes('transactions:amend')) {
    context.refuse(403, 'forbidden', 'this needs the scope transactions:amend as well');
  }
  checkReason(context);
  compensate(world, each);
  return ended(context, each, 'cancelled');
}

function ended(context: Context, each: Transaction, status: 'rejected' | 'cancelled'): Reply {
  checkReason(context);
  const { client_id: operator } = context.credential;
  const change = { status, reason: context.text('reason'), operator };
  return shown(context, 200, changeStatus(context.world, each, change));
}

/** NS-43: withdrawals and debits reduce the balance, whatever the sign of the amount. */
export function effectOf({ amount, transaction_type: type }: Transaction): string {
  const takes = type === 'Withdrawal' || type === 'Debit';
  return takes ? negated(absolute(amount)) : absolute(amount);
}

function bookMovement({ store, clock }: World, each: Transaction): void {
  const entry = { transaction_id: each.id, kind: 'movement', at_ms: clock.now() } as const;
  store.book(each.trading_account_id, { ...entry, amount: effectOf(each) });
}

/** TXS-10: its effect on the balance is reversed. */
function compensate({ store, clock }: World, { id, trading_account_id: place }: Transaction): void {
  const own = store.tradingAccount(place)!.entries.filter((each) => each.transaction_id === id);
  const amount = negated(sumOf(own.map((each) => each.amount)));
  if (isZero(amount)) return;
  store.book(place, { transaction_id: id, amount, kind: 'compensation', at_ms: clock.now() });
}

export function settle(world: World, each: Transaction): Transaction {
  if (each.status !== 'approved') return each;
  if (world.style.creditsAt === 'settled') bookMovement(world, each);
  return changeStatus(world, each, { status: 'settled' });
}

/** Sets a new state, and emits its event. */
export function changeStatus(
  world: World,
  each: Transaction,
  change: Pick<Transaction, 'status'> & Partial<Transaction>,
): Transaction {
  const changed_ms = world.clock.now();
  const changed = world.store.saveTransaction({ ...each, settles_ms: null, ...change, changed_ms });
  announce(world, changed, `transaction.${change.status}`);
  return changed;
}

function announce(world: World, each: Transaction, kind: string): void {
  const about = aboutOf(world.store.account(each.account_id)!);
  world.emit('transaction', kind, about, transactionBody(each));
}

export function listTransactions(context: Context): Reply {
  const { store, credential } = context;
  const seen = [...store.transactions()].filter((each) =>
    store.reaches(credential, store.account(each.account_id)!),
  );
  const rows = seen.map((each) => {
    const { id, account_id, ...rest } = transactionBody(each);
    return { record_id: BigInt(each.id), account_id: BigInt(each.account_id), ...rest };
  });
  return page(context, 'transactions', rows);
}
