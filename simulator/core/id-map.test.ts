// Records by id against a plain Map that is sorted again for each look.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IdMap } from './id-map.ts';

const ids = suite('core: records by id');

ids('stays in order whatever is set, set again, removed and cleared', () => {
  const id = fc.integer({ min: 0, max: 30 }).map(String);
  const move = fc.oneof(
    fc.tuple(fc.constant('set' as const), id),
    fc.tuple(fc.constant('delete' as const), id),
    fc.tuple(fc.constant('clear' as const), id),
  );
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), id, (moves, looked) => {
      const map = new IdMap<number>();
      const plain = new Map<string, number>();
      for (const [index, [kind, key]] of moves.entries()) {
        if (kind === 'set') assert.is(map.set(key, index), map);
        else if (kind === 'delete') assert.is(map.delete(key), plain.has(key));
        else if (index % 7 === 0) map.clear();
        if (kind === 'set') plain.set(key, index);
        else if (kind === 'delete') plain.delete(key);
        else if (index % 7 === 0) plain.clear();
      }
      const sorted = [...plain.keys()].map(Number).sort((a, b) => a - b);
      assert.equal(map.ascending, sorted);
      assert.equal([...map], [...plain]);
      const after = sorted.findIndex((each) => each > Number(looked));
      assert.is(map.placeAfter(Number(looked)), after === -1 ? sorted.length : after);
    }),
  );
});

ids('takes the entries of another Map', () => {
  const map = IdMap.of(
    new Map([
      ['30', 'a'],
      ['5', 'b'],
    ]),
  );
  assert.equal(map.ascending, [5, 30]);
  assert.is(map.get('30'), 'a');
});

ids('a copy of one is in its order, and each goes on for itself', () => {
  const first = IdMap.of(new Map([['7', 'a']]));
  const copy = IdMap.of(first);
  copy.set('3', 'b');
  first.set('9', 'c');
  assert.equal(
    [copy.ascending, [...copy.keys()].sort()],
    [
      [3, 7],
      ['3', '7'],
    ],
  );
  assert.equal(
    [first.ascending, [...first.keys()].sort()],
    [
      [7, 9],
      ['7', '9'],
    ],
  );
});

ids.run();
