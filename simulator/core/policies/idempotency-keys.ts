// Idempotency keys of the conforming service.
import { keyRetentionMs } from '../../../fixtures/constants.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type { KeyPolicy } from '../behaviour.ts';
import { findKey } from '../keys.ts';
import { optionalText, ownerNamed } from '../operations/members.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import { sha256Hex } from '../values/digest.ts';
import { foldCase } from '../values/text.ts';

export function keyPolicy(settings: Settings): KeyPolicy {
  return {
    // IDEM-1: trimmed, then 1 to 255; header text holds one character a byte (NS-40).
    parse: (header) => {
      const key = header?.replace(/^[ \t]+|[ \t]+$/g, '') ?? '';
      return key.length >= 1 && key.length <= 255 ? key : null;
    },
    subjects: subjectsFor(settings),
    id: keyId,
    find: (world, keyId, atMs) => {
      const record = findKey(world.keys, keyId);
      if (record === undefined || record.reply === null) return record;
      // IDEM-7: at the end of the retention, to the millisecond, it is over.
      return atMs - record.atMs < keyRetentionMs ? record : undefined;
    },
    // IDEM-4d, IDEM-6: everything after the replay look-up, but for what may be retried.
    records: ({ status }) => status !== 429 && status !== 500 && status !== 503,
    // IDEM-4, IDEM-5, ACC-19: stored bytes and the stored tag, so the first request_id stays in the
    // body.
    replay: (stored) => stored,
    retentionMs: keyRetentionMs,
    abandonAfterMs: settings.abandon_after_ms,
  };
}

/** IDEM-2c: what a key stands together with. */
function subjectsFor(settings: Settings): KeyPolicy['subjects'] {
  const reference = (body: Body) => optionalText(body, 'client_reference_id') ?? '';
  const account = (context: RequestContext) => {
    const named = ownerNamed(context) ?? '';
    return context.behaviour.values.id(named) ?? named;
  };
  const tradingAccount = ({ body, behaviour }: RequestContext) => {
    const named = optionalText(body, 'trading_account_id') ?? '';
    return behaviour.values.id(named) ?? named;
  };
  // NS-48: the brand counts, and not the zeros before it.
  const brand = (row: Body, { values }: RequestContext['behaviour']) => {
    const named = optionalText(row, 'brand_id');
    return named === null ? null : (values.id(named) ?? named);
  };
  return {
    // By itself the reference is the subject, whatever brand stands beside it.
    createAccount: ({ body }) => foldCase(reference(body)),
    // NS-35.
    createTransaction: ({ body }) =>
      settings.transaction_subject_case_sensitive ? reference(body) : foldCase(reference(body)),
    // IDEM-9: each row's reference, email and brand, in order.
    bulkCreateAccounts: ({ body, behaviour }) =>
      sha256Hex(
        JSON.stringify(
          (body.accounts as readonly Body[]).map((row) => [
            foldCase(reference(row)),
            optionalText(row, 'email'),
            brand(row, behaviour),
          ]),
        ),
      ),
    openPosition: tradingAccount,
    closePosition: tradingAccount,
    updateAccount: ({ pathId, behaviour }) => behaviour.values.id(pathId) ?? pathId,
    // IDEM-10.
    approveTransaction: account,
    rejectTransaction: account,
    cancelTransaction: account,
  };
}

const longest = 512;

/**
 * IDEM-2, IDEM-3: credential, operation, key and subject; a line break occurs in none but the last.
 */
function keyId({ credential, operation, key, subject }: RequestContext): string {
  const id = `${credential?.client_id}\n${operation}\n${key}\n${subject}`;
  return id.length <= longest ? id : sha256Hex(id);
}
