// Creating and updating accounts.
import { emit } from './events.ts';
import { type JsonObject, textOr } from './json.ts';
import { hasDigits, normalisePhone } from './phones.ts';
import { findAccount, idProblem, isDecimalId, reaches } from './reach.ts';
import type { Account, Answer } from './records.ts';
import {
  answerWith,
  headersOf,
  invalid,
  notFound,
  type RequestContext,
  refuse,
} from './request-context.ts';

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
  const length = ctx.mind.style.lengthOf(reference);
  if (reference.trim() !== '' && length <= 255) return null;
  return invalid(ctx, 'client_reference_id must have 1 to 255 characters', 'client_reference_id');
}

export function createAccount(ctx: RequestContext): Answer {
  const reference = textOr(ctx.body.client_reference_id, '');
  const email = textOr(ctx.body.email, '');
  const emailProblem = () =>
    email.includes('@') ? null : invalid(ctx, 'email must contain @', 'email');
  const form = referenceProblem(ctx, reference);
  if (form !== null) return form;
  const brandId = brandOf(ctx);
  if (typeof brandId !== 'string') return brandId;
  const early = ctx.mind.style.validatesBeforeReference ? emailProblem() : null;
  if (early !== null) return early;
  const known = findByReference(ctx, reference, brandId);
  if (known !== undefined) return accountAnswer(ctx, 200, known);
  const late = emailProblem();
  if (late !== null) return late;
  const phone = phoneOf(ctx);
  if (isTaken(ctx, brandId, email, phone)) {
    const words = 'someone with this email or phone already exists at this brand';
    return refuse(ctx, 409, 'invalid_state', words);
  }
  return accountAnswer(ctx, 201, addAccount(ctx, { reference, email, phone, brandId }));
}

/** ACC-15, ACC-16, ACC-17 */
export function brandOf(ctx: RequestContext): string | Answer {
  const { credential, mind } = ctx;
  const named = textOr(ctx.body.brand_id, null);
  const own = credential.brandId ?? delegatedBrand(ctx);
  if (named !== null && !isDecimalId(named)) return idProblem(ctx, named, 'brand_id')!;
  const plain = named === null ? null : mind.style.leadingZeros ? String(BigInt(named)) : named;
  if (own !== null) {
    if (plain === null || plain === own) return own;
    return refuse(ctx, 403, 'forbidden', 'this credential is bound to another brand');
  }
  if (plain === null) return invalid(ctx, 'brand_id is required', 'brand_id');
  const firm = mind.firms.find((each) => each.id === credential.firmId);
  return firm?.brands.includes(plain) ? plain : notFound(ctx);
}

function delegatedBrand({ mind, credential }: RequestContext): string | null {
  if (credential.kind !== 'delegated') return null;
  return mind.accounts.find((each) => each.id === credential.accountId)?.brandId ?? null;
}

/** ACC-5, ACC-6, NS-20 */
function findByReference(ctx: RequestContext, reference: string, brandId: string) {
  const { accounts, style } = ctx.mind;
  const wanted = reference.toLowerCase();
  return accounts.find(
    (each) =>
      each.reference.toLowerCase() === wanted &&
      each.firmId === ctx.credential.firmId &&
      (style.referencesPer === 'brand' ? each.brandId === brandId : reaches(ctx, each)),
  );
}

function phoneOf({ body, mind }: RequestContext): string | null {
  const sent = textOr(body.phone, null);
  if (sent === null || sent === '') return null;
  return mind.style.phone(normalisePhone(sent, textOr(body.phone_region, null)));
}

/** ACC-8, ACC-9 */
function isTaken(ctx: RequestContext, brandId: string, email: string, phone: string | null) {
  const { style } = ctx.mind;
  const form = (each: string) => (style.emailsByCase ? each : each.toLowerCase());
  return ctx.mind.accounts.some(
    (each) =>
      each.brandId === brandId &&
      (form(each.email) === form(email) ||
        (phone !== null && hasDigits(phone) && each.phone === phone)),
  );
}

interface NewAccount {
  readonly reference: string;
  readonly email: string;
  readonly phone: string | null;
  readonly brandId: string;
}

function addAccount(ctx: RequestContext, { reference, email, phone, brandId }: NewAccount) {
  const { body, mind, credential } = ctx;
  const names = [textOr(body.first_name, null), textOr(body.last_name, null)];
  // ACC-13
  const [first, last] = names.some(Boolean) ? names : mind.style.namedAfter(email);
  const account: Account = {
    id: mind.nextId(),
    firmId: credential.firmId,
    brandId,
    reference,
    email,
    phone,
    first_name: first ?? null,
    last_name: last ?? null,
    country: textOr(body.country, null),
    language: textOr(body.language, null),
    status: 'New',
    revision: mind.style.firstRevision,
    createdAtMs: mind.now(),
  };
  mind.accounts.push(account);
  emit(mind, 'account', 'account.created', account, accountBody(ctx, account));
  return account;
}

const UPDATABLE = ['first_name', 'last_name', 'country', 'language', 'status'] as const;

export function updateAccount(ctx: RequestContext): Answer {
  const { style } = ctx.mind;
  const idWords = idProblem(ctx, ctx.pathId, 'id');
  if (idWords !== null) return idWords;
  const tag = tagOf(ctx);
  if (style.tagFormBeforeReach && tag.problem !== null) return tag.problem;
  const account = findAccount(ctx, ctx.pathId);
  if (account === undefined) return notFound(ctx);
  if (tag.problem !== null) return tag.problem;
  const changes = changesOf(ctx, account);
  const noChange = () => invalid(ctx, 'this would change nothing');
  if (style.noChangeBeforeTag && changes.length === 0) return noChange();
  if (!tag.matches(account.revision)) {
    const words = 'the account has changed; read it again and send a new operation';
    return refuse(ctx, 412, 'revision_conflict', words);
  }
  if (changes.length === 0) return noChange();
  for (const [name, value] of changes) account[name] = value;
  account.revision += style.revisionStep;
  emit(ctx.mind, 'account', 'account.updated', account, accountBody(ctx, account));
  return accountAnswer(ctx, 200, account);
}

function changesOf({ body }: RequestContext, account: Account) {
  const changes: [(typeof UPDATABLE)[number], string][] = [];
  for (const name of UPDATABLE) {
    const value = body[name];
    if (typeof value === 'string' && value !== account[name]) changes.push([name, value]);
  }
  return changes;
}

interface Tag {
  readonly problem: Answer | null;
  readonly matches: (revision: number) => boolean;
}

/** UPD-9, UPD-10, NS-18, NS-39 */
function tagOf(ctx: RequestContext): Tag {
  const { style } = ctx.mind;
  const never = () => false;
  const given = headersOf(ctx.call, 'if-match');
  const text = given.join(', ').trim();
  if (given.length === 0) {
    const code = style.missingTag === 422 ? 'validation_failed' : 'precondition_required';
    const problem = refuse(ctx, style.missingTag, code, 'If-Match is required', 'If-Match');
    return { problem, matches: never };
  }
  if (style.tagLists && text === '*') return { problem: null, matches: () => true };
  const parts = style.tagLists ? text.split(/\s*,\s*/) : [text];
  if (parts.every((each) => /^"[\x21\x23-\x7e]*"$/.test(each))) {
    return { problem: null, matches: (revision) => parts.includes(`"${revision}"`) };
  }
  const words = 'If-Match must be one strong tag in quotes';
  return { problem: invalid(ctx, words, 'If-Match'), matches: never };
}
