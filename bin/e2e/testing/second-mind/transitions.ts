// Approving, rejecting and cancelling transactions (TXS-1 to TXS-19).
import { textOr } from './json.ts';
import { plainId } from './keys.ts';
import { isZero, negated, sumOf } from './money.ts';
import { announce, book, effectOf, tradingAccountOf } from './money-moves.ts';
import { findAccount, idProblem } from './reach.ts';
import type { Answer, Transaction } from './records.ts';
import { answerWith, invalid, notFound, type RequestContext, refuse } from './request-context.ts';
import { transactionBody } from './transactions.ts';

/** The transaction of the path, where it is one of the account in the query. */
function find(ctx: RequestContext): Transaction | Answer {
  const accountId = ctx.query.get('account_id');
  if (accountId === null) return invalid(ctx, 'the query needs account_id', 'account_id');
  const problem = idProblem(ctx, ctx.pathId, 'id') ?? idProblem(ctx, accountId, 'account_id');
  if (problem !== null) return problem;
  const account = findAccount(ctx, accountId);
  const wanted = plainId(ctx, ctx.pathId);
  const found = ctx.mind.transactions.find((each) => each.id === wanted);
  const isOfAccount = account !== undefined && found?.accountId === account.id;
  return isOfAccount ? found : notFound(ctx);
}

function isAnswer(found: Transaction | Answer): found is Answer {
  return 'headers' in found;
}

const shown = (ctx: RequestContext, each: Transaction) =>
  answerWith(ctx, 200, transactionBody(each));

function refusedByState(ctx: RequestContext, each: Transaction): Answer {
  return refuse(ctx, 409, 'invalid_state', `the transaction is ${each.status}`);
}

export function approve(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const each = find(ctx);
  if (isAnswer(each)) return each;
  if (each.status === 'approved') return shown(ctx, each);
  if (each.status === 'settled' && mind.style.approveSettled) return shown(ctx, each);
  if (each.status !== 'pending') return refusedByState(ctx, each);
  // TXS-3
  const paysOut = each.transactionType === 'Withdrawal';
  if (paysOut && tradingAccountOf(mind, each).providerPayouts) {
    return refuse(ctx, 501, 'not_implemented', 'approve this withdrawal in the back office');
  }
  each.status = 'approved';
  each.approvedAtMs = mind.now();
  const { settlesAfterMs, creditsAt } = mind.style;
  if (settlesAfterMs !== null) each.settlesAtMs = mind.now() + settlesAfterMs;
  // TXS-2
  const others = mind.transactions.filter((one) => one.accountId === each.accountId && one.isFtd);
  if (isDeposit(ctx, each) && others.length === 0) each.isFtd = true;
  if (creditsAt === 'approved') book(mind, each, effectOf(each), 'movement');
  announce(mind, each, 'transaction.approved');
  return shown(ctx, each);
}

/** NS-43 */
function isDeposit({ mind }: RequestContext, each: Transaction): boolean {
  if (each.transactionType !== 'Deposit') return false;
  return mind.style.bonusIsDeposit || each.method !== 'Bonus';
}

/** TXS-14 */
function reasonProblem(ctx: RequestContext): Answer | null {
  if (textOr(ctx.body.reason, '').trim() !== '') return null;
  return invalid(ctx, 'reason must not be empty', 'reason');
}

export function reject(ctx: RequestContext): Answer {
  const each = find(ctx);
  if (isAnswer(each)) return each;
  if (each.status === 'rejected') return shown(ctx, each);
  if (each.status !== 'pending') return refusedByState(ctx, each);
  return reasonProblem(ctx) ?? end(ctx, each, 'rejected');
}

function end(ctx: RequestContext, each: Transaction, status: 'rejected' | 'cancelled'): Answer {
  each.status = status;
  each.settlesAtMs = null;
  each.reason = textOr(ctx.body.reason, '');
  each.actedBy = ctx.credential.clientId;
  announce(ctx.mind, each, `transaction.${status}`);
  return shown(ctx, each);
}

export function cancel(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const each = find(ctx);
  if (isAnswer(each)) return each;
  if (each.status === 'cancelled') return shown(ctx, each);
  const isOpen =
    each.status === 'pending' || (each.status === 'approved' && mind.style.cancelApproved);
  if (!isOpen && each.status !== 'settled') return refusedByState(ctx, each);
  // TXS-11
  if (each.status === 'settled' && !ctx.credential.scopes.includes('transactions:amend')) {
    return refuse(ctx, 403, 'forbidden', 'this needs the scope transactions:amend as well');
  }
  const problem = reasonProblem(ctx);
  if (problem !== null) return problem;
  compensate(ctx, each);
  return end(ctx, each, 'cancelled');
}

/** TXS-10: what it has brought to the balance is taken back. */
function compensate({ mind }: RequestContext, each: Transaction): void {
  const own = tradingAccountOf(mind, each).entries.filter((one) => one.transactionId === each.id);
  const brought = sumOf(own.map((one) => one.amount));
  if (!isZero(brought)) book(mind, each, negated(brought), 'compensation');
}
