// Phone normalisation, with and without a region, and when two phones are equal.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { busyWorld, defaultWorld, emptyWorld } from '../../../fixtures/worlds/built-in.ts';
import { knownPhones } from '../../../fixtures/worlds/phones.ts';
import { normalisePhone, phoneIdentity, phoneTables } from './phone.ts';

const test = suite('phones');

test('known numbers need no tables', async () => {
  assert.not.ok(phoneTables.needed('+44 7700 900123'));
  assert.is(normalisePhone('+44 7700 900123', 'GB'), '+447700900123');
  assert.is(normalisePhone(null, 'US'), null);
  assert.is(normalisePhone('call me', 'US'), 'call me');
  await Promise.all([phoneTables.load(), phoneTables.load()]);
  assert.ok(phoneTables.ready());
});

test('the numbers of the built-in worlds match the tables in every region', async () => {
  const worlds = [defaultWorld, busyWorld, emptyWorld];
  const phones = worlds.flatMap(({ accounts = [] }) =>
    accounts.flatMap(({ phone }) => phone ?? []),
  );
  assert.equal([...new Set(phones)].sort(), [...knownPhones.keys()].sort());
  await phoneTables.load();
  for (const [raw, known] of knownPhones) {
    for (const region of [null, 'US', 'GB', 'FR', 'IE', 'DE', 'AU']) {
      assert.is(normalisePhone(raw, region), known, `${raw} ${region}`);
    }
  }
});

const table: [raw: string, region: string | null, expected: string][] = [
  // ACC-11: formattings of one number.
  ['+12133734253', null, '+12133734253'],
  ['+1 (213) 373-4253', null, '+12133734253'],
  ['+1.213.373.4253', null, '+12133734253'],
  ['  +1 213 373 4253  ', null, '+12133734253'],
  ['tel:+1-213-373-4253', null, '+12133734253'],
  ['Phone: +1 213 373 4253', null, '+12133734253'],
  ['＋１２１３３７３４２５３', null, '+12133734253'],
  ['+١٢١٣٣٧٣٤٢٥٣', null, '+12133734253'],
  ['+१२१३३७३४२५३', null, '+12133734253'],
  ['+1 213 373 4253 ext. 12', null, '+12133734253'],
  // NS-62: extensions are parsed; other letters are dropped.
  ['+1 213 373 4253 x12', null, '+12133734253'],
  ['+1 213 373 4253 home', null, '+12133734253'],
  ['+1 (213) abc 373-4253', null, '+12133734253'],
  ['+1 800 FLOWERS', null, '1800'],
  ['+49 30 büro 123456', null, '+4930123456'],
  // ACC-12: the region decides for a national number.
  ['(213) 373-4253', 'US', '+12133734253'],
  ['1 213 373 4253', 'US', '+12133734253'],
  ['2133734253', 'us', '+12133734253'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['020 7946 0958', ' gb ', '+442079460958'],
  ['030 123456', 'DE', '+4930123456'],
  ['030 123456', 'AT', '+4330123456'],
  ['06 1234 5678', 'IT', '+390612345678'],
  ['8 (912) 345-67-89', 'RU', '+79123456789'],
  // An international number ignores the region.
  ['+44 20 7946 0958', 'US', '+442079460958'],
  ['+44 (0)20 7946 0958', 'DE', '+442079460958'],
  ['+4402079460958', null, '+442079460958'],
  ['011 44 20 7946 0958', 'US', '+442079460958'],
  ['0044 20 7946 0958', 'DE', '+442079460958'],
  ['0044 20 7946 0958', 'US', '+442079460958'],
  ['0044 20 7946 0958', null, '+442079460958'],
  ['(00) 44 20 7946 0958', null, '+442079460958'],
  ['+0044 20 7946 0958', null, '+442079460958'],
  // An unknown region is ignored.
  ['030 123456', 'XX', '030123456'],
  ['030 123456', '', '030123456'],
  ['030 123456', 'Germany', '030123456'],
  ['+44 20 7946 0958', 'XX', '+442079460958'],
  // NS-24: digits as sent if the number cannot be parsed.
  ['2133734253', null, '2133734253'],
  ['12-34', null, '1234'],
  ['555-1234', 'US', '5551234'],
  ['+999 123 456', null, '999123456'],
  ['+1', null, '1'],
  ['0077 123', 'JP', '0077123'],
  ['٠٣٠ ١٢', null, '03012'],
  ['0', 'GB', '0'],
  ['1'.repeat(300), 'US', '1'.repeat(300)],
  // NS-24: unchanged if it contains no digit.
  ['', null, ''],
  ['  n/a ', 'US', '  n/a '],
  ['+', 'US', '+'],
];

test('ACC-11, ACC-12, NS-24: every line of the table', () => {
  for (const [raw, region, expected] of table) {
    assert.is(normalisePhone(raw, region), expected, `${JSON.stringify(raw)} in ${region}`);
  }
});

test('a phone without digits has no identity, others are their normalised form', () => {
  assert.is(phoneIdentity(null), null);
  assert.is(phoneIdentity('n/a'), null);
  assert.is(phoneIdentity(''), null);
  assert.is(phoneIdentity('+12133734253'), '+12133734253');
  assert.is(phoneIdentity('1234'), '1234');
});

const anyRegion = fc.constantFrom(null, 'US', 'gb', 'DE', 'IT', 'JP', 'RU', 'ZZ', '');
const phoneLike = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'+0123456789 ()-./x'), maxLength: 24 }),
);

test('ACC-11: any input gives E.164, bare digits, or itself', () => {
  const property = fc.property(phoneLike, anyRegion, (raw, region) => {
    const normalised = normalisePhone(raw, region)!;
    assert.ok(/^\+[1-9]\d{1,14}$|^\d+$/.test(normalised) || normalised === raw, normalised);
  });
  fc.assert(property, { numRuns: 500, seed: 11 });
});

test('ACC-12: an E.164 result is unchanged in any region', () => {
  const property = fc.property(phoneLike, anyRegion, anyRegion, (raw, region, other) => {
    const normalised = normalisePhone(raw, region);
    if (normalised?.startsWith('+') && /\d/.test(normalised)) {
      assert.is(normalisePhone(normalised, other), normalised);
    }
  });
  fc.assert(property, { numRuns: 500, seed: 11 });
});

test('NS-62: letters become the digits of their keys if the setting allows it', async () => {
  await phoneTables.load();
  const normalise = (raw: string, region: string | null = null) =>
    normalisePhone(raw, region, 'keypad');
  assert.is(normalise('+1 800 FLOWERS'), '+18003569377');
  assert.is(normalise('1-800-flowers', 'US'), '+18003569377');
  assert.is(normalise('+1 213 373 4253 ext. 12'), '+12133734253');
  assert.is(normalise('+1 213 DREHSEL'), '+12133734735');
  assert.is(normalise('call me'), 'call me');
});

test.run();
