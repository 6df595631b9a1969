// time limit: 300 s
// The proof: the register is sound, and deviations are caught by exactly their rules. Here a sample
// of them, another one each day; `npm run prove` tries them all.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { rules } from '../../fixtures/rules.ts';
import { sampleOfDay } from '../../fixtures/testing/sample-of-day.ts';
import { type Deviation, deviations } from '../../simulator/deviations/register.ts';
import { unbendable } from '../../simulator/deviations/unbendable.ts';
import { judgeAll } from '../dev/prove/gate.ts';
import { type JudgedDeviation, judgeDeviation, scenariosOf } from '../dev/prove/judge-deviation.ts';
import { plantedDeviations, plantedScenarios } from '../dev/prove/planted.ts';
import { prove, proveConforming } from '../dev/prove/verdict.ts';
import { root } from '../dev/root.ts';

const known = new Set<string>(rules.map(({ id }) => id));

async function tryEach(all: readonly (Deviation | null)[], whole: boolean) {
  const tried = new Map<string, JudgedDeviation>();
  await judgeAll(all, whole, (each) => tried.set(each.id, each));
  return tried;
}

const register = suite('the register of deviations');

register('has at least 250, each with a name of its own and a story', () => {
  assert.ok(deviations.length >= 250, `${deviations.length} deviations`);
  assert.is(new Set(deviations.map(({ id }) => id)).size, deviations.length);
  for (const { id, story } of deviations) {
    assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)+$/);
    assert.ok(story.length > 10, `${id} has no story`);
  }
});

register('names rules that exist, and never one as broken and explained', () => {
  for (const { id, breaks, alsoSeenAs = {} } of deviations) {
    assert.ok(breaks.length > 0, `${id} breaks nothing`);
    const unknown = [...breaks, ...Object.keys(alsoSeenAs)].filter((rule) => !known.has(rule));
    assert.equal(unknown, [], id);
    const twice = breaks.filter((rule) => rule in alsoSeenAs);
    assert.equal(twice, [], id);
    for (const [rule, reason] of Object.entries(alsoSeenAs)) {
      assert.ok(reason.trim().length >= 5, `${id} explains ${rule} with nothing`);
    }
  }
});

register('breaks every rule, or says why it cannot', () => {
  const broken = new Set<string>(deviations.flatMap(({ breaks }) => breaks));
  const bare = [...known].filter((rule) => !broken.has(rule));
  assert.equal(bare, Object.keys(unbendable));
  for (const reason of Object.values(unbendable)) assert.ok(reason.length > 40, reason);
});

register('every rule has a scenario', () => {
  const judged = new Set<string>(scenarios.flatMap((scenario) => [...scenario.rules]));
  assert.equal(
    [...known].filter((rule) => !judged.has(rule)),
    [],
  );
});

register.run();

const gate = suite('the gate');

gate('the conforming service passes every rule', async () => {
  const tried = await tryEach([null], true);
  const { deviates, ungraded } = tried.get('conforming')!;
  const doubtful = [...Object.keys(deviates), ...Object.keys(ungraded)];
  if (doubtful.length === 0) return;
  // Deliveries come over sockets, and late where the machine is busy: what is wrong is wrong twice.
  const again = await judgeDeviation(null, scenariosOf(doubtful));
  assert.equal(proveConforming(again), []);
});

gate('what proves nothing is called so', async () => {
  const outcomes = await Promise.all(
    plantedDeviations.map(async (each) => {
      // ACC-4 is what one of them breaks in secret.
      const chosen = [...scenariosOf([...each.breaks, 'ACC-4']), ...plantedScenarios(each.id)];
      return prove(each, await judgeDeviation(each, chosen), true).outcome;
    }),
  );
  assert.equal(outcomes, ['survived', 'blames others', 'fails the judge']);
});

const sample = sampleOfDay('the proof', deviations, 24);

gate('every deviation of the sample is caught, and nothing else is blamed', async () => {
  const tried = await tryEach(sample, false);
  // Some bends are races: what the first look misses on a busy machine gets a second one.
  const missed = sample.filter(
    (each) => prove(each, tried.get(each.id)!, false).outcome !== 'caught',
  );
  for (const [id, again] of await tryEach(missed, false)) tried.set(id, again);
  const wrong = sample
    .map((deviation) => prove(deviation, tried.get(deviation.id)!, false))
    .filter(({ outcome }) => outcome !== 'caught')
    .map(({ id, outcome, unnoticed, blamed, failed }) => ({
      id,
      outcome,
      unnoticed,
      blamed,
      failed,
    }));
  assert.equal(wrong, []);
});

gate('the committed matrix is of these deviations, and each is caught in it', () => {
  const { matrix } = JSON.parse(readFileSync(join(root, 'fixtures', 'proof.json'), 'utf8')) as {
    matrix: Readonly<Record<string, JudgedDeviation['deviates']>>;
  };
  assert.equal(
    Object.keys(matrix),
    deviations.map(({ id }) => id),
    'npm run prove -- --full ID tries one anew',
  );
  const wrong = deviations.filter(
    (each) => prove(each, { deviates: matrix[each.id] ?? {} }, true).outcome !== 'caught',
  );
  assert.equal(
    wrong.map(({ id }) => id),
    [],
  );
});

gate.run();
