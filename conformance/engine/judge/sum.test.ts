// Sums of decimals must be exact, or the judge would report its own rounding errors.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sum } from './matchers.ts';

const amounts = suite('exact sums');

const CASES: [amounts: string[], wanted: string][] = [
  [[], '0'],
  [['0.10', '0.20'], '0.3'],
  [['0.1', '0.2', '-0.3'], '0'],
  [['25.00', '-25'], '0'],
  [['-1.00', '0.40'], '-0.6'],
  [['9007199254740993', '0.0000000000000000001'], '9007199254740993.0000000000000000001'],
  [['007.50'], '7.5'],
  [['-0.00'], '0'],
  [['1e3', '1'], 'NaN'],
  [['0.30000000000000004', 'x'], 'NaN'],
];

for (const [given, wanted] of CASES) {
  amounts(`${given.join(' + ') || 'nothing'} is ${wanted}`, () => assert.is(sum(...given), wanted));
}

amounts.run();
