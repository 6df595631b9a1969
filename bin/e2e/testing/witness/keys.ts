// Idempotency keys: each is stored per credential, operation and subject (IDEM).
import { type Context, Early, withHeader } from './context.ts';
import type { KeyName, Reply } from './records.ts';
import { isObject, textOr } from './values.ts';

/** IDEM-1a, IDEM-1b, IDEM-1c */
export function checkKey(context: Context): void {
  if (!context.operation.takesKey) return;
  const [first = '', ...others] = context.headers('idempotency-key');
  const key = first.trim();
  const refuse = (words: string) => context.refuse(400, 'idempotency_key_required', words);
  if (others.length > 0 && context.style.twoKeys === 'refused') refuse('there are several keys');
  if (key === '') refuse('the header Idempotency-Key is required');
  if (key.length > 255) refuse('Idempotency-Key is longer than 255 characters');
  context.key = key;
}

export function keyName(context: Context): KeyName {
  const { operation, credential, key } = context;
  const subject = subjectOf(context);
  return { owner: credential.client_id, operation: operation.name, subject, key };
}

/** IDEM-2c: the subject of a key, by the table of the specification. */
function subjectOf(context: Context): string {
  const { style, operation, body, pathId, query } = context;
  const reference = context.text('client_reference_id');
  const id = (text: string) =>
    /^\d+$/.test(text) && style.leadingZeros ? BigInt(text).toString() : text;
  switch (operation.name) {
    case 'createAccount':
      return reference.toLowerCase();
    case 'createTransaction':
      return style.transactionSubjectByCase ? reference : reference.toLowerCase();
    case 'bulkCreateAccounts': {
      // IDEM-9a
      const rows = (Array.isArray(body.accounts) ? body.accounts : []).filter(isObject);
      const named = (row: (typeof rows)[number]) => textOr(row.client_reference_id, null);
      const subjects = rows.map((row) => [named(row)?.toLowerCase(), row.email, row.brand_id]);
      return JSON.stringify(subjects);
    }
    case 'openPosition':
    case 'closePosition':
      return id(context.text('trading_account_id'));
    default:
      return id(operation.name === 'updateAccount' ? pathId : (query.get('account_id') ?? ''));
  }
}

/** Throws a replay, or 409 while the first attempt runs; starts the attempt if this is the first. */
export function findRecord(context: Context): void {
  const { world, requestId, store, style, nowMs } = context;
  if (!context.operation.takesKey) return;
  const name = keyName(context);
  const record = store.key(name, context);
  if (record !== undefined) {
    const isRunning = record.reply === null;
    const isFromStart = isRunning || style.countsFrom === 'start';
    const ageMs = nowMs - (isFromStart ? record.startedMs : record.answeredMs);
    const lastsMs = world.clock.lasts(isRunning ? 'attempt' : 'key', record);
    const isOver = lastsMs !== null && ageMs >= lastsMs;
    if (!isOver && isRunning) {
      context.refuse(409, 'idempotency_in_flight', 'an attempt with this key still runs');
    }
    if (!isOver) {
      context.isReplay = true;
      // IDEM-5
      throw new Early(withHeader(record.reply!, 'X-Request-Id', requestId));
    }
    // IDEM-7b, IDEM-14b, NS-34, NS-42
    if (isRunning) world.givenUp.add(record.requestId);
    store.forgetKey(name, context);
  }
  context.record = { name, requestId, startedMs: nowMs, answeredMs: nowMs, reply: null };
  store.saveKey(context.record, context);
}

/** IDEM-4d, IDEM-6a, IDEM-6b, IDEM-6c: stores the reply once, if the request is the first. */
export function endAttempt(context: Context, reply: Reply): Reply {
  const { store, nowMs, record } = context;
  if (record === undefined) return reply;
  if ([429, 500, 503].includes(reply.status)) store.forgetKey(record.name, context);
  else if (record.reply === null) {
    context.record = { ...record, reply, answeredMs: nowMs };
    store.saveKey(context.record, context);
  }
  return reply;
}
