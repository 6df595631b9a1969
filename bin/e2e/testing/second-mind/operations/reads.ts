// The reads of which the specification tells little more than that they exist (CONV-3).

import { findAccount, idProblem } from '../checks/reach.ts';
import { answerWith, notFound, type RequestContext } from '../request-context.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { Answer } from '../values/records.ts';
import { accountBody } from './accounts.ts';
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

/** CONV-3 */
function numbered({ mind }: RequestContext, row: JsonObject): JsonObject {
  const shown = { ...row };
  if (mind.has('conv-read-strings')) shown.record_id = String(row.record_id);
  if (mind.has('conv-read-account-strings')) shown.account_id = String(row.account_id);
  return shown;
}

export function listAccounts(ctx: RequestContext): Answer {
  const seen = ctx.mind.accounts.filter((each) => findAccount(ctx, each.id) !== undefined);
  const rows = seen.map((each) => {
    const { id, ...rest } = accountBody(ctx, each);
    return numbered(ctx, { record_id: Number(id), account_id: Number(id), ...rest });
  });
  return page(ctx, 'accounts', rows);
}

export function listTransactions(ctx: RequestContext): Answer {
  const { transactions } = ctx.mind;
  const seen = transactions.filter((each) => findAccount(ctx, each.accountId) !== undefined);
  const rows = seen.map((each) => {
    const { id, account_id, ...rest } = transactionBody(each);
    return numbered(ctx, { record_id: Number(id), account_id: Number(account_id), ...rest });
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
