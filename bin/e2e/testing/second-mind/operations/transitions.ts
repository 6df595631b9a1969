// Approving, rejecting and cancelling transactions (TXS-1 to TXS-19).

import { meets } from '../checks/races.ts';
import { findAccount, idProblem } from '../checks/reach.ts';
import type { SecondMind } from '../mind.ts';
import {
  answerWith,
  invalid,
  notFound,
  plainId,
  type RequestContext,
  refuse,
} from '../request-context.ts';
import { textOr } from '../values/json.ts';
import { negated } from '../values/money.ts';
import { type Answer, PROFILE, type Status, type Transaction } from '../values/records.ts';
import { isFirstDeposit } from './first-deposits.ts';
import { announce, book, effectOf, tradingAccountOf } from './money-moves.ts';
import { compensate } from './reversals.ts';
import { newestOf, transactionBody } from './transactions.ts';

const DAY_MS = 86_400_000;

/** The transaction of the path, where it is one of the account in the query. */
function find(ctx: RequestContext): Transaction | Answer {
  const { mind } = ctx;
  const wanted = plainId(ctx, ctx.pathId);
  const found = mind.transactions.find((each) => each.id === wanted);
  const given = ctx.query.get('account_id');
  const isOptional = mind.has('txs-account-optional');
  const isBlank = given === '' && mind.has('txs-account-empty');
  const accountId = isBlank
    ? (found?.accountId ?? '')
    : (given ?? (isOptional ? (found?.accountId ?? '') : null));
  if (accountId === null) return invalid(ctx, 'the query needs account_id', 'account_id');
  const odd = oddIdProblem(ctx, accountId);
  if (odd !== null) return odd;
  const account = findAccount(ctx, accountId) ?? unreached(ctx, accountId);
  const isOfAccount =
    found?.accountId === account?.id ||
    (mind.has('txs-account-unchecked') &&
      found !== undefined &&
      findAccount(ctx, found.accountId) !== undefined);
  const isOut =
    found !== undefined &&
    mind.has('size-decide-20') &&
    !newestOf(mind, found.accountId, 20).includes(found);
  if (isOut) return notFound(ctx);
  if (account !== undefined && found !== undefined && isOfAccount) return found;
  const isOver = found?.status === 'approved' && ctx.operation.name === 'approveTransaction';
  if (isOver && account !== undefined && mind.has('comb-approve-again-any')) return found;
  const isForeign = found !== undefined && found.firmId !== ctx.credential.firmId;
  if (found === undefined && mind.has('txs-unknown-409')) {
    return refuse(ctx, 409, 'invalid_state', 'there is no such transaction');
  }
  if (isForeign && mind.has('auth-firm-409')) {
    return refuse(ctx, 409, 'invalid_state', `the transaction is ${found.status}`);
  }
  return notFound(ctx);
}

/** A defect in who may reject. */
function unreached({ mind, operation, credential }: RequestContext, accountId: string) {
  const isOpen = credential.kind === 'delegated' && operation.name === 'rejectTransaction';
  if (!isOpen || !mind.has('comb-delegated-rejects')) return undefined;
  return mind.accounts.find(({ id, firmId }) => id === accountId && firmId === credential.firmId);
}

function oddIdProblem(ctx: RequestContext, accountId: string): Answer | null {
  const { mind } = ctx;
  const inPath = idProblem(ctx, ctx.pathId, 'id');
  if (inPath !== null) return mind.has('conv-odd-path-id-404') ? notFound(ctx) : inPath;
  const inQuery = idProblem(ctx, accountId, 'account_id');
  return inQuery !== null && mind.has('txs-account-any-text') ? notFound(ctx) : inQuery;
}

function isAnswer(found: Transaction | Answer): found is Answer {
  return 'headers' in found;
}

const shown = (ctx: RequestContext, each: Transaction) =>
  answerWith(ctx, 200, transactionBody(each));

function refusedByState(ctx: RequestContext, each: Transaction): Answer {
  const words = `the transaction is ${each.status}`;
  if (ctx.mind.has('txs-refused-422')) return invalid(ctx, words);
  return refuse(ctx, 409, 'invalid_state', words);
}

/** Whether another act on this transaction was under way at the same time. */
function isRaced(ctx: RequestContext, ...operations: string[]): boolean {
  const isSame = ctx.overlaps.some((each) => each.pathId === ctx.pathId);
  return isSame && meets(ctx, ...operations);
}

/** Another end that was on its way at the same time has come first. */
function isRacedTo(end: Status, ctx: RequestContext, { status }: Transaction): boolean {
  if (status !== end || !ctx.mind.has('race-reject-cancel')) return false;
  return isRaced(ctx, 'rejectTransaction', 'cancelTransaction');
}

function isLocked({ mind }: RequestContext, { id }: Transaction): boolean {
  return mind.has('comb-501-locks') && mind.counts[`refused ${id}`] !== undefined;
}

const isOld = (mind: SecondMind, { changedAtMs }: Transaction): boolean =>
  mind.now() - changedAtMs >= 30 * DAY_MS;

export function approve(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const each = find(ctx);
  if (isAnswer(each)) return each;
  const again = approveAgain(ctx, each);
  if (again !== null) return again;
  const refusal = providerProblem(ctx, each);
  if (refusal !== null) return refusal;
  each.status = 'approved';
  each.approvedAtMs = mind.now();
  each.changedAtMs = mind.now();
  const { settlesAfterMs, creditsAt } = mind.style;
  if (settlesAfterMs !== null) each.settlesAtMs = mind.now() + settlesAfterMs;
  if (isFirstDeposit(ctx, each)) each.isFtd = true;
  if (creditsAt === 'approved') book(mind, each, effectOf(each), 'movement');
  announce(mind, each, 'transaction.approved');
  if (mind.has('race-approve-saves')) undoUpdate(ctx, each);
  return shown(ctx, each);
}

/** The account is as it was before an update that has come in between. */
function undoUpdate({ mind, overlaps }: RequestContext, { accountId }: Transaction): void {
  const account = mind.accounts.find(({ id }) => id === accountId);
  const isChanged = overlaps.some(
    (each) => each.operation.name === 'updateAccount' && !mind.underway.includes(each),
  );
  if (account?.before === undefined || !isChanged) return;
  const { before } = account;
  for (const name of [...PROFILE, 'status'] as const) account[name] = before[name] as string;
}

/** TXS-4, TXS-5, NS-4: what is not pending any more; null where it is. */
function approveAgain(ctx: RequestContext, each: Transaction): Answer | null {
  const { mind } = ctx;
  const { status } = each;
  const isExpired = mind.has('time-pending-expires') && isOld(mind, each);
  if (status === 'pending') return isExpired ? refusedByState(ctx, each) : null;
  if (status === 'rejected' && mind.has('txs-approve-rejected')) return null;
  if (status === 'rejected' && mind.has('time-rejected-reopens') && isOld(mind, each)) return null;
  if (mind.has('race-approve-reject') && isRaced(ctx, 'rejectTransaction')) return null;
  const isLate = status === 'cancelled' && isRaced(ctx, 'cancelTransaction');
  if (isLate && mind.has('race-approve-cancel')) return null;
  if (status === 'cancelled' && mind.has('txs-approve-cancelled-200')) return shown(ctx, each);
  if (status === 'settled' && mind.style.approveSettled) return shown(ctx, each);
  if (status !== 'approved') return refusedByState(ctx, each);
  if (mind.has('txs-approve-twice-409')) return refusedByState(ctx, each);
  const isRace = mind.has('race-approve-credits') && isRaced(ctx, 'approveTransaction');
  if (isRace || mind.has('txs-approve-twice-credits')) {
    book(mind, each, effectOf(each), 'movement');
  }
  if (mind.has('comb-ftd-approve-again')) each.isFtd = false;
  return shown(ctx, each);
}

/** TXS-3, TXS-18 */
function providerProblem(ctx: RequestContext, each: Transaction): Answer | null {
  const { mind } = ctx;
  if (each.transactionType !== 'Withdrawal') return null;
  const isOpened = mind.has('time-provider-opens') && mind.now() - each.createdAtMs >= DAY_MS;
  const isProvider = tradingAccountOf(mind, each).providerPayouts && !isOpened;
  const isRefused = isProvider && !mind.has('txs-provider-approved');
  if (!isRefused && !mind.has('txs-no-withdrawals')) return null;
  if (mind.has('txs-provider-moves')) each.status = 'approved';
  mind.count(`refused ${each.id}`);
  const words = 'approve this withdrawal in the back office';
  return mind.has('txs-provider-422')
    ? invalid(ctx, words)
    : refuse(ctx, 501, 'not_implemented', words);
}

/** TXS-14 */
function reasonProblem(ctx: RequestContext): Answer | null {
  const { mind } = ctx;
  const reason = textOr(ctx.body.reason, '');
  if (reason.length > 255 && mind.has('size-reason-255')) {
    return invalid(ctx, 'reason is too long', 'reason');
  }
  if (mind.has('size-reason-3') && reason.trim().length < 3) {
    return invalid(ctx, 'reason is too short', 'reason');
  }
  if (reason.trim() !== '' || mind.has('txs-empty-reason')) return null;
  return invalid(ctx, 'reason must not be empty', 'reason');
}

export function reject(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const each = find(ctx);
  if (isAnswer(each)) return each;
  if (each.status === 'rejected') {
    const isCold = mind.has('time-reject-again-day') && mind.now() - each.changedAtMs >= DAY_MS;
    const isLoser = mind.has('race-reject-twice') && isRaced(ctx, 'rejectTransaction');
    if (isCold || isLoser || mind.has('txs-reject-twice-409')) return refusedByState(ctx, each);
    if (mind.has('txs-reject-overwrites')) each.reason = textOr(ctx.body.reason, '');
    return shown(ctx, each);
  }
  const isRace = mind.has('race-approve-reject') && isRaced(ctx, 'approveTransaction');
  const isOpen =
    each.status === 'pending' ||
    isRace ||
    (each.status === 'cancelled' && mind.has('txs-reject-cancelled')) ||
    isRacedTo('cancelled', ctx, each);
  if (!isOpen || isLocked(ctx, each)) return refusedByState(ctx, each);
  const problem = reasonProblem(ctx);
  if (problem !== null || mind.has('txs-reject-nothing')) return problem ?? shown(ctx, each);
  return end(ctx, each, 'rejected');
}

function end(ctx: RequestContext, each: Transaction, status: 'rejected' | 'cancelled'): Answer {
  const { mind } = ctx;
  const hadSettled = each.status === 'settled';
  each.status = status;
  each.settlesAtMs = null;
  each.reason = textOr(ctx.body.reason, '');
  each.actedBy = ctx.credential.clientId;
  each.changedAtMs = mind.now();
  each.hadSettled = hadSettled;
  if (status === 'cancelled' && mind.has('txs-ftd-moves')) each.isFtd = false;
  announce(mind, each, `transaction.${status}`);
  const answer = shown(ctx, each);
  if (hadSettled && mind.has('txs-cancelled-reads-settled')) each.status = 'settled';
  return answer;
}

export function cancel(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const each = find(ctx);
  if (isAnswer(each)) return each;
  if (each.status === 'cancelled') return cancelAgain(ctx, each);
  const isOpen =
    each.status === 'pending' ||
    (each.status === 'approved' && mind.style.cancelApproved) ||
    (mind.has('race-approve-cancel') && isRaced(ctx, 'approveTransaction')) ||
    (each.status === 'rejected' && mind.has('txs-cancel-rejected')) ||
    isRacedTo('rejected', ctx, each);
  if (!isOpen && each.status !== 'settled') return refusedByState(ctx, each);
  const isPast = mind.has('time-cancel-month') && isOld(mind, each);
  if (isPast || isLocked(ctx, each)) return refusedByState(ctx, each);
  const refusal = each.status === 'settled' ? amendProblem(ctx) : null;
  const isLax = each.status === 'settled' && mind.has('comb-amend-reason');
  const problem = refusal ?? (isLax ? null : reasonProblem(ctx));
  if (problem !== null) return problem;
  if (mind.has('txs-cancel-nothing') && each.status === 'pending') return shown(ctx, each);
  compensate(ctx, each);
  return end(ctx, each, 'cancelled');
}

function cancelAgain(ctx: RequestContext, each: Transaction): Answer {
  const { mind } = ctx;
  if (mind.has('txs-cancel-twice-409')) return refusedByState(ctx, each);
  const isRace = mind.has('race-cancel-twice') && isRaced(ctx, 'cancelTransaction');
  if (isRace && each.hadSettled) book(mind, each, negated(effectOf(each)), 'compensation');
  return shown(ctx, each);
}

/** TXS-10, TXS-11 */
function amendProblem(ctx: RequestContext): Answer | null {
  const { mind, credential } = ctx;
  const words = 'this needs the scope transactions:amend as well';
  const holds = credential.scopes.includes('transactions:amend') || mind.has('txs-amend-unneeded');
  const isWidened =
    !mind.has('auth-amend-funds') || credential.scopes.includes('transactions:write');
  if (holds && isWidened && !mind.has('txs-amend-refused')) return null;
  if (mind.has('txs-amend-404')) return refuse(ctx, 404, 'not_found', words);
  return refuse(ctx, 403, 'forbidden', words);
}
