// Creating accounts, one or many, and updating them (ACC, BULK, UPD).

import { permissionProblem } from '../pipeline/scopes.ts';
import { afterSeams } from '../pipeline/seams.ts';
import { type Account, PROFILE, type Reply, UPDATABLE } from '../records.ts';
import { bodyOf, headersOf, invalid, notFound, refuse, replyWith } from '../replies.ts';
import type { Context } from '../types.ts';
import { isObject, type JsonObject, normalisePhone, textOr } from '../values.ts';
import { findAccount, idProblem, isDecimalId, plainId } from './ids.ts';

/** ACC-18 */
export function accountBody({ world }: Context, account: Account): JsonObject {
  const { absent, extraMembers } = world.style;
  return {
    id: account.id,
    revision: account.revision,
    client_reference_id: account.client_reference_id,
    first_name: account.first_name ?? absent,
    last_name: account.last_name ?? absent,
    phone: account.phone ?? absent,
    country: account.country ?? absent,
    language: account.language ?? absent,
    status: account.status,
    brand_id: account.brand_id,
    firm_id: account.firm_id,
    ...extraMembers,
  };
}

/** ACC-19 */
function accountReply(context: Context, status: number, account: Account): Reply {
  const tag = [['ETag', `"${account.revision}"`]] as const;
  return replyWith(context, status, accountBody(context, account), tag);
}

function announce(context: Context, kind: string, account: Account): void {
  const { id: accountId, firm_id: firmId, brand_id: brandId } = account;
  const about = { firmId, brandId, accountId };
  context.world.emit('account', kind, about, accountBody(context, account));
}

/** ACC-2, TXN-3 */
export function referenceProblem(context: Context, reference: string): Reply | null {
  const isRight = reference.trim() !== '' && context.world.style.lengthOf(reference) <= 255;
  const field = 'client_reference_id';
  return isRight ? null : invalid(context, `${field} must have 1 to 255 characters`, field);
}

/** ACC-4, and the longest name that this style takes */
function personProblem(context: Context): Reply | null {
  const { body, world } = context;
  if (!textOr(body.email, '').includes('@'))
    return invalid(context, 'email must contain @', 'email');
  const isLong = (name: string) => textOr(body[name], '').length > world.style.longestName;
  const long = ['first_name', 'last_name'].find(isLong);
  return long === undefined ? null : invalid(context, `${long} is too long`, long);
}

/** ACC-11, ACC-12 */
function phoneOf({ body, world }: Context): string | null {
  const sent = textOr(body.phone, null);
  if (sent === null) return null;
  const { strictPhones, phone } = world.style;
  return phone(normalisePhone(sent, textOr(body.phone_region, null), strictPhones));
}

/** ACC-15, ACC-16, ACC-17: the brand of a create, or its refusal. */
function brandOf(context: Context): string | Reply {
  const { credential, world, body } = context;
  const named = textOr(body.brand_id, null);
  if (named !== null && !isDecimalId(named)) return idProblem(context, named, 'brand_id')!;
  const brandId = named === null ? null : plainId(world, named);
  const delegate =
    credential.account_id === null ? null : world.store.account(credential.account_id);
  const own = credential.brand_id ?? delegate?.brand_id ?? null;
  if (own !== null) {
    if (brandId === null || brandId === own) return own;
    return refuse(context, 403, 'forbidden', 'this credential is bound to another brand');
  }
  if (brandId === null) return invalid(context, 'brand_id is required', 'brand_id');
  if (world.firm(credential.firm_id).brands.includes(brandId)) return brandId;
  // NS-63
  if (world.style.unknownBrand === 404) return notFound(context);
  if (world.style.unknownBrand === 422)
    return invalid(context, 'there is no such brand', 'brand_id');
  return refuse(context, 403, 'forbidden', 'this credential cannot use that brand');
}

export function createAccount(context: Context): Reply {
  const { world, body } = context;
  const { store, style } = world;
  const reference = textOr(body.client_reference_id, '');
  const wrongReference = referenceProblem(context, reference);
  if (wrongReference !== null) return wrongReference;
  const brandId = brandOf(context);
  if (typeof brandId !== 'string') return brandId;
  // NS-56
  const early = style.validatesBeforeReference ? personProblem(context) : null;
  if (early !== null) return early;
  const known = store.accountByReference(context, reference, brandId);
  if (known !== undefined) return accountReply(context, 200, known);
  const late = personProblem(context);
  if (late !== null) return late;
  const email = textOr(body.email, '');
  const phone = phoneOf(context);
  const another =
    store.accountByEmail(context, email, brandId) ??
    (phone === null ? undefined : store.accountByPhone(context, phone, brandId));
  if (another !== undefined) {
    const words = 'someone with this email or phone already exists at this brand';
    return refuse(context, 409, 'invalid_state', words);
  }
  const nowMs = world.clock.now();
  const account = store.saveAccount(
    {
      ...profileOf(context, email),
      id: store.nextId(),
      revision: style.firstRevision,
      client_reference_id: reference,
      email,
      phone,
      status: 'New',
      brand_id: brandId,
      firm_id: context.credential.firm_id,
      created_ms: nowMs,
      changed_ms: nowMs,
    },
    context,
  );
  announce(context, 'account.created', account);
  return accountReply(context, 201, account);
}

/** ACC-13, ACC-14 */
function profileOf(
  { body, world }: Context,
  email: string,
): Pick<Account, (typeof PROFILE)[number]> {
  const [first, last, country, language] = PROFILE.map((name) => textOr(body[name], null));
  const [ownFirst, ownLast] = world.style.namedAfter(email);
  const isUnnamed = first === null && last === null;
  return {
    first_name: (isUnnamed ? ownFirst : first) ?? null,
    last_name: (isUnnamed ? ownLast : last) ?? null,
    country: country ?? null,
    language: language ?? null,
  };
}

export function bulkCreateAccounts(context: Context): Reply {
  const { body } = context;
  const rows = (Array.isArray(body.accounts) ? body.accounts : []).filter(isObject);
  if (rows.length === 0) return invalid(context, 'accounts must have 1 to 1000 rows', 'accounts');
  if (rows.length > 1000) {
    return refuse(context, 413, 'scope_too_wide', `accounts has ${rows.length} rows, 1000 at most`);
  }
  for (const [index, row] of rows.entries()) {
    const whole = batchProblem(context, row, index);
    if (whole !== null) return whole;
  }
  const results = rows.map((row, index) => rowResult({ ...context, body: row, row: index }));
  const created = results.filter(({ id }) => id !== null).length;
  const failed = rows.length - created;
  return replyWith(context, 200, { total: rows.length, created, failed, rows: results });
}

/** BULK-9, BULK-10, NS-6: a row that refuses the whole batch is named. */
function batchProblem(context: Context, row: JsonObject, index: number): Reply | null {
  const { rowWithoutBrand, batchRefusal } = context.world.style;
  const place = `accounts[${index}]`;
  if (typeof row.client_reference_id !== 'string') {
    return invalid(context, `${place}: client_reference_id is missing`);
  }
  const brandId = textOr(row.brand_id, null);
  if (brandId === null && rowWithoutBrand === 'row') return null;
  if (brandId !== null && !isDecimalId(brandId)) return null;
  if (typeof brandOf({ ...context, body: row }) === 'string') return null;
  const code = batchRefusal.brand === 403 ? 'forbidden' : 'validation_failed';
  const words = `${place}: this credential cannot use that brand`;
  return refuse(context, batchRefusal.brand, code, words);
}

/** BULK-3: what a single create would have answered. */
function rowResult(context: Context): JsonObject {
  const { body, world } = context;
  const reply = rowReply(context);
  const { id, code, detail, client_reference_id: stored } = bodyOf(reply);
  const hasLanded = reply.status < 300;
  const isStored = hasLanded && world.style.rowReference === 'stored';
  return {
    client_reference_id: (isStored ? stored : body.client_reference_id) ?? null,
    status: reply.status,
    id: hasLanded ? id! : null,
    code: hasLanded ? null : code!,
    detail: hasLanded ? null : detail!,
  };
}

function rowReply(context: Context): Reply {
  const { body } = context;
  const refusal = permissionProblem(context, 'createAccount');
  if (refusal !== null) return refusal;
  if (typeof body.email !== 'string') return invalid(context, 'email is missing', 'email');
  return afterSeams(context, createAccount(context));
}

export function updateAccount(context: Context): Reply {
  const { world, pathId, body } = context;
  const { style, store } = world;
  const oddId = idProblem(context, pathId, 'id');
  if (oddId !== null) return oddId;
  const tag = tagOf(context);
  const isTag = typeof tag === 'function';
  if (style.tagFormBeforeReach && !isTag) return tag;
  // UPD-6
  const account = findAccount(context, pathId);
  if (account === undefined) return notFound(context);
  if (!isTag) return tag;
  const isLong = UPDATABLE.some((name) => textOr(body[name], '').length > style.longestName);
  if (isLong) return invalid(context, `a value has more than ${style.longestName} characters`);
  const changes = UPDATABLE.filter(
    (name) => typeof body[name] === 'string' && body[name] !== account[name],
  );
  const nothing = changes.length === 0 ? invalid(context, 'this would change nothing') : null;
  if (style.noChangeBeforeTag && nothing !== null) return nothing;
  if (!tag(account.revision)) {
    const words = 'the account has changed; read it again and send a new operation';
    return refuse(context, 412, 'revision_conflict', words);
  }
  if (nothing !== null) return nothing;
  const changed = store.saveAccount(
    {
      ...account,
      ...Object.fromEntries(changes.map((name) => [name, body[name]])),
      revision: account.revision + style.revisionStep,
      changed_ms: world.clock.now(),
    },
    context,
  );
  announce(context, 'account.updated', changed);
  return accountReply(context, 200, changed);
}

/** UPD-9, UPD-10, NS-18, NS-39: whether a revision matches If-Match, or why that cannot be read. */
function tagOf(context: Context): Reply | ((revision: number) => boolean) {
  const { missingTag, tagLists } = context.world.style;
  const given = headersOf(context.call, 'if-match');
  const text = given.join(', ').trim();
  if (given.length === 0) {
    const code = missingTag === 422 ? 'validation_failed' : 'precondition_required';
    return refuse(context, missingTag, code, 'If-Match is required', 'If-Match');
  }
  if (tagLists && text === '*') return () => true;
  const tags = tagLists ? text.split(/\s*,\s*/) : [text];
  if (tags.every((tag) => /^"[\x21\x23-\x7e]*"$/.test(tag))) {
    return (revision) => tags.includes(`"${revision}"`);
  }
  return invalid(context, 'If-Match must be one strong tag in quotes', 'If-Match');
}
