// POST /api/v1/transactions: recorded as pending, whatever the request says.

import type { Cite, Decision } from '../call.ts';
import { citesIf } from '../cites.ts';
import { emit } from '../delivery/emit-event.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext } from '../pipeline/request-context.ts';
import type { Account, TradingAccount, Transaction } from '../records.ts';
import { findReferenced } from '../references.ts';
import { isNegativeDecimal } from '../values/decimal.ts';
import { findAccount, findTradingAccount, parseMemberId } from './find-record.ts';
import { optionalText } from './members.ts';

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
  const reference = context.body.client_reference_id as string;
  const referenceKey = behaviour.transactions.referenceKey(account.firm_id, account.id, reference);
  const transaction = newTransaction(context, account, tradingAccount);
  const body = behaviour.serialize.transaction(transaction);
  return {
    reply: { status: 201, contentType: 'application/json', body },
    changes: [
      { type: 'transaction-created', transaction, referenceKey },
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
