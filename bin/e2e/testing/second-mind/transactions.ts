// Recording transactions.
import { referenceProblem } from './accounts.ts';
import { emit } from './events.ts';
import { type JsonObject, textOr } from './json.ts';
import { isDecimal, isNegative, isZero } from './money.ts';
import { findAccount, findTradingAccount, idProblem } from './reach.ts';
import type { Account, Answer, TradingAccount, Transaction } from './records.ts';
import { answerWith, invalid, notFound, type RequestContext } from './request-context.ts';

const METHODS = ['Deposit', 'Withdrawal', 'Bonus'];
const TYPES = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];

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
  // TXN-2, NS-20: the oldest under it that can be reached.
  const known = mind.transactions.find(
    (each) =>
      each.reference.toLowerCase() === reference.toLowerCase() &&
      findAccount(ctx, each.accountId) !== undefined,
  );
  if (known !== undefined) return answerWith(ctx, 200, transactionBody(known));
  const late = fieldsProblem(ctx);
  if (late !== null) return late;
  const account = findAccount(ctx, textOr(ctx.body.account_id, ''));
  const trading = findTradingAccount(ctx, textOr(ctx.body.trading_account_id, ''));
  if (account === undefined || trading === undefined) return notFound(ctx);
  if (trading.accountId !== account.id) return notFound(ctx);
  if (!mind.style.foreignCurrency && trading.currency !== ctx.body.currency) {
    return invalid(ctx, `this trading account is kept in ${trading.currency}`, 'currency');
  }
  const made = addTransaction(ctx, reference, account, trading);
  return answerWith(ctx, 201, transactionBody(made));
}

function amountOf({ body }: RequestContext): string {
  return String(body.amount);
}

/** TXN-6 */
function methodOf(ctx: RequestContext): string {
  return textOr(ctx.body.method, isNegative(amountOf(ctx)) ? 'Withdrawal' : 'Deposit');
}

function fieldsProblem(ctx: RequestContext): Answer | null {
  const { body, mind } = ctx;
  const amount = amountOf(ctx);
  for (const field of ['account_id', 'trading_account_id']) {
    const problem = idProblem(ctx, textOr(body[field], ''), field);
    if (problem !== null) return problem;
  }
  if (textOr(body.currency, '').trim() === '') {
    return invalid(ctx, 'currency must not be empty', 'currency');
  }
  if (!isDecimal(amount, mind.style.laxDecimals)) {
    return invalid(ctx, 'amount must be a decimal', 'amount');
  }
  if (!mind.style.zeroAmount && isZero(amount)) {
    return invalid(ctx, 'amount must not be zero', 'amount');
  }
  if (!METHODS.includes(methodOf(ctx))) {
    return invalid(ctx, `method must be one of ${METHODS.join(', ')}`, 'method');
  }
  if (!TYPES.includes(textOr(body.transaction_type, ''))) {
    const words = `transaction_type must be one of ${TYPES.join(', ')}`;
    return invalid(ctx, words, 'transaction_type');
  }
  const isOut = methodOf(ctx) === 'Withdrawal';
  if (mind.style.signMustFit && !isZero(amount) && isOut !== isNegative(amount)) {
    return invalid(ctx, 'the sign of amount does not fit the method', 'amount');
  }
  return null;
}

function addTransaction(
  ctx: RequestContext,
  reference: string,
  account: Account,
  trading: TradingAccount,
): Transaction {
  const { body, mind } = ctx;
  const made: Transaction = {
    id: mind.nextId(),
    firmId: account.firmId,
    brandId: account.brandId,
    reference,
    accountId: account.id,
    tradingAccountId: trading.id,
    currency: textOr(body.currency, ''),
    amount: mind.style.amount(amountOf(ctx)),
    method: methodOf(ctx),
    transactionType: textOr(body.transaction_type, ''),
    status: 'pending',
    isFtd: false,
    createdAtMs: mind.now(),
    approvedAtMs: null,
    settlesAtMs: null,
    reason: null,
    actedBy: null,
  };
  mind.transactions.push(made);
  emit(mind, 'transaction', 'transaction.created', account, transactionBody(made));
  return made;
}
