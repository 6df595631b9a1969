// Deviations of accounts (ACC).
import { type BodyOperation, type JsonSchema, requestSchemas } from '../../fixtures/schemas.ts';
import type { Decision } from '../core/call.ts';
import { put, putsInto } from '../core/change.ts';
import { callerOf, type RequestContext } from '../core/pipeline/request-context.ts';
import { findReferenced } from '../core/references.ts';
import { isBlank } from '../core/values/text.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  answerAccount,
  decision,
  filledIn,
  type Json,
  members,
  type Override,
  policy,
  refuseAs,
  refuseIf,
  requestBody,
  sentObject,
  shown,
  stage,
  status,
  stored,
  under,
  unscoped,
} from './overrides.ts';

const create = 'createAccount';

/** Changes the decision of a create that finds its reference. */
const found = (change: (given: Decision, context: RequestContext) => Decision): Override =>
  decision(create, (given, context) =>
    context.idempotency === 'converged' ? change(given, context) : given,
  );

function firstBrand({ world, credential }: RequestContext): string {
  const brand = [...world.brands.values()].find(({ firm_id }) => firm_id === credential?.firm_id);
  return brand?.id ?? '10';
}

function hashed(header: string | undefined) {
  if (header === undefined) return 'missing';
  const tag = /^"[1-9]\d*-(0|[1-9]\d*)"$/.exec(header)?.[1];
  return tag === undefined ? 'malformed' : [tag];
}

export const accountDeviations: DeviationFamily = {
  'account-create-answers-200': {
    breaks: ['ACC-1'],
    story: 'Every success is answered with 200.',
    override: status(create, 201, 200),
  },
  'account-names-swapped': {
    breaks: ['ACC-1'],
    story: 'The constructor takes the last name first.',
    override: requestBody(create, ({ first_name, last_name, ...rest }) => ({
      ...rest,
      first_name: last_name,
      last_name: first_name,
    })),
  },
  'account-reference-may-be-empty': {
    breaks: ['ACC-2'],
    story: 'Only a missing reference is refused, not an empty one.',
    override: policy('values', () => ({ isBlank: (text) => text !== '' && isBlank(text) })),
    alsoSeenAs: { 'TXN-3': 'the same check serves transactions', 'TXS-14': 'and reasons' },
  },
  'account-reference-limit-short': {
    breaks: ['ACC-2', 'TXN-3'],
    story: 'The length has to be less than 255 instead of at most 255.',
    override: policy('values', () => ({ maxReference: 254 })),
  },
  'account-missing-member-is-problem': {
    breaks: ['ACC-3', 'ERR-2'],
    story: 'The framework answers every missing member with a problem of 422.',
    override: stage('readable', (given, context) => {
      const sent = sentObject(context);
      const { required }: JsonSchema = requestSchemas[context.operation as BodyOperation] ?? {};
      const lacks = (required as string[] | undefined)?.some((member) => sent?.[member] == null);
      return given !== null && sent !== null && lacks === true
        ? refuseAs(context, 'validation_failed')
        : given;
    }),
  },
  'account-email-optional': {
    breaks: ['ACC-3'],
    story: 'An account without an email gets an invented one.',
    override: filledIn([create], 'email', ({ n }) => `none-${n}@example.com`),
  },
  'account-email-unchecked': {
    breaks: ['ACC-4'],
    story: 'The email is stored without being checked.',
    override: policy('values', () => ({ isEmail: () => true })),
  },
  'account-reference-taken-is-409': {
    breaks: ['ACC-5'],
    story: 'A known reference is refused as taken.',
    override: found((_given, context) => refuseAs(context, 'invalid_state')),
    alsoSeenAs: { 'IDEM-12': 'another key does not find the account' },
  },
  'account-reference-answers-201-again': {
    breaks: ['ACC-5'],
    story: 'Finding an account is answered like creating it.',
    override: found((given) => ({ ...given, reply: { ...given.reply, status: 201 } })),
  },
  'account-reference-overwrites': {
    breaks: ['ACC-5'],
    story: 'A create is an upsert, so the names sent replace the stored ones.',
    override: found((given, context) => {
      const account = context.world.accounts.get(
        (JSON.parse(given.reply.body) as { id: string }).id,
      );
      const { first_name } = context.body;
      if (
        account === undefined ||
        typeof first_name !== 'string' ||
        first_name === account.first_name
      )
        return given;
      return answerAccount(context, { ...account, first_name });
    }),
  },
  'account-reference-case-sensitive': {
    breaks: ['ACC-6'],
    story: 'References are compared exactly.',
    override: policy('values', () => ({ referenceKey: (reference) => reference })),
  },
  'account-reference-freed-by-update': {
    breaks: ['ACC-7'],
    story: 'The look-up of references only knows the first revision of an account.',
    override: refuseIf(
      create,
      (context) => {
        const { world, behaviour, body } = context;
        const { firm_id, brand_id } = callerOf(context);
        const index = behaviour.accounts.referenceIndex(firm_id, String(body.brand_id ?? brand_id));
        const key = behaviour.values.referenceKey(String(body.client_reference_id));
        const account = findReferenced(
          world.people.get(index)?.byReference,
          key,
          world.accounts,
          () => true,
        );
        return account !== null && account.revision !== behaviour.settings.first_revision;
      },
      'invalid_state',
    ),
  },
  'account-found-echoes-reference': {
    breaks: ['ACC-5'],
    story: 'The response to a known reference repeats the request.',
    override: members(
      create,
      (body, context) => ({ ...body, client_reference_id: context.body.client_reference_id }),
      200,
    ),
  },
  'account-email-may-repeat': {
    breaks: ['ACC-8'],
    story: 'Emails are not unique.',
    override: under(create, ({ values }, { n }) => ({
      values: { ...values, emailKey: (email) => `${values.emailKey(email)}\n${n}` },
    })),
  },
  'account-phone-may-repeat': {
    breaks: ['ACC-9'],
    story: 'Only emails are unique.',
    override: policy('values', () => ({ phoneKey: () => null })),
  },
  'account-person-unique-per-firm': {
    breaks: ['ACC-10'],
    story: 'People are unique per firm instead of per brand.',
    override: policy('accounts', () => ({ peopleIndex: () => 'all-brands' })),
  },
  'account-phone-strict': {
    breaks: ['ACC-11'],
    story: 'An invalid phone number is refused.',
    override: refuseIf(
      create,
      ({ body: { phone } }) => typeof phone === 'string' && !/^\+?[\d ()./-]{7,}$/.test(phone),
    ),
  },
  'account-phone-as-sent': {
    breaks: ['ACC-11'],
    story: 'The phone is shown as it was sent.',
    override: policy('values', () => ({ phone: (raw) => raw })),
    alsoSeenAs: { 'ACC-9': 'two spellings of one number are two phones' },
  },
  'account-phone-digits-only': {
    breaks: ['ACC-12'],
    story: 'A phone is normalised to its digits, so 0044… and +44… differ.',
    override: policy('values', () => ({ phone: (raw) => raw?.replace(/\D/g, '') ?? null })),
  },
  'account-unnamed-stays-unnamed': {
    breaks: ['ACC-13'],
    story: 'Missing names stay empty.',
    override: policy('accounts', () => ({
      nameAfterEmail: () => ({ first_name: '', last_name: '' }),
    })),
  },
  'account-unnamed-is-refused': {
    breaks: ['ACC-13'],
    story: 'A first name is required.',
    override: refuseIf(create, ({ body }) => body.first_name == null && body.last_name == null),
  },
  'account-country-validated': {
    breaks: ['ACC-14'],
    story: 'A country must be two letters.',
    override: refuseIf(
      create,
      ({ body: { country } }) => typeof country === 'string' && !/^[A-Za-z]{2}$/.test(country),
    ),
  },
  'account-brand-defaults-to-first': {
    breaks: ['ACC-15'],
    story: 'A firm-wide credential that names no brand uses the first one.',
    override: requestBody([create, 'bulkCreateAccounts'], (body, context) => {
      if (callerOf(context).brand_id !== null) return body;
      const fill = (row: Json): Json => ({ ...row, brand_id: row.brand_id ?? firstBrand(context) });
      const rows = body.accounts as readonly Json[] | undefined;
      return rows === undefined ? fill(body) : { ...body, accounts: rows.map(fill) };
    }),
  },
  'account-other-brand-allowed': {
    breaks: ['ACC-16'],
    story: 'The brand in the body overrides that of the credential.',
    override: policy('reach', () => ({
      brand: (credential, brandId, world) =>
        world.brands.get(brandId)?.firm_id === credential.firm_id,
    })),
    alsoSeenAs: { 'BULK-10': 'rows too may name any brand of the firm' },
  },
  'account-own-brand-must-be-named': {
    breaks: ['ACC-17'],
    story: 'brand_id is required with every credential.',
    override: refuseIf(create, ({ body }) => body.brand_id == null),
  },
  'account-own-brand-must-not-be-named': {
    breaks: ['ACC-17'],
    story: 'A credential of one brand must not send brand_id.',
    override: refuseIf(
      create,
      (context) => callerOf(context).brand_id !== null && context.body.brand_id != null,
      'forbidden',
    ),
  },
  'account-country-in-capitals': {
    breaks: ['ACC-14'],
    story: 'Countries are stored as two capitals.',
    override: stored('account', create, (account) => ({
      ...account,
      country: account.country?.toUpperCase().slice(0, 2) ?? null,
    })),
  },
  'account-language-lower-case': {
    breaks: ['ACC-14'],
    story: 'Languages are stored in lower case.',
    override: stored('account', create, (account) => ({
      ...account,
      language: account.language?.toLowerCase() ?? null,
    })),
  },
  'account-shows-email': {
    breaks: ['ACC-18'],
    story: 'The whole record is shown, with the email.',
    override: shown('account', (body, { email }) => ({ ...body, email })),
  },
  'account-lacks-language': {
    breaks: ['ACC-18'],
    story: 'language is missing from the response.',
    override: shown('account', ({ language: _, ...rest }) => rest),
  },
  'account-revision-as-text': {
    breaks: ['ACC-18'],
    story: 'Numbers are sent as strings throughout.',
    override: shown('account', (body) => ({ ...body, revision: String(body.revision) })),
  },
  'account-id-as-number': {
    breaks: ['CONV-1a'],
    story: 'The id is a number in the database and is sent as one.',
    override: shown('account', (body) => ({ ...body, id: Number(body.id) })),
  },
  'account-in-camel-case': {
    breaks: ['ACC-18'],
    story: 'The serializer writes camel case.',
    override: shown('account', ({ first_name, last_name, ...rest }) => ({
      ...rest,
      firstName: first_name,
      lastName: last_name,
    })),
  },
  'account-etag-is-a-hash': {
    breaks: ['ACC-19'],
    story: 'The framework computes tags from the body.',
    override: policy('values', () => ({
      etag: (account) => `"${account.id}-${account.revision}"`,
      ifMatch: hashed,
    })),
  },
  'account-replayed-without-etag': {
    breaks: ['ACC-19'],
    story: 'Only status and body are kept under a key.',
    override: policy('keys', (keys) => ({
      replay: (stored, context) => ({ ...keys.replay(stored, context), etag: undefined }),
    })),
  },
  'account-starts-active': {
    breaks: ['ACC-20'],
    story: 'New accounts are active immediately.',
    override: policy('accounts', () => ({ firstStatus: 'Active' })),
  },
  'account-create-unscoped': {
    breaks: ['ACC-21'],
    story: 'Any valid token may create accounts.',
    override: unscoped(create),
  },
  'account-brings-trading-account': {
    breaks: ['ACC-22'],
    story: 'Every account gets a demo trading account.',
    override: decision(create, (given, { world }) => {
      const [created] = putsInto(given.changes, 'accounts');
      if (created === undefined) return given;
      const tradingAccount = {
        id: String(world.counters.tradingAccount + 1),
        account_id: created.record.id,
        currency: 'USD',
        provider_payouts: false,
        balance: '0.00',
        entries: [],
      };
      return {
        ...given,
        changes: [...given.changes, put('tradingAccounts', tradingAccount)],
      };
    }),
  },
};
