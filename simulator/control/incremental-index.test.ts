// A Map that grows is followed without walking through it again, and anew when something was
// removed.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { incrementalIndex, placeAfter, sortedIds } from './incremental-index.ts';

const growing = suite('control: growing');

growing('takes each entry once, as it comes', () => {
  const taken: string[] = [];
  const follow = incrementalIndex<string, number, string[]>({
    begin: () => taken,
    take: (state, key, value) => state.push(`${key}${value}`),
  });
  const map = new Map([['a', 1]]);
  assert.equal(follow(map), ['a1']);
  assert.equal(follow(map), ['a1']);
  map.set('a', 5).set('b', 2);
  assert.equal(follow(map), ['a1', 'b2']);
  map.set('c', 3).set('d', 4);
  assert.equal(follow(map), ['a1', 'b2', 'c3', 'd4']);
});

growing('begins anew when entries went', () => {
  const follow = incrementalIndex<string, number, string[]>({
    begin: () => [],
    take: (state, key) => state.push(key),
  });
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  assert.equal(follow(map), ['a', 'b']);
  map.delete('a');
  assert.equal(follow(map), ['b']);
  map.set('c', 1);
  assert.equal(follow(map), ['b', 'c']);
});

growing('an empty map that fills up later is followed too', () => {
  const map = new Map<string, number>();
  assert.equal(sortedIds(map), []);
  map.set('5', 1);
  assert.equal(sortedIds(map), [5]);
});

growing('ids are ascending whatever order they came in', () => {
  const map = new Map(['30', '10', '20', '31', '5'].map((id) => [id, 0]));
  assert.equal(sortedIds(map), [5, 10, 20, 30, 31]);
  map.set('25', 0).set('100', 0);
  assert.equal(sortedIds(map), [5, 10, 20, 25, 30, 31, 100]);
});

growing('finds the first place after an id', () => {
  const ids = [5, 10, 20];
  const places = [0, 4, 5, 9, 10, 19, 20, 99].map((id) => placeAfter(ids, id));
  assert.equal(places, [0, 0, 1, 1, 2, 2, 3, 3]);
  assert.is(placeAfter([], 1), 0);
});

growing.run();
