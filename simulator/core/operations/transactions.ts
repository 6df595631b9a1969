// The writes on transactions: create (POST /transactions), and approve, reject and cancel as rows of
// the table of transitions, with what each transition does to the money.

import type { EventKind } from '../../../fixtures/event-kinds.ts';
import { type Cite, citesIf, type Decision } from '../call.ts';
import { type Change, put } from '../change.ts';
import { emit } from '../delivery/deliveries.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext, scopesOf } from '../pipeline/request-context.ts';
import type { Account, Entry, TradingAccount, Transaction } from '../records.ts';
import { findReferenced, transactionKey } from '../references.ts';
import type { Transition, Trigger } from '../tables/transitions.ts';
import { isNegativeDecimal, negateDecimal } from '../values/decimal.ts';
import {
  findAccount,
  findTradingAccount,
  findTransaction,
  optionalText,
  ownerNamed,
  parseMemberId,
  parsePathId,
} from './members.ts';

const methods = ['Deposit', 'Withdrawal', 'Bonus'];
const types = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];

export function createTransaction(context: RequestContext): Decision {
  const { body } = context;
  const reference = findWrongReference(context, body);
  if (reference !== null) return refuseMember(context, reference);
  const known = findKnown(context);
  // NS-56: a known reference answers before the rest is looked at, or after it.
  if (known !== null && context.behaviour.settings.known_reference === 'first') {
    return converge(context, known);
  }
  const wrong = findWrongTerms(body) ?? findWrongAmount(context, body);
  if (wrong !== null) return refuseMember(context, wrong);
  const accountId = parseMemberId(context, body.account_id as string, 'account_id');
  if (typeof accountId !== 'string') return accountId;
  const tradingId = parseMemberId(context, body.trading_account_id as string, 'trading_account_id');
  if (typeof tradingId !== 'string') return tradingId;
  const account = findAccount(context, accountId, ['TXN-10']);
  if ('reply' in account) return account;
  const tradingAccount = findTradingAccount(context, tradingId, account.id, ['TXN-10', 'TXN-11']);
  if ('reply' in tradingAccount) return tradingAccount;
  if (known !== null) return converge(context, known);
  if (context.behaviour.settings.other_currency === 'refused') {
    const other = findOtherCurrency(body, tradingAccount);
    if (other !== null) return refuseMember(context, other);
  }
  return create(context, account, tradingAccount);
}

/** TXN-2, NS-20: the oldest transaction of this reference that the caller reaches. */
function findKnown(context: RequestContext): Transaction | null {
  const { behaviour, world, body } = context;
  const credential = callerOf(context);
  const accountId = behaviour.values.id(body.account_id as string);
  const reference = body.client_reference_id as string;
  const key = behaviour.transactions.referenceKey(credential.firm_id, accountId ?? '', reference);
  return findReferenced(world.transactionByReference, key, world.transactions, (transaction) =>
    behaviour.reach.transaction(credential, transaction),
  );
}

function create(
  context: RequestContext,
  account: Account,
  tradingAccount: TradingAccount,
): Decision {
  const { behaviour } = context;
  const transaction = newTransaction(context, account, tradingAccount);
  const body = behaviour.serialize.transaction(transaction);
  return {
    reply: { status: 201, contentType: 'application/json', body },
    changes: [
      put('transactions', transaction, transactionKey(behaviour, transaction)),
      ...emit(context, 'transaction.created', transaction, body),
    ],
    cites: [
      'TXN-1',
      ...citesIf(optionalText(context.body, 'method') === null, 'TXN-6'),
      ...(['TXN-8', 'TXN-9', 'CONV-1a', 'CONV-2a', 'CONV-2b', 'CONV-4'] as const),
    ],
  };
}

/** TXN-2, IDEM-12: the transaction the reference names, untouched. */
function converge(context: RequestContext, existing: Transaction): Decision {
  context.idempotency = 'converged';
  const body = context.behaviour.serialize.transaction(existing);
  return {
    reply: { status: 200, contentType: 'application/json', body },
    changes: [],
    cites: ['TXN-2', 'IDEM-12', 'NS-20', 'NS-56'],
  };
}

interface Wrong {
  readonly field: string;
  readonly detail: string;
  readonly cites: readonly Cite[];
}

function refuseMember(context: RequestContext, wrong: Wrong): Decision {
  return refuse(context, { code: 'validation_failed', ...wrong });
}

function findWrongReference(context: RequestContext, body: Body): Wrong | null {
  const { values } = context.behaviour;
  const reference = body.client_reference_id as string;
  if (!values.isBlank(reference) && values.length(reference) <= values.maxReference) return null;
  return {
    field: 'client_reference_id',
    detail: `client_reference_id must have 1 to ${values.maxReference} characters and not be blank.`,
    cites: ['TXN-3', 'NS-40'],
  };
}

function findWrongTerms(body: Body): Wrong | null {
  if ((body.currency as string).trim() === '') {
    return { field: 'currency', detail: 'currency must not be empty.', cites: ['TXN-4'] };
  }
  const method = optionalText(body, 'method');
  if (method !== null && !methods.includes(method)) {
    const detail = `method must be one of ${methods.join(', ')}, or be left out.`;
    return { field: 'method', detail, cites: ['TXN-6'] };
  }
  if (types.includes(body.transaction_type as string)) return null;
  const detail = `transaction_type must be one of ${types.join(', ')}.`;
  return { field: 'transaction_type', detail, cites: ['TXN-7'] };
}

/** NS-60. */
function findOtherCurrency(body: Body, { currency, id }: TradingAccount): Wrong | null {
  if (body.currency === currency) return null;
  const detail = `currency must be ${currency}, as trading account ${id} has it.`;
  return { field: 'currency', detail, cites: ['NS-60'] };
}

function findWrongAmount(context: RequestContext, body: Body): Wrong | null {
  const { values, settings } = context.behaviour;
  const amount = body.amount as string;
  if (!values.isDecimal(amount)) {
    const detail = 'amount must be a decimal such as "100.50" or "-20".';
    return { field: 'amount', detail, cites: ['TXN-5', 'NS-49'] };
  }
  if (settings.zero_amount === 'refused' && values.isZero(amount)) {
    return { field: 'amount', detail: 'amount must not be zero.', cites: ['NS-27'] };
  }
  const method = optionalText(body, 'method');
  if (settings.amount_sign === 'any' || method === null) return null;
  if (isNegativeDecimal(amount) === (method === 'Withdrawal')) return null;
  const detail = `The sign of amount does not fit the method ${method}.`;
  return { field: 'amount', detail, cites: ['NS-27'] };
}

function newTransaction(
  context: RequestContext,
  account: Account,
  tradingAccount: TradingAccount,
): Transaction {
  const { body, behaviour } = context;
  const amount = body.amount as string;
  return {
    id: String(context.world.counters.transaction + 1),
    firm_id: account.firm_id,
    brand_id: account.brand_id,
    account_id: account.id,
    trading_account_id: tradingAccount.id,
    client_reference_id: body.client_reference_id as string,
    currency: body.currency as string,
    amount,
    method: optionalText(body, 'method') ?? behaviour.values.method(amount),
    transaction_type: body.transaction_type as string,
    // TXN-1: no request can create another status.
    status: 'pending',
    is_ftd: false,
    created_at: context.atMs,
    reason: null,
    operator: null,
  };
}

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
  const decided =
    trigger === 'approve'
      ? {}
      : { reason: reasonOf(context), operator: callerOf(context).client_id };
  const { transaction, changes } = transitionChanges(
    context,
    { ...before, ...decided },
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

type Context = Pick<RequestContext, 'world' | 'behaviour' | 'atMs'>;
type AppliedTransition = Extract<Transition, { readonly kind: 'move' }>;

const kinds: Readonly<Record<Trigger, EventKind>> = {
  approve: 'transaction.approved',
  reject: 'transaction.rejected',
  cancel: 'transaction.cancelled',
  settle: 'transaction.settled',
};

interface TransitionResult {
  readonly transaction: Transaction;
  readonly changes: readonly Change[];
}

/** `before` already carries reason and operator where the trigger brings them. */
export function transitionChanges(
  context: Context,
  before: Transaction,
  move: AppliedTransition,
  trigger: Trigger,
): TransitionResult {
  const { behaviour, world } = context;
  const first = trigger === 'approve' && becomesFirstDeposit(context, before);
  const transaction: Transaction = { ...before, status: move.to, is_ftd: before.is_ftd || first };
  const changes: Change[] = [put('transactions', transaction)];
  if (first) {
    const account = world.accounts.get(before.account_id);
    if (account === undefined) throw new Error(`transaction ${before.id} has no account`);
    // TXS-2: kept at the account, so that it is set once and never moves.
    const marked: Account = { ...account, first_deposit_id: before.id };
    changes.push(put('accounts', marked));
  }
  const amount = behaviour.transactions.movement(before);
  if (move.books === true) changes.push(book(context, before, amount, 'movement'));
  if (move.compensates === true) {
    // TXS-10: the movement stays, a second entry reverses it.
    changes.push(book(context, before, negateDecimal(amount), 'compensation'));
  }
  const body = behaviour.serialize.transaction(transaction);
  changes.push(...emit(context, kinds[trigger], transaction, body));
  const delay = behaviour.transactions.settlementDelayMs;
  if (move.to === 'approved' && delay !== null) {
    // NS-3: settles by itself.
    const dueAtMs = context.atMs + delay;
    changes.push({ type: 'timer', dueAtMs, kind: 'settle', ref: before.id });
  }
  return { transaction, changes };
}

function becomesFirstDeposit({ world, behaviour }: Context, transaction: Transaction): boolean {
  const account = world.accounts.get(transaction.account_id);
  return account !== undefined && behaviour.transactions.isFirstDeposit(transaction, account);
}

function book(
  { world, behaviour, atMs }: Context,
  { id, trading_account_id: tradingAccountId }: Transaction,
  amount: string,
  kind: Entry['kind'],
): Change {
  const tradingAccount = world.tradingAccounts.get(tradingAccountId);
  if (tradingAccount === undefined) throw new Error(`transaction ${id} has no trading account`);
  const entry: Entry = { transaction_id: id, amount, kind, at_ms: atMs };
  const balance = behaviour.values.add(tradingAccount.balance, amount);
  return { type: 'entry', tradingAccountId, entry, balance };
}

/** Approved money reaches the balance: by its timer, or when an operator says so (NS-3). */
export function settleTransaction(
  context: Context,
  transaction: Transaction,
): TransitionResult | null {
  const move: Transition = context.behaviour.transactions.transitions[transaction.status].settle;
  return move.kind === 'move' ? transitionChanges(context, transaction, move, 'settle') : null;
}
