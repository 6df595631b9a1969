// Idempotency keys: each is kept for its credential, operation and subject.
import { isDecimalId, plainId } from '../operations/ids.ts';
import type { KeyName, KeyRecord, Reply } from '../records.ts';
import { headersOf, refuse, withHeader } from '../replies.ts';
import type { Context } from '../types.ts';
import { isObject, textOr } from '../values.ts';

/** IDEM-1a, IDEM-1b, IDEM-1c */
export function keyProblem(context: Context): Reply | null {
  const { world, operation, call } = context;
  if (!operation.takesKey) return null;
  const given = headersOf(call, 'idempotency-key');
  const key = (given[0] ?? '').trim();
  const refused = (words: string) => refuse(context, 400, 'idempotency_key_required', words);
  if (given.length > 1 && world.style.twoKeys === 'refused') {
    return refused('more than one Idempotency-Key was given');
  }
  if (key === '') return refused('the header Idempotency-Key is required');
  if (key.length > 255) return refused('Idempotency-Key is longer than 255 characters');
  context.key = key;
  return null;
}

export function keyName(context: Context): KeyName {
  const { operation, credential, key } = context;
  const subject = subjectOf(context);
  return { owner: credential.client_id, operation: operation.name, subject, key };
}

/** IDEM-2c: what a key is about, by the table of the specification. */
function subjectOf(context: Context): string {
  const { world, operation, body, pathId, query } = context;
  const reference = textOr(body.client_reference_id, '');
  switch (operation.name) {
    case 'createAccount':
      return reference.toLowerCase();
    case 'createTransaction':
      return world.style.transactionSubjectByCase ? reference : reference.toLowerCase();
    case 'bulkCreateAccounts': {
      // IDEM-9a
      const rows = Array.isArray(body.accounts) ? body.accounts.filter(isObject) : [];
      return JSON.stringify(
        rows.map((row) => [
          textOr(row.client_reference_id, null)?.toLowerCase() ?? null,
          row.email ?? null,
          row.brand_id ?? null,
        ]),
      );
    }
    case 'openPosition':
    case 'closePosition':
      return idSubject(context, textOr(body.trading_account_id, ''));
    case 'updateAccount':
      return idSubject(context, pathId);
    default:
      return idSubject(context, query.get('account_id') ?? '');
  }
}

const idSubject = (context: Context, id: string): string =>
  isDecimalId(id) ? plainId(context.world, id) : id;

/** A replay, or 409 while the first attempt runs; null if this is the first. */
export function recordedReply(context: Context): Reply | null {
  const { world, requestId } = context;
  const { clock, store, style } = world;
  const name = keyName(context);
  const record = store.key(name, context);
  if (record === undefined) return null;
  const fromMs = style.countsFrom === 'start' ? record.startedMs : record.answeredMs;
  const isRunning = record.reply === null;
  const timer = isRunning ? 'attempt' : 'key';
  const ageMs = clock.now() - (isRunning ? record.startedMs : fromMs);
  // IDEM-7b, IDEM-14b, NS-34, NS-42
  if (ageMs >= (clock.lasts(timer, record) ?? Number.POSITIVE_INFINITY)) {
    if (isRunning) world.givenUp.add(record.requestId);
    store.forgetKey(name, context);
    return null;
  }
  if (record.reply === null) {
    return refuse(context, 409, 'idempotency_in_flight', 'an attempt with this key still runs');
  }
  context.isReplay = true;
  // IDEM-5
  return withHeader(record.reply, 'X-Request-Id', requestId);
}

export function beginAttempt(context: Context): KeyRecord {
  const { world, requestId } = context;
  const startedMs = world.clock.now();
  const name = keyName(context);
  const record = { name, requestId, startedMs, answeredMs: startedMs, reply: null };
  world.store.saveKey(record, context);
  return record;
}

/** IDEM-4d, IDEM-6a, IDEM-6b, IDEM-6c */
export function endAttempt(context: Context, record: KeyRecord, reply: Reply): Reply {
  const { store, clock } = context.world;
  if ([429, 500, 503].includes(reply.status)) store.forgetKey(record.name, context);
  else store.saveKey({ ...record, reply, answeredMs: clock.now() }, context);
  return reply;
}
