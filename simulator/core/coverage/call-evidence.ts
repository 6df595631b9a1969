// Which rules a call has met: those that its answer rests on, where the cite alone says enough, and
// those that no answer cites.
import { hourMs, keyRetentionMs } from '../../../fixtures/constants.ts';
import type { RuleId } from '../../../fixtures/rules.ts';
import type { HintCode } from '../hints/register.ts';
import { findEntry, type JournalEntry } from '../journal.ts';
import type { OperationName } from '../tables/operations.ts';
import { foldCase } from '../values/text.ts';
import type { World } from '../world.ts';
import { type CallMemory, isUnlike, type UnlikeUse } from './call-memory.ts';

/** A call that was answered, the world after it, and what was seen before it. */
export interface SeenCall {
  readonly entry: JournalEntry;
  readonly world: World;
  readonly memory: CallMemory;
  /** The first use of its key, where there was one. */
  readonly first?: JournalEntry | undefined;
}

export type Evidence = (seen: SeenCall) => boolean;

const told =
  (...codes: readonly HintCode[]): Evidence =>
  ({ entry }) =>
    entry.hints.some(({ code }) => codes.includes(code));

const otherBody = told('body_unlike_first', 'corrected_under_old_key');
const has =
  (text: string): Evidence =>
  ({ entry }) =>
    entry.reply?.body.includes(text) === true;
const isReplayed: Evidence = ({ entry }) => entry.idempotency === 'replayed';
const isProblem: Evidence = ({ entry }) => entry.reply?.contentType === 'application/problem+json';
const never: Evidence = () => false;

/** Cites that stand on more answers than those that show the rule: what must be so besides. */
export const besidesCite: Readonly<Partial<Record<RuleId, Evidence>>> = {
  'ACC-7': ({ entry }) => entry.reply?.etag !== undefined && entry.reply.etag !== '"1"',
  'UPD-12': ({ entry }) => !entry.hints.some(({ code }) => code === 'guessed_tag'),
  'TXS-19': ({ entry }) => entry.operation !== 'approveTransaction',
  'HOOK-7': has('https'),
  'HOOK-8': has('public address'),
  'BULK-4': has('"status":200'),
  'BULK-5': ({ entry }) => !has('"failed":0')({ entry } as SeenCall),
  'BULK-8': ({ entry }) => /"created":[1-9]\d*,"failed":[1-9]/.test(entry.reply?.body ?? ''),
  'BULK-11': has('"status":200'),
  'BULK-12': ({ entry }) => hasOneTwice(entry),
  'POS-2': never,
  'POS-3': never,
  'POS-4': never,
  'IDEM-6a': never,
  'IDEM-6b': never,
  'IDEM-6c': never,
  'IDEM-8': otherBody,
  'IDEM-11': told('corrected_under_old_key'),
  'IDEM-13': never,
  'IDEM-14a': ({ entry }) => entry.idempotency === 'in_flight',
  'AUTH-3c': never,
  'HOOK-13': never,
  'EVT-7': never,
  'EVT-10a': ({ entry }) => /"last_delivered_seq":[1-9]/.test(entry.reply?.body ?? ''),
  'EVT-10b': ({ entry }) => entry.reply?.status === 101 && entry.call.target.includes('after_seq='),
  'EVT-13': never,
};

/** BULK-12: the rows of one reference, told by the account that both ended as. */
function hasOneTwice({ reply }: JournalEntry): boolean {
  const ids = [...(reply?.body.matchAll(/"id":"(\d+)"/g) ?? [])].map(([, id]) => id);
  return new Set(ids).size < ids.length;
}

type Shown = readonly (readonly [RuleId, Evidence])[];

/** LIM-7: the caller was limited, has waited as long as it was told, and is served. */
export function waitedAsTold({ entry, world }: SeenCall): boolean {
  const { callers } = world.journal;
  if (callers.size === 0 || entry.clientId === null || entry.reply?.status === 429) return false;
  const limited = callers.get(entry.clientId)?.limited ?? null;
  return limited !== null && limited.n < entry.n && limited.untilMs <= entry.atMs;
}

/** On refusals. */
export const shownByRefusals: Shown = [
  ['ERR-1a', isProblem],
  ['ERR-1b', isProblem],
  ['ERR-3', isProblem],
  ['ACC-3', plain(/^(client_reference_id|email) is required/, 'createAccount')],
  ['CONV-1b', plain(/(^|\.)\w*id must be of type (?:(?! must be of type ).)*, not a number/)],
];

function plain(words: RegExp, operation?: string): Evidence {
  return ({ entry: { reply, operation: called } }) =>
    reply?.contentType === 'text/plain' &&
    (operation === undefined || operation === called) &&
    words.test(reply.body);
}

function unlikeFirst(unlike: UnlikeUse): Evidence {
  return ({ entry, first }) => first !== undefined && isUnlike(first, entry, unlike);
}

/** On writes that ran under a key which was used before. */
export const shownByKnownKey: Shown = [
  ['IDEM-2a', unlikeFirst({ subject: 'other' })],
  ['IDEM-2b', unlikeFirst({ caller: 'other' })],
  ['IDEM-3', unlikeFirst({ operation: 'other' })],
  ['IDEM-7b', unlikeFirst({ ageMs: keyRetentionMs })],
  ['IDEM-9b', bulk(unlikeFirst({ subject: 'other' }))],
  ['POS-3', position(unlikeFirst({ operation: 'other' }))],
  ['POS-4', position(unlikeFirst({ subject: 'other' }))],
];

/** On writes that ran where an answer that may be repeated was given before. */
export const shownByRetry: Shown = [
  ['IDEM-6a', ({ memory, entry }) => memory.ranAfter(entry, 429)],
  ['IDEM-6b', ({ memory, entry }) => memory.ranAfter(entry, 503)],
  ['IDEM-6c', ({ memory, entry }) => memory.ranAfter(entry, 500)],
];

/** On what single operations did. */
export const shownByOperation: Readonly<Partial<Record<OperationName, Shown[number]>>> = {
  bulkCreateAccounts: ['LIM-9', (seen) => has('"rows":')(seen) && !has('"total":1,')(seen)],
  approveTransaction: ['TXS-2', ({ entry }) => isFirstDeposit(entry)],
  createAccount: ['ACC-10', ({ entry, world }) => isElsewhere(entry, world)],
};

const almostForgottenMs = keyRetentionMs - hourMs;

function bulk(evidence: Evidence): Evidence {
  return (seen) => seen.entry.operation === 'bulkCreateAccounts' && evidence(seen);
}

function position(evidence: Evidence): Evidence {
  return (seen) => seen.entry.operation?.endsWith('Position') === true && evidence(seen);
}

function isFirstDeposit({ reply, cites }: JournalEntry): boolean {
  return cites.includes('TXS-1') && reply?.body.includes('"is_ftd":true') === true;
}

/** ACC-10: the email or the phone of a new account is known at another brand of the firm. */
function isElsewhere({ reply }: JournalEntry, world: World): boolean {
  if (reply?.status !== 201) return false;
  const made = world.accounts.get(String(world.counters.account));
  if (made === undefined) return false;
  const email = foldCase(made.email);
  for (const { id, firm_id: firmId } of world.brands.values()) {
    if (id === made.brand_id || firmId !== made.firm_id) continue;
    const people = world.people.get(id);
    if (people?.byEmail.has(email)) return true;
    if (made.phone !== null && people?.byPhone.has(made.phone)) return true;
  }
  return false;
}

/** On repeats that got the first answer. */
export const shownByReplays: Shown = [
  ['IDEM-5', isProblem],
  ['IDEM-2c', told('body_unlike_first', 'corrected_under_old_key', 'key_across_transactions')],
  ['IDEM-10', told('key_across_transactions')],
  ['IDEM-9a', bulk(otherBody)],
  ['POS-2', position(otherBody)],
  ['IDEM-13', ({ entry }) => entry.operation === 'createAccount' && entry.reply?.status === 409],
  ['IDEM-7a', ({ entry, world }) => ageOf(entry, world) >= almostForgottenMs],
  ['IDEM-15', ({ entry, world }) => isReplayed({ entry } as SeenCall) && ageOf(entry, world) === 0],
];

/** How long ago the first answer was given; -1 where nobody knows any more. */
function ageOf({ firstCall, atMs }: JournalEntry, { journal }: World): number {
  const first = firstCall === null ? undefined : findEntry(journal, firstCall);
  return first === undefined ? -1 : atMs - (first.answeredAtMs ?? first.atMs);
}
