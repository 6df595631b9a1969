// What the sequences are made of: steps that name records by when they came, never by id, so that
// one sequence can be played on two platforms, and cut short without losing its sense.
import fc from 'fast-check';

export const ACTORS = [
  'firm',
  'firm',
  'firm',
  'brandA',
  'brandB',
  'otherFirm',
  'noScopes',
  'noAmend',
  'amendOnly',
  'delegated',
  'readOnly',
  'slow',
] as const;
export type Actor = (typeof ACTORS)[number];

/** A number of the pool, or none: a key that nothing else uses. */
type KeyChoice = number | null;

export interface Person {
  readonly reference: string;
  readonly email: string;
  readonly phone: string | null;
  readonly region: string | null;
  readonly brand: string | null;
  readonly first: string | null;
  readonly last: string | null;
}

export type Step =
  | { kind: 'create'; as: Actor; key: KeyChoice; person: Person }
  | { kind: 'bulk'; as: Actor; key: KeyChoice; people: readonly Person[] }
  | { kind: 'update'; as: Actor; key: KeyChoice; account: number; tag: TagChoice; fields: Fields }
  | { kind: 'trade'; provider: boolean; account: number; currency: string }
  | { kind: 'money'; as: Actor; key: KeyChoice; money: Money }
  | {
      kind: 'act';
      as: Actor;
      key: KeyChoice;
      act: Act;
      transaction: number;
      of: number;
      reason: string;
    }
  | { kind: 'open'; as: Actor; key: KeyChoice; place: number; volume: string; side: string }
  | { kind: 'close'; as: Actor; key: KeyChoice; place: number | null; position: number }
  | { kind: 'status'; as: Actor; account: number }
  | { kind: 'hook'; as: Actor; categories: readonly string[] }
  | { kind: 'hookAct'; as: Actor; hook: number; act: HookAct }
  | { kind: 'fault'; operation: string; status: number; phase: 'before' | 'after' }
  | { kind: 'permit'; operation: string; allowed: boolean }
  | { kind: 'settle'; transaction: number }
  | { kind: 'wait'; ms: number };

export type HookAct = 'read' | 'rotate' | 'disable';
export type Act = 'approve' | 'reject' | 'cancel';
export type TagChoice = 'now' | 'before' | 'first' | 'bare' | 'weak' | 'none' | 'star' | 'other';
export type Fields = Readonly<Record<string, string | null>>;

export interface Money {
  readonly reference: string;
  readonly place: number;
  /** Of another account than the trading account's, where it is not the right one. */
  readonly account: number | null;
  readonly currency: string;
  readonly amount: string;
  readonly method: string | null;
  readonly type: string;
}

const LONG = 'r'.repeat(255);
const references = fc.constantFrom(
  'ada',
  'ADA',
  'Straße',
  'STRASSE',
  'Ünal',
  'ünal',
  'bob',
  'Bob ',
  'carol',
  'd',
  'İstanbul',
  'eve',
  ' ',
  '',
  LONG,
  `${LONG}x`,
  'x'.repeat(128),
  `${'x'.repeat(128)}y`,
);
const emails = fc.constantFrom(
  'a@x.example',
  'A@X.example',
  'b@x.example',
  'c@x.example',
  'd@x',
  'nobody',
  'e@x.example',
  'f@x.example',
  'g@x.example',
  '@',
  `${'l'.repeat(70)}@x.example`,
);
const phones = fc.constantFrom(
  null,
  null,
  null,
  '+44 20 7946 0958',
  '020 7946 0958',
  '(020) 7946-0958',
  '+1 (212) 555-0100',
  '12',
  'none',
  '',
  '+490301234567',
);
const regions = fc.constantFrom(null, null, 'GB', 'gb', 'US', 'XX', 'DE');
const brands = fc.constantFrom<(string | null)[]>(
  '10',
  '10',
  '10',
  '11',
  '20',
  '99',
  null,
  '010',
  'x',
);
const names = fc.constantFrom(null, 'Ada', '', 'Lovelace', 'é', '🙂');
const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.nat(4) },
);
const actors = fc.constantFrom(...ACTORS);
const slot = fc.nat(7);

const people = fc.record<Person>({
  reference: references,
  email: emails,
  phone: phones,
  region: regions,
  brand: brands,
  first: names,
  last: names,
});

const amounts = fc.constantFrom(
  '10.00',
  '10',
  '-10.00',
  '0.01',
  '0',
  '-0.00',
  '1.5',
  '1.',
  '.5',
  '+1',
  '1e3',
  '',
  'abc',
  '999999999999.99',
  '-3.3',
  '007.10',
  '1,5',
  ' 1',
);

const moneys = fc.record<Money>({
  reference: references,
  place: slot,
  account: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: slot }),
  currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR', '', ' '),
  amount: amounts,
  method: fc.constantFrom(null, null, 'Deposit', 'Withdrawal', 'Bonus', 'Gift', ''),
  type: fc.constantFrom('Deposit', 'Deposit', 'Deposit', 'Withdrawal', 'Credit', 'Debit', 'Loan'),
});

const fields = fc.dictionary(
  fc.constantFrom('first_name', 'last_name', 'country', 'language', 'status', 'email', 'phone'),
  fc.constantFrom('New', 'Active', '', 'a', 'B', null),
  { maxKeys: 3 },
);

const operations = fc.constantFrom(
  'createAccount',
  'updateAccount',
  'bulkCreateAccounts',
  'openPosition',
  'createTransaction',
  'approveTransaction',
  'cancelTransaction',
  'createWebhook',
);

const waits = fc.constantFrom(
  1,
  150,
  200,
  999,
  1000,
  1999,
  2000,
  5000,
  30_000,
  3_600_000,
  86_399_999,
  86_400_000,
);

export const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      as: actors,
      key: keys,
      person: people,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bulk' as const),
      as: actors,
      key: keys,
      people: fc.array(people, { maxLength: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      as: actors,
      key: keys,
      account: slot,
      tag: fc.constantFrom<TagChoice[]>(
        'now',
        'now',
        'now',
        'before',
        'first',
        'bare',
        'weak',
        'none',
        'star',
        'other',
      ),
      fields,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trade' as const),
      provider: fc.constantFrom(false, false, true),
      account: slot,
      currency: fc.constantFrom('USD', 'EUR'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('money' as const),
      as: actors,
      key: keys,
      money: moneys,
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('act' as const),
      as: actors,
      key: keys,
      act: fc.constantFrom<Act[]>('approve', 'approve', 'reject', 'cancel'),
      transaction: slot,
      of: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: slot }),
      reason: fc.constantFrom('because', 'because', 'other', '', ' '),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      as: actors,
      key: keys,
      place: slot,
      volume: fc.constantFrom('0.10', '1', '0.20'),
      side: fc.constantFrom('buy', 'sell'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('close' as const),
      as: actors,
      key: keys,
      place: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: slot }),
      position: slot,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('status' as const), as: actors, account: slot }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), transaction: slot }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: waits }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hook' as const),
      as: actors,
      categories: fc.subarray(['account', 'order', 'position', 'transaction']),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hookAct' as const),
      as: actors,
      hook: slot,
      act: fc.constantFrom<HookAct[]>('read', 'read', 'rotate', 'disable'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      operation: operations,
      status: fc.constantFrom(429, 500, 503),
      phase: fc.constantFrom<('before' | 'after')[]>('before', 'after'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('permit' as const),
      operation: operations,
      allowed: fc.boolean(),
    }),
  },
);
