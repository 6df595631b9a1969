// Exact decimals: which texts are decimals, and sums that floats cannot represent.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  absoluteDecimal,
  addDecimals,
  compareDecimals,
  isLooseDecimal,
  isNegativeDecimal,
  isPlainDecimal,
  isZeroDecimal,
  negateDecimal,
} from './decimal.ts';

const decimals = suite('decimals');
const digits64 = '9'.repeat(64);

decimals('plain decimals are digits with an optional minus sign and fraction', () => {
  for (const text of ['0', '-0', '007', '10.50', '-3.1', digits64, `0.${digits64}`]) {
    assert.ok(isPlainDecimal(text), text);
  }
  const not = ['', ' 1', '1 ', '+1', '.5', '5.', '1e3', '1,5', '0x1', 'NaN', '--1', '1\n', '١'];
  for (const text of [...not, `${digits64}9`, `0.${digits64}9`]) {
    assert.not.ok(isPlainDecimal(text), JSON.stringify(text));
  }
});

decimals('loose decimals also allow a plus sign, a bare point and an exponent', () => {
  for (const text of ['+1', '.5', '5.', '1e3', '-1.5E-2']) assert.ok(isLooseDecimal(text), text);
  for (const text of ['', '.', 'e3', '1e', '1e1000', '1 '])
    assert.not.ok(isLooseDecimal(text), text);
});

// Left, right, sum: the sum has as many places as the longer operand.
const sums = [
  ['0.1', '0.2', '0.3'],
  ['10', '0.50', '10.50'],
  ['-0.10', '0.1', '0.00'],
  ['9007199254740993', '2', '9007199254740995'],
  ['12345678901234567890.01', '-0.001', '12345678901234567890.009'],
  ['1e3', '0.5', '1000.5'],
  ['+1', '-2', '-1'],
  ['-0.005', '0.01', '0.005'],
  ['-1.5', '1.50', '0.00'],
  ['007', '-8', '-1'],
  ['999999999999.999', '0.001', '1000000000000.000'],
  ['-999999999999.999', '-999999999999.999', '-1999999999999.998'],
] as const;

decimals('sums are exact', () => {
  for (const [left, right, sum] of sums) {
    assert.is(addDecimals(left, right), sum);
    assert.is(addDecimals(right, left), sum);
  }
});

decimals('signs', () => {
  const negated = ['-1.50', '0', '-0.00', '2', '-07'].map(negateDecimal);
  assert.equal(negated, ['1.50', '0', '0.00', '-2', '7']);
  assert.equal(['-1.50', '0.10', '-0', '-07'].map(absoluteDecimal), ['1.50', '0.10', '0', '7']);
  assert.equal(['-0.0', '0', '1e-9', '-1'].map(isZeroDecimal), [true, true, false, false]);
  assert.equal(['-0', '-0.01', '1'].map(isNegativeDecimal), [false, true, false]);
  assert.equal([compareDecimals('1.0', '1'), compareDecimals('-2', '1')], [0, -1]);
});

decimals.run();
