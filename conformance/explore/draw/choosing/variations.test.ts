// Checks that what is drawn in other circumstances can still be played, and is what was drawn.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../../fixtures/random.ts';
import { EVERY_CAPABILITY } from '../../../engine/capabilities.ts';
import { callsOf, refersTo, type Step } from '../../sequence.ts';
import type { Drawing } from '../idea.ts';
import { ideas } from '../ideas.ts';
import { Scene } from '../scene.ts';
import { beside, isPlain, vary } from './variations.ts';

const variations = suite('variations');

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);

function drawing(seed: number): Drawing {
  let stems = 0;
  return {
    scene: new Scene('firm'),
    random: new Random(seed),
    disposable: true,
    main: 'firm',
    offers: new Set(EVERY_CAPABILITY),
    crowd: 8,
    most: 4_000,
    stem: () => {
      stems += 1;
      return String(stems);
    },
  };
}

/** Each grid that nothing has to be there for, with those who drew it. */
function* grids() {
  for (const seed of SEEDS) {
    for (const { id, isGrid, when, draw } of ideas) {
      const d = drawing(seed);
      if (isGrid === true && (when?.(d.scene) ?? true)) yield { id, d, steps: draw(d) };
    }
  }
}

const labelsOf = (step: Step): readonly number[] => [step.n, ...callsOf([step]).map(({ n }) => n)];

/** The first reference to what has not been yet; undefined where there is none. */
function tooEarly(steps: readonly Step[]): number | undefined {
  const known = new Set<number>();
  for (const step of steps) {
    const missing = refersTo(step).find((n) => !known.has(n));
    if (missing !== undefined) return missing;
    for (const n of labelsOf(step)) known.add(n);
  }
  return undefined;
}

variations('refer to what was before them, under labels of their own', () => {
  for (const { id, d, steps } of grids()) {
    if (tooEarly(steps) !== undefined) continue;
    const varied = vary(steps, d);
    assert.is(tooEarly(varied), undefined, id);
    const labels = varied.map(({ n }) => n);
    assert.is(new Set(labels).size, labels.length, id);
  }
});

variations('leave out nothing, and keep the order', () => {
  for (const { id, d, steps } of grids()) {
    const own = new Set(steps.map(({ n }) => n));
    const kept = vary(steps, d).filter(({ n }) => own.has(n));
    assert.equal(
      kept.map(({ n }) => n),
      steps.map(({ n }) => n),
      id,
    );
  }
});

variations('come about half of the time, and every one of them', () => {
  let varied = 0;
  let all = 0;
  const found = new Set<string>();
  for (const { d, steps } of grids()) {
    all += 1;
    const after = vary(steps, d);
    if (after === steps) continue;
    varied += 1;
    const own = new Set(steps.map(({ n }) => n));
    const fresh = after.filter(({ n }) => !own.has(n));
    for (const step of fresh) found.add(step.do === 'call' ? step.operation : step.do);
    if (after.at(-1)!.n !== steps.at(-1)!.n) found.add('again');
  }
  assert.ok(varied > all * 0.4 && varied < all * 0.6, `${varied} of ${all}`);
  for (const each of ['bulkCreateAccounts', 'updateAccount', 'mint', 'hook', 'advance', 'again']) {
    assert.ok(found.has(each), each);
  }
});

variations('two grids beside one another keep each its own order', () => {
  const d = drawing(5);
  const steps = [...grids()].filter(({ steps: own }) => isPlain(own));
  const [one, other] = [steps[0]!.steps, steps[1]!.steps.map((step) => ({ ...step }))];
  const both = beside(one, other, d);
  assert.equal(
    both.filter((step) => one.includes(step)),
    one,
  );
  assert.equal(
    both.filter((step) => !one.includes(step)),
    other,
  );
  const [first] = other;
  assert.ok(both.indexOf(first!) < one.length, 'the other one begins before the first has ended');
});

variations('what a fault or a burst is for stands as it was drawn', () => {
  for (const { id, steps } of grids()) {
    const kinds = new Set(steps.map((step) => step.do));
    const isBound = (['fault', 'await', 'burst', 'many', 'listen'] as const).some((each) =>
      kinds.has(each),
    );
    if (isBound) assert.not.ok(isPlain(steps), id);
  }
});

variations.run();
