// Updating accounts (UPD-1 to UPD-13).

import { meets } from '../checks/races.ts';
import { findAccount, idProblem } from '../checks/reach.ts';
import { emit } from '../events.ts';
import type { SecondMind } from '../mind.ts';
import {
  headersOf,
  invalid,
  notFound,
  type RequestContext,
  refuse,
  setHeader,
} from '../request-context.ts';
import { afterUpdate } from '../sealed-effects.ts';
import { textOr } from '../values/json.ts';
import { normalisePhone } from '../values/phones.ts';
import { type Account, type Answer, type KeyRecord, PROFILE } from '../values/records.ts';
import { accountAnswer, accountBody } from './accounts.ts';

const UPDATABLE = [...PROFILE, 'status'] as const;
type Updatable = (typeof UPDATABLE)[number];

const STATUSES = ['New', 'Active', 'Blocked', 'Closed'];
const HOUR_MS = 3_600_000;

export function updateAccount(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const { style } = mind;
  const odd = idProblem(ctx, ctx.pathId, 'id');
  if (odd !== null) return mind.has('conv-odd-path-id-404') ? notFound(ctx) : odd;
  if (mind.has('size-id-int64') && ctx.pathId.length >= 20) return invalid(ctx, 'id is too long');
  const tag = tagOf(ctx);
  if (style.tagFormBeforeReach && tag.problem !== null) return tag.problem;
  const account = findAccount(ctx, crossedId(ctx));
  if (account === undefined) return outOfReach(ctx, tag);
  if (tag.problem !== null) return tag.problem;
  const form = statusProblem(ctx);
  if (form !== null) return form;
  const changes = changesOf(ctx, account);
  const nothing = () => changesNothing(ctx, account);
  if (style.noChangeBeforeTag && changes.length === 0) return nothing();
  if (!isCurrent(ctx, tag, account)) return stale(ctx, account, changes);
  if (changes.length === 0) return nothing();
  if (mind.has('comb-equal-field') && changes.length < sentFields(ctx)) return nothing();
  apply(ctx, account, changes);
  const answer = accountAnswer(ctx, 200, account);
  const before = mind.has('upd-shows-before') ? account.before : undefined;
  if (mind.has('comb-status-tag') && changes.length > 1 && 'status' in ctx.body) {
    account.revision += style.revisionStep;
    setHeader(answer, 'ETag', `"${account.revision}"`);
  }
  if (mind.has('race-update-approval') && meetsApproval(ctx, account)) {
    Object.assign(account, account.before);
  }
  if (before !== undefined) answer.body = JSON.stringify(accountBody(ctx, before));
  return answer;
}

/** An approval for the account was under way at the same time. */
function meetsApproval({ mind, overlaps }: RequestContext, { id }: Account): boolean {
  const racing = overlaps.filter((each) => each.operation.name === 'approveTransaction');
  return racing.some(({ pathId }) =>
    mind.transactions.some((each) => each.id === pathId && each.accountId === id),
  );
}

/** A defect in which the last update to begin says whose account is meant. */
function crossedId({ mind, pathId, operation }: RequestContext): string {
  if (!mind.has('race-updates-crossed')) return pathId;
  const racing = mind.underway.filter((each) => each.operation.name === operation.name);
  return racing.at(-1)?.pathId ?? pathId;
}

const sentFields = ({ body }: RequestContext) =>
  UPDATABLE.filter((name) => typeof body[name] === 'string').length;

/** UPD-5, UPD-6 */
function outOfReach(ctx: RequestContext, tag: Tag): Answer {
  const { mind } = ctx;
  const hidden = mind.accounts.find((each) => each.id === ctx.pathId);
  if (hidden !== undefined && mind.has('upd-tag-first') && !tag.matches(hidden.revision)) {
    return refuse(ctx, 412, 'revision_conflict', 'the account has changed');
  }
  if (hidden !== undefined && mind.has('auth-brand-403')) {
    return refuse(ctx, 403, 'forbidden', 'the account belongs to another brand');
  }
  if (mind.has('upd-missing-403')) return refuse(ctx, 403, 'forbidden', 'no such account');
  return notFound(ctx);
}

function statusProblem(ctx: RequestContext): Answer | null {
  const { mind, body } = ctx;
  const status = textOr(body.status, null);
  if (status === null) return null;
  const isRefused =
    (mind.has('upd-status-checked') && !STATUSES.includes(status)) ||
    (mind.has('size-status-50') && status.length > 50) ||
    (mind.has('comb-status-new-refused') && status === 'New');
  return isRefused ? invalid(ctx, 'status is not known', 'status') : null;
}

/** UPD-8 */
function changesNothing(ctx: RequestContext, account: Account): Answer {
  if (ctx.mind.has('comb-noop-bumps')) account.revision += ctx.mind.style.revisionStep;
  if (ctx.mind.has('upd-nothing-200')) return accountAnswer(ctx, 200, account);
  const isCold = ctx.mind.now() - account.changedAtMs >= 24 * HOUR_MS;
  const isApplied = ctx.mind.has('upd-equal-applies') || (isCold && ctx.mind.has('time-noop-day'));
  if (isApplied && sentFields(ctx) > 0) {
    apply(ctx, account, []);
    return accountAnswer(ctx, 200, account);
  }
  return invalid(ctx, 'this would change nothing');
}

/** UPD-7, UPD-12 */
function isCurrent(ctx: RequestContext, tag: Tag, account: Account): boolean {
  const { mind } = ctx;
  if (mind.has('comb-412-locks') && (mind.counts[`stale ${account.id}`] ?? 0) >= 2) return false;
  if (mind.has('upd-stale-applies')) return true;
  const isJustBefore = account.before !== undefined && tag.matches(account.before.revision);
  const isFresh = mind.now() - account.changedAtMs < 1_000;
  if (mind.has('time-tag-grace') && isJustBefore && isFresh) return true;
  if (mind.has('comb-merge') && canMerge(ctx, tag, account)) return true;
  const isRace = ctx.overlaps.some((each) => each.pathId === ctx.pathId);
  if (isRace && meets(ctx, 'updateAccount')) {
    if (mind.has('race-updates') || mind.has('race-lost-update')) return true;
  }
  if (isRace && mind.has('race-other-fields') && changesOthers(ctx)) return true;
  if (mind.has('size-revision-text') && isPastNine(mind, account)) return false;
  const sinceMs = mind.now() - account.changedAtMs;
  const isUpdated = account.revision !== mind.style.firstRevision;
  if (mind.has('time-tag-hour') && isUpdated && sinceMs >= HOUR_MS) return false;
  return tag.matches(account.revision);
}

/** The tag is that of just before, and no field that is sent has changed since. */
function canMerge({ body }: RequestContext, tag: Tag, account: Account): boolean {
  const { before } = account;
  if (before === undefined || !tag.matches(before.revision)) return false;
  return UPDATABLE.every((name) => !(name in body) || before[name] === account[name]);
}

/** No update that races this one sends a field that it sends. */
function changesOthers({ body, overlaps, pathId }: RequestContext): boolean {
  const racing = overlaps.filter((each) => each.pathId === pathId);
  return racing.every((each) => !UPDATABLE.some((name) => name in body && name in each.body));
}

/** The tenth update and those after it. */
function isPastNine({ style }: RequestContext['mind'], { revision }: Account): boolean {
  return (revision - style.firstRevision) / style.revisionStep >= 9;
}

function stale(ctx: RequestContext, account: Account, changes: Changes): Answer {
  const { mind } = ctx;
  const words = 'the account has changed; read it again and send a new operation';
  if (mind.has('upd-stale-409')) return refuse(ctx, 409, 'invalid_state', words);
  mind.count(`stale ${account.id}`);
  if (mind.has('upd-412-after-write')) apply(ctx, account, changes);
  return refuse(ctx, 412, 'revision_conflict', words);
}

type Changes = readonly (readonly [Updatable, string])[];

function changesOf(ctx: RequestContext, account: Account): Changes {
  const { body, mind } = ctx;
  const isSame = (name: Updatable, sent: string) =>
    sent === account[name] ||
    (mind.has('comb-case-no-change') && sent.toLowerCase() === account[name]?.toLowerCase());
  const changes: [Updatable, string][] = [];
  for (const name of UPDATABLE) {
    const sent = body[name];
    if (typeof sent !== 'string' || isIgnored(ctx, name)) continue;
    const value = stored(ctx, name, sent);
    const isBack =
      mind.has('comb-restored-update') && value === (account.asCreated?.[name] ?? null);
    if (!isSame(name, value) && !isBack) changes.push([name, value]);
  }
  if (mind.has('comb-two-names') && changes.length >= 2) {
    return changes.filter(([name]) => name !== 'last_name');
  }
  if (mind.has('comb-status-beside-name') && changes.some(([name]) => /name/.test(name))) {
    return changes.filter(([name]) => name !== 'status');
  }
  return changes;
}

function isIgnored({ body, mind }: RequestContext, name: Updatable): boolean {
  return (
    (mind.has('comb-empty-text') && body[name] === '') ||
    (mind.has('upd-last-name-ignored') && name === 'last_name') ||
    (mind.has('upd-language-ignored') && name === 'language')
  );
}

function stored({ mind }: RequestContext, name: Updatable, sent: string): string {
  if (mind.has('upd-status-trimmed') && name === 'status') return sent.trim();
  if (mind.has('size-language-35') && name === 'language') return sent.slice(0, 35);
  if (mind.has('size-name-100') && /name/.test(name)) return sent.slice(0, 100);
  return sent;
}

function apply(ctx: RequestContext, account: Account, changes: Changes): void {
  const { mind, body } = ctx;
  if (mind.has('race-lost-update') && meets(ctx, 'updateAccount')) restore(account);
  account.before = { ...account };
  if (mind.has('upd-blanks-others')) {
    account.first_name = textOr(body.first_name, null);
    account.last_name = textOr(body.last_name, null);
  }
  if (mind.has('comb-derived-name-lost') && account.first_name === account.email) {
    account.first_name = textOr(body.last_name, null) === null ? account.first_name : null;
  }
  for (const [name, value] of changes) account[name] = value;
  const ageMs = mind.now() - account.changedAtMs;
  account.changedAtMs = mind.now();
  if (mind.has('upd-email-changes')) account.email = textOr(body.email, account.email);
  if (mind.has('upd-phone-changes') && typeof body.phone === 'string') {
    account.phone = normalisePhone(body.phone, null);
  }
  const isKept = mind.has('comb-brand-revision') && ctx.credential.brandId !== null;
  if (!mind.has('upd-same-revision') && !isKept) account.revision += mind.style.revisionStep;
  if (mind.has('time-revision-day') && ageMs >= 24 * HOUR_MS) {
    account.revision = mind.style.firstRevision;
  }
  afterUpdate(ctx, account);
  if (mind.has('comb-key-invalidated')) forgetUpdates(mind, account);
  if (isSilent(ctx)) return;
  emit(mind, 'account', 'account.updated', account, accountBody(ctx, account), ctx);
}

/** A defect that loses what happens while another account is updated. */
const isSilent = ({ mind, overlaps, operation, pathId }: RequestContext): boolean =>
  mind.has('race-update-silent') &&
  overlaps.some((each) => each.operation.name === operation.name && each.pathId !== pathId);

/** What earlier updates of it were answered is kept no longer. */
function forgetUpdates(mind: SecondMind, { id }: Account): void {
  const isOfIt = (each: KeyRecord) => each.operation === 'updateAccount' && each.subject === id;
  const kept = mind.keys.filter((each) => each.answer === null || !isOfIt(each));
  mind.keys.splice(0, mind.keys.length, ...kept);
}

/** What an update before this one has changed is undone. */
function restore(account: Account): void {
  if (account.before === undefined) return;
  for (const name of UPDATABLE) {
    if (name === 'status') account.status = account.before.status;
    else account[name] = account.before[name];
  }
}

interface Tag {
  readonly problem: Answer | null;
  readonly matches: (revision: number) => boolean;
}

const matchesAny = () => true;
const matchesNone = () => false;

/** UPD-9, UPD-10, NS-18, NS-39 */
function tagOf(ctx: RequestContext): Tag {
  const { mind } = ctx;
  const { style } = mind;
  const given = headersOf(ctx.call, 'if-match');
  const text = given.join(', ').trim();
  if (given.length === 0) {
    if (mind.has('upd-tag-optional')) return { problem: null, matches: matchesAny };
    const code = style.missingTag === 422 ? 'validation_failed' : 'precondition_required';
    const problem = refuse(ctx, style.missingTag, code, 'If-Match is required', 'If-Match');
    return { problem, matches: matchesNone };
  }
  if (style.tagLists && text === '*') return { problem: null, matches: matchesAny };
  const parts = (style.tagLists ? text.split(/\s*,\s*/) : [text]).map((each) => read(ctx, each));
  if (!parts.every((each) => /^"[\x21\x23-\x7e]*"$/.test(each))) {
    const words = 'If-Match must be one strong tag in quotes';
    const problem = mind.has('upd-garbage-412')
      ? refuse(ctx, 412, 'revision_conflict', words)
      : invalid(ctx, words, 'If-Match');
    return { problem, matches: matchesNone };
  }
  const matches = (revision: number) =>
    parts.includes(`"${revision}"`) ||
    (mind.has('comb-tag-number') && parts.some((each) => Number(each.slice(1, -1)) === revision));
  return { problem: null, matches };
}

/** A tag as some defects read it. */
function read({ mind }: RequestContext, tag: string): string {
  if (mind.has('upd-unquoted-tag') && /^\w+$/.test(tag)) return `"${tag}"`;
  return mind.has('upd-weak-tag') ? tag.replace(/^W\//, '') : tag;
}
