// Idempotency keys of the conforming service.
import type { Settings } from '../../../fixtures/settings.ts';
import type { KeyPolicy } from '../behaviour.ts';
import { optionalText } from '../operations/members.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import { sha256Hex } from '../values/digest.ts';

const dayMs = 24 * 3600 * 1000;

export function keyPolicy(settings: Settings): KeyPolicy {
  const retentionMs = dayMs;
  return {
    // IDEM-1: trimmed, then 1 to 255; header text holds one character a byte (NS-40).
    parse: (header) => {
      const key = header?.replace(/^[ \t]+|[ \t]+$/g, '') ?? '';
      return key.length >= 1 && key.length <= 255 ? key : null;
    },
    subjects: subjectsFor(settings),
    id: keyId,
    find: (world, keyId, atMs) => {
      const record = world.keys.young.get(keyId) ?? world.keys.old.get(keyId);
      if (record === undefined || record.reply === null) return record;
      // IDEM-7: at 24 hours to the millisecond it is over.
      return atMs - record.atMs < retentionMs ? record : undefined;
    },
    // IDEM-6, NS-30: everything after the replay look-up, but for what may be retried.
    records: ({ status }) =>
      status !== 429 && status !== 500 && status !== 503 && !unrecorded(settings, status),
    // IDEM-4, IDEM-5: stored bytes, so the first request_id stays in the body.
    replay: (stored) => (settings.replay_etag ? stored : { ...stored, etag: undefined }),
    retentionMs,
    abandonAfterMs: settings.abandon_after_ms,
  };
}

function unrecorded(settings: Settings, status: number): boolean {
  return (settings.unrecorded_refusals as readonly number[]).includes(status);
}

/** IDEM-2c: what a key stands together with. */
function subjectsFor(settings: Settings): KeyPolicy['subjects'] {
  // NS-35.
  const fold = (text: string) => (settings.subject_case_sensitive ? text : text.toLowerCase());
  const reference = ({ body }: RequestContext) =>
    fold(optionalText(body, 'client_reference_id') ?? '');
  const account = ({ query, behaviour }: RequestContext) => {
    const named = query.get('account_id') ?? '';
    return behaviour.values.id(named) ?? named;
  };
  const tradingAccount = ({ body, behaviour }: RequestContext) => {
    const named = optionalText(body, 'trading_account_id') ?? '';
    return behaviour.values.id(named) ?? named;
  };
  return {
    createAccount: (context) =>
      // NS-41: by itself the reference is the subject, whatever the brand.
      settings.key_across_brands === 'separate'
        ? `${reference(context)}\n${optionalText(context.body, 'brand_id') ?? ''}`
        : reference(context),
    createTransaction: reference,
    // IDEM-9: each row's reference, email and brand, in order.
    bulkCreateAccounts: ({ body }) =>
      sha256Hex(
        JSON.stringify(
          (body.accounts as readonly Body[]).map((row) => [
            fold(optionalText(row, 'client_reference_id') ?? ''),
            optionalText(row, 'email'),
            optionalText(row, 'brand_id'),
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
  const id = `${credential?.clientId}\n${operation}\n${key}\n${subject}`;
  return id.length <= longest ? id : sha256Hex(id);
}
