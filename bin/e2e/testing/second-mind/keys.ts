// Idempotency keys: each is kept for its credential, operation and subject.
import { isObject, type Json, textOr } from './json.ts';
import type { Answer, KeyRecord } from './records.ts';
import { copyOf, headersOf, type RequestContext, refuse, setHeader } from './request-context.ts';

const KEPT_MS = 24 * 3_600_000;
const UNRECORDED = [429, 500, 503];

/** IDEM-1a, IDEM-1b, IDEM-1c */
export function keyProblem(ctx: RequestContext): Answer | null {
  if (!ctx.operation.keyed) return null;
  const given = headersOf(ctx.call, 'idempotency-key');
  const refused = (words: string) => refuse(ctx, 400, 'idempotency_key_required', words);
  if (given.length > 1 && ctx.mind.style.twoKeys === 'refused') {
    return refused('more than one Idempotency-Key was given');
  }
  const key = (given[0] ?? '').trim();
  if (key === '') return refused('the header Idempotency-Key is required');
  if (Buffer.byteLength(key, 'latin1') > 255) {
    return refused('Idempotency-Key is longer than 255 characters');
  }
  ctx.key = key;
  return null;
}

/** IDEM-2c: what the key is about, by the table of the specification. */
export function subjectOf(ctx: RequestContext): string {
  const { body, mind } = ctx;
  const reference = textOr(body.client_reference_id, '');
  switch (ctx.operation.name) {
    case 'createAccount':
      return reference.toLowerCase();
    case 'createTransaction':
      return mind.style.transactionSubjectByCase ? reference : reference.toLowerCase();
    case 'bulkCreateAccounts':
      return batchSubject(body.accounts);
    case 'openPosition':
    case 'closePosition':
      return plainId(ctx, textOr(body.trading_account_id, ''));
    case 'updateAccount':
      return plainId(ctx, ctx.pathId);
    default:
      return plainId(ctx, ctx.query.get('account_id') ?? '');
  }
}

/** IDEM-9a */
function batchSubject(rows: Json | undefined): string {
  const parts = (Array.isArray(rows) ? rows : []).map((row) => {
    const of = isObject(row) ? row : {};
    const reference = textOr(of.client_reference_id, null);
    return [reference?.toLowerCase() ?? null, of.email ?? null, of.brand_id ?? null];
  });
  return JSON.stringify(parts);
}

/** NS-48 */
export function plainId(ctx: RequestContext, id: string): string {
  if (!ctx.mind.style.leadingZeros || !/^\d+$/.test(id)) return id;
  return BigInt(id).toString();
}

/** A replay, or 409 while the first attempt runs, or null where this is the first. */
export function recordedAnswer(ctx: RequestContext, subject: string): Answer | null {
  const { mind, operation, credential, key } = ctx;
  const nowMs = mind.now();
  const record = mind.keys.find(
    (each) =>
      each.key === key &&
      each.operation === operation.name &&
      each.clientId === credential.clientId &&
      each.subject === subject,
  );
  if (record === undefined) return null;
  if (record.answer === null) {
    if (nowMs - record.startedAtMs < mind.style.abandonedAfterMs) {
      return refuse(ctx, 409, 'idempotency_in_flight', 'an attempt with this key still runs');
    }
    forget(ctx, record);
    return null;
  }
  const fromMs =
    mind.style.countsFrom === 'start' ? record.startedAtMs : (record.answeredAtMs ?? 0);
  if (nowMs - fromMs >= KEPT_MS) {
    forget(ctx, record);
    return null;
  }
  const answer = copyOf(record.answer);
  setHeader(answer, 'X-Request-Id', ctx.requestId);
  return answer;
}

export function beginKey(ctx: RequestContext, subject: string): KeyRecord {
  const { mind, operation, credential, key } = ctx;
  const record: KeyRecord = {
    clientId: credential.clientId,
    operation: operation.name,
    subject,
    key,
    startedAtMs: mind.now(),
    answeredAtMs: null,
    answer: null,
  };
  mind.keys.push(record);
  return record;
}

/** IDEM-4d, IDEM-6a, IDEM-6b, IDEM-6c */
export function endKey(ctx: RequestContext, record: KeyRecord, answer: Answer): void {
  if (UNRECORDED.includes(answer.status)) {
    forget(ctx, record);
    return;
  }
  record.answer = copyOf(answer);
  record.answeredAtMs = ctx.mind.now();
}

function forget({ mind }: RequestContext, record: KeyRecord): void {
  const at = mind.keys.indexOf(record);
  if (at >= 0) mind.keys.splice(at, 1);
}
