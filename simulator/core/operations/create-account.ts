// POST /api/v1/accounts: creates one account, as bulk create does with each of its rows (BULK-3).

import { mapProfile, type Profile } from '../../../fixtures/schemas/account-profile.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Cite, Decision, Reply } from '../call.ts';
import type { Change, PersonKeys } from '../change.ts';
import { citesIf } from '../cites.ts';
import { emit } from '../delivery/emit-event.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext } from '../pipeline/request-context.ts';
import type { Account, Credential } from '../records.ts';
import { findReferenced } from '../references.ts';
import { shortened } from '../values/text.ts';
import { optionalText } from './members.ts';

export function createAccount(context: RequestContext): Decision {
  return createOrFindAccount(context, context.body);
}

/** The whole of a single create, from a readable row to the account. */
export function createOrFindAccount(context: RequestContext, row: Body): Decision {
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
  return valid
    ? createAt(context, row, brandId, { index, reference })
    : refuseEmail(context, 'ACC-4');
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

/** NS-64, the other choice: whoever reaches but one account makes no other. */
function isDelegatedAbroad(context: RequestContext): boolean {
  const { delegated_account_create: choice } = context.behaviour.settings;
  return choice === 'refused' && callerOf(context).account_id !== null;
}

function refuseDelegated(context: RequestContext): Decision {
  const detail = 'A delegated token makes no accounts: use a server credential.';
  return refuse(context, { code: 'forbidden', detail, cites: ['NS-64'] });
}

function createAt(
  context: RequestContext,
  row: Body,
  brandId: string,
  named: Pick<PersonKeys, 'index' | 'reference'>,
): Decision {
  const { behaviour, world } = context;
  const { values } = behaviour;
  const phone = values.phone(optionalText(row, 'phone'), optionalText(row, 'phone_region'));
  const { index, reference } = named;
  // Named one by one: laying members beside those of a copied object costs a whole microsecond.
  const keys: PersonKeys = {
    index,
    reference,
    people: behaviour.accounts.peopleIndex(brandId),
    email: values.emailKey(row.email as string),
    phone: values.phoneKey(phone),
  };
  const known = world.people.get(keys.people);
  if (known?.byEmail.has(keys.email)) return refusePerson(context, 'email', 'ACC-8');
  if (keys.phone !== null && known?.byPhone.has(keys.phone)) {
    return refusePerson(context, 'phone', 'ACC-9');
  }
  const account = newAccount(context, row, callerOf(context), brandId, phone);
  const body = behaviour.serialize.account(account);
  const changes: Change[] = [
    { type: 'account-created', account, keys },
    ...emit(context, 'account.created', account, body),
  ];
  return {
    reply: accountReply(context, account, 201, body),
    changes,
    cites: creationCites([
      callerOf(context).brand_id !== null,
      isNameless(row),
      typeof row.country === 'string' || typeof row.language === 'string',
      phone !== null,
      phone !== null && optionalText(row, 'phone_region') !== null,
    ]),
  };
}

/** What an account was made by, of each the rule that it then rests on. */
const CREATION_RULES = ['ACC-17', 'ACC-13', 'ACC-14', 'ACC-11', 'ACC-12'] as const;
/** One list for all accounts that are alike in this: the journal keeps thousands of them. */
const creationLists = new Map<number, readonly Cite[]>();

function creationCites(holds: readonly boolean[]): readonly Cite[] {
  const kind = holds.reduce((bits, each, place) => (each ? bits | (1 << place) : bits), 0);
  let cites = creationLists.get(kind);
  if (cites === undefined) {
    const own = CREATION_RULES.filter((_, place) => holds[place]);
    cites = ['ACC-1', 'ACC-18', 'ACC-19', 'ACC-20', 'ACC-22', 'CONV-1a', ...own];
    creationLists.set(kind, cites);
  }
  return cites;
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
