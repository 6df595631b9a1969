// Creating accounts (ACC-1 to ACC-22).

import { meets } from '../checks/races.ts';
import { idProblem, isDecimalId } from '../checks/reach.ts';
import { emit } from '../events.ts';
import {
  answerWith,
  invalid,
  notFound,
  type RequestContext,
  refuse,
  setHeader,
} from '../request-context.ts';
import { undoRacing } from '../sealed-effects.ts';
import { type JsonObject, textOr } from '../values/json.ts';
import type { Account, Answer } from '../values/records.ts';
import { isRacedFor, isReserved, isTaken } from './claims.ts';
import { findByReference } from './references.ts';
import {
  countryProblem,
  namesOf,
  phoneLengthProblem,
  phoneOf,
  storedCountry,
  storedLanguage,
} from './stored-values.ts';

const DAY_MS = 86_400_000;

/** ACC-18 */
export function accountBody({ mind }: RequestContext, account: Account): JsonObject {
  const { absent } = mind.style;
  return {
    id: account.id,
    revision: account.revision,
    client_reference_id: account.reference,
    first_name: account.first_name ?? absent,
    last_name: account.last_name ?? absent,
    phone: account.phone ?? absent,
    country: account.country ?? absent,
    language: account.language ?? absent,
    status: account.status,
    brand_id: account.brandId,
    firm_id: account.firmId,
  };
}

/** ACC-19 */
export function accountAnswer(ctx: RequestContext, status: number, account: Account): Answer {
  return answerWith(ctx, status, accountBody(ctx, account), [['ETag', `"${account.revision}"`]]);
}

export function referenceProblem(ctx: RequestContext, reference: string): Answer | null {
  const { mind, operation } = ctx;
  const isMoney = operation.name === 'createTransaction';
  const length = mind.style.lengthOf(reference);
  const takesLong = mind.has(isMoney ? 'txn-long-reference' : 'acc-long-reference');
  const most = takesLong ? 1000 : mind.has('acc-255-refused') && !isMoney ? 254 : 255;
  const takesBlank = mind.has(isMoney ? 'txn-blank-reference' : 'acc-blank-reference');
  if ((reference.trim() !== '' || takesBlank) && length <= most) return null;
  return invalid(ctx, 'client_reference_id must have 1 to 255 characters', 'client_reference_id');
}

function emailProblem(ctx: RequestContext, email: string): Answer | null {
  if (ctx.mind.has('size-email-100') && email.length > 100) {
    return invalid(ctx, 'email is too long', 'email');
  }
  const isOdd =
    (ctx.mind.has('acc-email-dot') && !/@.*\./.test(email) && email.includes('@')) ||
    (ctx.mind.has('acc-email-plus') && /\+.*@/.test(email));
  if (isOdd) return invalid(ctx, 'email is odd', 'email');
  if (email.includes('@') || ctx.mind.has('acc-email-unchecked')) return null;
  return invalid(ctx, 'email must contain @', 'email');
}

export function createAccount(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const reference = textOr(ctx.body.client_reference_id, '');
  const email = textOr(ctx.body.email, '');
  const form = referenceProblem(ctx, reference);
  if (form !== null) return form;
  if (mind.has('acc-reference-constructor') && reference in {}) {
    return refuse(ctx, 500, 'internal_error', 'this failed; repeat it');
  }
  const brandId = brandOf(ctx);
  if (typeof brandId !== 'string') return brandId;
  const early = mind.style.validatesBeforeReference ? emailProblem(ctx, email) : null;
  if (early !== null) return early;
  const known = findByReference(ctx, reference, brandId);
  const phone = phoneOf(ctx);
  if (known !== undefined) {
    return isAnothers(ctx, known, email, phone) ? conflict(ctx) : knownAnswer(ctx, known);
  }
  const late =
    emailProblem(ctx, email) ?? phoneProblem(ctx) ?? countryProblem(ctx) ?? phoneLengthProblem(ctx);
  if (late !== null) return late;
  const isRaced = isRacedFor(ctx, email, phone);
  if (isRaced || isTaken(ctx, brandId, email, phone) || isReserved(ctx, reference, brandId)) {
    mind.refusedEmails.push(email.toLowerCase());
    undoRacing(ctx);
    return conflict(ctx);
  }
  return accountAnswer(ctx, 201, addAccount(ctx, { reference, email, phone, brandId }));
}

function conflict(ctx: RequestContext): Answer {
  const words = 'someone with this email or phone already exists at this brand';
  if (ctx.mind.has('acc-email-422')) return invalid(ctx, words);
  return refuse(ctx, 409, 'invalid_state', words);
}

/** A defect that looks for who else has this email or phone before it looks at the reference. */
function isAnothers(ctx: RequestContext, known: Account, email: string, phone: string | null) {
  if (!ctx.mind.has('comb-known-conflict')) return false;
  const isOwn = known.email.toLowerCase() === email.toLowerCase();
  return !isOwn && isTaken(ctx, known.brandId, email, phone === known.phone ? null : phone);
}

/** ACC-5 */
function knownAnswer(ctx: RequestContext, known: Account): Answer {
  const { mind, body } = ctx;
  if (mind.has('acc-known-409')) {
    return refuse(ctx, 409, 'invalid_state', 'this reference names an account');
  }
  if (mind.has('time-expired-409') && mind.counts[`expired ${ctx.requestId}`] !== undefined) {
    return refuse(ctx, 409, 'invalid_state', 'someone with this email exists');
  }
  const isInBatch = ctx.operation.name === 'bulkCreateAccounts';
  const isCold = mind.now() - known.createdAtMs >= DAY_MS;
  if (isInBatch && isCold && mind.has('time-batch-known-day')) return conflict(ctx);
  const isUpdated = known.revision !== mind.style.firstRevision;
  if (isInBatch && isUpdated && mind.has('comb-bulk-converged-first')) {
    return refuse(ctx, 409, 'invalid_state', 'the account has changed since');
  }
  if (mind.has('acc-known-updates') && typeof body.first_name === 'string') {
    known.first_name = body.first_name;
  }
  const first = mind.has('comb-converged-first') ? known.asCreated : undefined;
  const shown = first ?? cachedOf(ctx, known);
  const answer = accountAnswer(ctx, mind.has('acc-known-201') ? 201 : 200, shown);
  bendKnown(ctx, known, answer);
  const isTorn = ctx.overlaps.some(
    (each) => each.pathId === known.id && mind.underway.includes(each),
  );
  if (isTorn && mind.has('race-torn-tag')) {
    setHeader(answer, 'ETag', `"${known.revision + mind.style.revisionStep}"`);
  }
  return answer;
}

/** As it is; a defect shows what it showed within the last minute. */
function cachedOf({ mind }: RequestContext, known: Account): Account {
  if (!mind.has('time-known-cached')) return known;
  const isFresh = known.shown !== undefined && mind.now() - known.shown.atMs < 60_000;
  if (!isFresh) known.shown = { atMs: mind.now(), account: { ...known } };
  return known.shown!.account;
}

/** Defects in what a known account is shown with. */
function bendKnown(ctx: RequestContext, { revision, changedAtMs }: Account, answer: Answer): void {
  const { mind, body } = ctx;
  const { firstRevision } = mind.style;
  const isUpdated = revision !== firstRevision;
  if (isUpdated && mind.has('comb-converged-tag')) setHeader(answer, 'ETag', `"${firstRevision}"`);
  const isCold = mind.now() - changedAtMs >= DAY_MS;
  if (isCold && mind.has('time-weak-tag-day')) setHeader(answer, 'ETag', `W/"${revision}"`);
  if (mind.has('race-converged-own') && meets(ctx, 'createAccount')) {
    const { first_name = mind.style.absent, last_name = mind.style.absent } = body;
    answer.body = JSON.stringify({ ...JSON.parse(answer.body), first_name, last_name });
  }
}

function phoneProblem(ctx: RequestContext): Answer | null {
  const isOdd = /[^+\d\s]/.test(textOr(ctx.body.phone, ''));
  return isOdd && ctx.mind.has('acc-phone-refused') ? invalid(ctx, 'phone is odd', 'phone') : null;
}

/** ACC-15, ACC-16, ACC-17 */
export function brandOf(ctx: RequestContext): string | Answer {
  const { credential, mind } = ctx;
  const named = textOr(mixedBody(ctx).brand_id, null);
  const own = credential.brandId ?? delegatedBrand(ctx);
  if (named !== null && !isDecimalId(named)) return idProblem(ctx, named, 'brand_id')!;
  const plain = named === null ? null : mind.style.leadingZeros ? String(BigInt(named)) : named;
  if (own !== null) return ownBrand(ctx, own, plain);
  const firm = mind.firms.find((each) => each.id === credential.firmId);
  if (plain === null) {
    if (mind.has('acc-brand-default')) return firm!.brands[0]!;
    if (mind.has('acc-brand-missing-403')) {
      return refuse(ctx, 403, 'forbidden', 'brand_id is required');
    }
    return invalid(ctx, 'brand_id is required', 'brand_id');
  }
  if (firm?.brands.includes(plain)) return plain;
  if (mind.style.unknownBrand === 404) return notFound(ctx);
  return refuse(ctx, 403, 'forbidden', 'this credential cannot use that brand');
}

/** A defect in which the last create to begin says at which brand all are made. */
function mixedBody({ mind, body, operation, credential }: RequestContext): JsonObject {
  const isRacing = (each: RequestContext) =>
    each.operation.name === operation.name && each.credential === credential;
  const last = mind.underway.findLast(isRacing);
  const isMeant = operation.name === 'createAccount' && mind.has('race-brand-mixed');
  return isMeant ? (last?.body ?? body) : body;
}

function ownBrand(ctx: RequestContext, own: string, named: string | null): string | Answer {
  const { mind } = ctx;
  if (named === null && mind.has('acc-own-brand-required')) {
    return invalid(ctx, 'brand_id is required', 'brand_id');
  }
  if (named === own && mind.has('acc-own-brand-refused')) {
    return refuse(ctx, 403, 'forbidden', 'brand_id must not be named');
  }
  if (named === null || named === own || mind.has('acc-other-brand-served')) return own;
  if (mind.has('acc-other-brand-404')) return notFound(ctx);
  return refuse(ctx, 403, 'forbidden', 'this credential is bound to another brand');
}

function delegatedBrand({ mind, credential }: RequestContext): string | null {
  if (credential.kind !== 'delegated') return null;
  return mind.accounts.find((each) => each.id === credential.accountId)?.brandId ?? null;
}

interface NewAccount {
  readonly reference: string;
  readonly email: string;
  readonly phone: string | null;
  readonly brandId: string;
}

function addAccount(ctx: RequestContext, { reference, email, phone, brandId }: NewAccount) {
  const { body, mind, credential } = ctx;
  const [first, last] = namesOf(ctx, email);
  const account: Account = {
    id: mind.nextId(),
    firmId: credential.firmId,
    brandId,
    reference,
    email,
    phone,
    sentPhone: textOr(body.phone, null),
    first_name: first,
    last_name: last,
    country: storedCountry(ctx, textOr(body.country, null)),
    language: storedLanguage(ctx, textOr(body.language, null)),
    status: mind.has('acc-status-active') ? 'Active' : 'New',
    revision: mind.style.firstRevision,
    createdAtMs: mind.now(),
    madeBy: credential.clientId,
    bornIn: ctx.requestId,
    namedBrand: typeof body.brand_id === 'string',
    bornInBatch: ctx.operation.name === 'bulkCreateAccounts',
    changedAtMs: mind.now(),
  };
  account.asCreated = { ...account };
  mind.accounts.push(account);
  const about = mind.has('comb-batch-brand-events') ? brandOfFirst(ctx, account) : account;
  emit(mind, 'account', 'account.created', about, accountBody(ctx, account), ctx);
  return account;
}

/** Of a batch the brand of the account that it has made first. */
function brandOfFirst({ mind }: RequestContext, account: Account): Account {
  const first = mind.accounts.find(({ bornIn }) => bornIn === account.bornIn) ?? account;
  return { ...account, brandId: first.brandId };
}
