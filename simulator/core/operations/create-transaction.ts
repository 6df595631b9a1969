// POST /api/v1/transactions: recorded as pending, whatever the request says.

import type { Decision } from '../call.ts';
import { emit } from '../delivery/emit-event.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext } from '../pipeline/request-context.ts';
import type { Account, TradingAccount, Transaction } from '../records.ts';
import { isNegativeDecimal } from '../values/decimal.ts';
import { findAccount, findTradingAccount, parseMemberId } from './find-record.ts';
import { optionalText } from './members.ts';

const methods = ['Deposit', 'Withdrawal', 'Bonus'];
const types = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];

export function createTransaction(context: RequestContext): Decision {
  const { body } = context;
  const refused = refuseMembers(context, body);
  if (refused !== null) return refused;
  const accountId = parseMemberId(context, body.account_id as string, 'account_id');
  if (typeof accountId !== 'string') return accountId;
  const tradingId = parseMemberId(context, body.trading_account_id as string, 'trading_account_id');
  if (typeof tradingId !== 'string') return tradingId;
  const account = findAccount(context, accountId, ['TXN-10', 'AUTH-5', 'AUTH-6', 'AUTH-7']);
  if ('reply' in account) return account;
  const tradingAccount = findTradingAccount(context, tradingId, account.id, ['TXN-10', 'TXN-11']);
  if ('reply' in tradingAccount) return tradingAccount;
  return findOrCreate(context, account, tradingAccount);
}

function findOrCreate(
  context: RequestContext,
  account: Account,
  tradingAccount: TradingAccount,
): Decision {
  const { behaviour, world } = context;
  const reference = context.body.client_reference_id as string;
  const referenceKey = behaviour.transactions.referenceKey(account.firmId, account.id, reference);
  const existing = world.transactions.get(world.transactionByReference.get(referenceKey) ?? '');
  if (existing !== undefined) return converge(context, existing);
  const transaction = newTransaction(context, account, tradingAccount);
  const body = behaviour.serialize.transaction(transaction);
  return {
    reply: { status: 201, contentType: 'application/json', body },
    changes: [
      { type: 'transaction-created', transaction, referenceKey },
      ...emit(context, 'transaction', 'transaction.created', transaction, body),
    ],
    cites: ['TXN-1', 'TXN-6', 'TXN-8', 'TXN-9', 'CONV-1a', 'CONV-2a', 'CONV-2b', 'CONV-4'],
  };
}

/** TXN-2, IDEM-12: the transaction the reference names, untouched. */
function converge(context: RequestContext, existing: Transaction): Decision {
  const { behaviour } = context;
  if (!behaviour.reach.transaction(callerOf(context), existing)) {
    return refuse(context, {
      code: 'not_found',
      detail: 'The transaction that this reference names is not there for this credential.',
      cites: ['AUTH-5', 'AUTH-6', 'NS-20'],
    });
  }
  context.idempotency = 'converged';
  const body = behaviour.serialize.transaction(existing);
  return {
    reply: { status: 200, contentType: 'application/json', body },
    changes: [],
    cites: ['TXN-2', 'IDEM-12', 'NS-20'],
  };
}

interface Wrong {
  readonly field: string;
  readonly detail: string;
  readonly cites: readonly string[];
}

function refuseMembers(context: RequestContext, body: Body): Decision | null {
  const wrong =
    findWrongReference(context, body) ?? findWrongTerms(body) ?? findWrongAmount(context, body);
  return wrong === null ? null : refuse(context, { code: 'validation_failed', ...wrong });
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
    firmId: account.firmId,
    brandId: account.brandId,
    accountId: account.id,
    tradingAccountId: tradingAccount.id,
    reference: body.client_reference_id as string,
    currency: body.currency as string,
    amount,
    method: optionalText(body, 'method') ?? behaviour.values.method(amount),
    transactionType: body.transaction_type as string,
    // TXN-1: no request can create another status.
    status: 'pending',
    isFtd: false,
    createdAtMs: context.atMs,
    reason: null,
    operator: null,
  };
}
