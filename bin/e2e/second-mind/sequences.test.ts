// Random sequences, played on the simulator and on the second mind, which was written apart from
// it: money, references, tags, keys, first deposits, numbers of events, limits come out the same.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play } from '../../dev/sequences/play.ts';
import { Simulator } from '../../dev/sequences/sides.ts';
import { type Step, steps } from '../../dev/sequences/steps.ts';
import type { DefectId } from '../testing/second-mind/defects.ts';

const simulator = await Simulator.start();
const sequences = suite('sequences');

sequences.after(() => simulator.close());

sequences('are answered alike', async () => {
  const property = fc.asyncProperty(
    fc.array(steps, { maxLength: 60, size: 'max' }),
    async (sequence) => assert.equal(await play(simulator, sequence), null),
  );
  await fc.assert(property, { numRuns: 20, seed: 1 });
});

const PERSON = {
  reference: 'ada',
  email: 'ada@x.example',
  phone: null,
  region: null,
  brand: '10',
  first: 'Ada',
  last: null,
};
const create = (as: 'firm' | 'noScopes', reference: string): Step => ({
  kind: 'create',
  as,
  key: null,
  person: { ...PERSON, reference },
});

/** Each with the shortest sequence that shows it. */
const BROKEN: readonly (readonly [DefectId, readonly Step[]])[] = [
  ['acc-create-200', [create('firm', 'ada')]],
  ['acc-reference-case', [create('firm', 'ada'), create('firm', 'ADA')]],
  ['acc-scope-open', [create('noScopes', 'ada')]],
];

for (const [defect, sequence] of BROKEN) {
  sequences(`show what is broken: ${defect}`, async () => {
    const found = await play(simulator, sequence, [defect]);
    assert.ok(found !== null, 'no difference was found');
  });
}

sequences.run();
