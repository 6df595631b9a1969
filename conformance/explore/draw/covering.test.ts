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

covering('levels are used by their weight, and equally for each operation', () => {
  const dimension = { name: 'body', levels: ['plain', ...Object.keys(WEIGHTS), 'of one'] };
  const weigh = (operation: OperationName, _: string, level: string) =>
    level === 'of one' ? Number(operation === 'createAccount') : WEIGHTS[level]!;
  const array = new Covering({ operations, dimensions: [dimension], weigh }, new Random(1));
  const rows = Array.from({ length: 200 }, () => array.next());
  const usesOf = (level: string, all = rows) => all.filter(({ body }) => body === level).length;
  // The shares are 2, 6, 1 and 1: a weight for each of four operations, by the square root of four.
  const levels = [...Object.keys(WEIGHTS), 'of one'];
  assert.equal(
    levels.map((level) => usesOf(level)),
    [40, 120, 20, 20],
  );
  for (const each of operations) {
    assert.is(
      usesOf(
        'varied',
        rows.filter(({ operation }) => operation === each),
      ),
      30,
    );
  }
  for (const level of levels) assert.ok(usesOf(level, rows.slice(0, 10)) > 0, level);
});

covering.run();
