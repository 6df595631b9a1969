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
import { headerOf } from '../pipeline/operation-row.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext } from '../pipeline/request-context.ts';
import { refuseByFirm } from '../pipeline/stages.ts';
import type { Account, Credential } from '../records.ts';
import { findReferenced, personKeys } from '../references.ts';
import type { IfMatch } from '../values/etag.ts';
import { shortened } from '../values/text.ts';
import { findAccount, optionalText, parsePathId } from './members.ts';

export function createAccount(context: RequestContext): Decision {
  return createOrFindAccount(context, context.body);
}

/** The whole of a single create, from a readable row to the account. */
function createOrFindAccount(context: RequestContext, row: Body): Decision {
  const refused = refuseReference(context, row);
  if (refused !== null) return refused;
  const brandId = findBrand(context, row);
  if (typeof brandId !== 'string') return brandId;
  const { values, accounts } = context.behaviour;
  const credential = callerOf(context);
  const index = accounts.referenceIndex(credential.firm_id, brandId);
  const reference = values.referenceKey(row.client_reference_id as string);
  // ACC-5, ACC-6: the reference is asked before email and phone, so a repeat finds its own account.
  const existing = findReferenced(
    context.world.people.get(index)?.byReference,
    reference,
    context.world.accounts,
    (account) => context.behaviour.reach.account(credential, account),
  );
  if (existing === null && isDelegatedAbroad(context)) return refuseDelegated(context);
  const valid = values.isEmail(row.email as string);
  // NS-56: which of the two is noticed first.
  if (existing !== null && (valid || context.behaviour.settings.known_reference === 'first')) {
    return converge(context, existing, row, valid);
  }
  return valid ? createAt(context, row, brandId) : refuseEmail(context, 'ACC-4');
}

/** The brand an account would be created at, or why it cannot be. */
function findBrand(context: RequestContext, row: Body): string | Decision {
  const { behaviour, world } = context;
  const credential = callerOf(context);
  const named = optionalText(row, 'brand_id');
  if (named === null) {
    // ACC-17: a brand-bound credential creates at its own brand. ACC-15: a firm-wide one must say
    // where.
    if (credential.brand_id !== null) return credential.brand_id;
    return refuse(context, {
      code: 'validation_failed',
      detail:
        'brand_id is required: this credential is good for every brand of its firm, so name the one.',
      field: 'brand_id',
      cites: ['ACC-15'],
    });
  }
  const brandId = behaviour.values.id(named);
  if (brandId === null) {
    return refuse(context, {
      code: 'validation_failed',
      detail: 'brand_id must be a decimal string.',
      field: 'brand_id',
      cites: ['CONV-1c'],
    });
  }
  if (behaviour.reach.brand(credential, brandId, world)) return brandId;
  const isBound = credential.brand_id !== null;
  return refuse(context, {
    code: isBound ? 'forbidden' : FOREIGN_BRAND[behaviour.settings.foreign_brand_status],
    detail: `This credential cannot use brand ${shortened(brandId)}.`,
    field: 'brand_id',
    cites: isBound ? ['ACC-16', 'AUTH-6'] : ['AUTH-7', 'NS-63'],
  });
}

/** NS-63. */
const FOREIGN_BRAND = { 403: 'forbidden', 404: 'not_found', 422: 'validation_failed' } as const;

/** ACC-2, NS-33: what is wrong with the reference, or an email that is not there at all. */
function refuseReference(context: RequestContext, row: Body): Decision | null {
  const { values } = context.behaviour;
  const reference = optionalText(row, 'client_reference_id') ?? '';
  if (values.isBlank(reference) || values.length(reference) > values.maxReference) {
    return refuse(context, {
      code: 'validation_failed',
      detail: `client_reference_id must have 1 to ${values.maxReference} characters and not be blank.`,
      field: 'client_reference_id',
      cites: ['ACC-2', 'NS-40'],
    });
  }
  return optionalText(row, 'email') === null ? refuseEmail(context, 'NS-33') : null;
}

function refuseEmail(context: RequestContext, rule: Cite): Decision {
  return refuse(context, {
    code: 'validation_failed',
    detail: 'email must contain an @.',
    field: 'email',
    cites: [rule],
  });
}

/** NS-64, the other choice: a caller that reaches only one account makes no other. */
function isDelegatedAbroad(context: RequestContext): boolean {
  const { delegated_account_create: choice } = context.behaviour.settings;
  return choice === 'refused' && callerOf(context).account_id !== null;
}

function refuseDelegated(context: RequestContext): Decision {
  const detail = 'A delegated token makes no accounts: use a server credential.';
  return refuse(context, { code: 'forbidden', detail, cites: ['NS-64'] });
}

function createAt(context: RequestContext, row: Body, brandId: string): Decision {
  const { behaviour, world } = context;
  const { values } = behaviour;
  const phone = values.phone(optionalText(row, 'phone'), optionalText(row, 'phone_region'));
  const account = newAccount(context, row, callerOf(context), brandId, phone);
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
      ...citesIf(callerOf(context).brand_id !== null, 'ACC-17'),
      ...citesIf(isNameless(row), 'ACC-13'),
      ...citesIf(typeof row.country === 'string' || typeof row.language === 'string', 'ACC-14'),
      ...citesIf(phone !== null, 'ACC-11'),
      ...citesIf(phone !== null && optionalText(row, 'phone_region') !== null, 'ACC-12'),
    ],
  };
}

/** ACC-5, IDEM-12: the account the reference names, untouched. */
function converge(context: RequestContext, account: Account, row: Body, valid: boolean): Decision {
  if (context.idempotency !== null) context.idempotency = 'converged';
  const body = context.behaviour.serialize.account(account);
  return {
    reply: accountReply(context, account, 200, body),
    changes: [],
    cites: [
      'ACC-5',
      ...citesIf(account.client_reference_id !== row.client_reference_id, 'ACC-6'),
      'ACC-7',
      'IDEM-12',
      ...citesIf(!valid, 'NS-56'),
    ],
  };
}

function refusePerson(context: RequestContext, field: string, rule: Cite): Decision {
  return refuse(context, {
    code: 'invalid_state',
    detail: `Someone with this ${field} already exists at this brand under another reference.`,
    field,
    cites: [rule, 'IDEM-13'],
  });
}

function newAccount(
  context: RequestContext,
  row: Body,
  credential: Credential,
  brandId: string,
  phone: string | null,
): Account {
  const { accounts } = context.behaviour;
  const email = row.email as string;
  // ACC-14: as sent.
  const profile = mapProfile((field) => optionalText(row, field));
  return {
    id: String(context.world.counters.account + 1),
    firm_id: credential.firm_id,
    brand_id: brandId,
    client_reference_id: row.client_reference_id as string,
    email,
    phone,
    ...nameProfile(accounts, profile, email),
    status: accounts.firstStatus,
    revision: accounts.firstRevision,
    created_at: context.atMs,
    first_deposit_id: null,
  };
}

function isNameless(row: Body): boolean {
  return optionalText(row, 'first_name') === null && optionalText(row, 'last_name') === null;
}

/** ACC-13, NS-25: a person without any name is named after the email. */
export function nameProfile(
  accounts: Behaviour['accounts'],
  profile: Profile,
  email: string,
): Profile {
  if (profile.first_name !== null || profile.last_name !== null) return profile;
  const { first, last } = accounts.nameAfterEmail(email);
  return { ...profile, first_name: first, last_name: last };
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
  const refused = refuseBatch(context, rows);
  if (refused !== null) return refused;
  return {
    rows: rows.length,
    // BULK-3: a firm that may create no single account may create none in a batch either.
    decideRow: (index) =>
      refuseByFirm(context, 'createAccount') ?? createOrFindAccount(context, rows[index] as Body),
    answer: (replies) => bulkReply(rows, replies),
    cites: ['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5', 'BULK-8', 'BULK-11', 'BULK-12'],
  };
}

/** What refuses the batch before anything is created; null when it may run. */
function refuseBatch(context: RequestContext, rows: readonly Body[]): Decision | null {
  if (rows.length === 0) {
    return refuse(context, {
      code: 'validation_failed',
      detail: 'accounts must have at least one row.',
      field: 'accounts',
      cites: ['BULK-6'],
    });
  }
  const { maxRows } = context.behaviour.accounts;
  if (rows.length > maxRows) {
    return refuse(context, {
      code: 'scope_too_wide',
      detail: `accounts may have at most ${maxRows} rows, not ${rows.length}.`,
      field: 'accounts',
      cites: ['BULK-7'],
    });
  }
  for (const [index, row] of rows.entries()) {
    const refused = refuseWholeFor(context, row, index);
    if (refused !== null) return refused;
  }
  return null;
}

function refuseWholeFor(context: RequestContext, row: Body, index: number): Decision | null {
  const { behaviour, world } = context;
  const { settings } = behaviour;
  if (row.client_reference_id === undefined || row.client_reference_id === null) {
    return refuse(context, {
      code: 'validation_failed',
      status: settings.batch_refusal_status,
      detail: `Row ${index} has no client_reference_id; nothing was created.`,
      field: `accounts.${index}.client_reference_id`,
      cites: ['BULK-9', 'NS-6'],
    });
  }
  const named = optionalText(row, 'brand_id');
  const brandId = named === null ? null : behaviour.values.id(named);
  if (brandId !== null && !behaviour.reach.brand(callerOf(context), brandId, world)) {
    const status = settings.batch_brand_refusal_status;
    return refuse(context, {
      code: status === 403 ? 'forbidden' : 'validation_failed',
      status,
      detail: `Row ${index} names brand ${shortened(brandId)}, which this credential cannot use; nothing was created.`,
      field: `accounts.${index}.brand_id`,
      cites: ['BULK-10', 'NS-6'],
    });
  }
  return settings.bulk_row_problems === 'batch' ? refuseForRowProblem(context, row, index) : null;
}

/**
 * NS-33, the other choice: what a row lacks refuses the batch; any other fault stays its own
 * (BULK-8).
 */
function refuseForRowProblem(context: RequestContext, row: Body, index: number): Decision | null {
  const lacking = findLacking(context, row);
  if (lacking === null) return null;
  return refuse(context, {
    code: 'validation_failed',
    status: context.behaviour.settings.batch_refusal_status,
    detail: `Row ${index} has ${lacking}; nothing was created.`,
    field: `accounts.${index}`,
    cites: ['NS-33'],
  });
}

function findLacking(context: RequestContext, row: Body): string | null {
  if (context.behaviour.values.isBlank(optionalText(row, 'client_reference_id') ?? '')) {
    return 'a blank client_reference_id';
  }
  if (optionalText(row, 'email') === null) return 'no email';
  const placed = optionalText(row, 'brand_id') ?? callerOf(context).brand_id;
  return placed === null ? 'no brand_id, which this credential must name' : null;
}

/** BULK-2 to BULK-5: one entry a row, in order, with what a single create would have answered. */
function bulkReply(rows: readonly Body[], replies: readonly Reply[]): Reply {
  let created = 0;
  const entries = replies.map((reply, index) => {
    const landed = reply.status < 300;
    if (landed) created += 1;
    const body = JSON.parse(reply.body) as { id?: string; code?: string; detail?: string };
    return {
      client_reference_id: optionalText(rows[index] as Body, 'client_reference_id'),
      status: reply.status,
      id: landed ? body.id : null,
      code: landed ? null : body.code,
      detail: landed ? null : body.detail,
    };
  });
  const body = { total: rows.length, created, failed: rows.length - created, rows: entries };
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) };
}

/** UPD-3: what can be updated. Email and phone are not among it (UPD-11). */
const updatable = [...profileFields, 'status'] as const;

export function updateAccount(context: RequestContext): Decision {
  const { behaviour } = context;
  const match = behaviour.values.ifMatch(headerOf(context, 'if-match'));
  const id = parsePathId(context, 'account');
  if (typeof id !== 'string') return id;
  // UPD-6: who cannot see the account learns nothing of its tag, not even that it has a wrong form.
  const account = findAccount(context, id, ['UPD-5', 'UPD-6']);
  if ('reply' in account) return account;
  const unusable =
    refuseUnusableTag(context, match) ??
    refuseNull(context) ??
    refuseOthers(context) ??
    refuseStatus(context);
  if (unusable !== null) return unusable;
  const updated = applyMembers(context, account);
  const stale = refuseStaleTag(context, match, account);
  const idle = updated === null ? refuseNoChange(context) : null;
  // NS-19: which of the two is reported when both are wrong.
  const refused = behaviour.settings.tag_before_no_change ? (stale ?? idle) : (idle ?? stale);
  if (refused !== null) return refused;
  if (updated === null) throw new Error('an update without a change got past its refusal');
  const body = behaviour.serialize.account(updated);
  return {
    reply: accountReply(context, updated, 200, body),
    changes: [put('accounts', updated), ...emit(context, 'account.updated', updated, body)],
    cites: ['UPD-1', 'UPD-2', 'UPD-3', ...citesOfMembers(context), 'NS-26'],
  };
}

/** What has a say only where the body names it. */
function citesOfMembers({ body }: RequestContext) {
  return [
    ...citesIf(body.status !== undefined, 'UPD-4'),
    ...citesIf(body.email !== undefined || body.phone !== undefined, 'UPD-11'),
    ...citesIf(body.client_reference_id !== undefined, 'ACC-7'),
  ] as const;
}

function refuseUnusableTag(context: RequestContext, match: IfMatch): Decision | null {
  if (match.kind === 'missing') {
    return refuse(context, {
      code:
        context.behaviour.settings.missing_if_match === 412
          ? 'revision_conflict'
          : 'validation_failed',
      status: context.behaviour.settings.missing_if_match,
      detail: 'Send If-Match with the ETag of the account as you last saw it.',
      field: 'If-Match',
      cites: ['UPD-10', 'NS-18'],
    });
  }
  if (match.kind !== 'malformed') return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: 'If-Match must be one strong tag in double quotes, such as "3".',
    field: 'If-Match',
    cites: ['UPD-9', 'NS-39'],
  });
}

/** NS-55: a setting may take null for a wish, which is then refused; no status is ever cleared. */
function refuseNull(context: RequestContext): Decision | null {
  const { update_null: choice } = context.behaviour.settings;
  if (choice === 'not_sent') return null;
  const names = choice === 'cleared' ? ['status'] : updatable;
  const field = names.find((name) => context.body[name] === null);
  if (field === undefined) return null;
  const detail = `${field} must not be null.`;
  return refuse(context, { code: 'validation_failed', detail, field, cites: ['NS-55'] });
}

/** NS-27: a setting may refuse what UPD-11 would only leave as it is. */
function refuseOthers(context: RequestContext): Decision | null {
  if (context.behaviour.settings.update_other_members === 'ignored') return null;
  const known: readonly string[] = updatable;
  const field = Object.keys(context.body).find((name) => !known.includes(name));
  if (field === undefined) return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: `${field} cannot be changed by an update, only ${updatable.join(', ')}.`,
    field,
    cites: ['UPD-11', 'NS-27'],
  });
}

/** NS-5: a setting may name the statuses; the rules take any (UPD-4). */
function refuseStatus(context: RequestContext): Decision | null {
  const { statuses } = context.behaviour.accounts;
  const status = optionalText(context.body, 'status');
  if (statuses === null || status === null || statuses.includes(status)) return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: `status must be one of ${statuses.join(', ')}.`,
    field: 'status',
    cites: ['NS-5'],
  });
}

function refuseStaleTag(
  context: RequestContext,
  match: IfMatch,
  account: Account,
): Decision | null {
  const current = String(account.revision);
  if (match.kind === 'tag' && match.value === current) return null;
  if (match.kind === 'any' && (match.values === null || match.values.includes(current)))
    return null;
  return refuse(context, {
    code: 'revision_conflict',
    detail: `The account has changed since that ETag. ${howToReread(context, account)}, then send a new operation under a new Idempotency-Key.`,
    field: 'If-Match',
    cites: ['UPD-7', 'UPD-12'],
  });
}

/** NS-54: where the tag of now can be had. */
function howToReread({ behaviour }: RequestContext, { id }: Account): string {
  return behaviour.settings.account_status_endpoint === 'served'
    ? `Read it again at GET /api/v1/accounts/${id}/status, which carries the ETag of now`
    : 'Read it again, from the list of accounts or by creating it again under its reference';
}

function refuseNoChange(context: RequestContext): Decision {
  return refuse(context, {
    code: 'validation_failed',
    detail: `The body would change nothing. Send at least one new value of ${updatable.join(', ')}.`,
    cites: ['UPD-8', ...citesOfMembers(context)],
  });
}

/** UPD-2: only the members sent; null when nothing would be different. */
function applyMembers(context: RequestContext, account: Account): Account | null {
  const patch: Record<string, string | null> = {};
  // NS-55.
  const clears = context.behaviour.settings.update_null === 'cleared';
  // NS-44: where what was never given reads as empty, an empty text changes nothing of it (UPD-8).
  const readsEmpty = context.behaviour.settings.absent_optionals === 'empty';
  const read = (value: string | null) => (readsEmpty ? (value ?? '') : value);
  for (const name of updatable) {
    const value = optionalText(context.body, name);
    const sent = value !== null || (clears && context.body[name] === null);
    if (sent && read(value) !== read(account[name])) patch[name] = value;
  }
  if (Object.keys(patch).length === 0) return null;
  const revision = context.behaviour.accounts.nextRevision(account.revision);
  return { ...account, ...(patch as Partial<Account>), revision };
}
