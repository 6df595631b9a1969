// Recording transactions, and deciding them (TXN, TXS).
import type { Account, Reply, TradingAccount, Transaction } from '../records.ts';
import { invalid, notFound, refuse, replyWith } from '../replies.ts';
import {
  announce,
  bookMovement,
  changeStatus,
  compensate,
  effectOf,
  transactionBody,
} from '../settlement.ts';
import type { Context } from '../types.ts';
import { isDecimal, isNegative, isZero, textOr } from '../values.ts';
import { referenceProblem } from './accounts.ts';
import { findAccount, findTradingAccount, idProblem, plainId } from './ids.ts';

const METHODS = ['Deposit', 'Withdrawal', 'Bonus'];
const TYPES = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];

const shown = (context: Context, status: number, each: Transaction): Reply =>
  replyWith(context, status, transactionBody(each));

export function createTransaction(context: Context): Reply {
  const { world, body } = context;
  const { store, style, clock } = world;
  const reference = textOr(body.client_reference_id, '');
  const wrongReference = referenceProblem(context, reference);
  if (wrongReference !== null) return wrongReference;
  // NS-56
  const early = style.validatesBeforeReference ? fieldsProblem(context) : null;
  if (early !== null) return early;
  const known = store.transactionByReference(context, reference);
  if (known !== undefined) return shown(context, 200, known);
  const late = fieldsProblem(context);
  if (late !== null) return late;
  const place = placeOf(context);
  if (place === undefined) return notFound(context);
  const currency = textOr(body.currency, '');
  if (!style.foreignCurrency && currency !== place.currency) {
    return invalid(context, `currency must be ${place.currency}`, 'currency');
  }
  const transaction = store.saveTransaction(
    {
      id: store.nextId(),
      account_id: place.account_id,
      trading_account_id: place.id,
      currency,
      amount: style.amount(String(body.amount)),
      method: methodOf(context),
      transaction_type: textOr(body.transaction_type, ''),
      status: 'pending',
      is_ftd: false,
      created_at: clock.now(),
      client_reference_id: reference,
      settles_ms: null,
      changed_ms: clock.now(),
      reason: null,
      operator: null,
    },
    context,
  );
  announce(world, transaction, 'transaction.created');
  return shown(context, 201, transaction);
}

/** TXN-6 */
function methodOf({ body }: Context): string {
  return textOr(body.method, isNegative(String(body.amount)) ? 'Withdrawal' : 'Deposit');
}

/** TXN-4 to TXN-7 */
function fieldsProblem(context: Context): Reply | null {
  const { body, world } = context;
  const { laxDecimals, zeroAmount, signMustFit } = world.style;
  const amount = String(body.amount);
  const method = methodOf(context);
  for (const field of ['account_id', 'trading_account_id']) {
    const oddId = idProblem(context, textOr(body[field], ''), field);
    if (oddId !== null) return oddId;
  }
  if (textOr(body.currency, '').trim() === '') {
    return invalid(context, 'currency must not be empty', 'currency');
  }
  if (!isDecimal(amount, laxDecimals))
    return invalid(context, 'amount must be a decimal', 'amount');
  if (!zeroAmount && isZero(amount)) return invalid(context, 'amount must not be zero', 'amount');
  if (!METHODS.includes(method)) {
    return invalid(context, `method must be one of ${METHODS.join(', ')}`, 'method');
  }
  if (!TYPES.includes(textOr(body.transaction_type, ''))) {
    const words = `transaction_type must be one of ${TYPES.join(', ')}`;
    return invalid(context, words, 'transaction_type');
  }
  if (signMustFit && !isZero(amount) && (method === 'Withdrawal') !== isNegative(amount)) {
    return invalid(context, 'the sign of amount does not fit the method', 'amount');
  }
  return null;
}

/** TXN-10, TXN-11 */
function placeOf(context: Context): TradingAccount | undefined {
  const account = findAccount(context, textOr(context.body.account_id, ''));
  const place = findTradingAccount(context, textOr(context.body.trading_account_id, ''));
  return account !== undefined && place?.account_id === account.id ? place : undefined;
}

/** TXS-15, TXS-16: the transaction of the path, if it belongs to the account of the query. */
function findTransaction(context: Context): Transaction | Reply {
  const { world, pathId, query } = context;
  const accountId = query.get('account_id');
  if (accountId === null) return invalid(context, 'the query needs account_id', 'account_id');
  const oddId = idProblem(context, pathId, 'id') ?? idProblem(context, accountId, 'account_id');
  if (oddId !== null) return oddId;
  const account: Account | undefined = findAccount(context, accountId);
  const found = world.store.transaction(plainId(world, pathId));
  const isIts = account !== undefined && found?.account_id === account.id;
  return isIts ? found : notFound(context);
}

const isReply = (found: Transaction | Reply): found is Reply => 'headers' in found;

function refusedByState(context: Context, { status }: Transaction): Reply {
  return refuse(context, 409, 'invalid_state', `the transaction is ${status}`);
}

export function approveTransaction(context: Context): Reply {
  const { world } = context;
  const { style, store, clock } = world;
  const each = findTransaction(context);
  if (isReply(each)) return each;
  const isAgain = each.status === 'approved' || (each.status === 'settled' && style.approveSettled);
  if (isAgain) return shown(context, 200, each);
  if (each.status !== 'pending') return refusedByState(context, each);
  const place = store.tradingAccount(each.trading_account_id)!;
  // TXS-3
  if (each.transaction_type === 'Withdrawal' && place.provider_payouts) {
    return refuse(context, 501, 'not_implemented', 'approve this withdrawal in the back office');
  }
  const settlesAfterMs = clock.lasts('settlement', each);
  const change = {
    status: 'approved' as const,
    is_ftd: isFirstDeposit(context, each),
    settles_ms: settlesAfterMs === null ? null : clock.now() + settlesAfterMs,
  };
  if (style.creditsAt === 'approved') bookMovement(world, each, effectOf(each));
  return shown(context, 200, changeStatus(world, each, change));
}

/** TXS-2, NS-43 */
function isFirstDeposit({ world }: Context, each: Transaction): boolean {
  if (each.transaction_type !== 'Deposit') return false;
  if (each.method === 'Bonus' && !world.style.bonusIsDeposit) return false;
  for (const one of world.store.transactions()) {
    if (one.account_id === each.account_id && one.is_ftd) return false;
  }
  return true;
}

/** TXS-14 */
function reasonProblem(context: Context): Reply | null {
  const isEmpty = textOr(context.body.reason, '').trim() === '';
  return isEmpty ? invalid(context, 'reason must not be empty', 'reason') : null;
}

export function rejectTransaction(context: Context): Reply {
  const each = findTransaction(context);
  if (isReply(each)) return each;
  const early = context.world.style.reasonBeforeState ? reasonProblem(context) : null;
  if (early !== null) return early;
  if (each.status === 'rejected') return shown(context, 200, each);
  if (each.status !== 'pending') return refusedByState(context, each);
  return reasonProblem(context) ?? end(context, each, 'rejected');
}

export function cancelTransaction(context: Context): Reply {
  const { world, credential } = context;
  const each = findTransaction(context);
  if (isReply(each)) return each;
  const early = world.style.reasonBeforeState ? reasonProblem(context) : null;
  if (early !== null) return early;
  const { status } = each;
  if (status === 'cancelled') return shown(context, 200, each);
  const isOpen = status === 'pending' || (status === 'approved' && world.style.cancelApproved);
  if (!isOpen && status !== 'settled') return refusedByState(context, each);
  // TXS-11
  if (status === 'settled' && !credential.scopes.includes('transactions:amend')) {
    return refuse(context, 403, 'forbidden', 'this needs the scope transactions:amend as well');
  }
  const problem = reasonProblem(context);
  if (problem !== null) return problem;
  compensate(world, each);
  return end(context, each, 'cancelled');
}

function end(context: Context, each: Transaction, status: 'rejected' | 'cancelled'): Reply {
  const { world, credential, body } = context;
  const own = { reason: textOr(body.reason, ''), operator: credential.client_id };
  return shown(context, 200, changeStatus(world, each, { status, ...own }));
}
