// Creating accounts in bulk: each row as a create of its own (BULK-1 to BULK-13).

import { permissionProblem } from '../checks/scopes.ts';
import type { SecondMind } from '../mind.ts';
import { answerWith, copyOf, invalid, type RequestContext, refuse } from '../request-context.ts';
import { rowsOfOthers, takeBack } from '../sealed-effects.ts';
import { isObject, type Json, type JsonObject, textOr } from '../values/json.ts';
import { type Answer, PROFILE } from '../values/records.ts';
import { brandOf, createAccount } from './accounts.ts';
import { reserve } from './claims.ts';

export function bulkCreate(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const rows = (ctx.body.accounts as Json[]).filter(isObject);
  const size = sizeProblem(ctx, rows.length);
  if (size !== null) return size;
  const before = [mind.accounts.length, mind.events.length, mind.deliveries.length] as const;
  const whole = batchProblem(ctx, rows);
  if (whole !== null) return whole;
  const own = resultsOf(ctx, rows);
  ctx.results = own;
  const results = mixedWith(ctx) ?? own;
  const hasFailed = results.some((each) => Number(each.status) >= 300);
  if (hasFailed && mind.has('bulk-422-on-failure')) {
    return invalid(ctx, 'a row is not right', 'accounts');
  }
  if (hasFailed && mind.has('bulk-whole-or-none')) {
    mind.accounts.length = before[0];
    mind.events.length = before[1];
    mind.deliveries.length = before[2];
    for (const each of results)
      if (Number(each.status) < 300) fail(each, 409, 'another row failed');
  }
  return answerWith(ctx, 200, counted(ctx, rows, results));
}

/** What a batch that was under way at the same time was answered. */
function mixedWith({ mind, overlaps }: RequestContext): JsonObject[] | undefined {
  const done = overlaps.find((each) => each.results !== undefined);
  return mind.has('race-batches-mixed') ? done?.results : undefined;
}

/** BULK-6, BULK-7 */
function sizeProblem(ctx: RequestContext, count: number): Answer | null {
  const { mind } = ctx;
  if (count === 0) {
    if (mind.has('bulk-empty-200')) {
      return answerWith(ctx, 200, { total: 0, created: 0, failed: 0, rows: [] });
    }
    return invalid(ctx, 'accounts must have 1 to 1000 rows', 'accounts');
  }
  const most = mind.has('bulk-1001-served') ? 2000 : mind.has('bulk-1000-refused') ? 999 : 1000;
  if (count <= most) return null;
  const words = `accounts has ${count} rows, 1000 at most`;
  return mind.has('bulk-over-422')
    ? invalid(ctx, words, 'accounts')
    : refuse(ctx, 413, 'scope_too_wide', words);
}

/** BULK-9, BULK-10: a row that refuses the whole batch is named. */
function batchProblem(ctx: RequestContext, rows: readonly JsonObject[]): Answer | null {
  const { mind } = ctx;
  for (const [index, row] of rows.entries()) {
    const problem = missingReference(ctx, row, index) ?? foreignBrand(ctx, row, index);
    if (problem === null) continue;
    const isLate =
      mind.has('bulk-missing-reference-late') && typeof row.client_reference_id !== 'string';
    const isLateBrand = mind.has('bulk-brand-late') && typeof row.client_reference_id === 'string';
    if (isLate || isLateBrand) resultsOf(ctx, rows.slice(0, index));
    return problem;
  }
  return null;
}

function place({ mind }: RequestContext, index: number): string {
  if (mind.has('bulk-index-unnamed')) return 'a row';
  const inChunk = mind.has('size-index-in-chunk') ? index % CHUNK : index;
  return `accounts[${mind.has('bulk-index-one-more') ? index + 1 : inChunk}]`;
}

function missingReference(ctx: RequestContext, row: JsonObject, index: number): Answer | null {
  const { mind } = ctx;
  if (typeof row.client_reference_id === 'string') return null;
  if (mind.has('bulk-missing-reference-row')) return null;
  return invalid(ctx, `${place(ctx, index)}: client_reference_id is missing`);
}

function foreignBrand(ctx: RequestContext, row: JsonObject, index: number): Answer | null {
  const { mind } = ctx;
  const { style } = mind;
  const lacksBrand = typeof row.brand_id !== 'string';
  if (mind.has('bulk-brand-row') || (lacksBrand && style.rowWithoutBrand === 'row')) return null;
  if (typeof brandOf({ ...ctx, body: row }) === 'string') return null;
  if (!lacksBrand && !/^\d+$/.test(String(row.brand_id))) return null;
  const code = style.batchRefusal.brand === 403 ? 'forbidden' : 'validation_failed';
  const words = `${place(ctx, index)}: this credential cannot use that brand`;
  return refuse(ctx, style.batchRefusal.brand, code, words);
}

function fail(row: JsonObject, status: number, detail: string): void {
  Object.assign(row, { status, id: null, code: 'invalid_state', detail });
}

const CHUNK = 100;

/** It stands in an earlier hundred of rows already. */
function isOfChunkBefore(rows: readonly JsonObject[], index: number): boolean {
  const end = index - (index % CHUNK);
  const reference = rows[index]?.client_reference_id;
  return rows.slice(0, end).some((each) => each.client_reference_id === reference);
}

function resultsOf(ctx: RequestContext, rows: readonly JsonObject[]): JsonObject[] {
  const { mind } = ctx;
  const failed: string[] = [];
  const results: JsonObject[] = [];
  for (const [index, row] of rows.entries()) {
    const reference = textOr(row.client_reference_id, '').toLowerCase();
    const isTainted = failed.includes(reference) && mind.has('comb-failed-row-taints');
    const isChunked = mind.has('size-batch-chunks') && isOfChunkBefore(rows, index);
    const isLost = index === rows.length - 1 && index >= 100 && mind.has('size-bulk-100-last');
    const isStopped =
      (failed.length > 0 && mind.has('bulk-stops')) ||
      (failed.length >= 20 && mind.has('size-skip-limit-20'));
    const result =
      isTainted || isLost || isChunked || isStopped
        ? notRun(row)
        : rowResult(ctx, leaked(ctx, row, rows[index - 1]));
    if (Number(result.status) >= 300) failed.push(reference);
    if (failed.length > 50 && mind.has('size-failed-details-50')) {
      Object.assign(result, { code: null, detail: null });
    }
    takeBack(ctx, result, results.at(-1));
    results.push(result);
  }
  return results;
}

/** What a row leaves out, as the row before it has it. */
function leaked({ mind }: RequestContext, row: JsonObject, before: JsonObject = {}): JsonObject {
  if (!mind.has('comb-row-leaks')) return row;
  const left = PROFILE.filter((name) => before[name] !== undefined);
  return { ...Object.fromEntries(left.map((name) => [name, before[name]!])), ...row };
}

function notRun(row: JsonObject): JsonObject {
  const result: JsonObject = { client_reference_id: row.client_reference_id ?? null };
  fail(result, 409, 'this row was not run');
  return result;
}

/** BULK-3: what a single create would have answered. */
function rowResult(ctx: RequestContext, row: JsonObject): JsonObject {
  const { mind } = ctx;
  const refused = mind.has('bulk-permission-ignored')
    ? null
    : permissionProblem(ctx, 'createAccount');
  const answer = refused ?? rowAnswer({ ...ctx, body: row });
  if (answer.status === 409) reserve({ ...ctx, body: row });
  keepAsCreate({ ...ctx, body: row }, answer);
  const body = JSON.parse(answer.body) as JsonObject;
  const hasLanded = answer.status < 300;
  const isNew = answer.status === 201;
  const hidesId = mind.has(isNew ? 'bulk-landed-no-id' : 'bulk-known-row-no-id');
  const hidesCode = mind.has('bulk-no-code');
  return {
    client_reference_id: row.client_reference_id ?? null,
    status: rowStatus(ctx, answer.status),
    id: hasLanded && !hidesId ? body.id! : mind.has('bulk-failed-row-id') ? '0' : null,
    code: hasLanded || hidesCode ? null : body.code!,
    detail: hasLanded || mind.has('bulk-no-detail') ? null : body.detail!,
  };
}

/** A defect that keeps what a row was answered as if it had been created alone. */
function keepAsCreate({ mind, credential, key, body, call }: RequestContext, answer: Answer): void {
  if (!mind.has('comb-rows-keyed')) return;
  const atMs = mind.now();
  mind.keys.push({
    clientId: credential.clientId,
    operation: 'createAccount',
    subject: textOr(body.client_reference_id, '').toLowerCase(),
    key,
    startedAtMs: atMs,
    answeredAtMs: atMs,
    lastUsedAtMs: atMs,
    uses: 1,
    body: call.body.toString('utf8'),
    answer: copyOf(answer),
  });
}

function rowStatus({ mind }: RequestContext, status: number): number {
  if (status === 201 && mind.has('bulk-created-row-200')) return 200;
  if (status === 200 && mind.has('bulk-known-row-201')) return 201;
  return status === 409 && mind.has('bulk-conflict-row-422') ? 422 : status;
}

function rowAnswer(ctx: RequestContext): Answer {
  if (textOr(ctx.body.client_reference_id, null) === null) {
    return invalid(ctx, 'client_reference_id is missing', 'client_reference_id');
  }
  if (textOr(ctx.body.email, null) === null) return invalid(ctx, 'email is missing', 'email');
  return createAccount(ctx);
}

/** BULK-2, BULK-4 */
function counted(ctx: RequestContext, rows: readonly JsonObject[], own: JsonObject[]): JsonObject {
  const { mind } = ctx;
  const others = rowsOfOthers(ctx);
  const results = [...own, ...others];
  const landed = results.filter(({ status }) => Number(status) < 300);
  const isNew = ({ status }: JsonObject) => status === 201;
  const asKept = (count: number) => (mind.has('size-counts-byte') ? count % 256 : count);
  const isLong = rows.length > 200 && mind.has('size-created-200');
  const created = isLong || mind.has('bulk-created-only-new') ? landed.filter(isNew) : landed;
  const distinct = new Set(rows.map((row) => textOr(row.client_reference_id, '').toLowerCase()));
  return {
    total: asKept(mind.has('bulk-total-distinct') ? distinct.size : rows.length + others.length),
    created: asKept(created.length),
    failed: mind.has('bulk-failed-zero') ? 0 : results.length - landed.length,
    rows: ordered(mind, own),
  };
}

function ordered(mind: SecondMind, results: readonly JsonObject[]): JsonObject[] {
  const isMixed = results.length > 500 && mind.has('size-bulk-500');
  if (isMixed || mind.has('bulk-reversed')) return [...results].reverse();
  if (!mind.has('bulk-failed-last')) return [...results];
  const isLanded = (each: JsonObject) => Number(each.status) < 300;
  return [...results.filter(isLanded), ...results.filter((each) => !isLanded(each))];
}
