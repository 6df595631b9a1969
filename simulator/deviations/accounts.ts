// Wrong ways of creating accounts (ACC).
import { type Attempt, callerOf } from '../core/attempt.ts';
import type { Decision } from '../core/call.ts';
import type { Account } from '../core/records.ts';
import { isBlank } from '../core/values/text.ts';
import { decision, everyReply, type Json, only, operation, policy, reply, stage } from './bend.ts';
import type { Deviation } from './deviation.ts';

/** Changes the account that a create makes, in the world and in the answer. */
function made(change: (account: Account, attempt: Attempt) => Account): Deviation['bend'] {
  return decision('createAccount', (given, attempt) => {
    const [created] = only(given.changes, 'account-created');
    if (created === undefined) return given;
    const account = change(created.account, attempt);
    const { behaviour } = attempt;
    return {
      ...given,
      reply: {
        ...given.reply,
        body: behaviour.print.account(account),
        etag: behaviour.values.etag(account),
      },
      changes: given.changes.map((each) => (each === created ? { ...created, account } : each)),
    };
  });
}

const shown = (change: (body: Json) => Json): Deviation['bend'] =>
  policy('print', (print) => ({
    account: (account) => JSON.stringify(change(JSON.parse(print.account(account)) as Json)),
  }));

function refuseAs(attempt: Attempt, status: number, code: string, detail: string): Decision {
  const reply = attempt.behaviour.refuse(attempt, {
    status,
    title: 'Refused',
    code,
    detail,
    errors: [],
  });
  return { reply, changes: [], cites: [] };
}

export const accountDeviations: readonly Deviation[] = [
  {
    id: 'account-create-answers-200',
    breaks: ['ACC-1'],
    story: 'Every successful call answers 200.',
    bend: reply('createAccount', (given) =>
      given.status === 201 ? { ...given, status: 200 } : given,
    ),
    alsoSeenAs: { 'BULK-3': 'a row tells another status than a single create' },
  },
  {
    id: 'account-create-answers-202',
    breaks: ['ACC-1'],
    story: 'The account is made in the background, says the status.',
    bend: reply('createAccount', (given) =>
      given.status === 201 ? { ...given, status: 202 } : given,
    ),
    alsoSeenAs: { 'BULK-3': 'a row tells another status than a single create' },
  },
  {
    id: 'account-reference-may-be-blank',
    breaks: ['ACC-2'],
    story: 'The length is checked, white space is not.',
    bend: policy('values', () => ({ isBlank: (text) => text === '' })),
    alsoSeenAs: {
      'TXN-3': 'the same check serves transactions',
      'TXS-14': 'and reasons',
      'BULK-3': 'and rows',
    },
  },
  {
    id: 'account-reference-may-be-empty',
    breaks: ['ACC-2'],
    story: 'Only a missing reference is noticed.',
    bend: policy('values', (values) => ({
      isBlank: (text) => text !== '' && isBlank(text),
      maxReference: values.maxReference,
    })),
    alsoSeenAs: {
      'TXN-3': 'the same check serves transactions',
      'TXS-14': 'and reasons',
      'BULK-3': 'and rows',
    },
  },
  {
    id: 'account-reference-254',
    breaks: ['ACC-2', 'TXN-3'],
    story: 'Less than 255 where the rule says at most.',
    bend: policy('values', () => ({ maxReference: 254 })),
  },
  {
    id: 'account-reference-256',
    breaks: ['ACC-2', 'TXN-3'],
    story: 'At most 256, the size of the column.',
    bend: policy('values', () => ({ maxReference: 256 })),
  },
  {
    id: 'account-reference-unlimited',
    breaks: ['ACC-2', 'TXN-3'],
    story: 'The column is a text of any length.',
    bend: policy('values', () => ({ maxReference: 100_000 })),
  },
  {
    id: 'account-reference-64',
    breaks: ['ACC-2'],
    story: 'References are thought to be UUIDs, so 64 characters must do.',
    bend: policy('values', () => ({ maxReference: 64 })),
    alsoSeenAs: { 'TXN-3': 'the same limit serves transactions' },
  },
  {
    id: 'account-missing-member-is-problem',
    breaks: ['ACC-3', 'ERR-2'],
    story: 'The framework’s validation turns every missing member into a problem of 422.',
    bend: stage('readable', (decide, attempt) => {
      const refused = decide(attempt);
      return refused !== null && / is required\./.test(refused.reply.body)
        ? refuseAs(attempt, 422, 'validation_failed', refused.reply.body.trim())
        : refused;
    }),
    alsoSeenAs: { 'TXS-14': 'an absent reason too', 'TXN-7': 'a missing type too' },
  },
  {
    id: 'account-email-optional',
    breaks: ['ACC-3'],
    story: 'An account without email is made with an empty one.',
    bend: (behaviour) => ({
      ...behaviour,
      read: (attempt, text) => {
        const result = behaviour.read(attempt, text);
        if (
          'body' in result ||
          attempt.operation !== 'createAccount' ||
          !/^email is required/.test(result.message)
        )
          return result;
        const body = JSON.parse(text) as Json;
        return { body: { ...body, email: `none-${attempt.n}@example.com` } };
      },
    }),
    alsoSeenAs: { 'ERR-2': 'a missing required member is read' },
  },
  {
    id: 'account-email-unchecked',
    breaks: ['ACC-4'],
    story: 'The email is stored as sent.',
    bend: policy('values', () => ({ isEmail: () => true })),
    alsoSeenAs: {
      'BULK-3': 'rows with such an email land',
      'BULK-8': 'a row that should fail lands',
      'BULK-5': 'no row fails',
      'BULK-4': 'so the counts are others',
      'IDEM-4d': 'the refusal to be replayed is none',
      'IDEM-11': 'there is nothing to correct',
    },
  },
  {
    id: 'account-email-refusal-is-400',
    breaks: ['ACC-4'],
    story: 'A bad email is a bad request.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || !/email must contain/.test(result.reply.body)) return result;
      return { ...result, reply: { ...result.reply, status: 400 } };
    }),
    alsoSeenAs: {
      'ERR-1b': 'the status inside is another',
      'ERR-3': 'the code stands under another status',
    },
  },
  {
    id: 'account-reference-taken-is-409',
    breaks: ['ACC-5'],
    story: 'A known reference is refused as taken.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || attempt.idempotency !== 'converged') return result;
      return refuseAs(attempt, 409, 'invalid_state', 'This reference is used already.');
    }),
    alsoSeenAs: {
      'IDEM-12': 'another key does not converge',
      'ACC-6': 'in whatever case',
      'ACC-7': 'whatever happened since',
    },
  },
  {
    id: 'account-reference-answers-201-again',
    breaks: ['ACC-5'],
    story: 'Finding is answered like creating.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || attempt.idempotency !== 'converged') return result;
      return { ...result, reply: { ...result.reply, status: 201 } };
    }),
    alsoSeenAs: {
      'IDEM-12': 'another key does not converge visibly',
      'ACC-6': 'in whatever case',
      'ACC-7': 'whatever happened since',
    },
  },
  {
    id: 'account-reference-overwrites',
    breaks: ['ACC-5'],
    story: 'Create is an upsert: the names sent replace those that are stored.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || attempt.idempotency !== 'converged') return result;
      const { id } = JSON.parse(result.reply.body) as { id: string };
      const found = attempt.world.accounts.get(id);
      const firstName = attempt.body.first_name;
      if (found === undefined || typeof firstName !== 'string' || firstName === found.firstName)
        return result;
      const account = { ...found, firstName, revision: found.revision + 1 };
      const { behaviour } = attempt;
      return {
        ...result,
        reply: {
          ...result.reply,
          body: behaviour.print.account(account),
          etag: behaviour.values.etag(account),
        },
        changes: [{ type: 'account-changed', account }],
      };
    }),
    alsoSeenAs: {
      'IDEM-12': 'the record is another afterwards',
      'ACC-7': 'what an update set is lost',
    },
  },
  {
    id: 'account-reference-case-sensitive',
    breaks: ['ACC-6', 'TXN-2'],
    story: 'References are compared as they are.',
    bend: policy('values', () => ({ referenceKey: (reference) => reference })),
    alsoSeenAs: { 'IDEM-12': 'so converging is too' },
  },
  {
    id: 'account-reference-freed-by-update',
    breaks: ['ACC-7'],
    story: 'The look-up goes by the revision that was first stored.',
    bend: operation('createAccount', (run, attempt) => {
      const { world, behaviour } = attempt;
      const index = behaviour.accounts.referenceIndex(
        callerOf(attempt).firmId,
        String(attempt.body.brand_id ?? callerOf(attempt).brandId),
      );
      const key = behaviour.values.referenceKey(String(attempt.body.client_reference_id));
      const id = world.people.get(index)?.byReference.get(key);
      const found = id === undefined ? undefined : world.accounts.get(id);
      if (found === undefined || found.revision === behaviour.accounts.firstRevision)
        return run(attempt);
      return refuseAs(
        attempt,
        409,
        'invalid_state',
        'Someone with this email already exists at this brand.',
      );
    }),
  },
  {
    id: 'account-email-may-repeat',
    breaks: ['ACC-8'],
    story: 'Emails are not unique.',
    bend: unindexed('email'),
    alsoSeenAs: {
      'IDEM-13': 'there is no conflict to replay',
      'BULK-3': 'rows do not conflict either',
      'BULK-8': 'nor do they fail',
      'BULK-5': 'nor do they fail',
      'BULK-4': 'nor do they count as failed',
      'IDEM-4d': 'no such refusal is there',
      'BULK-11': 'a row that failed before lands',
    },
  },
  {
    id: 'account-email-conflict-is-422',
    breaks: ['ACC-8'],
    story: 'A taken email is a validation failure.',
    bend: conflictAs(422, 'validation_failed', 'email'),
    alsoSeenAs: { 'IDEM-13': 'what is recorded is not the 409' },
  },
  {
    id: 'account-email-conflict-is-200',
    breaks: ['ACC-8'],
    story: 'A known email is taken for a known person, and the account is returned.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || !/with this email/.test(result.reply.body)) return result;
      const { world, behaviour } = attempt;
      const people = world.people.get(String(attempt.body.brand_id ?? callerOf(attempt).brandId));
      const id = people?.byEmail.get(behaviour.values.emailKey(String(attempt.body.email)));
      const account = world.accounts.get(id ?? '');
      if (account === undefined) return result;
      const body = behaviour.print.account(account);
      return {
        reply: {
          status: 200,
          contentType: 'application/json',
          body,
          etag: behaviour.values.etag(account),
        },
        changes: [],
        cites: [],
      };
    }),
    alsoSeenAs: { 'IDEM-13': 'there is no 409 to replay' },
  },
  {
    id: 'account-phone-may-repeat',
    breaks: ['ACC-9'],
    story: 'Only emails are unique.',
    bend: policy('values', () => ({ phoneKey: () => null })),
    alsoSeenAs: { 'IDEM-13': 'there is no conflict to replay' },
  },
  {
    id: 'account-phone-compared-as-sent',
    breaks: ['ACC-9'],
    story: 'The phone is compared before it is normalised.',
    bend: operation(['createAccount'], (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || !/with this phone/.test(result.reply.body)) return result;
      const raw = String(attempt.body.phone ?? '');
      const twin = [...attempt.world.accounts.values()].some(({ phone }) => phone === raw);
      if (twin) return result;
      const { behaviour } = attempt;
      const bent = { ...behaviour, values: { ...behaviour.values, phoneKey: () => null } };
      return run(withBehaviour(attempt, bent));
    }),
  },
  {
    id: 'account-person-unique-per-firm',
    breaks: ['ACC-10'],
    story: 'People are unique over all brands of the firm.',
    bend: policy('accounts', () => ({ peopleIndex: () => 'all-brands' })),
  },
  {
    id: 'account-phone-strict',
    breaks: ['ACC-11'],
    story: 'A phone that is no valid number is refused.',
    bend: operation('createAccount', (run, attempt) => {
      const { phone } = attempt.body;
      if (typeof phone !== 'string' || /^\+?[\d ()./-]{7,}$/.test(phone)) return run(attempt);
      return refuseAs(attempt, 422, 'validation_failed', 'phone is not a valid number.');
    }),
  },
  {
    id: 'account-phone-as-sent',
    breaks: ['ACC-11'],
    story: 'The phone is answered as it was sent.',
    bend: policy('values', () => ({ phone: (raw) => raw })),
    alsoSeenAs: {
      'ACC-9': 'two spellings of one number do not meet',
      'ACC-12': 'the region changes nothing',
    },
  },
  {
    id: 'account-phone-digits-only',
    breaks: ['ACC-11'],
    story: 'Normalising means taking the digits, so 0044… and +44… are two numbers.',
    bend: policy('values', () => ({ phone: (raw) => raw?.replace(/\D/g, '') ?? null })),
    alsoSeenAs: {
      'ACC-9': 'two spellings of one number do not meet',
      'ACC-12': 'the region changes nothing',
    },
  },
  {
    id: 'account-phone-region-ignored',
    breaks: ['ACC-12'],
    story: 'The hint is not read.',
    bend: policy('values', (values) => ({ phone: (raw) => values.phone(raw, null) })),
    alsoSeenAs: {
      'ACC-11': 'a national number is not answered in its normal form',
      'ACC-9': 'nor compared in it',
    },
  },
  {
    id: 'account-phone-region-always-us',
    breaks: ['ACC-12'],
    story: 'National numbers are taken for American ones.',
    bend: policy('values', (values) => ({ phone: (raw) => values.phone(raw, 'US') })),
    alsoSeenAs: {
      'ACC-11': 'a national number is not answered in its normal form',
      'ACC-9': 'nor compared in it',
    },
  },
  {
    id: 'account-unnamed-stays-unnamed',
    breaks: ['ACC-13'],
    story: 'Both names are left empty.',
    bend: policy('accounts', () => ({ nameAfterEmail: () => ({ first: '', last: '' }) })),
  },
  {
    id: 'account-unnamed-is-unknown',
    breaks: ['ACC-13'],
    story: 'An account without names is called Unknown.',
    bend: policy('accounts', () => ({
      nameAfterEmail: () => ({ first: 'Unknown', last: 'Unknown' }),
    })),
  },
  {
    id: 'account-unnamed-is-refused',
    breaks: ['ACC-13'],
    story: 'A first name is required.',
    bend: operation('createAccount', (run, attempt) =>
      attempt.body.first_name == null && attempt.body.last_name == null
        ? refuseAs(attempt, 422, 'validation_failed', 'first_name is required.')
        : run(attempt),
    ),
  },
  {
    id: 'account-country-in-capitals',
    breaks: ['ACC-14'],
    story: 'Countries are stored as two capitals.',
    bend: made((account) => ({
      ...account,
      country: account.country?.toUpperCase().slice(0, 2) ?? null,
    })),
  },
  {
    id: 'account-language-lower-case',
    breaks: ['ACC-14'],
    story: 'Languages are stored in lower case.',
    bend: made((account) => ({ ...account, language: account.language?.toLowerCase() ?? null })),
  },
  {
    id: 'account-country-validated',
    breaks: ['ACC-14'],
    story: 'A country must be two letters.',
    bend: operation('createAccount', (run, attempt) =>
      typeof attempt.body.country === 'string' && !/^[A-Za-z]{2}$/.test(attempt.body.country)
        ? refuseAs(attempt, 422, 'validation_failed', 'country must have two letters.')
        : run(attempt),
    ),
  },
  {
    id: 'account-brand-defaults-to-first',
    breaks: ['ACC-15'],
    story: 'A firm-wide credential without a brand gets the first one.',
    bend: operation(['createAccount', 'bulkCreateAccounts'], (run, attempt) => {
      if (callerOf(attempt).brandId !== null) return run(attempt);
      const fill = (row: Json): Json =>
        row.brand_id == null ? { ...row, brand_id: firstBrand(attempt) } : row;
      const rows = attempt.body.accounts as readonly Json[] | undefined;
      attempt.body =
        rows === undefined
          ? fill(attempt.body as Json)
          : { ...attempt.body, accounts: rows.map(fill) };
      return run(attempt);
    }),
    alsoSeenAs: {
      'BULK-3': 'a row without a brand lands',
      'BULK-8': 'a row that should fail lands',
    },
  },
  {
    id: 'account-missing-brand-is-403',
    breaks: ['ACC-15'],
    story: 'No brand is a brand the credential cannot use.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || !/brand_id is required/.test(result.reply.body)) return result;
      return refuseAs(attempt, 403, 'forbidden', 'This credential cannot use that brand.');
    }),
  },
  {
    id: 'account-other-brand-allowed',
    breaks: ['ACC-16'],
    story: 'The brand in the body wins over the one of the credential.',
    bend: policy('reach', () => ({
      brand: (credential, brandId, world) =>
        world.brands.get(brandId)?.firmId === credential.firmId,
    })),
    alsoSeenAs: {
      'BULK-10': 'rows too may name any brand of the firm',
      'AUTH-6': 'a brand-bound credential acts elsewhere',
    },
  },
  {
    id: 'account-other-brand-overridden',
    breaks: ['ACC-16'],
    story: 'The brand of the credential silently replaces the one in the body.',
    bend: operation('createAccount', (run, attempt) => {
      const { brandId } = callerOf(attempt);
      if (brandId !== null) attempt.body = { ...attempt.body, brand_id: brandId };
      return run(attempt);
    }),
    alsoSeenAs: { 'AUTH-6': 'a call that names another brand is served' },
  },
  {
    id: 'account-other-brand-is-404',
    breaks: ['ACC-16'],
    story: 'A brand out of reach is not found, like any record.',
    bend: operation('createAccount', (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || !/cannot use brand/.test(result.reply.body)) return result;
      return refuseAs(attempt, 404, 'not_found', 'There is no such brand.');
    }),
    alsoSeenAs: { 'AUTH-6': 'naming another brand is not the 403' },
  },
  {
    id: 'account-own-brand-must-be-named',
    breaks: ['ACC-17'],
    story: 'brand_id is required of everybody.',
    bend: operation('createAccount', (run, attempt) =>
      attempt.body.brand_id == null
        ? refuseAs(attempt, 422, 'validation_failed', 'brand_id is required.')
        : run(attempt),
    ),
    alsoSeenAs: { 'ACC-1': 'a valid create is refused' },
  },
  {
    id: 'account-own-brand-must-not-be-named',
    breaks: ['ACC-17'],
    story: 'A brand-bound credential may not send brand_id at all.',
    bend: operation('createAccount', (run, attempt) =>
      callerOf(attempt).brandId !== null && attempt.body.brand_id != null
        ? refuseAs(attempt, 403, 'forbidden', 'brand_id is for firm-wide credentials.')
        : run(attempt),
    ),
    alsoSeenAs: { 'ACC-1': 'a valid create is refused' },
  },
  ...shapes(),
];

function shapes(): readonly Deviation[] {
  return [
    {
      id: 'account-shows-email',
      breaks: ['ACC-18'],
      story: 'The whole record is printed, the email with it.',
      bend: policy('print', (print) => ({
        account: (account) =>
          JSON.stringify({ ...(JSON.parse(print.account(account)) as Json), email: account.email }),
      })),
    },
    {
      id: 'account-lacks-language',
      breaks: ['ACC-18'],
      story: 'A member was forgotten in the answer.',
      bend: shown(({ language: _, ...rest }) => rest),
      alsoSeenAs: { 'ACC-14': 'the language cannot be seen', 'UPD-3': 'nor can its update' },
    },
    {
      id: 'account-shows-created-at',
      breaks: ['ACC-18'],
      story: 'A member more does no harm.',
      bend: shown((body) => ({ ...body, created_at: 1 })),
    },
    {
      id: 'account-revision-as-text',
      breaks: ['ACC-18'],
      story: 'Numbers are sent as strings throughout.',
      bend: shown((body) => ({ ...body, revision: String(body.revision) })),
      alsoSeenAs: {
        'UPD-1': 'the revision is no number',
        'ACC-19': 'so the tag is not compared as one',
      },
    },
    {
      id: 'account-id-as-number',
      breaks: ['CONV-1a'],
      story: 'The id is a number in the database, and so it is sent.',
      bend: shown((body) => ({ ...body, id: Number(body.id) })),
      alsoSeenAs: { 'ACC-18': 'a listed member has another type', 'BULK-5': 'so in the rows' },
    },
    {
      id: 'account-brand-as-number',
      breaks: ['CONV-1a'],
      story: 'The brand is a number in the database, and so it is sent.',
      bend: shown((body) => ({
        ...body,
        brand_id: Number(body.brand_id),
        firm_id: Number(body.firm_id),
      })),
      alsoSeenAs: { 'ACC-18': 'a listed member has another type' },
    },
    {
      id: 'account-in-camel-case',
      breaks: ['ACC-18'],
      story: 'The serialiser writes camel case.',
      bend: shown(({ first_name: firstName, last_name: lastName, ...rest }) => ({
        ...rest,
        firstName,
        lastName,
      })),
      alsoSeenAs: {
        'ACC-13': 'the names cannot be seen',
        'UPD-1': 'nor their update',
        'UPD-2': 'nor their update',
        'UPD-3': 'nor their update',
        'ACC-5': 'nor that they stay',
        'UPD-7': 'nor that they stay',
        'UPD-12': 'nor who won',
      },
    },
    {
      id: 'account-etag-weak',
      breaks: ['ACC-19'],
      story: 'The proxy makes every tag a weak one.',
      bend: everyReply((given) =>
        given.etag === undefined ? given : { ...given, etag: `W/${given.etag}` },
      ),
      alsoSeenAs: { 'UPD-1': 'the tag of an update too', 'IDEM-5': 'and of a replay' },
    },
    {
      id: 'account-etag-unquoted',
      breaks: ['ACC-19'],
      story: 'The tag is the bare revision.',
      bend: everyReply((given) =>
        given.etag === undefined ? given : { ...given, etag: given.etag.replaceAll('"', '') },
      ),
      alsoSeenAs: { 'UPD-1': 'the tag of an update too' },
    },
    {
      id: 'account-etag-is-a-hash',
      breaks: ['ACC-19'],
      story: 'The framework computes tags from the body.',
      bend: policy('values', () => ({
        etag: (account) => `"${account.id}-${account.revision}"`,
        ifMatch: hashed,
      })),
      alsoSeenAs: { 'UPD-1': 'the tag of an update too' },
    },
    {
      id: 'account-create-without-etag',
      breaks: ['ACC-19'],
      story: 'Only reads carry a tag.',
      bend: reply('createAccount', (given) => ({ ...given, etag: undefined })),
      alsoSeenAs: { 'UPD-1': 'there is no tag to begin with' },
    },
    {
      id: 'account-found-without-etag',
      breaks: ['ACC-19'],
      story: 'The answer for a known reference was forgotten.',
      bend: reply('createAccount', (given) =>
        given.status === 200 ? { ...given, etag: undefined } : given,
      ),
    },
    {
      id: 'account-starts-active',
      breaks: ['ACC-20'],
      story: 'New accounts are active at once.',
      bend: policy('accounts', () => ({ firstStatus: 'Active' })),
    },
    {
      id: 'account-status-lower-case',
      breaks: ['ACC-20'],
      story: 'Statuses are lower-case words.',
      bend: policy('accounts', () => ({ firstStatus: 'new' })),
    },
    {
      id: 'account-status-from-request',
      breaks: ['ACC-20'],
      story: 'Whatever is sent is stored, the status too.',
      bend: made((account, { body }) =>
        typeof body.status === 'string' ? { ...account, status: body.status } : account,
      ),
    },
    {
      id: 'account-create-unscoped',
      breaks: ['ACC-21'],
      story: 'Any valid token may create accounts.',
      bend: unscoped('createAccount'),
      alsoSeenAs: { 'AUTH-4': 'the scope grants nothing any more' },
    },
    {
      id: 'account-create-by-trader-scope',
      breaks: ['ACC-21'],
      story: 'trader:funds is thought to cover accounts.',
      bend: alsoBy('createAccount', 'trader:funds'),
      alsoSeenAs: { 'AUTH-4': 'a scope grants more than its row says' },
    },
    {
      id: 'account-brings-trading-account',
      breaks: ['ACC-22'],
      story: 'Every account gets a demo trading account.',
      bend: decision('createAccount', (given, { world }) => {
        const [created] = only(given.changes, 'account-created');
        if (created === undefined) return given;
        const id = String(world.counters.tradingAccount + 1);
        const tradingAccount = {
          id,
          accountId: created.account.id,
          currency: 'USD',
          providerPayouts: false,
          balance: '0.00',
          entries: [],
        };
        return {
          ...given,
          changes: [...given.changes, { type: 'trading-account-set', tradingAccount }],
        };
      }),
    },
  ];
}

function hashed(header: string | undefined) {
  if (header === undefined) return { kind: 'missing' } as const;
  const value = /^"\d+-(\d+)"$/.exec(header)?.[1];
  return value === undefined ? ({ kind: 'malformed' } as const) : ({ kind: 'tag', value } as const);
}

function firstBrand({ world, credential }: Attempt): string {
  for (const brand of world.brands.values())
    if (brand.firmId === credential?.firmId) return brand.id;
  return '10';
}

export function withBehaviour(attempt: Attempt, behaviour: Attempt['behaviour']): Attempt {
  return Object.create(attempt, { behaviour: { value: behaviour } }) as Attempt;
}

function unindexed(field: 'email'): Deviation['bend'] {
  return policy('values', (values) => {
    let count = 0;
    return field === 'email'
      ? { emailKey: (email) => `${values.emailKey(email)}\n${(count += 1)}` }
      : {};
  });
}

function conflictAs(status: number, code: string, field: string): Deviation['bend'] {
  return operation('createAccount', (run, attempt) => {
    const result = run(attempt);
    if ('decideRow' in result || !result.reply.body.includes(`with this ${field}`)) return result;
    return refuseAs(attempt, status, code, `This ${field} is taken.`);
  });
}

export function unscoped(
  ...names: readonly (keyof Attempt['behaviour']['table'])[]
): Deviation['bend'] {
  return policy('table', (table) =>
    Object.fromEntries(names.map((name) => [name, { ...table[name], scopes: [] }])),
  );
}

export function alsoBy(
  name: keyof Attempt['behaviour']['table'],
  scope: string,
): Deviation['bend'] {
  return policy('table', (table) => ({
    [name]: { ...table[name], scopes: [...table[name].scopes, scope] },
  }));
}
