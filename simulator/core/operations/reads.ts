// The reads: pages of accounts and transactions (NS-2, CONV-3), and the status of an account (NS-54).
import type { Decision } from '../call.ts';
import { refuse } from '../pipeline/refuse.ts';
import { callerOf, type RequestContext, scopesOf } from '../pipeline/request-context.ts';
import { accountReply } from './accounts.ts';
import { citesOfReach, findAccount, parseOtherPathId } from './members.ts';

export function listAccounts(context: RequestContext): Decision {
  const { behaviour, world } = context;
  const credential = callerOf(context);
  return page(context, 'accounts', world.accounts, (account) =>
    behaviour.reach.account(credential, account) ? behaviour.serialize.accountRead(account) : null,
  );
}

export function listTransactions(context: RequestContext): Decision {
  const { behaviour, world } = context;
  const credential = callerOf(context);
  return page(context, 'transactions', world.transactions, (transaction) =>
    behaviour.reach.transaction(credential, transaction)
      ? behaviour.serialize.transactionRead(transaction)
      : null,
  );
}

/** NS-2: a setting may ask for a scope of its own. */
function refuseReadScope(context: RequestContext): Decision | null {
  const { read_scope: scope } = context.behaviour.settings;
  if (scope === null || scopesOf(context).includes(scope)) return null;
  const detail = `This needs the scope ${scope}.`;
  return refuse(context, { code: 'forbidden', detail, cites: ['NS-2'] });
}

const longestWalk = 20_000;

/**
 * Records after the id `after`, at most `limit`, by ascending id. Ids are given out without gaps,
 * so the walk starts where the last page ended; it never looks at more than a bounded number of
 * records.
 */
function page<R>(
  context: RequestContext,
  name: string,
  records: ReadonlyMap<string, R>,
  show: (record: R) => string | null,
): Decision {
  const { settings } = context.behaviour;
  const refused = refuseReadScope(context);
  if (refused !== null) return refused;
  const after = findNumber(context, 'after', 0, Number.MAX_SAFE_INTEGER);
  if (typeof after === 'object') return after;
  const limit = findNumber(context, 'limit', settings.read_page_size, settings.read_page_size);
  if (typeof limit === 'object') return limit;
  const counter = name === 'accounts' ? 'account' : 'transaction';
  const last = context.world.counters[counter];
  const shown: string[] = [];
  let next: number | null = null;
  let newest = after;
  for (let id = after + 1; id <= last; id += 1) {
    const record = records.get(String(id));
    const text = record === undefined ? null : show(record);
    // AUTH-6: there is more only where there is more to see, not where others have records.
    const over = text !== null && shown.length === limit;
    if (over || id - after > longestWalk) {
      next = over ? newest : id - 1;
      break;
    }
    if (text === null) continue;
    shown.push(text);
    newest = id;
  }
  const body = `{"${name}":[${shown.join(',')}],"next_after":${next}}`;
  return {
    reply: { status: 200, contentType: 'application/json', body },
    changes: [],
    cites: ['CONV-3', 'NS-2', ...citesOfReach(callerOf(context))],
  };
}

function findNumber(
  context: RequestContext,
  name: string,
  absent: number,
  max: number,
): number | Decision {
  const text = context.query.get(name);
  if (text === null) return absent;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  const least = name === 'limit' ? 1 : 0;
  if (value >= least && value <= max) return value;
  return refuse(context, {
    code: 'validation_failed',
    detail: `${name} must be a whole number from ${least} to ${max}.`,
    field: name,
    cites: ['NS-2'],
  });
}

export function getAccountStatus(context: RequestContext): Decision {
  const refused = refuseReadScope(context);
  if (refused !== null) return refused;
  const id = parseOtherPathId(context, 'account');
  if (typeof id !== 'string') return id;
  const account = findAccount(context, id, ['NS-54']);
  if ('reply' in account) return account;
  return {
    reply: accountReply(context, account, 200, context.behaviour.serialize.accountStatus(account)),
    changes: [],
    cites: ['NS-54', 'CONV-3', 'ACC-19'],
  };
}
