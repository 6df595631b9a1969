// Medians and ratios of the bench, and when an aim counts as met.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../root.ts';
import { median, medianRatio, meetsAim, placeTable, printFigures } from './figures.ts';

const figures = suite('figures');

figures('the median is the middle, whatever the order', () => {
  assert.is(median([9, 1, 5]), 5);
  assert.is(median([4, 1, 3, 2]), 2.5);
  assert.is(median([10, 9, 100]), 10);
  assert.throws(() => median([]), /at least one/);
});

figures('ratios are taken round by round', () => {
  // The second round ran on a machine half as fast: the ratio is the same.
  assert.is(medianRatio([50, 25, 50], [100, 50, 100]), 0.5);
  assert.throws(() => medianRatio([1], [1, 2]), /same rounds/);
});

figures('an aim is met or missed', () => {
  const figure = { name: 'x', value: '1' };
  assert.is(meetsAim(figure), undefined);
  assert.is(meetsAim({ ...figure, ratio: 0.5, aim: { atLeast: 0.5 } }), true);
  assert.is(meetsAim({ ...figure, ratio: 0.49, aim: { atLeast: 0.5 } }), false);
  assert.is(meetsAim({ ...figure, ratio: 2.3, aim: { atMost: 2.2 } }), false);
  assert.is(meetsAim({ ...figure, measured: 79, ratio: 9, aim: { atMost: 80 } }), true);
  const table = printFigures([{ ...figure, ratio: 0.4, aim: { atLeast: 0.5 } }]);
  assert.match(table, '0.40 x');
  assert.match(table, 'MISSED');
});

figures(
  'a table takes the place of the one before, and a page without a place for it is told',
  () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const once = placeTable(readme, '| a |');
    assert.match(once, '| a |\n\n</details>');
    const twice = placeTable(once, '| b |');
    assert.is(twice, once.replace('| a |', '| b |'));
    assert.throws(() => placeTable('# A page', '| a |'), /has no "<!-- npm run bench/);
  },
);

figures.run();
