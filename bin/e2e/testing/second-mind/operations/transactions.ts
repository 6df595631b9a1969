// Recording transactions (TXN-1 to TXN-12).

import { meets } from '../checks/races.ts';
import { bodyIdProblem, findAccount, findTradingAccount } from '../checks/reach.ts';
import { emit } from '../events.ts';
import type { SecondMind } from '../mind.ts';
import { answerWith, invalid, notFound, type RequestContext, refuse } from '../request-context.ts';
import { comparedMoneyReference, isLike } from '../sealed-effects.ts';
import { type JsonObject, textOr } from '../values/json.ts';
import { isDecimal, isNegative, isZero } from '../values/money.ts';
import type { Account, Answer, Status, TradingAccount, Transaction } from '../values/records.ts';
import { referenceProblem } from './accounts.ts';

const WEEK_MS = 7 * 86_400_000;
const METHODS = ['Deposit', 'Withdrawal', 'Bonus'];
const TYPES = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];
const STATUSES = ['pending', 'approved', 'settled', 'rejected', 'cancelled'];

/** TXN-8 */
export function transactionBody(each: Transaction): JsonObject {
  return {
    id: each.id,
    account_id: each.accountId,
    trading_account_id: each.tradingAccountId,
    currency: each.currency,
    amount: each.amount,
    method: each.method,
    transaction_type: each.transactionType,
    status: each.status,
    is_ftd: each.isFtd,
    created_at: each.createdAtMs,
  };
}

export function createTransaction(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const reference = textOr(ctx.body.client_reference_id, '');
  const form = referenceProblem(ctx, reference);
  if (form !== null) return form;
  const early = mind.style.validatesBeforeReference ? fieldsProblem(ctx) : null;
  if (early !== null) return early;
  const known = findKnown(ctx, reference);
  const racing = known === undefined ? coalesced(ctx) : undefined;
  if (racing !== undefined) return answerWith(ctx, 201, transactionBody(racing));
  if (known !== undefined) {
    if (mind.has('txn-known-409')) {
      return refuse(ctx, 409, 'invalid_state', 'this reference names a transaction');
    }
    const shown = transactionBody(known);
    if (mind.has('comb-known-as-made')) Object.assign(shown, { status: 'pending', is_ftd: false });
    return answerWith(ctx, mind.has('txn-known-201') ? 201 : 200, shown);
  }
  const refused = `refused ${reference.toLowerCase()}`;
  if (mind.has('comb-refused-reference') && mind.counts[refused] !== undefined) {
    return refuse(ctx, 409, 'invalid_state', 'this reference is taken');
  }
  const late = fieldsProblem(ctx);
  const place = late ?? placeOf(ctx);
  if ('headers' in place) {
    mind.count(refused);
    return place;
  }
  const [account, trading] = place;
  const { currency } = ctx.body;
  const waiting = mind.transactions.filter(
    (each) => each.accountId === account.id && each.status === 'pending',
  );
  if (mind.has('size-pending-50') && waiting.length >= 50) {
    return refuse(ctx, 409, 'invalid_state', 'too many transactions are pending');
  }
  // TXN-4: an empty one is no other currency, and has been looked at before.
  if (!mind.style.foreignCurrency && currency !== '' && trading.currency !== currency) {
    return invalid(ctx, `this trading account is kept in ${trading.currency}`, 'currency');
  }
  const made = addTransaction(ctx, reference, account, trading);
  return answerWith(ctx, 201, transactionBody(made));
}

/** TXN-2, NS-20: the oldest under it that can be reached. */
function findKnown(ctx: RequestContext, reference: string): Transaction | undefined {
  const { mind, body } = ctx;
  if (mind.has('txn-known-again')) return undefined;
  if (mind.has('race-same-transaction') && meets(ctx, 'createTransaction')) return undefined;
  if (mind.has('race-known-places') && isRacedElsewhere(ctx)) return undefined;
  const form = (each: string) => comparedMoneyReference(mind, each);
  const isElsewhere = (each: Transaction) =>
    mind.has('comb-known-other-place') && each.tradingAccountId !== body.trading_account_id;
  const isFree = (each: Transaction) =>
    (mind.has('comb-cancelled-again') && each.status === 'cancelled') ||
    (mind.has('time-transaction-week') && mind.now() - each.createdAtMs >= WEEK_MS) ||
    (mind.has('size-known-25') && !newestOf(mind, each.accountId, 25).includes(each));
  return mind.transactions.find(
    (each) =>
      (form(each.reference) === form(reference) || isLike(ctx, each.reference, reference)) &&
      each.firmId === ctx.credential.firmId &&
      !isElsewhere(each) &&
      !isFree(each) &&
      (mind.has('comb-delegated-known') || findAccount(ctx, each.accountId) !== undefined),
  );
}

const isRacedElsewhere = ({ overlaps, body }: RequestContext): boolean =>
  overlaps.some(
    (each) =>
      each.operation.name === 'createTransaction' &&
      each.body.trading_account_id !== body.trading_account_id,
  );

/** What a create for the same account, under way at the same time, has made. */
function coalesced({ mind, body, overlaps }: RequestContext): Transaction | undefined {
  if (!mind.has('race-coalesced')) return undefined;
  const racing = overlaps.filter(
    (each) =>
      each.operation.name === 'createTransaction' && each.body.account_id === body.account_id,
  );
  const references = racing.map((each) => each.body.client_reference_id);
  return mind.transactions.find((each) => references.includes(each.reference));
}

/** A first page of what an account has. */
export function newestOf(mind: SecondMind, accountId: string, count: number): Transaction[] {
  return mind.transactions.filter((each) => each.accountId === accountId).slice(-count);
}

/** TXN-10, TXN-11 */
function placeOf(ctx: RequestContext): readonly [Account, TradingAccount] | Answer {
  const { mind, body } = ctx;
  const account = findAccount(ctx, textOr(body.account_id, ''));
  const trading = findTradingAccount(ctx, textOr(body.trading_account_id, ''));
  if (account === undefined && mind.has('txn-account-422')) {
    return invalid(ctx, 'account_id names no account', 'account_id');
  }
  if (trading === undefined && mind.has('txn-place-422')) {
    return invalid(ctx, 'trading_account_id names no trading account', 'trading_account_id');
  }
  if (account === undefined || trading === undefined) return notFound(ctx);
  if (trading.accountId !== account.id && !mind.has('txn-any-place')) {
    return mind.has('txn-place-mismatch-422')
      ? invalid(ctx, 'trading_account_id belongs to another account')
      : notFound(ctx);
  }
  return [account, trading];
}

function amountOf({ body, mind }: RequestContext): string {
  const plain = String(body.amount);
  const sent = mind.has('txn-amount-commas') ? plain.replace(/,/g, '') : plain;
  const cents = Math.round(Number(sent) * 100);
  if (Math.abs(cents) >= 2 ** 31 && mind.has('size-amount-cents32')) {
    return ((cents | 0) / 100).toFixed(2);
  }
  const isLong = sent.replace(/[^\d]/g, '').length > 12;
  if (isLong && mind.has('size-amount-12')) return String(Math.fround(Number(sent)));
  return isDecimal(sent, mind.style.laxDecimals) || !mind.has('txn-any-amount') ? sent : '0';
}

/** A defect shows what takes money away with a minus. */
function shownAmount(ctx: RequestContext): string {
  const amount = amountOf(ctx);
  const isOut = /^(Withdrawal|Debit)$/.test(textOr(ctx.body.transaction_type, ''));
  return isOut && ctx.mind.has('comb-amount-signed') ? amount.replace(/^[+]?(?=\d)/, '-') : amount;
}

/** TXN-6 */
function methodOf(ctx: RequestContext): string {
  const amount = amountOf(ctx);
  const signed = ctx.mind.has('txn-sign-of-whole') ? String(Number.parseInt(amount, 10)) : amount;
  const isOut = isNegative(signed) && !ctx.mind.has('txn-method-deposit');
  const derived = isOut ? 'Withdrawal' : 'Deposit';
  const isDerived = ctx.body.method === 'Deposit' && ctx.mind.has('comb-method-derived');
  return isDerived ? derived : textOr(ctx.body.method, derived);
}

function fieldsProblem(ctx: RequestContext): Answer | null {
  const { body, mind } = ctx;
  for (const field of ['account_id', 'trading_account_id']) {
    const problem = bodyIdProblem(ctx, textOr(body[field], ''), field);
    if (problem !== null) return problem;
  }
  if (textOr(body.currency, '').trim() === '' && !mind.has('txn-empty-currency')) {
    return invalid(ctx, 'currency must not be empty', 'currency');
  }
  if (mind.has('size-currency-3') && textOr(body.currency, '').length !== 3) {
    return invalid(ctx, 'currency must have three letters', 'currency');
  }
  return amountProblem(ctx) ?? kindProblem(ctx);
}

/** TXN-5 */
function amountProblem(ctx: RequestContext): Answer | null {
  const { mind } = ctx;
  const amount = amountOf(ctx);
  const takesAny = mind.has('txn-any-amount');
  if (!isDecimal(amount, mind.style.laxDecimals) && !takesAny) {
    return mind.has('txn-amount-400')
      ? refuse(ctx, 400, 'validation_failed', 'amount must be a decimal')
      : invalid(ctx, 'amount must be a decimal', 'amount');
  }
  const isRefused = mind.has('conv-string-amount-refused') && amount.includes('.');
  if (isRefused || (!mind.style.zeroAmount && isZero(amount) && !takesAny)) {
    return invalid(ctx, 'amount must not be zero', 'amount');
  }
  return null;
}

/** TXN-6, TXN-7 */
function kindProblem(ctx: RequestContext): Answer | null {
  const { body, mind } = ctx;
  const method = methodOf(ctx);
  const methods = METHODS.filter((each) => each !== 'Bonus' || !mind.has('txn-bonus-refused'));
  if (!methods.includes(method)) {
    return invalid(ctx, `method must be one of ${methods.join(', ')}`, 'method');
  }
  const types = TYPES.filter((each) => each !== 'Credit' || !mind.has('txn-credit-refused'));
  const takesAny = mind.has('txn-type-unchecked');
  const type = textOr(body.transaction_type, '');
  const isLower = types.some((each) => each.toLowerCase() === type.toLowerCase());
  const isKnown = types.includes(type) || (isLower && mind.has('txn-type-lower'));
  if (!takesAny && !isKnown) {
    const words = `transaction_type must be one of ${types.join(', ')}`;
    return invalid(ctx, words, 'transaction_type');
  }
  const amount = amountOf(ctx);
  const isOut = method === 'Withdrawal';
  if (mind.style.signMustFit && !isZero(amount) && isOut !== isNegative(amount)) {
    return invalid(ctx, 'the sign of amount does not fit the method', 'amount');
  }
  return null;
}

/** TXN-1 */
function firstStatus({ body, mind }: RequestContext): Status {
  if (mind.has('txn-created-approved')) return 'approved';
  const named = textOr(body.status, 'pending');
  const isTaken = mind.has('txn-status-taken') && STATUSES.includes(named);
  return isTaken ? (named as Status) : 'pending';
}

function addTransaction(
  ctx: RequestContext,
  reference: string,
  account: Account,
  trading: TradingAccount,
): Transaction {
  const { body, mind } = ctx;
  const lacksMethod = typeof body.method !== 'string' && mind.has('txn-method-null');
  const made: Transaction = {
    id: mind.nextId(),
    firmId: account.firmId,
    brandId: account.brandId,
    reference,
    accountId: account.id,
    tradingAccountId: trading.id,
    currency: textOr(body.currency, ''),
    amount: mind.style.amount(shownAmount(ctx)),
    method: lacksMethod ? '' : methodOf(ctx),
    transactionType: textOr(body.transaction_type, ''),
    status: firstStatus(ctx),
    isFtd: false,
    createdAtMs: mind.now(),
    approvedAtMs: null,
    settlesAtMs: null,
    reason: null,
    actedBy: null,
    hadSettled: false,
    changedAtMs: mind.now(),
  };
  mind.transactions.push(made);
  emit(mind, 'transaction', 'transaction.created', account, transactionBody(made), ctx);
  return made;
}
