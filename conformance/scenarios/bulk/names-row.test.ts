// Which messages name the row for which a batch was refused.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namesRow } from './names-row.ts';

const naming = suite('names a row');

const CASES: readonly (readonly [message: string, names: boolean])[] = [
  ['Row 7 has no client_reference_id', true],
  ['Row 8 has no client_reference_id', true],
  ['accounts[7]: client_reference_id is missing', true],
  ['["a brand out of reach",[{"field":"accounts.7.brand_id"}]]', true],
  ['["a row has no reference",[{"pointer":"/accounts/7/client_reference_id"}]]', true],
  ['row 8, accounts[7]', true],
  ['accounts[8]: client_reference_id is missing', false],
  ['row 8: accounts.8.brand_id', false],
  ['row 8 (/accounts/8)', false],
  ['Row 70 has no client_reference_id', false],
  ['a row has no client_reference_id', false],
];

for (const [message, names] of CASES) {
  naming(`${names ? 'names index 7' : 'does not name index 7'}: ${message}`, () => {
    assert.is(namesRow(message, 7), names);
  });
}

naming.run();
