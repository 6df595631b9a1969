// POST /api/v1/transactions/{id}/approve, /reject, /cancel: one row of the move table each.
import { type Attempt, callerOf, scopesOf } from '../attempt.ts';
import type { Decision } from '../call.ts';
import type { Transaction } from '../records.ts';
import { refuse } from '../refuse.ts';
import type { Move, Trigger } from '../tables/moves.ts';
import { findTransaction, parseMemberId, parsePathId } from './find.ts';
import { optionalText } from './members.ts';
import { moveChanges } from './move-changes.ts';

type MoveOf<K extends Move['kind']> = Extract<Move, { readonly kind: K }>;

export const approveTransaction = (attempt: Attempt): Decision => decideMove(attempt, 'approve');
export const rejectTransaction = (attempt: Attempt): Decision => decideMove(attempt, 'reject');
export const cancelTransaction = (attempt: Attempt): Decision => decideMove(attempt, 'cancel');

function decideMove(attempt: Attempt, trigger: Trigger): Decision {
  const found = findNamed(attempt, trigger);
  if ('reply' in found) return found;
  const move: Move = attempt.behaviour.transactions.moves[found.status][trigger];
  if (move.kind === 'refused') return refuseState(attempt, found, trigger, move);
  if (move.kind === 'unchanged') return show(attempt, found, move.cites);
  return refuseMove(attempt, found, move) ?? carryOut(attempt, found, move, trigger);
}

/** Validation, then reach: the transaction that path and query name. */
function findNamed(attempt: Attempt, trigger: Trigger): Transaction | Decision {
  const named = attempt.query.get('account_id');
  if (named === null || named === '') {
    return refuse(attempt, {
      code: 'validation_failed',
      detail: 'Name the owning account in the query: ?account_id=…',
      field: 'account_id',
      cites: ['TXS-15'],
    });
  }
  const accountId = parseMemberId(attempt, named, 'account_id', 'TXS-15');
  if (typeof accountId !== 'string') return accountId;
  const id = parsePathId(attempt, 'transaction');
  if (typeof id !== 'string') return id;
  if (trigger !== 'approve' && attempt.behaviour.values.isBlank(reasonOf(attempt))) {
    return refuse(attempt, {
      code: 'validation_failed',
      detail: 'reason must not be empty.',
      field: 'reason',
      cites: ['TXS-14'],
    });
  }
  return findTransaction(attempt, id, accountId);
}

function reasonOf(attempt: Attempt): string {
  return optionalText(attempt.body, 'reason') ?? '';
}

function refuseState(
  attempt: Attempt,
  { id, status }: Transaction,
  trigger: Trigger,
  { cites }: MoveOf<'refused'>,
): Decision {
  return refuse(attempt, {
    code: 'invalid_state',
    detail: `Transaction ${id} is ${status}; ${trigger} is not possible from there.`,
    cites,
  });
}

/** What stands in the way of a move that the state allows. */
function refuseMove(
  attempt: Attempt,
  transaction: Transaction,
  move: MoveOf<'move'>,
): Decision | null {
  if (move.scope !== undefined && !scopesOf(attempt).includes(move.scope)) {
    return refuse(attempt, {
      code: 'forbidden',
      detail: `Cancelling a settled transaction also needs the scope ${move.scope}.`,
      cites: ['TXS-11', 'AUTH-4'],
    });
  }
  if (move.refusesProviderPayout !== true) return null;
  const from = attempt.world.tradingAccounts.get(transaction.tradingAccountId);
  if (from === undefined) throw new Error(`transaction ${transaction.id} has no trading account`);
  if (!attempt.behaviour.transactions.isProviderPayout(transaction, from)) return null;
  return refuse(attempt, {
    code: 'not_implemented',
    detail:
      'This withdrawal pays out through a payment provider. Approve it in the back office; retrying always fails.',
    cites: ['TXS-3', 'NS-21'],
  });
}

function carryOut(
  attempt: Attempt,
  before: Transaction,
  move: MoveOf<'move'>,
  trigger: Trigger,
): Decision {
  const said =
    trigger === 'approve'
      ? {}
      : { reason: reasonOf(attempt), operator: callerOf(attempt).clientId };
  const { transaction, changes } = moveChanges(attempt, { ...before, ...said }, move, trigger);
  const shown = show(attempt, transaction, [...move.cites, 'TXS-19']);
  return { ...shown, changes };
}

function show(attempt: Attempt, transaction: Transaction, cites: readonly string[]): Decision {
  const body = attempt.behaviour.print.transaction(transaction);
  return { reply: { status: 200, contentType: 'application/json', body }, changes: [], cites };
}
