// The writes on transactions: create (POST /transactions), and approve, reject and cancel as cells
// of the table of transitions, with the ledger entries of each transition.
import { type Cite, citesIf, type Decision } from '../call.ts';
import { type Change, put } from '../change.ts';
import type { CommandContext } from '../commands/commands.ts';
import { emit } from '../delivery/deliveries.ts';
import {
  callerOf,
  invalid,
  type RequestContext,
  refuse,
  scopesOf,
} from '../pipeline/request-context.ts';
import type { Account, Entry, TradingAccount, Transaction, TransactionStatus } from '../records.ts';
import { findReferenced, transactionKey } from '../references.ts';
import {
  absoluteDecimal,
  addDecimals,
  isNegativeDecimal,
  isZeroDecimal,
  negateDecimal,
} from '../values/decimal.ts';
import { existing } from '../world.ts';
import {
  findAccount,
  findTradingAccount,
  findTransaction,
  optionalText,
  ownerNamed,
  parseNamedId,
  refuseReference,
} from './members.ts';

export type Trigger = 'approve' | 'reject' | 'cancel' | 'settle';

export type Transition =
  | {
      readonly kind: 'move';
      readonly to: TransactionStatus;
      readonly cites: readonly Cite[];
      /** The caller must also hold this scope (TXS-11). */
      readonly scope?: string;
      /** Refused with 501 if the payout goes through a payment provider (TXS-3). */
      readonly refusesProviderPayout?: true;
      /** What it books on the balance: the movement, or an entry that reverses it (TXS-10). */
      readonly entry?: Entry['kind'];
    }
  | { readonly kind: 'unchanged'; readonly cites: readonly Cite[] }
  | { readonly kind: 'refused'; readonly cites: readonly Cite[] };

export type TransitionTable = Readonly<
  Record<TransactionStatus, Readonly<Record<Trigger, Transition>>>
>;

const refused = (...cites: Cite[]): Transition => ({ kind: 'refused', cites });
const unchanged = (...cites: Cite[]): Transition => ({ kind: 'unchanged', cites });

export const transitionTable = {
  pending: {
    approve: {
      kind: 'move',
      to: 'approved',
      cites: ['TXS-1', 'TXS-18'],
      refusesProviderPayout: true,
    },
    reject: { kind: 'move', to: 'rejected', cites: ['TXS-6'] },
    cancel: { kind: 'move', to: 'cancelled', cites: ['TXS-8'] },
    settle: refused('TXS-12'),
  },
  approved: {
    approve: unchanged('TXS-4'),
    reject: refused('TXS-12', 'NS-4'),
    cancel: refused('TXS-12', 'NS-4'),
    settle: { kind: 'move', to: 'settled', cites: ['NS-3'], entry: 'movement' },
  },
  settled: {
    approve: unchanged('NS-4'),
    reject: refused('TXS-12', 'NS-4'),
    cancel: {
      kind: 'move',
      to: 'cancelled',
      cites: ['TXS-10', 'TXS-13'],
      scope: 'transactions:amend',
      entry: 'compensation',
    },
    settle: unchanged('NS-3'),
  },
  rejected: {
    approve: refused('TXS-5'),
    reject: unchanged('TXS-7'),
    cancel: refused('TXS-12'),
    settle: refused('TXS-12'),
  },
  cancelled: {
    approve: refused('TXS-5'),
    reject: refused('TXS-12'),
    cancel: unchanged('TXS-9'),
    settle: refused('TXS-12'),
  },
} as const satisfies Record<TransactionStatus, Record<Trigger, Transition>>;

const methods = ['Deposit', 'Withdrawal', 'Bonus'];
const types = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];

export function createTransaction(context: RequestContext): Decision {
  const { behaviour, body } = context;
  const { settings } = behaviour;
  const refused = refuseReference(context, body.client_reference_id as string, 'TXN-3');
  if (refused !== null) return refused;
  const known = findKnown(context);
  // NS-56: whether a known reference is answered before the other fields are validated, or after.
  if (known !== null && settings.known_reference === 'first') return converge(context, known);
  const wrong = refuseTerms(context) ?? refuseAmount(context);
  if (wrong !== null) return wrong;
  const accountId = parseNamedId(context, body.account_id as string, 'account_id');
  if (typeof accountId !== 'string') return accountId;
  const tradingId = parseNamedId(context, body.trading_account_id as string, 'trading_account_id');
  if (typeof tradingId !== 'string') return tradingId;
  const account = findAccount(context, accountId, ['TXN-10']);
  if ('reply' in account) return account;
  const tradingAccount = findTradingAccount(context, tradingId, account.id, ['TXN-10', 'TXN-11']);
  if ('reply' in tradingAccount) return tradingAccount;
  if (known !== null) return converge(context, known);
  const { currency, id } = tradingAccount;
  if (settings.other_currency === 'refused' && body.currency !== currency) {
    const detail = `currency must be ${currency}, as trading account ${id} has it.`;
    return invalid(context, 'currency', detail, 'NS-60');
  }
  return create(context, account, id);
}

/** TXN-2, NS-20: the oldest transaction of this reference that the caller reaches. */
function findKnown(context: RequestContext): Transaction | null {
  const { behaviour, world, body } = context;
  const caller = callerOf(context);
  const accountId = behaviour.values.id(body.account_id as string) ?? '';
  const reference = body.client_reference_id as string;
  const key = behaviour.transactions.referenceKey(caller.firm_id, accountId, reference);
  return findReferenced(world.transactionByReference, key, world.transactions, (transaction) =>
    behaviour.reach.transaction(caller, transaction),
  );
}

function create(context: RequestContext, account: Account, tradingAccountId: string): Decision {
  context.transition = 'none create → pending';
  const { behaviour, world, body } = context;
  const method = optionalText(body, 'method');
  const transaction = newTransaction(account, {
    id: String(world.counters.transaction + 1),
    trading_account_id: tradingAccountId,
    client_reference_id: body.client_reference_id as string,
    currency: body.currency as string,
    amount: body.amount as string,
    method,
    transaction_type: body.transaction_type as string,
    created_at: context.atMs,
  });
  const text = behaviour.serialize.transaction(transaction);
  return {
    reply: { status: 201, contentType: 'application/json', body: text },
    changes: [
      put('transactions', transaction, transactionKey(behaviour, transaction)),
      ...emit(context, 'transaction.created', transaction, text),
    ],
    cites: [
      'TXN-1',
      ...citesIf(method === null, 'TXN-6'),
      ...(['TXN-8', 'TXN-9', 'CONV-1a', 'CONV-2a', 'CONV-2b', 'CONV-4'] as const),
    ],
  };
}

/** TXN-2, IDEM-12: returns the transaction with this reference, unchanged. */
function converge(context: RequestContext, known: Transaction): Decision {
  context.idempotency = 'converged';
  return show(context, known, ['TXN-2', 'IDEM-12', 'NS-20', 'NS-56']);
}

function refuseTerms(context: RequestContext): Decision | null {
  const { currency, transaction_type: type } = context.body;
  if ((currency as string).trim() === '') {
    return invalid(context, 'currency', 'currency must not be empty.', 'TXN-4');
  }
  const method = optionalText(context.body, 'method');
  if (method !== null && !methods.includes(method)) {
    const detail = `method must be one of ${methods.join(', ')}, or be left out.`;
    return invalid(context, 'method', detail, 'TXN-6');
  }
  if (types.includes(type as string)) return null;
  const detail = `transaction_type must be one of ${types.join(', ')}.`;
  return invalid(context, 'transaction_type', detail, 'TXN-7');
}

function refuseAmount(context: RequestContext): Decision | null {
  const { values, settings } = context.behaviour;
  const amount = context.body.amount as string;
  if (!values.isDecimal(amount)) {
    const detail = 'amount must be a decimal such as "100.50" or "-20".';
    return invalid(context, 'amount', detail, 'TXN-5', 'NS-49');
  }
  if (settings.zero_amount === 'refused' && isZeroDecimal(amount)) {
    return invalid(context, 'amount', 'amount must not be zero.', 'NS-27');
  }
  const method = optionalText(context.body, 'method');
  if (settings.amount_sign === 'any' || method === null) return null;
  if (isNegativeDecimal(amount) === (method === 'Withdrawal')) return null;
  const detail = `The sign of amount does not fit the method ${method}.`;
  return invalid(context, 'amount', detail, 'NS-27');
}

/** Members that follow from the account, or that are the same in every new transaction. */
type Derived = 'firm_id' | 'brand_id' | 'account_id' | 'status' | 'is_ftd' | 'reason' | 'operator';
type NewTransaction = Omit<Transaction, Derived | 'method'> & { readonly method: string | null };

export function newTransaction(account: Account, given: NewTransaction): Transaction {
  return {
    ...given,
    firm_id: account.firm_id,
    brand_id: account.brand_id,
    account_id: account.id,
    method: given.method ?? methodOf(given.amount),
    // TXN-1: a request cannot choose another status.
    status: 'pending',
    is_ftd: false,
    reason: null,
    operator: null,
  };
}

/** TXN-6: the method of a transaction that names none. */
const methodOf = (amount: string): string => (isNegativeDecimal(amount) ? 'Withdrawal' : 'Deposit');

export const approveTransaction = (context: RequestContext): Decision =>
  decideTransition(context, 'approve');
export const rejectTransaction = (context: RequestContext): Decision =>
  decideTransition(context, 'reject');
export const cancelTransaction = (context: RequestContext): Decision =>
  decideTransition(context, 'cancel');

function decideTransition(context: RequestContext, trigger: Trigger): Decision {
  const found = findNamed(context);
  if ('reply' in found) return found;
  const { id, status } = found;
  const move = context.behaviour.transactions.transitions[status][trigger];
  const becomes = (outcome: string | number) => {
    context.transition = `${status} ${trigger} → ${outcome}`;
  };
  if (move.kind === 'refused') {
    becomes(409);
    const detail = `Transaction ${id} is ${status}; ${trigger} is not possible from there.`;
    return refuse(context, 'invalid_state', move.cites, detail);
  }
  becomes(move.kind === 'unchanged' ? status : move.to);
  if (move.kind === 'unchanged') return show(context, found, move.cites);
  const refused = refuseMove(context, found, move);
  if (refused !== null) {
    becomes(refused.reply.status);
    return refused;
  }
  let decided = found;
  if (trigger !== 'approve') {
    // TXS-14: a reason is required if the decision changes the status.
    const reason = optionalText(context.body, 'reason') ?? '';
    if (context.behaviour.values.isBlank(reason)) {
      context.transition = null;
      return invalid(context, 'reason', 'reason must not be empty.', 'TXS-14');
    }
    decided = { ...found, reason, operator: callerOf(context).client_id };
  }
  const { transaction, changes } = transitionChanges(context, decided, move, trigger);
  return { ...show(context, transaction, [...move.cites, 'TXS-19']), changes };
}

/** The transaction that path and query name; first the form of both ids is checked, then reach. */
function findNamed(context: RequestContext): Transaction | Decision {
  const named = ownerNamed(context);
  if (named === null || named === '') {
    const detail = 'Name the owning account in the query: ?account_id=…';
    return invalid(context, 'account_id', detail, 'TXS-15');
  }
  const isRepeated = context.query.getAll('account_id').length > 1;
  if (isRepeated && context.behaviour.settings.repeated_account_id === 'refused') {
    const detail = 'Name one account_id in the query, not several.';
    return invalid(context, 'account_id', detail, 'TXS-15', 'NS-58');
  }
  const accountId = parseNamedId(context, named, 'account_id', 'TXS-15');
  if (typeof accountId !== 'string') return accountId;
  const id = parseNamedId(context, context.pathId, 'id');
  return typeof id === 'string' ? findTransaction(context, id, accountId) : id;
}

type Move = Extract<Transition, { readonly kind: 'move' }>;

/** Why a transition is refused although the state machine allows it. */
function refuseMove(context: RequestContext, transaction: Transaction, move: Move) {
  if (move.scope !== undefined && !scopesOf(context).includes(move.scope)) {
    const detail = `Cancelling a settled transaction also needs the scope ${move.scope}.`;
    return refuse(context, 'forbidden', ['TXS-11', 'AUTH-4'], detail);
  }
  if (move.refusesProviderPayout !== true) return null;
  const from = existing(context.world.tradingAccounts, transaction.trading_account_id);
  if (!context.behaviour.transactions.isProviderPayout(transaction, from)) return null;
  const detail =
    'This withdrawal pays out through a payment provider. Approve it in the back office; retrying always fails.';
  return refuse(context, 'not_implemented', ['TXS-3', 'NS-21'], detail);
}

function show(context: RequestContext, transaction: Transaction, cites: readonly Cite[]): Decision {
  const body = context.behaviour.serialize.transaction(transaction);
  return { reply: { status: 200, contentType: 'application/json', body }, changes: [], cites };
}

const kinds = {
  approve: 'transaction.approved',
  reject: 'transaction.rejected',
  cancel: 'transaction.cancelled',
  settle: 'transaction.settled',
} as const;

/** `before` already has the reason and operator of this decision, if it has them. */
export function transitionChanges(
  context: CommandContext,
  before: Transaction,
  move: Move,
  trigger: Trigger,
): { readonly transaction: Transaction; readonly changes: readonly Change[] } {
  const { behaviour, world, atMs } = context;
  const account = existing(world.accounts, before.account_id);
  const isFirst = trigger === 'approve' && behaviour.transactions.isFirstDeposit(before, account);
  const transaction = { ...before, status: move.to, is_ftd: before.is_ftd || isFirst };
  const changes: Change[] = [put('transactions', transaction)];
  // TXS-2: stored on the account, so that it is set once and never changes.
  if (isFirst) changes.push(put('accounts', { ...account, first_deposit_id: before.id }));
  if (move.entry !== undefined) {
    const held = existing(world.tradingAccounts, before.trading_account_id);
    const movement = movementOf(before);
    // TXS-10: the original entry stays, and a second entry reverses it.
    const amount = move.entry === 'movement' ? movement : negateDecimal(movement);
    const entry = { amount, kind: move.entry, at_ms: atMs };
    changes.push(put('tradingAccounts', withEntry(held, before.id, entry)));
  }
  const body = behaviour.serialize.transaction(transaction);
  changes.push(...emit(context, kinds[trigger], transaction, body));
  const { settlement_delay_ms: delayMs } = behaviour.settings;
  if (move.to === 'approved' && delayMs !== null) {
    // NS-3: settles automatically.
    changes.push({ type: 'timer', dueAtMs: atMs + delayMs, kind: 'settle', ref: before.id });
  }
  return { transaction, changes };
}

/** NS-43: the signed amount that settling books. */
export function movementOf({ transaction_type: type, amount }: Transaction): string {
  const size = absoluteDecimal(amount);
  return type === 'Deposit' || type === 'Credit' ? size : negateDecimal(size);
}

/** The trading account with one more entry. */
export function withEntry(
  tradingAccount: TradingAccount,
  transaction_id: string,
  movement: Pick<Entry, 'amount' | 'kind' | 'at_ms'>,
): TradingAccount {
  const { entries, balance } = tradingAccount;
  return {
    ...tradingAccount,
    entries: [...entries, { transaction_id, ...movement }],
    balance: addDecimals(balance, movement.amount),
  };
}
