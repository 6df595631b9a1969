// The values that sequences are drawn from: the edges of the rules, and what lies beyond them.
import fc from 'fast-check';
import { ACTORS } from './actors.ts';
import type { Money, Person } from './steps.ts';

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
export const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.nat(4) },
);
export const actors = fc.constantFrom(...ACTORS);
export const slot = fc.nat(7);

export const people = fc.record<Person>({
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

export const moneys = fc.record<Money>({
  reference: references,
  place: slot,
  account: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: slot }),
  currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR', '', ' '),
  amount: amounts,
  method: fc.constantFrom(null, null, 'Deposit', 'Withdrawal', 'Bonus', 'Gift', ''),
  type: fc.constantFrom('Deposit', 'Deposit', 'Deposit', 'Withdrawal', 'Credit', 'Debit', 'Loan'),
});

export const fields = fc.dictionary(
  fc.constantFrom('first_name', 'last_name', 'country', 'language', 'status', 'email', 'phone'),
  fc.constantFrom('New', 'Active', '', 'a', 'B', null),
  { maxKeys: 3 },
);

export const operations = fc.constantFrom(
  'createAccount',
  'updateAccount',
  'bulkCreateAccounts',
  'openPosition',
  'createTransaction',
  'approveTransaction',
  'cancelTransaction',
  'createWebhook',
);

export const waits = fc.constantFrom(
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
