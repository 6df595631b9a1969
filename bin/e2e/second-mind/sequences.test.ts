// Long sequences drawn by chance, played on the second mind, which was written apart from the
// simulator, and on the simulator: money, references, tags, keys, first deposits, events, limits
// come out the same.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { exploreOne } from '../../dev/prove-explorer/explore-one.ts';
import { secondMind } from '../../dev/prove-explorer/subjects.ts';
import { type DefectId, defects } from '../testing/second-mind/defects.ts';

const sequences = suite('sequences');

function explored(requests: number, defect?: DefectId) {
  return exploreOne(
    secondMind(
      'plain',
      defects.find(({ id }) => id === defect),
    ),
    {
      ...{ seed: 1, requests, length: 60, all: false, learned: defaultSettings },
      signal: new AbortController().signal,
    },
  );
}

sequences('are answered alike', async () => {
  const { found, inconclusive, requests } = await explored(300);
  assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
  assert.is(requests, 300);
});

const BROKEN: readonly DefectId[] = ['acc-create-200', 'acc-reference-case', 'acc-scope-open'];

for (const defect of BROKEN) {
  sequences(`show what is broken: ${defect}`, async () => {
    const { found, breaks } = await explored(1000, defect);
    const [first] = found;
    assert.ok(first !== undefined, 'no difference was found');
    assert.ok(breaks.includes(first.rules[0] ?? ''), first.rules.join(' '));
    assert.ok(first.calls <= 3, `${first.calls} calls`);
  });
}

sequences.run();
