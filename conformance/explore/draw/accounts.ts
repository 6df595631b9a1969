// Ideas about single accounts: created, found again, refused.
import type { Value } from '../sequence.ts';
import { call, type Drawing, type Idea, members, newestOr, newKey } from './idea.ts';
import { COUNTRIES, LANGUAGES, LONG, person, phoneMembers, SCRIPTS, VERY_LONG } from './people.ts';
import type { Scene } from './scene.ts';

type Over = { readonly [name: string]: Value | undefined };

/** A create that differs from a valid one in what is said. */
function create(id: string, over: (d: Drawing, as: string) => Over, weight = 1): Idea {
  return {
    id: `account/${id}`,
    weight,
    draw: (d) => [createCall(d, d.main, over(d, d.main))],
  };
}

export function createCall(d: Drawing, as: string, over: Over = {}) {
  return call(d, {
    operation: 'createAccount',
    as,
    key: newKey(d),
    body: person(d, as, over),
  });
}

function as(role: string, needs: Idea['needs'], over: (d: Drawing) => Over = () => ({})): Idea {
  return {
    id: `account/as-${role}`,
    needs: needs ?? [],
    draw: (d) => [createCall(d, role, over(d))],
  };
}

const some = (scene: Scene) => scene.accounts.length > 0;

/** A create that has to do with an account there is. */
function again(id: string, over: (d: Drawing, known: Scene['accounts'][number]) => Over): Idea {
  return {
    id: `account/${id}`,
    weight: 2,
    when: some,
    draw: (d) => {
      const known = newestOr(d, d.scene.accounts);
      return [createCall(d, known.as, { brand_id: known.brand, ...over(d, known) })];
    },
  };
}

const reference = (fresh: { length?: number; fill?: string }) => (d: Drawing) => ({
  client_reference_id: { $fresh: `l${d.stem()}`, ...fresh },
});

const created: readonly Idea[] = [
  create('plain', () => ({}), 6),
  create('no-names', () => ({ first_name: undefined, last_name: undefined })),
  create('first-name-only', (d) => ({ first_name: d.random.pick(SCRIPTS), last_name: undefined })),
  create('last-name-only', (d) => ({ first_name: undefined, last_name: d.random.pick(SCRIPTS) })),
  create('long-names', () => ({ first_name: LONG, last_name: LONG })),
  create('very-long-names', () => ({ first_name: VERY_LONG, last_name: 'Ada' })),
  create('country-as-sent', (d) => ({ country: d.random.pick(COUNTRIES) })),
  create('language-as-sent', (d) => ({ language: d.random.pick(LANGUAGES) })),
  create('phone', (d) => phoneMembers(`p${d.stem()}`, d.random.pick(['e164', 'spaced', 'dashes']))),
  create('phone-national', (d) => phoneMembers(`p${d.stem()}`, 'national')),
  create('phone-zeros', (d) => phoneMembers(`p${d.stem()}`, 'zeros')),
  create('phone-region-alone', () => ({ phone: undefined, phone_region: 'DE' })),
  create('status-sent', () => ({ status: 'Active' })),
  create('owner-sent', () => ({ owner_id: '1', assigned_to: 'me' })),
  create('id-sent', () => ({ id: '1', revision: 7 })),
  create('reference-1', (d) => ({ client_reference_id: d.disposable ? 'q' : undefined }), 0.5),
  create('reference-255', reference({ length: 255 })),
  create('reference-255-marks', reference({ length: 255, fill: 'é' })),
  create('reference-200-wide', reference({ length: 200, fill: '𝄞' })),
  create('reference-100', reference({ length: 100 })),
  create('reference-script', (d) => ({
    client_reference_id: { $join: [d.random.pick(['Анна-', '李-', 'عمر-', 'a b-']), fresh(d)] },
  })),
  create('reference-upper', (d) => ({ client_reference_id: { $case: 'upper', of: fresh(d) } })),
  create('email-long', (d) => ({
    email: { $join: ['e'.repeat(200), fresh(d), '@x.example.com'] },
  })),
  create('email-plus', (d) => ({ email: { $join: ['a.b+', fresh(d), '@x.example.com'] } })),
];

function fresh(d: Drawing): Value {
  return { $fresh: `f${d.stem()}` };
}

/** Two that differ only at the end of something long. */
function alike(d: Drawing, over: (long: Value, end: string) => Over) {
  const long: Value = { $fresh: `w${d.stem()}`, length: d.random.pick([64, 100, 128, 200, 250]) };
  return ['a', 'b'].map((end) => createCall(d, d.main, over(long, end)));
}

const refused: readonly Idea[] = [
  create('reference-256', reference({ length: 256 })),
  create('reference-1000', reference({ length: 1000 }), 0.5),
  create('reference-empty', () => ({ client_reference_id: '' })),
  create('reference-blank', () => ({ client_reference_id: '   ' })),
  create('reference-tab', () => ({ client_reference_id: '\t' }), 0.5),
  create('reference-absent', () => ({ client_reference_id: undefined })),
  create('reference-number', () => ({ client_reference_id: 7 }), 0.5),
  create('email-without-at', (d) => ({ email: { $join: [fresh(d), '.example.com'] } })),
  create('email-empty', () => ({ email: '' }), 0.5),
  create('email-absent', () => ({ email: undefined })),
  create('email-number', () => ({ email: 7 }), 0.5),
  create('brand-number', (_, role) => ({
    brand_id: { $number: { $role: role, has: 'brand' } },
  })),
  create('brand-text', () => ({ brand_id: 'abc' })),
  create('brand-hex', () => ({ brand_id: '0x10' }), 0.5),
  {
    id: 'account/firm-without-brand',
    needs: ['firm'],
    draw: (d) => [createCall(d, 'firm', { brand_id: undefined })],
  },
  {
    id: 'account/broken-json',
    draw: (d) => [
      call(d, {
        operation: 'createAccount',
        as: d.main,
        key: newKey(d),
        raw: d.random.pick(['{"client_reference_id": "x",', '{', '"', '{"email":}']),
      }),
    ],
  },
  {
    id: 'account/no-body',
    weight: 0.5,
    draw: (d) => [call(d, { operation: 'createAccount', as: d.main, key: newKey(d), body: {} })],
  },
];

const roles: readonly Idea[] = [
  as('brand', ['brand']),
  { ...as('brand', ['brand'], () => ({ brand_id: undefined })), id: 'account/brand-unnamed' },
  {
    ...as('brand', ['brand', 'other_brand'], () => ({
      brand_id: { $role: 'other_brand', has: 'brand' },
    })),
    id: 'account/brand-names-another',
  },
  {
    id: 'account/firm-at-other-brand',
    needs: ['firm', 'other_brand'],
    weight: 2,
    draw: (d) => [createCall(d, 'firm', { brand_id: { $role: 'other_brand', has: 'brand' } })],
  },
  as('other_brand', ['other_brand']),
  as('other_firm', ['other_firm']),
  as('no_scopes', ['no_scopes']),
  as('amend_only', ['amend_only']),
  as('delegated', ['delegated']),
  as('read_only', ['read_only']),
  as('nobody', [], () => ({ brand_id: '10' })),
];

const known: readonly Idea[] = [
  again('found-again', (_, { reference: own, email }) => ({ client_reference_id: own, email })),
  again('found-with-other-email', (_, { reference: own }) => ({ client_reference_id: own })),
  again('found-in-capitals', (_, { reference: own, email }) => ({
    client_reference_id: { $case: 'upper', of: own },
    email,
  })),
  again('found-with-changes', (_, { reference: own, email }) => ({
    client_reference_id: own,
    email,
    first_name: 'Changed',
    country: 'FR',
    status: 'Closed',
  })),
  again('email-taken', (_, { email }) => ({ email })),
  again('email-taken-in-capitals', (_, { email }) => ({ email: { $case: 'upper', of: email } })),
  {
    id: 'account/long-references-alike',
    weight: 1.5,
    draw: (d) => alike(d, (long, end) => ({ client_reference_id: { $join: [long, end] } })),
  },
  {
    id: 'account/long-emails-alike',
    weight: 1.5,
    draw: (d) => alike(d, (long, end) => ({ email: { $join: [long, end, '@x.example.com'] } })),
  },
  {
    id: 'account/reference-at-other-brand',
    needs: ['firm', 'brand', 'other_brand'],
    weight: 1.5,
    when: some,
    draw: (d) => {
      const { reference } = d.random.pick(d.scene.accounts);
      const as = d.random.pick(['firm', 'other_brand', 'brand']);
      const role = as === 'brand' ? 'brand' : 'other_brand';
      const brand_id: Value = { $role: role, has: 'brand' };
      return [createCall(d, as, { client_reference_id: reference, brand_id })];
    },
  },
  {
    id: 'account/phone-taken',
    weight: 3,
    when: ({ accounts }) => accounts.some(({ phone }) => phone !== undefined),
    draw: (d) => {
      const taken = d.scene.accounts.filter(({ phone }) => phone !== undefined);
      const { phone, as: role, brand } = d.random.pick(taken);
      const stem = (phone as { $phone: string }).$phone;
      const form = d.random.pick(['e164', 'spaced', 'zeros', 'national', 'dashes'] as const);
      return [createCall(d, role, { brand_id: brand, ...phoneMembers(stem, form) })];
    },
  },
  {
    id: 'account/person-at-other-brand',
    needs: ['firm', 'other_brand'],
    weight: 2,
    when: some,
    draw: (d) => {
      const { email, phone } = d.random.pick(d.scene.accounts);
      const brand_id: Value = { $role: 'other_brand', has: 'brand' };
      const same = members({ email, phone, phone_region: phone && 'GB', brand_id });
      return [createCall(d, 'firm', same)];
    },
  },
];

export const accountIdeas: readonly Idea[] = [...created, ...refused, ...roles, ...known];
