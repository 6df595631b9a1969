// Checks that symbolic values become the same text on both sides and a different one in another play.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Value } from './sequence.ts';
import { type Known, MISSING, MISSING_TAG, resolve, resolveText } from './values.ts';

const values = suite('explore values');

const known = (nonce: string): Known => ({
  nonce,
  answer: (step) => (step === 1 ? { id: '7', rows: [{ id: '8' }] } : undefined),
  header: (step, name) => (step === 1 && name === 'etag' ? '"3"' : undefined),
  has: (role, what) => (role === 'firm' && what === 'brand' ? '10' : undefined),
});

values('a member of an earlier answer, and a placeholder if it is missing', () => {
  const rows: readonly (readonly [Value, unknown])[] = [
    [{ $of: 1, at: 'id' }, '7'],
    [{ $of: 1, at: 'rows.0.id' }, '8'],
    [{ $of: 2, at: 'id' }, MISSING],
    [{ $header: 2, name: 'etag' }, MISSING_TAG],
    [{ $header: 1, name: 'etag' }, '"3"'],
    [{ $role: 'firm', has: 'brand' }, '10'],
    [{ $join: ['W/', { $header: 1, name: 'etag' }] }, 'W/"3"'],
    [{ $case: 'upper', of: 'abc' }, 'ABC'],
    [{ a: [{ $of: 1, at: 'id' }, null] }, { a: ['7', null] }],
  ];
  for (const [value, json] of rows) assert.equal(resolve(value, known('n')), json);
});

values('a fresh text is the same within one play and has the requested length', () => {
  const stem: Value = { $fresh: 'a', length: 40, fill: 'é' };
  assert.is(resolve(stem, known('one')), resolve(stem, known('one')));
  assert.is.not(resolve(stem, known('one')), resolve(stem, known('two')));
  assert.is([...resolveText(stem, known('one'))].length, 40);
});

values('rows become that many entries with different names', () => {
  const value: Value = [{ $rows: 3, of: { $fresh: 'r$i' } }, 'last'];
  assert.equal(resolve(value, known('n')), ['r0-n', 'r1-n', 'r2-n', 'last']);
});

values('one phone number has the same digits in every notation', () => {
  const forms = (['e164', 'spaced', 'dashes', 'national'] as const).map((form) =>
    resolveText({ $phone: 'p', form }, known('n')),
  );
  assert.is(new Set(forms.map((text) => text.replace(/\D/g, '').slice(-10))).size, 1);
});

values.run();
