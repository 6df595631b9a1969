// Creating accounts in bulk: each row as a create of its own (BULK-1 to BULK-13).
import { brandOf, createAccount } from './accounts.ts';
import { isObject, type Json, type JsonObject, textOr } from './json.ts';
import type { Answer } from './records.ts';
import {
  answerWith,
  invalid,
  permissionProblem,
  type RequestContext,
  refuse,
} from './request-context.ts';

const MOST_ROWS = 1000;

export function bulkCreate(ctx: RequestContext): Answer {
  const rows = (ctx.body.accounts as Json[]).filter(isObject);
  if (rows.length === 0) return invalid(ctx, 'accounts must have 1 to 1000 rows', 'accounts');
  if (rows.length > MOST_ROWS) {
    return refuse(ctx, 413, 'scope_too_wide', `accounts has ${rows.length} rows, 1000 at most`);
  }
  const whole = batchProblem(ctx, rows);
  if (whole !== null) return whole;
  const results = rows.map((row) => rowResult(ctx, row));
  const created = results.filter((each) => each.id !== null).length;
  const failed = results.length - created;
  return answerWith(ctx, 200, { total: rows.length, created, failed, rows: results });
}

/** BULK-9, BULK-10: a row that refuses the whole batch is named. */
function batchProblem(ctx: RequestContext, rows: readonly JsonObject[]): Answer | null {
  const { style } = ctx.mind;
  for (const [index, row] of rows.entries()) {
    if (typeof row.client_reference_id !== 'string') {
      const words = `accounts[${index}]: client_reference_id is missing`;
      return invalid(ctx, words, `accounts[${index}].client_reference_id`);
    }
    const lacksBrand = typeof row.brand_id !== 'string';
    if (lacksBrand && style.rowWithoutBrand === 'row') continue;
    if (typeof brandOf({ ...ctx, body: row }) === 'string') continue;
    if (!lacksBrand && !/^\d+$/.test(String(row.brand_id))) continue;
    const words = `accounts[${index}]: this credential cannot use that brand`;
    const code = style.batchRefusal.brand === 403 ? 'forbidden' : 'validation_failed';
    return refuse(ctx, style.batchRefusal.brand, code, words, `accounts[${index}].brand_id`);
  }
  return null;
}

/** BULK-3: what a single create would have answered. */
function rowResult(ctx: RequestContext, row: JsonObject): JsonObject {
  const reference = row.client_reference_id!;
  const single: RequestContext = { ...ctx, body: row };
  const answer = permissionProblem(ctx, 'createAccount') ?? rowAnswer(single);
  const body = JSON.parse(answer.body) as JsonObject;
  const hasLanded = answer.status < 300;
  return {
    client_reference_id: reference,
    status: answer.status,
    id: hasLanded ? body.id! : null,
    code: hasLanded ? null : body.code!,
    detail: hasLanded ? null : body.detail!,
  };
}

function rowAnswer(ctx: RequestContext): Answer {
  if (textOr(ctx.body.email, null) === null) return invalid(ctx, 'email is missing', 'email');
  return createAccount(ctx);
}
