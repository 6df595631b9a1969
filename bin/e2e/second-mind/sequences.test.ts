// Long sequences drawn by chance, played on the second mind, which was written apart from the
// simulator, and on the simulator: money, references, tags, keys, first deposits, events, limits
// come out the same.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sequence, Step } from '../../../conformance/explore/sequence.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { exploreOne } from '../../dev/prove-explorer/explore-one.ts';
import { secondMind } from '../../dev/prove-explorer/subjects.ts';
import { type DefectId, defects } from '../testing/second-mind/defects.ts';

const sequences = suite('sequences');

function explored(requests: number, defect?: DefectId, sequence?: Sequence) {
  return exploreOne(
    secondMind(
      'plain',
      defects.find(({ id }) => id === defect),
    ),
    {
      ...{ seed: 1, requests, length: 60, all: false, learned: defaultSettings },
      ...(sequence && { sequence }),
      signal: new AbortController().signal,
    },
  );
}

sequences('are answered alike', async () => {
  const { found, inconclusive, requests } = await explored(300);
  assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
  assert.is(requests, 300);
});

// NS-1: the second mind shows the id of the order in the event of its position.
sequences('may tell two subscriptions of one position under an id of their own', async () => {
  const call = { do: 'call', as: 'firm' } as const;
  const subscribed = (n: number, event_categories: readonly string[]): Step => {
    return {
      ...{ ...call, n, operation: 'createWebhook' },
      body: { url: { $of: 3, at: 'url' }, event_categories },
    };
  };
  const sequence: readonly Step[] = [
    {
      ...{ ...call, n: 1, operation: 'createAccount', key: { $fresh: 'k1' } },
      body: {
        client_reference_id: { $fresh: 'a' },
        email: { $join: [{ $fresh: 'a' }, '@explore.example.com'] },
        brand_id: { $role: 'firm', has: 'brand' },
      },
    },
    { do: 'open', n: 2, account: { $of: 1, at: 'id' } },
    { do: 'hook', n: 3, answers: [200] },
    subscribed(4, ['position']),
    subscribed(5, ['order', 'position']),
    {
      ...{ ...call, n: 6, operation: 'openPosition', key: { $fresh: 'k2' } },
      body: {
        trading_account_id: { $of: 2, at: 'trading_account_id' },
        ...{ instrument: 'GBPUSD', side: 'buy', volume: '1' },
      },
    },
  ];
  const { found, inconclusive } = await explored(100, undefined, { steps: sequence });
  assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
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
