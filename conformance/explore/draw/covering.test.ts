// Rows of the covering array: how often each level is used, and for which operations.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../fixtures/random.ts';
import type { OperationName } from '../../spec/operations.ts';
import { Covering } from './covering.ts';

const covering = suite('covering array');

const WEIGHTS: Readonly<Record<string, number>> = { common: 1, varied: 3, dear: 0.5 };
const operations: readonly OperationName[] = [
  ...(['createAccount', 'updateAccount', 'bulkCreateAccounts', 'createWebhook'] as const),
];

/** How often each level of `body` is the only one of a row that is not plain. */
function usesIn(rows: number): Record<string, number> {
  const space = {
    operations,
    dimensions: [{ name: 'body', levels: ['plain', ...Object.keys(WEIGHTS), 'of one'] }],
    weigh: (operation: OperationName, _: string, level: string) =>
      level === 'of one' ? Number(operation === 'createAccount') : WEIGHTS[level]!,
  };
  const array = new Covering(space, new Random(1));
  const uses: Record<string, number> = {};
  for (let row = 0; row < rows; row += 1) {
    const { operation, body } = array.next();
    for (const name of [body!, `${operation} ${body}`]) uses[name] = (uses[name] ?? 0) + 1;
  }
  return uses;
}

covering('levels are used by their weight, and equally for each operation', () => {
  // The shares are 2, 6, 1 and 1: a weight for each of four operations, by the square root of four.
  const uses = usesIn(200);
  assert.equal([uses.common, uses.varied, uses.dear, uses['of one']], [40, 120, 20, 20]);
  for (const operation of operations) assert.is(uses[`${operation} varied`], 30);
  const atFirst = usesIn(10);
  for (const level of [...Object.keys(WEIGHTS), 'of one']) assert.ok(atFirst[level]! > 0, level);
});

covering.run();
