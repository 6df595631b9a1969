// What a call names: texts of its body that may be missing, ids, and the records behind them within the
// caller's reach; a record out of reach reads as unknown (AUTH-6).

import { type Cite, citesIf, type Decision } from '../call.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext } from '../pipeline/request-context.ts';
import type { Account, Credential, TradingAccount, Transaction } from '../records.ts';

/** A text member; null stands for a missing one as well as for an explicit null. */
export function optionalText(body: Body, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' ? value : null;
}

/** NS-58: the `account_id` of the query that counts where there are several; null where none is. */
export function ownerNamed({ query, behaviour }: RequestContext): string | null {
  const named = query.getAll('account_id');
  return named.at(behaviour.settings.repeated_account_id === 'last' ? -1 : 0) ?? null;
}

/** CONV-1c: the id in the path of a write, or a refusal of one that is not decimal. */
export function parsePathId(context: RequestContext, what: string): string | Decision {
  const id = context.behaviour.values.id(context.pathId);
  if (id !== null) return id;
  return refuse(context, {
    code: 'validation_failed',
    detail: `The ${what} id in the path must be a decimal string.`,
    field: 'id',
    cites: ['CONV-1c'],
  });
}

/** NS-45: the same for webhook routes and reads, where an id that is none names nothing. */
export function parseOtherPathId(context: RequestContext, what: string): string | Decision {
  const id = context.behaviour.values.id(context.pathId);
  if (id !== null) return id;
  const cites: readonly Cite[] = ['NS-45'];
  if (context.behaviour.settings.path_id_status === 404) {
    return refuse(context, {
      code: 'not_found',
      detail: `There is no ${what} ${context.pathId}.`,
      cites,
    });
  }
  const detail = `The ${what} id in the path must be a decimal number.`;
  return refuse(context, { code: 'validation_failed', detail, field: 'id', cites });
}

/** An id from a body or query; the refusal names the field (CONV-1c). */
export function parseMemberId(
  context: RequestContext,
  text: string,
  field: string,
  ...cites: Cite[]
): string | Decision {
  const id = context.behaviour.values.id(text);
  if (id !== null) return id;
  return refuse(context, {
    code: 'validation_failed',
    detail: `${field} must be a decimal string.`,
    field,
    cites: ['CONV-1c', ...cites],
  });
}

export function findAccount(
  context: RequestContext,
  id: string,
  rules: readonly Cite[],
): Account | Decision {
  const account = context.world.accounts.get(id);
  if (account !== undefined && context.behaviour.reach.account(callerOf(context), account)) {
    return account;
  }
  const cites = [...rules, ...citesOfHidden(context, account)];
  return refuse(context, { code: 'not_found', detail: `There is no account ${id}.`, cites });
}

/** What narrows the view of a caller. */
export function citesOfReach({ account_id: accountId, brand_id: brandId }: Credential) {
  if (accountId !== null) return ['AUTH-5'] as const;
  return citesIf(brandId !== null, 'AUTH-6');
}

/** Why a record that is there reads as unknown: another firm's, or out of the caller's view. */
function citesOfHidden(context: RequestContext, owner: { readonly firm_id: string } | undefined) {
  if (owner === undefined) return [];
  const caller = callerOf(context);
  return owner.firm_id === caller.firm_id ? citesOfReach(caller) : (['AUTH-7'] as const);
}

/** A trading account within reach, of the account named where one is (TXN-11). */
export function findTradingAccount(
  context: RequestContext,
  id: string,
  accountId: string | null,
  rules: readonly Cite[],
): TradingAccount | Decision {
  const { world, behaviour } = context;
  const found = world.tradingAccounts.get(id);
  const owner = found === undefined ? undefined : world.accounts.get(found.account_id);
  const reachable = owner !== undefined && behaviour.reach.account(callerOf(context), owner);
  if (found !== undefined && reachable && (accountId === null || found.account_id === accountId)) {
    return found;
  }
  const whose = accountId === null ? '' : ` of account ${accountId}`;
  return refuse(context, {
    code: 'not_found',
    detail: `There is no trading account ${id}${whose}.`,
    cites: [...rules, ...(reachable ? [] : citesOfHidden(context, owner))],
  });
}

/** TXS-16: a transaction of the named account, within reach. */
export function findTransaction(
  context: RequestContext,
  id: string,
  accountId: string,
): Transaction | Decision {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(id);
  if (
    transaction !== undefined &&
    transaction.account_id === accountId &&
    behaviour.reach.transaction(callerOf(context), transaction)
  ) {
    return transaction;
  }
  return refuse(context, {
    code: 'not_found',
    detail: `There is no transaction ${id} of account ${accountId}.`,
    cites: ['TXS-16', ...citesOfHidden(context, world.accounts.get(transaction?.account_id ?? ''))],
  });
}
