// POST /api/v1/transactions/{id}/approve, /reject, /cancel: one row of the move table each.

import type { Cite, Decision } from '../call.ts';
import { refuse } from '../pipeline/refuse.ts';
import { callerOf, type RequestContext, scopesOf } from '../pipeline/request-context.ts';
import type { Transaction } from '../records.ts';
import type { Transition, Trigger } from '../tables/transitions.ts';
import { findTransaction, parseMemberId, parsePathId } from './find-record.ts';
import { optionalText, ownerNamed } from './members.ts';
import { transitionChanges } from './transition-changes.ts';

type TransitionOf<K extends Transition['kind']> = Extract<Transition, { readonly kind: K }>;

export const approveTransaction = (context: RequestContext): Decision =>
  decideTransition(context, 'approve');
export const rejectTransaction = (context: RequestContext): Decision =>
  decideTransition(context, 'reject');
export const cancelTransaction = (context: RequestContext): Decision =>
  decideTransition(context, 'cancel');

function decideTransition(context: RequestContext, trigger: Trigger): Decision {
  const found = findNamed(context);
  if ('reply' in found) return found;
  const move: Transition = context.behaviour.transactions.transitions[found.status][trigger];
  if (move.kind === 'refused') return refuseState(context, found, trigger, move);
  if (move.kind === 'unchanged') return show(context, found, move.cites);
  return (
    refuseTransition(context, found, move) ??
    refuseReason(context, trigger) ??
    carryOut(context, found, move, trigger)
  );
}

/** The ids' own form, then reach: the transaction that path and query name. */
function findNamed(context: RequestContext): Transaction | Decision {
  const named = ownerNamed(context);
  if (named === null || named === '') {
    return refuse(context, {
      code: 'validation_failed',
      detail: 'Name the owning account in the query: ?account_id=…',
      field: 'account_id',
      cites: ['TXS-15'],
    });
  }
  if (context.behaviour.settings.repeated_account_id === 'refused') {
    const refused = refuseSeveralOwners(context);
    if (refused !== null) return refused;
  }
  const accountId = parseMemberId(context, named, 'account_id', 'TXS-15');
  if (typeof accountId !== 'string') return accountId;
  const id = parsePathId(context, 'transaction');
  if (typeof id !== 'string') return id;
  return findTransaction(context, id, accountId);
}

function refuseSeveralOwners(context: RequestContext): Decision | null {
  if (context.query.getAll('account_id').length < 2) return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: 'Name one account_id in the query, not several.',
    field: 'account_id',
    cites: ['TXS-15', 'NS-58'],
  });
}

/** TXS-14: a reason is wanted where something is decided, and not where all stays as it was. */
function refuseReason(context: RequestContext, trigger: Trigger): Decision | null {
  if (trigger === 'approve' || !context.behaviour.values.isBlank(reasonOf(context))) return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: 'reason must not be empty.',
    field: 'reason',
    cites: ['TXS-14'],
  });
}

function reasonOf(context: RequestContext): string {
  return optionalText(context.body, 'reason') ?? '';
}

function refuseState(
  context: RequestContext,
  { id, status }: Transaction,
  trigger: Trigger,
  { cites }: TransitionOf<'refused'>,
): Decision {
  return refuse(context, {
    code: 'invalid_state',
    detail: `Transaction ${id} is ${status}; ${trigger} is not possible from there.`,
    cites,
  });
}

/** What stands in the way of a move that the state allows. */
function refuseTransition(
  context: RequestContext,
  transaction: Transaction,
  move: TransitionOf<'move'>,
): Decision | null {
  if (move.scope !== undefined && !scopesOf(context).includes(move.scope)) {
    return refuse(context, {
      code: 'forbidden',
      detail: `Cancelling a settled transaction also needs the scope ${move.scope}.`,
      cites: ['TXS-11', 'AUTH-4'],
    });
  }
  if (move.refusesProviderPayout !== true) return null;
  const from = context.world.tradingAccounts.get(transaction.trading_account_id);
  if (from === undefined) throw new Error(`transaction ${transaction.id} has no trading account`);
  if (!context.behaviour.transactions.isProviderPayout(transaction, from)) return null;
  return refuse(context, {
    code: 'not_implemented',
    detail:
      'This withdrawal pays out through a payment provider. Approve it in the back office; retrying always fails.',
    cites: ['TXS-3', 'NS-21'],
  });
}

function carryOut(
  context: RequestContext,
  before: Transaction,
  move: TransitionOf<'move'>,
  trigger: Trigger,
): Decision {
  const said =
    trigger === 'approve'
      ? {}
      : { reason: reasonOf(context), operator: callerOf(context).client_id };
  const { transaction, changes } = transitionChanges(
    context,
    { ...before, ...said },
    move,
    trigger,
  );
  const shown = show(context, transaction, [...move.cites, 'TXS-19']);
  return { ...shown, changes };
}

function show(context: RequestContext, transaction: Transaction, cites: readonly Cite[]): Decision {
  const body = context.behaviour.serialize.transaction(transaction);
  return { reply: { status: 200, contentType: 'application/json', body }, changes: [], cites };
}
