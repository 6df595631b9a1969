// Which differences may have the same cause.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { differing } from '../testing/outcomes.ts';
import { type Difference, isLike } from './difference.ts';

const likeness = suite('similar differences');

const taken = (...cites: readonly string[]): Difference =>
  differing({
    ...{ model: '409 invalid_state', modelAnswer: '409 invalid_state', target: '201' },
    basis: { cites, idempotency: null, step: '' },
  });

likeness('two refusals that cite different rules are two differences', () => {
  assert.not(isLike(taken('ACC-8'), taken('ACC-9')));
  assert.ok(isLike(taken('ACC-8'), taken('ACC-8', 'ACC-10')));
  assert.ok(isLike(taken('ACC-8'), taken()));
});

likeness('a row of a batch is answered like a create by itself (BULK-3)', () => {
  const row = (...cites: readonly string[]): Difference => ({
    ...taken('BULK-1', ...cites),
    ...{ operation: 'bulkCreateAccounts', at: 'body.rows.1.status', model: '409' },
    ...{ modelAnswer: '200', targetAnswer: '200' },
  });
  assert.ok(isLike(taken('ACC-8'), row('ACC-8')));
  assert.not(isLike(taken('ACC-8'), row('ACC-9')));
});

likeness.run();
