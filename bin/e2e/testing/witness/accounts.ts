// Creating accounts, one or many, updating and reading them (ACC, BULK, UPD, CONV-3, NS-2).
import { bodyOf, CODES, type Context, decided } from './context.ts';
import {
  type Account,
  aboutOf,
  type Profile,
  profileIn,
  type Reply,
  UPDATABLE,
} from './records.ts';
import { isObject, type JsonObject, normalisePhone, textOr } from './values.ts';

/** ACC-18 */
function accountBody({ style }: Context, account: Account): JsonObject {
  const { email, created_ms, changed_ms, ...shown } = account;
  const members = Object.entries(shown).map(([name, value]) => [name, value ?? style.absent]);
  return { ...Object.fromEntries(members), ...style.extraMembers };
}

/** ACC-19 */
const accountReply = (context: Context, status: number, account: Account): Reply =>
  context.reply(status, accountBody(context, account), [['ETag', `"${account.revision}"`]]);

function announce(context: Context, kind: string, account: Account): void {
  context.world.emit('account', kind, aboutOf(account), accountBody(context, account));
}

/** ACC-2, TXN-3 */
export function referenceOf(context: Context): string {
  const reference = context.text('client_reference_id');
  const isRight = reference.trim() !== '' && context.style.lengthOf(reference) <= 255;
  const field = 'client_reference_id';
  context.need(isRight, `${field} must have 1 to 255 characters`, field);
  return reference;
}

/** ACC-4, and the longest name that this style takes */
function checkPerson(context: Context): void {
  context.need(context.text('email').includes('@'), 'email must contain @', 'email');
  checkLengths(context, ['first_name', 'last_name']);
}

function checkLengths(context: Context, names: readonly string[]): void {
  const { longestName } = context.style;
  for (const name of names) {
    context.need(context.text(name).length <= longestName, `${name} is too long`, name);
  }
}

/** ACC-11, ACC-12 */
function phoneOf({ body, style }: Context): string | null {
  const sent = textOr(body.phone, null);
  if (sent === null) return null;
  return style.phone(normalisePhone(sent, textOr(body.phone_region, null), style.strictPhones));
}

/** ACC-15, ACC-16, ACC-17 */
function brandOf(context: Context): string {
  const { credential, world, store, body, style } = context;
  const named = textOr(body.brand_id, null);
  const brandId = named === null ? null : context.id(named, 'brand_id');
  const own = credential.brand_id ?? store.account(credential.account_id ?? '')?.brand_id ?? null;
  if (own !== null) {
    if (brandId === null || brandId === own) return own;
    return context.refuse(403, 'forbidden', 'this credential is bound to another brand');
  }
  if (brandId === null) return context.refuse(422, 'validation_failed', 'brand_id is required');
  if (world.firm(credential.firm_id).brands.includes(brandId)) return brandId;
  // NS-63
  return context.refuse(style.unknownBrand, CODES[style.unknownBrand], 'there is no such brand');
}

export function createAccount(context: Context): Reply {
  const { credential, store, style, nowMs } = context;
  const reference = referenceOf(context);
  const brandId = brandOf(context);
  // NS-56
  if (style.validatesBeforeReference) checkPerson(context);
  const known = store.accountByReference(context, reference, brandId);
  if (known !== undefined) return accountReply(context, 200, known);
  checkPerson(context);
  const [email, phone] = [context.text('email'), phoneOf(context)];
  const another =
    store.accountByEmail(context, email, brandId) ??
    (phone === null ? undefined : store.accountByPhone(context, phone, brandId));
  if (another !== undefined) {
    context.refuse(409, 'invalid_state', 'someone at this brand has this email or phone');
  }
  const account: Account = {
    id: store.nextId('account'),
    revision: style.firstRevision,
    client_reference_id: reference,
    ...profileOf(context, email),
    ...{ phone, status: 'New', brand_id: brandId, firm_id: credential.firm_id },
    ...{ email, created_ms: nowMs, changed_ms: nowMs },
  };
  const saved = store.saveAccount(account, context);
  announce(context, 'account.created', saved);
  return accountReply(context, 201, saved);
}

/** ACC-13, ACC-14 */
function profileOf({ body, style }: Context, email: string): Profile {
  const sent = profileIn(body);
  if (sent.first_name !== null || sent.last_name !== null) return sent;
  const [first_name, last_name] = style.namedAfter(email);
  return { ...sent, first_name, last_name };
}

export function bulkCreateAccounts(context: Context): Reply {
  const { accounts } = context.body;
  const rows = (Array.isArray(accounts) ? accounts : []).filter(isObject);
  context.need(rows.length > 0, 'accounts must have 1 to 1000 rows', 'accounts');
  if (rows.length > 1000) {
    context.refuse(413, 'scope_too_wide', `accounts has ${rows.length} rows, 1000 at most`);
  }
  for (const [index, row] of rows.entries()) checkRow(context, row, index);
  const results: JsonObject[] = [];
  const order = [...rows.entries()];
  if (context.style.lastRowFirst) order.reverse();
  for (const [index, row] of order) results[index] = rowResult(context.ofRow(row, index));
  const created = results.filter(({ id }) => id !== null).length;
  const failed = rows.length - created;
  return context.reply(200, { total: rows.length, created, failed, rows: results });
}

/** BULK-9, BULK-10, NS-6: the error names a row that makes the whole batch invalid. */
function checkRow(context: Context, row: JsonObject, index: number): void {
  const { rowWithoutBrand, batchRefusal } = context.style;
  const place = `accounts[${index}]`;
  const hasReference = typeof row.client_reference_id === 'string';
  context.need(hasReference, `${place}: client_reference_id is missing`);
  const brandId = textOr(row.brand_id, null);
  if (brandId === null && rowWithoutBrand === 'row') return;
  if (brandId !== null && !/^\d+$/.test(brandId)) return;
  if (typeof decided(() => brandOf(context.ofRow(row, index))) === 'string') return;
  const code = batchRefusal.brand === 403 ? 'forbidden' : 'validation_failed';
  context.refuse(batchRefusal.brand, code, `${place}: this credential cannot use that brand`);
}

/** BULK-3: the answer of a single create. */
function rowResult(context: Context): JsonObject {
  const { body, style } = context;
  const decision = decided(() => {
    context.checkPermission('createAccount');
    context.need(typeof body.email === 'string', 'email is missing', 'email');
    return createAccount(context);
  });
  const reply = context.afterSeams(decision);
  const { id, code, detail, client_reference_id: stored } = bodyOf(reply);
  const hasLanded = reply.status < 300;
  const isStored = hasLanded && style.rowReference === 'stored';
  return {
    client_reference_id: (isStored ? stored : body.client_reference_id) ?? null,
    status: reply.status,
    id: hasLanded ? id! : null,
    code: hasLanded ? null : code!,
    detail: hasLanded ? null : detail!,
  };
}

export function updateAccount(context: Context): Reply {
  const { pathId, body, style, store, nowMs } = context;
  const id = context.id(pathId, 'id');
  if (style.tagFormBeforeReach) tagOf(context);
  // UPD-6
  const account = context.account(id) ?? context.notFound();
  const matches = tagOf(context);
  checkLengths(context, UPDATABLE);
  const isChange = (name: (typeof UPDATABLE)[number]) =>
    typeof body[name] === 'string' && body[name] !== account[name];
  const changes = UPDATABLE.filter(isChange);
  const needChange = () => context.need(changes.length > 0, 'this would change nothing');
  if (style.noChangeBeforeTag) needChange();
  if (!matches(account.revision)) {
    const words = 'the account has changed; read it again and send a new operation';
    context.refuse(412, 'revision_conflict', words);
  }
  needChange();
  const changed: Account = {
    ...account,
    ...Object.fromEntries(changes.map((name) => [name, body[name]])),
    ...{ revision: account.revision + style.revisionStep, changed_ms: nowMs },
  };
  const saved = store.saveAccount(changed, context);
  announce(context, 'account.updated', saved);
  return accountReply(context, 200, saved);
}

/** UPD-9, UPD-10, NS-18, NS-39: whether a revision matches If-Match. */
function tagOf(context: Context): (revision: number) => boolean {
  const { missingTag, tagLists } = context.style;
  const given = context.headers('if-match');
  const text = given.join(', ').trim();
  if (given.length === 0) {
    const code = missingTag === 422 ? 'validation_failed' : 'precondition_required';
    context.refuse(missingTag, code, 'If-Match is required', 'If-Match');
  }
  if (tagLists && text === '*') return () => true;
  const tags = tagLists ? text.split(/\s*,\s*/) : [text];
  const isStrong = tags.every((tag) => /^"[\x21\x23-\x7e]*"$/.test(tag));
  context.need(isStrong, 'If-Match must be one strong tag in quotes', 'If-Match');
  return (revision) => tags.includes(`"${revision}"`);
}

export function listAccounts(context: Context): Reply {
  const { store, credential } = context;
  const seen = [...store.accounts()].filter((each) => store.reaches(credential, each));
  const rows = seen.map((each) => {
    const { id, ...rest } = accountBody(context, each);
    return { record_id: BigInt(each.id), account_id: BigInt(each.id), ...rest };
  });
  return page(context, 'accounts', rows);
}

type ReadRow = JsonObject & { readonly record_id: bigint };

export function page(context: Context, name: string, rows: readonly ReadRow[]): Reply {
  const { reads } = context.style;
  const after = context.query.get('after') ?? '0';
  const limit = Number(context.query.get('limit') ?? reads.page) || reads.page;
  const from = /^\d+$/.test(after) ? BigInt(after) : 0n;
  const shown = rows.filter((each) => each.record_id > from).slice(0, Math.min(limit, 1000));
  if (reads.rows === 'bare') return context.reply(200, shown);
  return context.reply(200, { [reads.rows === 'named' ? name : reads.rows]: shown });
}

/** NS-54: the way to read again after a 412. */
export function readAccountStatus(context: Context): Reply {
  const account = context.account(context.pathId) ?? context.notFound();
  const { id, status, revision } = account;
  const body = { account_id: BigInt(id), status, revision };
  return context.reply(200, body, [['ETag', `"${revision}"`]]);
}
