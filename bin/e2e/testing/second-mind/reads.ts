// The reads of which the specification tells little more than that they exist (CONV-3).

import { accountBody } from './accounts.ts';
import type { Json, JsonObject } from './json.ts';
import { findAccount, idProblem } from './reach.ts';
import type { Answer } from './records.ts';
import { answerWith, notFound, type RequestContext } from './request-context.ts';
import { transactionBody } from './transactions.ts';

const PAGE = 100;

function page(ctx: RequestContext, name: string, rows: readonly JsonObject[]): Answer {
  const after = Number(ctx.query.get('after') ?? 0);
  const limit = Math.min(Number(ctx.query.get('limit') ?? PAGE) || PAGE, 1000);
  const rest = rows.filter((each) => Number(each.record_id) > after);
  const shown: Json = rest.slice(0, limit);
  if (ctx.mind.style.reads.rows === 'items') return answerWith(ctx, 200, { items: shown });
  return answerWith(ctx, 200, { [name]: shown });
}

export function listAccounts(ctx: RequestContext): Answer {
  const seen = ctx.mind.accounts.filter((each) => findAccount(ctx, each.id) !== undefined);
  const rows = seen.map((each) => {
    const { id, ...rest } = accountBody(ctx, each);
    return { record_id: Number(id), account_id: Number(id), ...rest };
  });
  return page(ctx, 'accounts', rows);
}

export function listTransactions(ctx: RequestContext): Answer {
  const { transactions } = ctx.mind;
  const seen = transactions.filter((each) => findAccount(ctx, each.accountId) !== undefined);
  const rows = seen.map((each) => {
    const { id, account_id, ...rest } = transactionBody(each);
    return { record_id: Number(id), account_id: Number(account_id), ...rest };
  });
  return page(ctx, 'transactions', rows);
}

/** The way to read again after a 412. */
export function readStatus(ctx: RequestContext): Answer {
  const problem = idProblem(ctx, ctx.pathId, 'id');
  const found = problem === null ? findAccount(ctx, ctx.pathId) : undefined;
  if (found === undefined) return notFound(ctx);
  const { id, status, revision } = found;
  const body = { account_id: Number(id), status, revision };
  return answerWith(ctx, 200, body, [['ETag', `"${revision}"`]]);
}
