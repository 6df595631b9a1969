// Checks that the plainest form of an open question tells its answers apart: a target that answers
// it as the model does has answered it, and no other answer is left for it elsewhere.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explore } from '../../../conformance/explore/explore.ts';
import { plainFormOf } from '../../../conformance/explore/open/one-answer.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';

const oneAnswer = suite('the plainest form of an open question');

const OTHER = {
  reject_from_approved: 'rejected',
  cancel_from_approved: 'cancelled',
  reject_from_settled: 'rejected',
  approve_from_settled: 'refused',
} as const;

/** How often it was seen that the target answers otherwise than a model as it comes. */
async function seen(setting: keyof typeof OTHER, settings: Partial<Settings>): Promise<number> {
  const target = await simulatorModel({ ...defaultSettings, ...settings });
  try {
    const { mainRole, offers } = await target.provider.shared();
    const form = plainFormOf(setting, offers, mainRole);
    assert.ok(form, setting);
    const { open, found, inconclusive } = await explore({
      ...{ provider: target.provider, sender: target.sender, sequences: [form!] },
      makeModel: (wanted) => simulatorModel({ ...defaultSettings, ...wanted }),
      ...{ settings: {}, seed: 1, requests: 400, crowd: 8, width: 1, timeoutMs: 10_000 },
      ...{ untilMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
    });
    assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
    return open.get('NS-4') ?? 0;
  } finally {
    await target.close();
  }
}

for (const [setting, other] of Object.entries(OTHER) as [keyof typeof OTHER, never][]) {
  oneAnswer(`NS-4: ${setting} is answered as the model does, or is seen not to be`, async () => {
    assert.is(await seen(setting, {}), 0);
    assert.ok((await seen(setting, { [setting]: other })) > 0);
  });
}

oneAnswer.run();
