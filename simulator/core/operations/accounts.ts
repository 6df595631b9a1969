// The writes on accounts: create (POST /accounts), create many (POST /accounts/bulk) and update
// (PATCH /accounts/{id}).
import {
  mapProfile,
  type Profile,
  profileFields,
} from '../../../fixtures/schemas/account-profile.ts';
import type { Behaviour } from '../behaviour.ts';
import { type Batch, type Cite, citesIf, type Decision, type Reply } from '../call.ts';
import { put } from '../change.ts';
import { emit } from '../delivery/deliveries.ts';
import {
  type Body,
  callerOf,
  headerOf,
  invalid,
  type RequestContext,
  refuse,
} from '../pipeline/request-context.ts';
import { refuseByFirm } from '../pipeline/stages.ts';
import type { Account } from '../records.ts';
import { findReferenced, personKeys } from '../references.ts';
import { type IfMatch, shortened } from '../values/text.ts';
import { findAccount, optionalText, parseNamedId, refuseReference } from './members.ts';

export function createAccount(context: RequestContext): Decision {
  return createFrom(context, context.body);
}

/** A single create, from a readable row to the account. */
function createFrom(context: RequestContext, row: Body): Decision {
  const { behaviour, world } = context;
  const { values, settings } = behaviour;
  const reference = optionalText(row, 'client_reference_id') ?? '';
  const refused = refuseReference(context, reference, 'ACC-2');
  if (refused !== null) return refused;
  const email = optionalText(row, 'email');
  if (email === null) return refuseEmail(context, 'NS-33');
  const brandId = findBrand(context, row);
  if (typeof brandId !== 'string') return brandId;
  const caller = callerOf(context);
  // ACC-5, ACC-6: the reference comes before email and phone, so a repeat finds its own account.
  const existing = findReferenced(
    world.people.get(behaviour.accounts.referenceIndex(caller.firm_id, brandId))?.byReference,
    values.referenceKey(reference),
    world.accounts,
    (account) => behaviour.reach.account(caller, account),
  );
  // NS-64, the other choice: a caller that reaches only one account creates no other.
  const isDelegated = caller.account_id !== null;
  if (existing === null && isDelegated && settings.delegated_account_create === 'refused') {
    const detail = 'A delegated token makes no accounts: use a server credential.';
    return refuse(context, 'forbidden', ['NS-64'], detail);
  }
  const isEmail = values.isEmail(email);
  // NS-56: which of the two is reported first.
  if (existing !== null && (isEmail || settings.known_reference === 'first')) {
    return converge(context, existing, row, isEmail);
  }
  return isEmail ? createAt(context, row, brandId) : refuseEmail(context, 'ACC-4');
}

/** The brand that the account is created at, or the refusal. */
function findBrand(context: RequestContext, row: Body): string | Decision {
  const { behaviour, world } = context;
  const caller = callerOf(context);
  const named = optionalText(row, 'brand_id');
  if (named === null) {
    // ACC-17: a brand-bound credential creates at its own brand. ACC-15: a firm-wide one names it.
    if (caller.brand_id !== null) return caller.brand_id;
    const detail =
      'brand_id is required: this credential is valid for every brand of its firm, so name one.';
    return invalid(context, 'brand_id', detail, 'ACC-15');
  }
  const brandId = behaviour.values.id(named);
  if (brandId === null) {
    return invalid(context, 'brand_id', 'brand_id must be a decimal string.', 'CONV-1c');
  }
  if (behaviour.reach.brand(caller, brandId, world)) return brandId;
  const detail = `This credential cannot use brand ${shortened(brandId)}.`;
  if (caller.brand_id !== null) {
    return refuse(context, 'forbidden', ['ACC-16', 'AUTH-6'], detail, 'brand_id');
  }
  const code = foreignBrand[behaviour.settings.foreign_brand_status];
  return refuse(context, code, ['AUTH-7', 'NS-63'], detail, 'brand_id');
}

/** NS-63. */
const foreignBrand = { 403: 'forbidden', 404: 'not_found', 422: 'validation_failed' } as const;

const refuseEmail = (context: RequestContext, rule: Cite): Decision =>
  invalid(context, 'email', 'email must contain an @.', rule);

function createAt(context: RequestContext, row: Body, brandId: string): Decision {
  const { behaviour, world } = context;
  const caller = callerOf(context);
  const region = optionalText(row, 'phone_region');
  const phone = behaviour.values.phone(optionalText(row, 'phone'), region);
  const account = newAccount(behaviour, {
    id: String(world.counters.account + 1),
    firm_id: caller.firm_id,
    brand_id: brandId,
    client_reference_id: row.client_reference_id as string,
    email: row.email as string,
    phone,
    // ACC-14: stored as sent.
    ...mapProfile((field) => optionalText(row, field)),
    created_at: context.atMs,
  });
  const keys = personKeys(behaviour, account);
  const known = world.people.get(keys.people);
  if (known?.byEmail.has(keys.email)) return refusePerson(context, 'email', 'ACC-8');
  if (keys.phone !== null && known?.byPhone.has(keys.phone)) {
    return refusePerson(context, 'phone', 'ACC-9');
  }
  const body = behaviour.serialize.account(account);
  return {
    reply: accountReply(context, account, 201, body),
    changes: [put('accounts', account, keys), ...emit(context, 'account.created', account, body)],
    cites: [
      ...(['ACC-1', 'ACC-18', 'ACC-19', 'ACC-20', 'ACC-22', 'CONV-1a'] as const),
      ...citesIf(caller.brand_id !== null, 'ACC-17'),
      ...citesIf(isNameless(row), 'ACC-13'),
      ...citesIf(typeof row.country === 'string' || typeof row.language === 'string', 'ACC-14'),
      ...citesIf(phone !== null, 'ACC-11'),
      ...citesIf(phone !== null && region !== null, 'ACC-12'),
    ],
  };
}

/** ACC-5, IDEM-12: returns the account with this reference, unchanged. */
function converge(
  context: RequestContext,
  account: Account,
  row: Body,
  isEmail: boolean,
): Decision {
  if (context.idempotency !== null) context.idempotency = 'converged';
  const isOtherCase = account.client_reference_id !== row.client_reference_id;
  return {
    reply: accountReply(context, account, 200, context.behaviour.serialize.account(account)),
    changes: [],
    cites: [
      'ACC-5',
      ...citesIf(isOtherCase, 'ACC-6'),
      'ACC-7',
      'IDEM-12',
      ...citesIf(!isEmail, 'NS-56'),
    ],
  };
}

function refusePerson(context: RequestContext, field: string, rule: Cite): Decision {
  const detail = `Someone with this ${field} already exists at this brand under another reference.`;
  return refuse(context, 'invalid_state', [rule, 'IDEM-13'], detail, field);
}

const isNameless = ({ first_name, last_name }: Body): boolean =>
  typeof first_name !== 'string' && typeof last_name !== 'string';

type NewAccount = Omit<Account, 'status' | 'revision' | 'first_deposit_id'>;

export function newAccount({ accounts, settings }: Behaviour, given: NewAccount): Account {
  return {
    ...given,
    // ACC-13, NS-25: a person without any name is named after the email.
    ...(isNameless(given) ? accounts.nameAfterEmail(given.email) : null),
    status: accounts.firstStatus,
    revision: settings.first_revision,
    first_deposit_id: null,
  };
}

/** ACC-19: every account answer carries its tag. */
export function accountReply(
  context: RequestContext,
  account: Account,
  status: number,
  body: string,
): Reply {
  const etag = context.behaviour.values.etag(account);
  return { status, contentType: 'application/json', body, etag };
}

export function bulkCreateAccounts(context: RequestContext): Decision | Batch {
  const rows = context.body.accounts as readonly Body[];
  if (rows.length === 0) {
    return invalid(context, 'accounts', 'accounts must have at least one row.', 'BULK-6');
  }
  const { maxRows } = context.behaviour.accounts;
  if (rows.length > maxRows) {
    const detail = `accounts may have at most ${maxRows} rows, not ${rows.length}.`;
    return refuse(context, 'scope_too_wide', ['BULK-7'], detail, 'accounts');
  }
  for (const [index, row] of rows.entries()) {
    const refused = refuseBatchFor(context, row, index);
    if (refused !== null) return refused;
  }
  return {
    rows: rows.length,
    // BULK-3: a firm that may create no single account may create none in a batch either.
    decideRow: (index) =>
      refuseByFirm(context, 'createAccount') ?? createFrom(context, rows[index] as Body),
    answer: (replies) => bulkReply(rows, replies),
    cites: ['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5', 'BULK-8', 'BULK-11', 'BULK-12'],
  };
}

/** Faults of a row that refuse the whole batch, before anything is created. */
function refuseBatchFor(context: RequestContext, row: Body, index: number): Decision | null {
  const { values, reach, settings } = context.behaviour;
  const refuseRow = (what: string, member: string, cites: readonly Cite[]) => {
    const detail = `Row ${index} ${what}; nothing was created.`;
    const { batch_refusal_status: status } = settings;
    const field = `accounts.${index}${member}`;
    return refuse(context, 'validation_failed', cites, detail, field, status);
  };
  const reference = row.client_reference_id;
  if (reference === undefined || reference === null) {
    return refuseRow('has no client_reference_id', '.client_reference_id', ['BULK-9', 'NS-6']);
  }
  const named = optionalText(row, 'brand_id');
  const caller = callerOf(context);
  const brandId = named === null ? null : values.id(named);
  if (brandId !== null && !reach.brand(caller, brandId, context.world)) {
    const status = settings.batch_brand_refusal_status;
    const code = status === 403 ? 'forbidden' : 'validation_failed';
    const detail = `Row ${index} names brand ${shortened(brandId)}, which this credential cannot use; nothing was created.`;
    const cites = ['BULK-10', 'NS-6'] as const;
    return refuse(context, code, cites, detail, `accounts.${index}.brand_id`, status);
  }
  // NS-33, the other choice: a missing field refuses the whole batch; any other fault fails only
  // its row (BULK-8).
  if (settings.bulk_row_problems !== 'batch') return null;
  const lacks = (what: string) => refuseRow(what, '', ['NS-33']);
  if (values.isBlank(reference as string)) return lacks('has a blank client_reference_id');
  if (optionalText(row, 'email') === null) return lacks('has no email');
  if (named !== null || caller.brand_id !== null) return null;
  return lacks('has no brand_id, which this credential must name');
}

/** BULK-2 to BULK-5: one entry per row, in order, with the response of a single create. */
function bulkReply(rows: readonly Body[], replies: readonly Reply[]): Reply {
  const entries = replies.map(({ status, body: text }, index) => {
    const body = JSON.parse(text) as { id?: string; code?: string; detail?: string };
    return {
      client_reference_id: optionalText(rows[index] as Body, 'client_reference_id'),
      status,
      ...(status < 300
        ? { id: body.id, code: null, detail: null }
        : { id: null, code: body.code, detail: body.detail }),
    };
  });
  const created = replies.filter(({ status }) => status < 300).length;
  const body = { total: rows.length, created, failed: rows.length - created, rows: entries };
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) };
}

/** UPD-3: what can be updated; email and phone cannot (UPD-11). */
const updatable: readonly (keyof Profile | 'status')[] = [...profileFields, 'status'];

export function updateAccount(context: RequestContext): Decision {
  const { behaviour } = context;
  const match = behaviour.values.ifMatch(headerOf(context, 'if-match'));
  const id = parseNamedId(context, context.pathId, 'id');
  if (typeof id !== 'string') return id;
  // UPD-6: a caller who cannot see the account learns nothing about its tag, not even its form.
  const account = findAccount(context, id, ['UPD-5', 'UPD-6']);
  if ('reply' in account) return account;
  const unusable = refuseTag(context, match) ?? refuseMembers(context);
  if (unusable !== null) return unusable;
  const updated = applyMembers(context, account);
  const stale = refuseStaleTag(context, match, account);
  // NS-19: which of the two is reported when both are wrong.
  if (stale !== null && (updated !== null || behaviour.settings.tag_before_no_change)) return stale;
  if (updated === null) {
    const detail = `The body would change nothing. Send at least one new value of ${updatable.join(', ')}.`;
    const cites: readonly Cite[] = ['UPD-8', ...citesOfMembers(context)];
    return refuse(context, 'validation_failed', cites, detail);
  }
  const body = behaviour.serialize.account(updated);
  return {
    reply: accountReply(context, updated, 200, body),
    changes: [put('accounts', updated), ...emit(context, 'account.updated', updated, body)],
    cites: ['UPD-1', 'UPD-2', 'UPD-3', ...citesOfMembers(context), 'NS-26'],
  };
}

/** Rules that decide only if the body names their member. */
function citesOfMembers({ body }: RequestContext): readonly Cite[] {
  return [
    ...citesIf(body.status !== undefined, 'UPD-4'),
    ...citesIf(body.email !== undefined || body.phone !== undefined, 'UPD-11'),
    ...citesIf(body.client_reference_id !== undefined, 'ACC-7'),
  ];
}

function refuseTag(context: RequestContext, match: IfMatch): Decision | null {
  if (match === 'missing') {
    const status = context.behaviour.settings.missing_if_match;
    const code = status === 412 ? 'revision_conflict' : 'validation_failed';
    const detail = 'Send If-Match with the ETag of the account as you last saw it.';
    return refuse(context, code, ['UPD-10', 'NS-18'], detail, 'If-Match', status);
  }
  if (match !== 'malformed') return null;
  const detail = 'If-Match must be one strong tag in double quotes, such as "3".';
  return invalid(context, 'If-Match', detail, 'UPD-9', 'NS-39');
}

/** Members that a setting refuses. */
function refuseMembers(context: RequestContext): Decision | null {
  const { body } = context;
  const { update_null, update_other_members, account_statuses } = context.behaviour.settings;
  // NS-55: null may mean that the member should be cleared; a status can never be cleared.
  const notNull = { not_sent: [], cleared: ['status'], refused: updatable }[update_null];
  const cleared = notNull.find((name) => body[name] === null);
  if (cleared !== undefined) {
    return invalid(context, cleared, `${cleared} must not be null.`, 'NS-55');
  }
  // NS-27: a setting may refuse what UPD-11 only leaves unchanged.
  if (update_other_members !== 'ignored') {
    const known: readonly string[] = updatable;
    const other = Object.keys(body).find((name) => !known.includes(name));
    if (other !== undefined) {
      const detail = `${other} cannot be changed by an update, only ${updatable.join(', ')}.`;
      return invalid(context, other, detail, 'UPD-11', 'NS-27');
    }
  }
  // NS-5: a setting may name the statuses; the rules take any (UPD-4).
  const status = optionalText(body, 'status');
  if (account_statuses === null || status === null) return null;
  if (account_statuses.includes(status)) return null;
  const detail = `status must be one of ${account_statuses.join(', ')}.`;
  return invalid(context, 'status', detail, 'NS-5');
}

function refuseStaleTag(
  context: RequestContext,
  match: IfMatch,
  account: Account,
): Decision | null {
  if (match === '*' || match.includes(String(account.revision))) return null;
  // NS-54: how to get the current tag.
  const how =
    context.behaviour.settings.account_status_endpoint === 'served'
      ? `Read it again at GET /api/v1/accounts/${account.id}/status, whose response has the current ETag`
      : 'Read it again, from the list of accounts or by creating it again under its reference';
  const detail = `The account has changed since that ETag. ${how}, then send a new operation under a new Idempotency-Key.`;
  return refuse(context, 'revision_conflict', ['UPD-7', 'UPD-12'], detail, 'If-Match');
}

/** UPD-2: only the members sent; null if nothing would change. */
function applyMembers({ behaviour, body }: RequestContext, account: Account): Account | null {
  const { update_null, absent_optionals, revision_step } = behaviour.settings;
  const patch: Record<string, string | null> = {};
  // NS-44: if a value that was never set reads as empty, an empty text does not change it (UPD-8).
  const read = (value: string | null) => (absent_optionals === 'empty' ? (value ?? '') : value);
  for (const name of updatable) {
    const value = optionalText(body, name);
    // NS-55.
    const isSent = value !== null || (update_null === 'cleared' && body[name] === null);
    if (isSent && read(value) !== read(account[name])) patch[name] = value;
  }
  if (Object.keys(patch).length === 0) return null;
  const revision = account.revision + revision_step;
  return { ...account, ...(patch as Partial<Account>), revision };
}
