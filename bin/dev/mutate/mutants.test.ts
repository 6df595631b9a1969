// Mutants are found where behaviour is, and each is one change of one place.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findMutants } from './mutants.ts';

const mutants = suite('mutants');

const applied = (source: string) =>
  findMutants(source).map(
    ({ start, end, text }) => `${source.slice(0, start)}${text}${source.slice(end)}`,
  );

mutants('bounds, conditions and constants', () => {
  assert.equal(applied('const a = (b) < (c);'), ['const a = (b) <= (c);', 'const a = (b) >= (c);']);
  assert.equal(applied('if (a) b();'), ['if (!(a)) b();']);
  assert.equal(applied('const a = !b;'), ['const a = b;']);
  assert.equal(applied('f(409, true);'), ['f((409 + 1), true);', 'f(409, false);']);
  assert.equal(applied("f('not_found');"), ['f("not_found~");']);
});

mutants('none where nothing is behaviour', () => {
  const still = [
    "import { a } from './a.ts';",
    "type A = 'one' | 'two';",
    "cite('IDEM-4b', 'NS-17');",
    "say('There is no account here.');",
    "throw new Error('cannot be');",
    'const a: 1 | 2 = b;',
  ];
  for (const source of still) assert.equal(applied(source), [], source);
});

mutants.run();
