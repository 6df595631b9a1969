// Wrong ways of telling people apart, normalising phones, naming, and choosing the brand (ACC-8 to
// ACC-17).
import { callerOf, type RequestContext } from '../../core/pipeline/request-context.ts';
import { type Json, operation, policy } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

export const accountPeopleDeviations: readonly Deviation[] = [
  {
    id: 'account-email-may-repeat',
    breaks: ['ACC-8'],
    story: 'Emails are not unique.',
    bend: unindexed(),
  },
  {
    id: 'account-phone-may-repeat',
    breaks: ['ACC-9'],
    story: 'Only emails are unique.',
    bend: policy('values', () => ({ phoneKey: () => null })),
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
    bend: operation('createAccount', (run, context) => {
      const { phone } = context.body;
      if (typeof phone !== 'string' || /^\+?[\d ()./-]{7,}$/.test(phone)) return run(context);
      return refuseAs(context, 422, 'validation_failed', 'phone is not a valid number.');
    }),
  },
  {
    id: 'account-phone-as-sent',
    breaks: ['ACC-11'],
    story: 'The phone is answered as it was sent.',
    bend: policy('values', () => ({ phone: (raw) => raw })),
    alsoSeenAs: { 'ACC-9': 'two spellings of one number do not meet' },
  },
  {
    id: 'account-phone-digits-only',
    breaks: ['ACC-12'],
    story: 'Normalising means taking the digits, so 0044… and +44… are two numbers.',
    bend: policy('values', () => ({ phone: (raw) => raw?.replace(/\D/g, '') ?? null })),
  },
  {
    id: 'account-unnamed-stays-unnamed',
    breaks: ['ACC-13'],
    story: 'Both names are left empty.',
    bend: policy('accounts', () => ({ nameAfterEmail: () => ({ first: '', last: '' }) })),
  },
  {
    id: 'account-unnamed-is-refused',
    breaks: ['ACC-13'],
    story: 'A first name is required.',
    bend: operation('createAccount', (run, context) =>
      context.body.first_name == null && context.body.last_name == null
        ? refuseAs(context, 422, 'validation_failed', 'first_name is required.')
        : run(context),
    ),
  },
  {
    id: 'account-country-validated',
    breaks: ['ACC-14'],
    story: 'A country must be two letters.',
    bend: operation('createAccount', (run, context) =>
      typeof context.body.country === 'string' && !/^[A-Za-z]{2}$/.test(context.body.country)
        ? refuseAs(context, 422, 'validation_failed', 'country must have two letters.')
        : run(context),
    ),
  },
  {
    id: 'account-brand-defaults-to-first',
    breaks: ['ACC-15'],
    story: 'A firm-wide credential without a brand gets the first one.',
    bend: operation(['createAccount', 'bulkCreateAccounts'], (run, context) => {
      if (callerOf(context).brand_id !== null) return run(context);
      const fill = (row: Json): Json =>
        row.brand_id == null ? { ...row, brand_id: firstBrand(context) } : row;
      const rows = context.body.accounts as readonly Json[] | undefined;
      context.body =
        rows === undefined
          ? fill(context.body as Json)
          : { ...context.body, accounts: rows.map(fill) };
      return run(context);
    }),
  },
  {
    id: 'account-other-brand-allowed',
    breaks: ['ACC-16'],
    story: 'The brand in the body wins over the one of the credential.',
    bend: policy('reach', () => ({
      brand: (credential, brandId, world) =>
        world.brands.get(brandId)?.firm_id === credential.firm_id,
    })),
    alsoSeenAs: { 'BULK-10': 'rows too may name any brand of the firm' },
  },
  {
    id: 'account-other-brand-overridden',
    breaks: ['ACC-16'],
    story: 'The brand of the credential silently replaces the one in the body.',
    bend: operation('createAccount', (run, context) => {
      const { brand_id: brandId } = callerOf(context);
      if (brandId !== null) context.body = { ...context.body, brand_id: brandId };
      return run(context);
    }),
  },
  {
    id: 'account-own-brand-must-be-named',
    breaks: ['ACC-17'],
    story: 'brand_id is required of everybody.',
    bend: operation('createAccount', (run, context) =>
      context.body.brand_id == null
        ? refuseAs(context, 422, 'validation_failed', 'brand_id is required.')
        : run(context),
    ),
  },
  {
    id: 'account-own-brand-must-not-be-named',
    breaks: ['ACC-17'],
    story: 'A brand-bound credential may not send brand_id at all.',
    bend: operation('createAccount', (run, context) =>
      callerOf(context).brand_id !== null && context.body.brand_id != null
        ? refuseAs(context, 403, 'forbidden', 'brand_id is for firm-wide credentials.')
        : run(context),
    ),
  },
];

function firstBrand({ world, credential }: RequestContext): string {
  for (const brand of world.brands.values())
    if (brand.firm_id === credential?.firm_id) return brand.id;
  return '10';
}

/** Gives every email an identity of its own, so that none is ever taken. */
function unindexed(): Deviation['bend'] {
  return policy('values', (values) => {
    let count = 0;
    return {
      emailKey: (email) => {
        count += 1;
        return `${values.emailKey(email)}\n${count}`;
      },
    };
  });
}
