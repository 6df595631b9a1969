// The bulk reads, of which the specification says only that they exist and how they write ids
// (NS-2, CONV-3).

import type { Decision } from '../call.ts';
import { refuse } from '../pipeline/refuse.ts';
import { callerOf, type RequestContext, scopesOf } from '../pipeline/request-context.ts';

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
  if (settings.read_scope !== null && !scopesOf(context).includes(settings.read_scope)) {
    const detail = `This needs the scope ${settings.read_scope}.`;
    return refuse(context, { code: 'forbidden', detail, cites: ['NS-2'] });
  }
  const after = findNumber(context, 'after', 0, Number.MAX_SAFE_INTEGER);
  if (typeof after === 'object') return after;
  const limit = findNumber(context, 'limit', settings.read_page_size, settings.read_page_size);
  if (typeof limit === 'object') return limit;
  const counter = name === 'accounts' ? 'account' : 'transaction';
  const last = context.world.counters[counter];
  const shown: string[] = [];
  let next: number | null = null;
  for (let id = after + 1; id <= last; id += 1) {
    const record = records.get(String(id));
    const text = record === undefined ? null : show(record);
    if (text !== null) shown.push(text);
    if (shown.length === limit || id - after >= 20_000) {
      next = id < last ? id : null;
      break;
    }
  }
  const body = `{"${name}":[${shown.join(',')}],"next_after":${next}}`;
  return {
    reply: { status: 200, contentType: 'application/json', body },
    changes: [],
    cites: ['CONV-3', 'NS-2', 'AUTH-6', 'LIM-11'],
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
