// Idempotency keys: each is kept for its credential, operation and subject.

import { bentReplay } from '../bent-replays.ts';
import { asciiLower } from '../operations/references.ts';
import {
  copyOf,
  dropHeader,
  headerOf,
  headersOf,
  invalid,
  plainId,
  type RequestContext,
  refuse,
  setHeader,
} from '../request-context.ts';
import { dropOldKeys, repeatProblem } from '../sealed-effects.ts';
import { isObject, type Json, type JsonObject, textOr } from '../values/json.ts';
import type { Answer, KeyRecord } from '../values/records.ts';
import { decidesAnother, lockedAnswer } from './locks.ts';
import { isClosed, isRefusal, isRefusedAlike, repeatEffects } from './repeats.ts';

const HOUR_MS = 3_600_000;
const MOST_CHARS = 255;

/** IDEM-1a, IDEM-1b, IDEM-1c */
export function keyProblem(ctx: RequestContext): Answer | null {
  const { mind, operation } = ctx;
  const wantsKey = operation.keyed || wantsKeyAnyway(ctx);
  if (!wantsKey) return null;
  const given = headersOf(ctx.call, 'idempotency-key');
  const [status, code] = mind.has('idem-missing-422')
    ? ([422, 'validation_failed'] as const)
    : ([400, 'idempotency_key_required'] as const);
  const refused = (words: string) => refuse(ctx, status, code, words);
  if (given.length > 1 && mind.style.twoKeys === 'refused') {
    return refused('more than one Idempotency-Key was given');
  }
  const sent = given[0] ?? '';
  const key = sent.trim();
  if (key === '' && mayLackKey(ctx, given.length > 0)) {
    ctx.key = `none-${ctx.requestId}`;
    return null;
  }
  if (key === '') return refused('the header Idempotency-Key is required');
  if (mind.has('idem-key-plain') && /[^\w-]/.test(key)) return refused('the key is odd');
  const most = mind.has('idem-long-key') ? 400 : mind.has('idem-255-refused') ? 254 : MOST_CHARS;
  if (Buffer.byteLength(key, 'latin1') > most) {
    return refused('Idempotency-Key is longer than 255 characters');
  }
  ctx.key = keptKey(ctx, key);
  return null;
}

const wantsKeyAnyway = ({ mind, operation }: RequestContext): boolean =>
  (mind.has('hook-wants-key') && operation.name === 'createWebhook') ||
  (mind.has('hook-rotate-wants-key') && operation.name === 'rotateWebhookSecret');

function mayLackKey({ mind, operation }: RequestContext, isBlank: boolean): boolean {
  if (isBlank) return mind.has('idem-blank-key');
  if (mind.has('idem-key-optional')) return true;
  return mind.has('idem-bulk-key-optional') && operation.name === 'bulkCreateAccounts';
}

function keptKey({ mind }: RequestContext, key: string): string {
  if (mind.has('size-key-128')) return key.slice(0, 128);
  if (mind.has('comb-key-case')) return key.toLowerCase();
  if (mind.has('comb-key-spaces')) return key.replace(/ /g, '');
  return key;
}

/** IDEM-2c: what the key is about, by the table of the specification. */
export function subjectOf(ctx: RequestContext): string {
  const { body, mind, operation } = ctx;
  if (mind.has('idem-one-subject')) return '';
  switch (operation.name) {
    case 'createAccount':
      return personSubject(ctx, body);
    case 'createTransaction': {
      const reference = textOr(body.client_reference_id, '');
      return mind.style.transactionSubjectByCase ? reference : reference.toLowerCase();
    }
    case 'bulkCreateAccounts':
      return isOneOf(ctx) ? personSubject(ctx, rowsOf(ctx)[0]!) : batchSubject(ctx, rowsOf(ctx));
    case 'openPosition':
    case 'closePosition':
      if (mind.has('pos-key-for-all')) return '';
      return plainId(ctx, textOr(body.trading_account_id, '')) + comparedVolume(ctx);
    case 'updateAccount':
      return plainId(ctx, ctx.pathId);
    default:
      if (mind.has('idem-transaction-subject')) return ctx.pathId;
      return plainId(ctx, ctx.query.get('account_id') ?? '');
  }
}

function rowsOf({ body }: RequestContext): JsonObject[] {
  const rows = Array.isArray(body.accounts) ? body.accounts : [];
  return rows.map((row) => (isObject(row) ? row : {}));
}

const isOneOf = (ctx: RequestContext): boolean =>
  ctx.mind.has('comb-batch-of-one') && rowsOf(ctx).length === 1;

function personSubject({ mind }: RequestContext, body: JsonObject): string {
  const whole = textOr(body.client_reference_id, '');
  const reference = mind.has('size-subject-200') ? whole.slice(0, 200) : whole;
  if (mind.has('idem-subject-by-case')) return reference;
  if (mind.has('comb-case-ascii')) return asciiLower(reference);
  if (mind.has('idem-brand-in-subject')) return `${reference.toLowerCase()} ${body.brand_id}`;
  if (mind.has('idem-email-in-subject')) return `${reference.toLowerCase()} ${body.email}`;
  return reference.toLowerCase();
}

function comparedVolume({ body, mind }: RequestContext): string {
  return mind.has('pos-body-compared') ? ` ${JSON.stringify(body)}` : '';
}

/** IDEM-9a */
function batchSubject({ mind }: RequestContext, rows: readonly JsonObject[]): string {
  const most = mind.has('size-batch-subject-50') ? 50 : rows.length;
  const parts = rows.slice(0, most).map((of) => {
    const reference = textOr(of.client_reference_id, null)?.toLowerCase() ?? null;
    if (mind.has('idem-batch-references')) return [reference];
    const part: Json[] = [reference, of.email ?? null, of.brand_id ?? null];
    return mind.has('idem-batch-first-names') ? [...part, of.first_name ?? null] : part;
  });
  if (mind.has('comb-batch-joined')) return parts.flat().join('');
  if (mind.has('idem-batch-counted')) return String(parts.length);
  const texts = parts.map((each) => JSON.stringify(each));
  return (mind.has('idem-batch-unordered') ? texts.sort() : texts).join();
}

/** Which operations share their keys: none, but for defects (IDEM-3). */
function spaceOf(ctx: RequestContext): string {
  const { mind, operation } = ctx;
  if (isOneOf(ctx)) return 'createAccount';
  if (mind.has('pos-shared-key') && /Position$/.test(operation.name)) return 'position';
  const isTransition = /^(approve|reject|cancel)/.test(operation.name);
  if (isTransition && mind.has('idem-operations-share')) return 'transition';
  return operation.name;
}

function ownerOf({ call, mind, credential }: RequestContext): string {
  if (mind.has('comb-minted-share-keys')) return credential.mintedBy ?? credential.clientId;
  if (mind.has('comb-key-by-token')) return headerOf(call, 'authorization') ?? '';
  return mind.has('idem-shared-credentials') ? credential.firmId : credential.clientId;
}

/** A replay, or 409 while the first attempt runs, or null where this is the first. */
export function recordedAnswer(ctx: RequestContext, subject: string): Answer | null {
  const { mind, key } = ctx;
  const [owner, space] = [ownerOf(ctx), spaceOf(ctx)];
  const record = mind.keys.find(
    (each) =>
      each.key === key &&
      (each.operation === space || isRefusedAlike(ctx, each)) &&
      each.clientId === owner &&
      (each.subject === subject || isRefusal(ctx, each)),
  );
  if (record === undefined) return lockedAnswer(ctx, subject);
  if (mind.has('race-key-decisions') && decidesAnother(ctx)) return null;
  if (record.answer === null) return inFlight(ctx, record);
  const isOver = isPast(ctx, record);
  if (isOver) mind.count(`expired ${ctx.requestId}`);
  if (isOver || isClosed(ctx, record) || (mind.has('comb-third-use') && record.uses >= 2)) {
    forget(ctx, record);
    return null;
  }
  const problem = repeatProblem(ctx);
  if (problem !== null) return problem;
  if (isOtherBody(ctx, record)) return invalid(ctx, 'this key was used with another body');
  record.lastUsedAtMs = mind.now();
  record.uses += 1;
  repeatEffects(ctx, record);
  const answer = copyOf(record.answer);
  const ageMs = mind.now() - (record.answeredAtMs ?? 0);
  if (mind.has('time-replay-cold') && ageMs >= HOUR_MS) dropHeader(answer, 'ETag');
  if (!mind.has('idem-call-id-replayed')) setHeader(answer, 'X-Request-Id', ctx.requestId);
  return bentReplay(ctx, answer);
}

/** IDEM-7a, IDEM-7b */
function isPast(ctx: RequestContext, record: KeyRecord): boolean {
  const [fromMs, nowMs] = [countedFrom(ctx, record), ctx.mind.now()];
  const isOtherDay = Math.floor(fromMs / (24 * HOUR_MS)) !== Math.floor(nowMs / (24 * HOUR_MS));
  if (isOtherDay && ctx.mind.has('time-key-midnight')) return true;
  const ageMs = nowMs - fromMs;
  return (ctx.mind.has('time-age-wraps') ? ageMs % 2 ** 32 : ageMs) >= keptMs(ctx, record);
}

function isOtherBody({ mind, call }: RequestContext, record: KeyRecord): boolean {
  return mind.has('idem-body-compared') && call.body.toString('utf8') !== record.body;
}

function countedFrom({ mind }: RequestContext, record: KeyRecord): number {
  if (mind.has('time-key-slides')) return record.lastUsedAtMs;
  return mind.style.countsFrom === 'start' ? record.startedAtMs : (record.answeredAtMs ?? 0);
}

function keptMs({ mind, operation }: RequestContext, { answer }: KeyRecord): number {
  const isBatch = operation.name === 'bulkCreateAccounts';
  if (isBatch && mind.has('time-batch-hour')) return HOUR_MS;
  if (mind.has('idem-12-hours')) return 12 * HOUR_MS;
  if (mind.has('idem-forever')) return Number.POSITIVE_INFINITY;
  if (mind.has('time-refusal-hour') && (answer?.status ?? 0) >= 400) return HOUR_MS;
  return 24 * HOUR_MS;
}

/** IDEM-14a, IDEM-14b, NS-34 */
function inFlight(ctx: RequestContext, record: KeyRecord): Answer | null {
  const { mind } = ctx;
  if (mind.has('idem-in-flight-runs') || mind.has('race-same-key')) return null;
  const isBatch = ctx.operation.name === 'bulkCreateAccounts';
  if (mind.has('race-same-batch') && isBatch) return null;
  const nowMs = mind.now();
  let isGivenUp = nowMs - record.startedAtMs >= mind.style.abandonedAfterMs;
  if (mind.has('idem-abandoned-early')) isGivenUp = nowMs - record.startedAtMs >= 20_000;
  if (mind.has('time-in-flight-repeats') && record.lastUsedAtMs > record.startedAtMs) {
    isGivenUp = nowMs - record.lastUsedAtMs >= 10_000;
  } else record.lastUsedAtMs = nowMs;
  if (isGivenUp) {
    forget(ctx, record);
    return null;
  }
  const status = mind.has('idem-in-flight-423') ? 423 : 409;
  const words = 'an attempt with this key still runs';
  const refusal = refuse(ctx, status, 'idempotency_in_flight', words);
  if (mind.has('race-in-flight-recorded')) record.refused = copyOf(refusal);
  return refusal;
}

export function beginKey(ctx: RequestContext, subject: string): KeyRecord {
  const { mind, key } = ctx;
  const record: KeyRecord = {
    clientId: ownerOf(ctx),
    operation: spaceOf(ctx),
    subject,
    key,
    startedAtMs: mind.now(),
    answeredAtMs: null,
    lastUsedAtMs: mind.now(),
    uses: 1,
    body: ctx.call.body.toString('utf8'),
    answer: null,
  };
  mind.keys.push(record);
  dropOldKeys(ctx, record);
  const most = mind.has('size-keys-200') ? 200 : mind.has('size-keys-1000') ? 1000 : Infinity;
  if (mind.keys.length > most) mind.keys.shift();
  return record;
}

/** IDEM-4d, IDEM-6a, IDEM-6b, IDEM-6c */
export function endKey(ctx: RequestContext, record: KeyRecord, answer: Answer): void {
  if (!isKept(ctx, answer)) {
    if (answer.status === 503 && ctx.mind.has('comb-503-key-held')) return;
    forget(ctx, record);
    return;
  }
  record.answer = copyOf(record.refused ?? answer);
  record.answeredAtMs = ctx.mind.now();
}

const isConverged = ({ operation }: RequestContext, status: number): boolean =>
  status === 200 && /^create(Account|Transaction)$/.test(operation.name);

function isKept(ctx: RequestContext, { status, body }: Answer): boolean {
  const { mind, operation } = ctx;
  if (status === 429) return mind.has('idem-429-recorded');
  if (status === 503) return mind.has('idem-503-recorded');
  if (status === 500) return mind.has('idem-500-recorded');
  const isState = status === 409 && /"invalid_state"/.test(body);
  return !(
    (mind.has('idem-refusals-rerun') && status >= 400) ||
    (mind.has('idem-409-rerun') && isState) ||
    (mind.has('idem-501-rerun') && status === 501) ||
    (mind.has('comb-412-unrecorded') && status === 412) ||
    (mind.has('comb-404-unrecorded') && status === 404) ||
    (mind.has('comb-converged-unrecorded') && isConverged(ctx, status)) ||
    (mind.has('size-batch-unrecorded-100') && rowsOf(ctx).length > 100) ||
    (mind.has('idem-create-unrecorded') && operation.name === 'createAccount') ||
    (mind.has('idem-update-unrecorded') && operation.name === 'updateAccount') ||
    (mind.has('idem-bulk-unrecorded') && operation.name === 'bulkCreateAccounts') ||
    (mind.has('idem-open-unrecorded') && operation.name === 'openPosition')
  );
}

function forget({ mind }: RequestContext, record: KeyRecord): void {
  const at = mind.keys.indexOf(record);
  if (at >= 0) mind.keys.splice(at, 1);
}
