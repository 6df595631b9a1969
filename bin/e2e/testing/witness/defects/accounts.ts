// Defects of creating accounts, one or many, and of updating them.
import { bodyOf, type Context, withHeader } from '../context.ts';
import { type Account, UPDATABLE } from '../records.ts';
import { DAY_MS, HOUR_MS, textOr } from '../values.ts';
import type { Seams } from '../world.ts';
import {
  accountOf,
  decision,
  found,
  hasOverlap,
  leaving,
  overlapping,
  type Rows,
  refusal,
  refusedIf,
  request,
  savedAccount,
  sent,
  shown,
  statusOf,
  stored,
} from '../wrap.ts';

const CREATE = 'createAccount';
const UPDATE = 'updateAccount';
const BULK = 'bulkCreateAccounts';

/** Replaces the revision in If-Match, unless the change is null. */
const tagged = (change: (account: Account, context: Context) => number | null): Seams =>
  request(UPDATE, (context) => {
    const account = accountOf(context);
    const revision = account === undefined ? null : change(account, context);
    if (revision === null) return;
    const others = context.call.headers.filter(([name]) => name.toLowerCase() !== 'if-match');
    context.call = { ...context.call, headers: [...others, ['If-Match', `"${revision}"`]] };
  });

export const accountDefects: Rows = {
  'create-200 (ACC-1): a create answers 200': statusOf(CREATE, 201, 200),
  'reference-constructor (ACC-1): the reference "constructor" is answered 500': refusedIf(
    CREATE,
    500,
    (context) => context.text('client_reference_id') in {},
  ),
  'email-plus (ACC-1 ACC-4): an email with a plus is refused': refusedIf(CREATE, 422, (context) =>
    /\+.*@/.test(context.text('email')),
  ),
  'known-409 (ACC-5 IDEM-12 BULK-3 BULK-4 BULK-11 BULK-12): a known reference is answered 409':
    refusal(CREATE, 200, 409),
  'known-201 (ACC-5 IDEM-12): a known reference is answered 201': statusOf(CREATE, 200, 201),
  'known-first-tag (ACC-19 ACC-5): an updated account is shown with its first tag': decision(
    CREATE,
    (reply, { style }) =>
      reply.status === 200 ? withHeader(reply, 'ETag', `"${style.firstRevision}"`) : undefined,
  ),
  'reference-month (ACC-7 ACC-5): references are forgotten after 30 days': found(
    ['accountByReference'],
    ({ created_ms }, { nowMs }) => nowMs - created_ms < 30 * DAY_MS,
  ),
  'email-across-brands (ACC-10): an email is taken for every brand of the firm': stored(
    ({ accountByEmail }) => ({
      accountByEmail: (context, email) =>
        ['10', '11', '20'].flatMap((id) => accountByEmail(context, email, id) ?? [])[0],
    }),
  ),
  'email-newest-30 (ACC-8): emails are compared with the newest 30 accounts': found(
    ['accountByEmail'],
    (account, { store }) => [...store.accounts()].slice(-30).includes(account),
  ),
  'phones-shared (ACC-9 BULK-3): a phone may be used by two people of a brand': found(
    ['accountByPhone'],
    () => false,
  ),
  'region-ignored (ACC-12): phone_region does not count': sent(CREATE, () => ({
    phone_region: undefined,
  })),
  'country-upper (ACC-14 UPD-3): the country is turned to upper case': savedAccount(
    ({ country }) => ({ country: country?.toUpperCase() ?? null }),
  ),
  'language-35 (ACC-14 UPD-3): languages are cut to 35 characters': savedAccount(
    ({ language }) => ({ language: language?.slice(0, 35) ?? null }),
  ),
  'other-brand-served (ACC-16): a create at another brand is made at the own one': sent(
    CREATE,
    ({ brand_id }, context) =>
      brand_id === undefined ? {} : { brand_id: context.caller()?.brand_id ?? brand_id },
  ),
  'shows-email (ACC-18): accounts show the email': shown(
    `${CREATE} ${UPDATE}`,
    ({ id }, { store }) => ({ email: store.account(String(id))!.email }),
  ),
  'status-active (ACC-20): a new account is active at once': savedAccount(
    (_account, _context, before) => (before === undefined ? { status: 'Active' } : {}),
  ),
  'race-same-email (ACC-8): creates that race may share an email': overlapping(
    found(['accountByEmail'], (_, context) => !hasOverlap(context, CREATE)),
  ),
  'race-same-reference (ACC-5 IDEM-12 IDEM-15 ACC-6): racing creates share a reference':
    overlapping(
      found(['accountByReference', 'accountByEmail'], (_, context) => !hasOverlap(context, CREATE)),
    ),
  'last-name-ignored (UPD-3): the last name cannot be updated': sent(UPDATE, () => ({
    last_name: undefined,
  })),
  'language-needs-country (UPD-3 UPD-1): a language is stored only beside a country': savedAccount(
    (_, context, before) =>
      before !== undefined && context?.body.country === undefined
        ? { language: before.language }
        : {},
  ),
  'two-names (UPD-3 UPD-1): of two names in one update the last name is dropped': sent(
    UPDATE,
    ({ first_name }) => (first_name === undefined ? {} : { last_name: undefined }),
  ),
  'status-trimmed (UPD-4): spaces around a status are dropped': savedAccount(({ status }) => ({
    status: status.trim(),
  })),
  'unknown-403 (UPD-5 UPD-6 ERR-3 AUTH-5 AUTH-6 AUTH-7): an unknown account is answered 403':
    refusal(UPDATE, 404, 403),
  'stale-written (UPD-7): a stale tag is answered 412, and the update is written': decision(
    UPDATE,
    (reply, context) => {
      const found = accountOf(context);
      if (reply.status !== 412 || found === undefined) return;
      const names = UPDATABLE.filter((name) => name in context.body);
      const changes = Object.fromEntries(names.map((name) => [name, context.body[name]]));
      const revision = found.revision + context.style.revisionStep;
      context.store.saveAccount({ ...found, ...changes, revision });
    },
  ),
  'stale-merged (UPD-7): a stale tag is taken if the update sends the country alone': tagged(
    ({ revision }, context) => {
      const isAlone = Object.keys(bodyOf(context.call)).join() === 'country';
      const isStrong = /^"\w+"$/.test(context.headers('if-match')[0] ?? '');
      return isAlone && isStrong ? revision : null;
    },
  ),
  'tag-hour (UPD-1 UPD-7): a tag is stale an hour after the last update': tagged(
    ({ revision, changed_ms }, { style, nowMs }) =>
      revision !== style.firstRevision && nowMs - changed_ms >= HOUR_MS ? 0 : null,
  ),
  'revision-as-text (UPD-1 UPD-7 UPD-12): the tenth tag of an account is never right': tagged(
    ({ revision }, { style }) =>
      (revision - style.firstRevision) / style.revisionStep >= 9 ? 0 : null,
  ),
  'first-field-decides (UPD-1 UPD-8 UPD-2): an update is refused if its first field is no change':
    request(UPDATE, (context) => {
      const [first] = Object.entries(bodyOf(context.call));
      const found = accountOf(context);
      const name = UPDATABLE.find((each) => each === first?.[0]);
      if (found === undefined || name === undefined || found[name] !== first?.[1]) return;
      context.call = { ...context.call, body: Buffer.from('{}') };
    }),
  'email-updated (UPD-11): an update changes the email': savedAccount(
    ({ email }, context, before) =>
      before === undefined ? {} : { email: textOr(context?.body.email, email) },
  ),
  'race-updates (UPD-12 UPD-7): the tag is not compared when two updates race': overlapping(
    tagged(({ revision }, context) => (hasOverlap(context, UPDATE) ? revision : null)),
  ),
  'bulk-207 (BULK-1): a batch is answered 207': statusOf(BULK, 200, 207),
  'bulk-422-on-failure (BULK-1 BULK-8 BULK-3 BULK-11): a failed row makes a batch 422': refusedIf(
    BULK,
    422,
    (_, reply) => Number(bodyOf(reply).failed) > 0,
  ),
  'bulk-reversed (BULK-2): the rows are answered in the opposite order': shown(
    BULK,
    ({ rows }) => ({ rows: Array.isArray(rows) ? rows.toReversed() : undefined }),
  ),
  'bulk-over-422 (BULK-7 ERR-3): a batch of 1001 rows is answered 422': refusal(BULK, 413, 422),
  'bulk-index-one-more (BULK-9 BULK-10): a refused batch names the row after': leaving(
    (reply, { operation }) => {
      if (operation.name !== BULK || reply.status < 400) return;
      const body = reply.body.replace(/accounts\[(\d+)\]/g, (_, n) => `accounts[${Number(n) + 1}]`);
      return { ...reply, body };
    },
  ),
  'bulk-duplicates (BULK-11 BULK-12 BULK-3 ACC-5): a batch creates known references again': found(
    ['accountByReference', 'accountByEmail'],
    ({ client_reference_id: own }, context) =>
      context.row === undefined ||
      own.toLowerCase() !== context.text('client_reference_id').toLowerCase(),
  ),
  'bulk-512 (BULK-7 BULK-11 ACC-5 BULK-1): rows after the 512th are not kept': stored(
    ({ saveAccount }) => ({
      saveAccount: (each, context) =>
        (context?.row ?? 0) < 512 ? saveAccount(each, context) : each,
    }),
  ),
  'bulk-counts-byte (BULK-2 BULK-4 BULK-7): the counts of a batch are kept in a byte': shown(
    BULK,
    ({ total, created }) => ({ total: Number(total) % 256, created: Number(created) % 256 }),
  ),
};
