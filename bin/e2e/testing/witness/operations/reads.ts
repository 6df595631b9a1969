// The reads, of which the specification tells little more than that they exist (CONV-3, NS-2).
import type { Reply } from '../records.ts';
import { notFound, replyWith } from '../replies.ts';
import { transactionBody } from '../settlement.ts';
import type { Context } from '../types.ts';
import type { JsonObject } from '../values.ts';
import { accountBody } from './accounts.ts';
import { findAccount, idProblem } from './ids.ts';

export function listAccounts(context: Context): Reply {
  const { store } = context.world;
  const seen = [...store.accounts()].filter((each) => store.reaches(context.credential, each));
  const rows = seen.map((each) => {
    const { id, ...rest } = accountBody(context, each);
    return { record_id: BigInt(each.id), account_id: BigInt(each.id), ...rest };
  });
  return page(context, 'accounts', rows);
}

export function listTransactions(context: Context): Reply {
  const { store } = context.world;
  const seen = [...store.transactions()].filter((each) =>
    store.reaches(context.credential, store.account(each.account_id)!),
  );
  const rows = seen.map((each) => {
    const { id, account_id, ...rest } = transactionBody(each);
    return { record_id: BigInt(each.id), account_id: BigInt(each.account_id), ...rest };
  });
  return page(context, 'transactions', rows);
}

function page(
  context: Context,
  name: string,
  rows: readonly (JsonObject & { readonly record_id: bigint })[],
): Reply {
  const { reads } = context.world.style;
  const after = context.query.get('after') ?? '0';
  const limit = Number(context.query.get('limit') ?? reads.page) || reads.page;
  const from = /^\d+$/.test(after) ? BigInt(after) : 0n;
  const shown = rows.filter((each) => each.record_id > from).slice(0, Math.min(limit, 1000));
  if (reads.rows === 'bare') return replyWith(context, 200, shown);
  const member = { named: name, items: 'items', data: 'data' }[reads.rows];
  return replyWith(context, 200, { [member]: shown });
}

/** NS-54: the way to read again after a 412. */
export function readAccountStatus(context: Context): Reply {
  const isId = idProblem(context, context.pathId, 'id') === null;
  const found = isId ? findAccount(context, context.pathId) : undefined;
  if (found === undefined) return notFound(context);
  const { id, status, revision } = found;
  const body = { account_id: BigInt(id), status, revision };
  return replyWith(context, 200, body, [['ETag', `"${revision}"`]]);
}
