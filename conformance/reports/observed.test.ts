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
  ...{ id: 's', title: 't', rules: [], observes: ['NS-6', 'NS-18', 'NS-9'], run: async () => {} },
};

const rowsOf = (...observations: Observation[]) => observedRows([scenario], observations);

const observed = suite('observed');

observed('every observable question has a row, observed or not', () => {
  const rows = rowsOf({ id: 'NS-6', text: '400', settings: { batch_refusal_status: 400 } });
  const seen = rows.map(({ id, observed, same }) => `${id} ${observed} ${same}`);
  assert.equal(seen, ['NS-6 400 false', 'NS-9 null null', 'NS-18 null null']);
});

const own = { batch_refusal_status: defaultSettings.batch_refusal_status };
const { choice } = findQuestion('NS-6');
const SEEN: readonly (readonly [
  words: string,
  observation: Omit<Observation, 'id'>,
  same: boolean | null,
  simulator: string,
])[] = [
  ['another choice', { text: '400', settings: { batch_refusal_status: 400 } }, false, choice],
  ['the same choice, in the same words', { text: '422 x', settings: own }, true, '422 x'],
  ['what no setting imitates', { text: '422 x', settings: own, isUnlike: true }, false, choice],
  ['what has no setting', { text: 'id, seq', settings: {} }, null, choice],
];
for (const [words, observation, same, simulator] of SEEN) {
  observed(`${words}: ${same ?? 'undecided'}`, () => {
    const [row] = rowsOf({ id: 'NS-6', ...observation });
    assert.equal([row!.same, row!.simulator], [same, simulator]);
  });
}

observed('two contradicting answers are both reported, and change no setting', () => {
  const seen = ([400, 422] as const).map(
    (status): Observation => ({
      ...{ id: 'NS-6', text: `${status}`, settings: { batch_refusal_status: status } },
    }),
  );
  const [row] = rowsOf(...seen);
  assert.equal([row!.observed, row!.settings], ['400; 422', {}]);
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
  const unknown = (id: Observation['id'], rule: string) => {
    return { id, text: `not known, because ${rule} deviates`, settings: {}, isUnknown: true };
  };
  const observations = soundObservations([
    played([seen('NS-6'), seen('NS-18')], [finding]),
    played([seen('NS-9')], [follows]),
    played([seen('NS-6')], [{ ...finding, verdict: 'passed' }]),
  ]);
  assert.equal(observations, [
    seen('NS-6'),
    unknown('NS-18', 'IDEM-4a'),
    unknown('NS-9', 'IDEM-4d'),
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
