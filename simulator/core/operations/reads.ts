// The reads: pages of accounts and transactions (NS-2, CONV-3), and the status of an account (NS-54).
import type { Decision } from '../call.ts';
import {
  callerOf,
  invalid,
  type RequestContext,
  refuse,
  scopesOf,
} from '../pipeline/request-context.ts';
import { serializeAccountStatus } from '../serialize.ts';
import { accountReply } from './accounts.ts';
import { citesOfReach, findAccount, parseOtherPathId } from './members.ts';

export function listAccounts(context: RequestContext): Decision {
  const { reach, serialize } = context.behaviour;
  const caller = callerOf(context);
  return page(context, 'accounts', context.world.accounts, (account) =>
    reach.account(caller, account) ? serialize.accountRead(account) : null,
  );
}

export function listTransactions(context: RequestContext): Decision {
  const { reach, serialize } = context.behaviour;
  const caller = callerOf(context);
  return page(context, 'transactions', context.world.transactions, (transaction) =>
    reach.transaction(caller, transaction) ? serialize.transactionRead(transaction) : null,
  );
}

/** NS-2: a setting may require a scope. */
function refuseReadScope(context: RequestContext): Decision | null {
  const { read_scope: scope } = context.behaviour.settings;
  if (scope === null || scopesOf(context).includes(scope)) return null;
  return refuse(context, 'forbidden', ['NS-2'], `This needs the scope ${scope}.`);
}

const longestWalk = 20_000;

/** Records with ids above `after`, ascending; one page scans a bounded number of records. */
function page<R>(
  context: RequestContext,
  name: 'accounts' | 'transactions',
  records: ReadonlyMap<string, R>,
  show: (record: R) => string | null,
): Decision {
  const refused = refuseReadScope(context);
  if (refused !== null) return refused;
  const after = findNumber(context, 'after', 0, Number.MAX_SAFE_INTEGER, 0);
  if (typeof after === 'object') return after;
  const { read_page_size: pageSize } = context.behaviour.settings;
  const limit = findNumber(context, 'limit', 1, pageSize, pageSize);
  if (typeof limit === 'object') return limit;
  const { counters } = context.world;
  const last = name === 'accounts' ? counters.account : counters.transaction;
  const texts: string[] = [];
  let next: number | null = null;
  let newest = after;
  for (let id = after + 1; id <= last; id += 1) {
    const record = records.get(String(id));
    const text = record === undefined ? null : show(record);
    // AUTH-6: there is a next page only if this caller can see more records.
    const isOver = text !== null && texts.length === limit;
    if (isOver || id - after > longestWalk) {
      next = isOver ? newest : id - 1;
      break;
    }
    if (text === null) continue;
    texts.push(text);
    newest = id;
  }
  const body = `{"${name}":[${texts.join(',')}],"next_after":${next}}`;
  return {
    reply: { status: 200, contentType: 'application/json', body },
    changes: [],
    cites: ['CONV-3', 'NS-2', ...citesOfReach(callerOf(context))],
  };
}

function findNumber(
  context: RequestContext,
  name: string,
  least: number,
  most: number,
  absent: number,
): number | Decision {
  const text = context.query.get(name);
  if (text === null) return absent;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  return invalid(context, name, `${name} must be a whole number from ${least} to ${most}.`, 'NS-2');
}

export function getAccountStatus(context: RequestContext): Decision {
  const refused = refuseReadScope(context);
  if (refused !== null) return refused;
  const id = parseOtherPathId(context, 'account');
  if (typeof id !== 'string') return id;
  const account = findAccount(context, id, ['NS-54']);
  if ('reply' in account) return account;
  const reply = accountReply(context, account, 200, serializeAccountStatus(account));
  return { reply, changes: [], cites: ['NS-54', 'CONV-3', 'ACC-19'] };
}
