// time limit: 300 s
// The proof: deviations and their record are sound, and a fixed sample of them is caught by exactly
// its rules. `npm run prove` judges them all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { rules } from '../../fixtures/rules.ts';
import { type Deviation, deviations } from '../../simulator/deviations/register.ts';
import { unbendable } from '../../simulator/deviations/unbendable.ts';
import { playedScenarios, scenariosOf, unplayed } from '../dev/prove/chosen-scenarios.ts';
import { ANY_SCENARIO } from '../dev/prove/expectations.ts';
import { judgeAll, orderOf } from '../dev/prove/gate.ts';
import { type JudgedDeviation, judgeDeviation } from '../dev/prove/judge-deviation.ts';
import { plantedDeviations, plantedScenarios } from '../dev/prove/planted.ts';
import { readRecord, scenariosByDeviation } from '../dev/prove/record.ts';
import { prove, proveConforming } from '../dev/prove/verdict.ts';

const ruleIds = new Set<string>(rules.map(({ id }) => id));

const register = suite('the register of deviations');

register('gives each deviation an id of its own and a story', () => {
  assert.is(new Set(deviations.map(({ id }) => id)).size, deviations.length);
  for (const { id, story } of deviations) {
    assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)+$/);
    assert.ok(story.length > 10, `${id} has no story`);
  }
});

register('names no rule as both broken and explained', () => {
  for (const { id, breaks, alsoSeenAs = {} } of deviations) {
    assert.ok(breaks.length > 0, `${id} breaks nothing`);
    const twice = breaks.filter((rule) => rule in alsoSeenAs);
    assert.equal(twice, [], id);
    for (const [rule, reason] of Object.entries(alsoSeenAs)) {
      assert.ok(reason.trim().length >= 5, `${id} explains ${rule} with nothing`);
    }
  }
});

register('breaks every rule, or says why it cannot', () => {
  const broken = new Set<string>(deviations.flatMap(({ breaks }) => breaks));
  const bare = [...ruleIds].filter((rule) => !broken.has(rule));
  assert.equal(bare, Object.keys(unbendable));
});

register('every rule has a scenario', () => {
  const judged = new Set<string>(scenarios.flatMap((scenario) => [...scenario.rules]));
  assert.equal(
    [...ruleIds].filter((rule) => !judged.has(rule)),
    [],
  );
});

register.run();

const record = suite('the record of the proof');

record('names rules, scenarios and deviations that exist', () => {
  const scenarioIds = new Set([ANY_SCENARIO, ...scenarios.map(({ id }) => id)]);
  const deviationIds = new Set(deviations.map(({ id }) => id));
  for (const { rule, scenario, by } of readRecord().values()) {
    assert.ok(ruleIds.has(rule), `no rule ${rule}`);
    assert.ok(
      scenarioIds.has(scenario),
      `no scenario ${scenario}: npm run prove -- ${rule} --accept`,
    );
    for (const id of by.keys()) assert.ok(deviationIds.has(id), `no deviation ${id}`);
  }
});

record('has an expectation of every scenario that the proof plays', () => {
  const recorded = new Set([...readRecord().values()].map(({ scenario }) => scenario));
  const missing = scenarios.filter(({ id }) => !recorded.has(id) && !(id in unplayed));
  assert.equal(
    missing.map(({ id }) => id),
    [],
  );
});

record('shows that each deviation is caught by exactly its rules', () => {
  const recorded = scenariosByDeviation(readRecord());
  const wrong = deviations.filter((deviation) => {
    const deviates = recorded.get(deviation.id) ?? {};
    return prove(deviation, { deviates }, true).outcome !== 'caught';
  });
  assert.equal(
    wrong.map(({ id }) => id),
    [],
  );
});

record.run();

const gate = suite('the gate');

gate('the conforming service passes every rule', async () => {
  const [first] = await judgeEach([
    { id: 'conforming', scenarios: playedScenarios.map(({ id }) => id) },
  ]);
  const doubtful = [...Object.keys(first!.deviates), ...Object.keys(first!.ungraded)];
  if (doubtful.length === 0) return;
  // Deliveries come over sockets, and late on a busy machine: a surprise has to come twice.
  const again = await judgeDeviation(null, scenariosOf(doubtful));
  assert.equal(proveConforming(again), []);
});

gate('a deviation that proves nothing is reported', async () => {
  const outcomes = await Promise.all(
    plantedDeviations.map(async (each) => {
      // ACC-4 is what one of them breaks without saying so.
      const chosen = [...scenariosOf([...each.breaks, 'ACC-4']), ...plantedScenarios(each.id)];
      return prove(each, await judgeDeviation(each, chosen), true).outcome;
    }),
  );
  assert.equal(outcomes, ['survived', 'blames others', 'fails the judge']);
});

/** One of each family of rules: the first that breaks a rule of it. */
const sample = [...new Set(rules.map(({ id }) => id.replace(/-.*/, '-')))].map(
  (prefix) => deviations.find(({ breaks }) => breaks.some((rule) => rule.startsWith(prefix)))!,
);

gate('a deviation of each family is caught, and no other rule is blamed', async () => {
  const recorded = scenariosByDeviation(readRecord());
  const order = (each: Deviation) =>
    orderOf(each, false, Object.values(recorded.get(each.id) ?? {}).flat());
  const tried = await judgeEach(sample.map(order));
  const wrong = sample
    .map((deviation) => prove(deviation, tried.find(({ id }) => id === deviation.id)!, false))
    .filter(({ outcome }) => outcome !== 'caught');
  assert.equal(wrong, []);
});

async function judgeEach(orders: Parameters<typeof judgeAll>[0]) {
  const tried: JudgedDeviation[] = [];
  await judgeAll(orders, (each) => tried.push(each));
  return tried;
}

gate.run();
