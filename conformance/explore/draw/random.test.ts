// Checks that chance is the same for the same seed, and that weights are kept to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from './random.ts';

const random = suite('explore random');

const drawn = (seed: number) => {
  const chance = new Random(seed);
  return Array.from({ length: 20 }, () => chance.below(1000));
};

random('the same for the same seed, another for another', () => {
  assert.equal(drawn(7), drawn(7));
  assert.not.equal(drawn(7), drawn(8));
});

random('what weighs nothing is never drawn', () => {
  const chance = new Random(1);
  for (let time = 0; time < 200; time += 1) {
    assert.is(
      chance.weighted(['a', 'b'], (each) => (each === 'b' ? 0 : 1)),
      'a',
    );
  }
});

random.run();
