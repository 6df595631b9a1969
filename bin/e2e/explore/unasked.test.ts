// Checks what becomes of open questions that nobody has asked the target about: what it does
// shows them by and by, several in one call, and it is accused of none.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ideas as everyIdea } from '../../../conformance/explore/draw/ideas.ts';
import { explore } from '../../../conformance/explore/explore.ts';
import { rulesFor } from '../../../conformance/explore/findings/rules.ts';
import { unaskedIn } from '../../../conformance/explore/learn.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';

const unasked = suite('open questions that nobody has asked');

const OTHER = {
  absent_optionals: 'empty',
  account_named_after_email: 'local_part',
  phone_form: 'digits',
  webhook_create_status: 200,
} as const satisfies Partial<Settings>;

async function explored(asked: boolean, bends: readonly Deviation[] = []) {
  const target = await simulatorModel({ ...defaultSettings, ...OTHER }, bends);
  try {
    return await explore({
      provider: target.provider,
      sender: target.sender,
      makeModel: (wanted) => simulatorModel({ ...defaultSettings, ...wanted }),
      settings: {},
      unasked: unaskedIn(asked ? defaultSettings : {}),
      ideas: everyIdea.filter(({ id }) => /^(account|update|webhook)\//.test(id)),
      seed: 3,
      requests: 600,
      untilMs: Number.POSITIVE_INFINITY,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      crowd: 8,
      width: 1,
    });
  } finally {
    await target.close();
  }
}

unasked('are learned from what it shows', async () => {
  const { found, unexplained, learned, agreed } = await explored(false);
  assert.equal(found, []);
  assert.equal(unexplained, []);
  assert.equal(learned, OTHER);
  assert.ok(agreed > 4, `only ${agreed} sequences agreed`);
});

unasked(
  'have been answered where they were asked, and another answer is a difference',
  async () => {
    const { found, learned } = await explored(true);
    assert.equal(learned, {});
    assert.ok(found.length > 0);
  },
);

unasked('hide nothing that deviates', async () => {
  const bend = findDeviation('replay-of-updates-runs');
  assert.ok(bend);
  const { found } = await explored(false, [bend]);
  const rules = found.flatMap((each) => rulesFor(each).slice(0, 1));
  assert.ok(
    rules.length > 0 && rules.every((rule) => bend.breaks.includes(rule as never)),
    rules.join(),
  );
});

unasked.run();
