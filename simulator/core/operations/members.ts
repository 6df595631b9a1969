// What a call names: texts of its body, ids, and the records behind them within the caller's reach. A
// record out of reach reads as unknown (AUTH-6).
import { type Cite, citesIf, type Decision } from '../call.ts';
import {
  type Body,
  callerOf,
  invalid,
  type RequestContext,
  refuse,
} from '../pipeline/request-context.ts';
import type { Account, Credential, TradingAccount, Transaction } from '../records.ts';

/** A text member; null if it is missing or null. */
export function optionalText(body: Body, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' ? value : null;
}

/** NS-58: the `account_id` of the query that counts if there are several; null if there is none. */
export function ownerNamed({ query, behaviour }: RequestContext): string | null {
  const named = query.getAll('account_id');
  return named.at(behaviour.settings.repeated_account_id === 'last' ? -1 : 0) ?? null;
}

/** ACC-2, TXN-3: a reference that is blank or too long. */
export function refuseReference(
  context: RequestContext,
  reference: string,
  rule: Cite,
): Decision | null {
  const { isBlank, length, maxReference } = context.behaviour.values;
  if (!isBlank(reference) && length(reference) <= maxReference) return null;
  const field = 'client_reference_id';
  const detail = `${field} must have 1 to ${maxReference} characters and not be blank.`;
  return invalid(context, field, detail, rule, 'NS-40');
}

/** CONV-1c: the id that a member, a parameter or the path of a write names. */
export function parseNamedId(
  context: RequestContext,
  text: string,
  field: string,
  ...cites: Cite[]
): string | Decision {
  const where = field === 'id' ? 'The id in the path' : field;
  const detail = `${where} must be a decimal string.`;
  return context.behaviour.values.id(text) ?? invalid(context, field, detail, 'CONV-1c', ...cites);
}

/** NS-45: webhook routes and reads treat text that is not an id as an unknown id. */
export function parseOtherPathId(context: RequestContext, what: string): string | Decision {
  const { behaviour, pathId } = context;
  const id = behaviour.values.id(pathId);
  if (id !== null) return id;
  return behaviour.settings.path_id_status === 404
    ? refuse(context, 'not_found', ['NS-45'], `There is no ${what} ${pathId}.`)
    : invalid(context, 'id', 'The id in the path must be a decimal number.', 'NS-45');
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
  return refuse(context, 'not_found', cites, `There is no account ${id}.`);
}

/** The rules that limit what this caller can see. */
export function citesOfReach({ account_id: accountId, brand_id: brandId }: Credential) {
  if (accountId !== null) return ['AUTH-5'] as const;
  return citesIf(brandId !== null, 'AUTH-6');
}

/** Why an existing record looks unknown: another firm's, or out of the caller's reach. */
function citesOfHidden(context: RequestContext, owner: { readonly firm_id: string } | undefined) {
  if (owner === undefined) return [];
  const caller = callerOf(context);
  return owner.firm_id === caller.firm_id ? citesOfReach(caller) : (['AUTH-7'] as const);
}

/** A trading account within reach, of the account if one is named (TXN-11). */
export function findTradingAccount(
  context: RequestContext,
  id: string,
  accountId: string | null,
  rules: readonly Cite[],
): TradingAccount | Decision {
  const { world, behaviour } = context;
  const found = world.tradingAccounts.get(id);
  const owner = found === undefined ? undefined : world.accounts.get(found.account_id);
  const isReachable = owner !== undefined && behaviour.reach.account(callerOf(context), owner);
  if (found !== undefined && isReachable) {
    if (accountId === null || found.account_id === accountId) return found;
  }
  const cites = [...rules, ...(isReachable ? [] : citesOfHidden(context, owner))];
  const whose = accountId === null ? '' : ` of account ${accountId}`;
  return refuse(context, 'not_found', cites, `There is no trading account ${id}${whose}.`);
}

/** TXS-16: a transaction of the named account, within reach. */
export function findTransaction(
  context: RequestContext,
  id: string,
  accountId: string,
): Transaction | Decision {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(id);
  if (transaction?.account_id === accountId) {
    if (behaviour.reach.transaction(callerOf(context), transaction)) return transaction;
  }
  const owner = world.accounts.get(transaction?.account_id ?? '');
  const cites: readonly Cite[] = ['TXS-16', ...citesOfHidden(context, owner)];
  const detail = `There is no transaction ${id} of account ${accountId}.`;
  return refuse(context, 'not_found', cites, detail);
}
