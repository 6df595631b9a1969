// Observations are listed next to the simulator's choice, and written as settings that the simulator
// accepts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../fixtures/config.ts';
import { findQuestion } from '../../fixtures/questions.ts';
import { defaultSettings } from '../../fixtures/settings.ts';
import { notPlayed } from '../engine/judge/verdicts.ts';
import type { Finding, Observation, Scenario } from '../engine/types.ts';
import { observedConfig, observedRows, soundObservations } from './observed.ts';

const scenario: Scenario = {
  id: 's',
  title: 't',
  rules: [],
  observes: ['NS-6', 'NS-18', 'NS-9'],
  run: async () => {},
};

const rowsOf = (...observations: Observation[]) => observedRows([scenario], observations);

const observed = suite('observed');

observed('every observable question has a row, observed or not', () => {
  const rows = rowsOf({ id: 'NS-6', text: '400', settings: { batch_refusal_status: 400 } });
  assert.equal(
    rows.map(({ id, observed: seen, same }) => ({ id, seen, same })),
    [
      { id: 'NS-6', seen: '400', same: false },
      { id: 'NS-9', seen: null, same: null },
      { id: 'NS-18', seen: null, same: null },
    ],
  );
  assert.is(rows[0]!.simulator, findQuestion('NS-6').choice);
});

observed('the same choice has the same description', () => {
  const status = defaultSettings.batch_refusal_status;
  const [row] = rowsOf({
    id: 'NS-6',
    text: '422 validation_failed',
    settings: { batch_refusal_status: status },
  });
  assert.is(row!.same, true);
  assert.is(row!.simulator, '422 validation_failed');
});

observed('a difference that no setting imitates is reported with the choice', () => {
  const [row] = rowsOf({
    ...{ id: 'NS-6', text: '422 with a smile', isUnlike: true },
    settings: { batch_refusal_status: defaultSettings.batch_refusal_status },
  });
  assert.is(row!.same, false);
  assert.is(row!.simulator, findQuestion('NS-6').choice);
});

observed('without a setting, `same` is not decided', () => {
  const [, row] = rowsOf({ id: 'NS-9', text: 'id, seq', settings: {} });
  assert.is(row!.same, null);
});

observed('two contradicting answers are both reported, and change no setting', () => {
  const [row] = rowsOf(
    { id: 'NS-6', text: '400', settings: { batch_refusal_status: 400 } },
    { id: 'NS-6', text: '422', settings: { batch_refusal_status: 422 } },
  );
  assert.is(row!.observed, '400; 422');
  assert.equal(row!.settings, {});
});

observed('a scenario in which a rule deviates shows nothing of an open question', () => {
  const played = (observations: Observation[], findings: Finding[]) => ({
    ...{ ...notPlayed(scenario, [], 'passed', ''), observations, findings },
  });
  const finding: Finding = {
    ...{ rules: ['IDEM-4a'], verdict: 'deviates', expected: '201', actual: '200', exchanges: [] },
  };
  const follows: Finding = { ...finding, verdict: 'blocked', explainedBy: 'IDEM-4d' };
  const seen = (id: Observation['id']): Observation => ({ id, text: 'odd', settings: { a: 1 } });
  const observations = soundObservations([
    played([seen('NS-6'), seen('NS-18')], [finding]),
    played([seen('NS-9')], [follows]),
    played([seen('NS-6')], [{ ...finding, verdict: 'passed' }]),
  ]);
  assert.equal(observations, [
    seen('NS-6'),
    { id: 'NS-18', text: 'not known, because IDEM-4a deviates', settings: {} },
    { id: 'NS-9', text: 'not known, because IDEM-4d deviates', settings: {} },
  ]);
});

observed('the simulator accepts the config; behaviour that it cannot imitate is named', () => {
  const rows = rowsOf(
    { id: 'NS-6', text: '400', settings: { batch_refusal_status: 400 } },
    { id: 'NS-18', text: '418', settings: { missing_if_match: 418 } },
    { id: 'NS-9', text: 'x', settings: { no_such_setting: 1 } },
  );
  const { config, dropped } = observedConfig(rows);
  assert.equal(config, { settings: { batch_refusal_status: 400 } });
  assert.is(dropped.length, 2);
  assert.match(dropped.join('\n'), 'NS-18: missing_if_match');
  assert.is(parseConfig(config).config?.settings.batch_refusal_status, 400);
});

observed.run();
