// Checks the deviations and the record of their proof. `npm run prove` judges the deviations.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../../fixtures/rules.ts';
import { deviations } from '../../simulator/deviations/register.ts';
import { ANY_SCENARIO } from '../dev/prove/expectations.ts';
import { complaintsAbout, playedScenarios } from '../dev/prove/judge.ts';
import { readRecord } from '../dev/prove/record.ts';

const ruleIds = new Set<string>(rules.map(({ id }) => id));

const register = suite('the register of deviations');

register('gives each deviation a unique id and a story', () => {
  assert.is(new Set(deviations.map(({ id }) => id)).size, deviations.length);
  for (const { id, story } of deviations) {
    assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)+$/);
    assert.ok(story.length > 10, `${id} has no story`);
  }
});

register('names no rule as both broken and explained', () => {
  for (const { id, breaks, alsoSeenAs = {} } of deviations) {
    assert.ok(breaks.length > 0, `${id} breaks nothing`);
    for (const rule of breaks) assert.ok(ruleIds.has(rule), `${id} breaks ${rule}`);
    const twice = breaks.filter((rule) => rule in alsoSeenAs);
    assert.equal(twice, [], id);
    for (const [rule, reason] of Object.entries(alsoSeenAs)) {
      assert.ok(reason.trim().length >= 5, `${id} explains ${rule} with nothing`);
    }
  }
});

register.run();

const record = suite('the record of the proof');

record('names rules, scenarios and deviations that exist', () => {
  const scenarioIds = new Set([ANY_SCENARIO, ...playedScenarios.map(({ id }) => id)]);
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
  const missing = playedScenarios.filter(({ id }) => !recorded.has(id));
  assert.equal(
    missing.map(({ id }) => id),
    [],
  );
});

record('shows that each deviation is caught by exactly its rules', () => {
  const recorded = [...readRecord().values()];
  for (const deviation of deviations) {
    const trips = recorded.filter(({ by }) => by.has(deviation.id));
    const deviates = Object.fromEntries(trips.map(({ rule, scenario }) => [rule, [scenario]]));
    assert.equal(complaintsAbout(deviation, { deviates }), [], deviation.id);
  }
});

record.run();
