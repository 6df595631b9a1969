// The open questions over the control plane: all of them, with what is in force beside the default.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { questions } from '../../../fixtures/questions.ts';
import { rules } from '../../../fixtures/rules.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import type { QuestionsShown } from '../schemas/sandbox.ts';
import { createTestPlane } from '../testing/plane.ts';

const open = suite('control: open questions');

const same = <B>(behaviour: B): B => behaviour;

open('lists every question of the register with its settings', async () => {
  const { ask } = await createTestPlane();
  const { status, body } = await ask('GET', 'questions');
  assert.is(status, 200);
  const shown = body as QuestionsShown;
  assert.equal(
    shown.questions.map(({ id }) => id),
    questions.map(({ id }) => id),
  );
  for (const { id, settings, no_setting } of shown.questions) {
    assert.is(settings.length === 0, no_setting !== null, id);
  }
  assert.equal(shown.deviations, []);
  assert.equal(
    shown.rules.map(({ id, words }) => [id, words]),
    rules.map(({ id, words }) => [id, words]),
  );
  for (const { family } of shown.rules) assert.match(family, /^[A-Z]/);
});

open('tells a setting in force from its default, and a deviation in words', async () => {
  const story = 'the answer is printed again from the record as it is now';
  const deviation = {
    id: 'replay-reprints-body',
    story,
    breaks: ['IDEM-4a'] as const,
    override: same,
  };
  const settings = { ...defaultSettings, settlement_delay_ms: 5 };
  const { ask } = await createTestPlane({ options: { settings, deviations: [deviation] } });
  const shown = (await ask('GET', 'questions')).body as QuestionsShown;
  const all = shown.questions.flatMap((question) => question.settings);
  const changed = all.filter((each) => JSON.stringify(each.value) !== JSON.stringify(each.default));
  assert.equal(
    changed.map(({ key, value, default: usual }) => [key, value, usual]),
    [['settlement_delay_ms', 5, 2000]],
  );
  assert.is(shown.deviations[0]?.id, 'replay-reprints-body');
  assert.is(shown.deviations[0]?.breaks.length, 1);
  assert.ok(shown.deviations[0]?.breaks.every(({ words }) => words.length > 10));
});

open.run();
