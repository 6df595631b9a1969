// Checks that a target is accused of nothing that it settles later than anybody has watched it, and
// of settling sooner than it was seen to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explore } from '../../../conformance/explore/explore.ts';
import type { Sequence, Step, Value } from '../../../conformance/explore/sequence.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';

const settling = suite('what settles after more than an hour');

const HOUR_MS = 3_600_000;
const account: Value = { $of: 1, at: 'id' };
const call = { do: 'call', as: 'firm' } as const;
const deposit = (n: number, key: string): Step => ({
  ...call,
  n,
  operation: 'createTransaction',
  key: { $fresh: key },
  body: {
    client_reference_id: { $fresh: 'deposit' },
    account_id: account,
    trading_account_id: { $of: 2, at: 'trading_account_id' },
    currency: 'USD',
    amount: '25.00',
    transaction_type: 'Deposit',
  },
});

/** A deposit that is told to a subscriber and approved, and looked at again after a pause. */
const afterPause = (byMs: number): Sequence => ({
  steps: [
    {
      ...call,
      n: 1,
      operation: 'createAccount',
      key: { $fresh: 'account' },
      body: {
        client_reference_id: { $fresh: 'person' },
        email: { $join: [{ $fresh: 'person' }, '@explore.example.com'] },
        brand_id: { $role: 'firm', has: 'brand' },
      },
    },
    { do: 'open', n: 2, account },
    { do: 'hook', n: 3, answers: [200] },
    {
      ...call,
      n: 4,
      operation: 'createWebhook',
      body: { url: { $of: 3, at: 'url' }, event_categories: ['transaction'] },
    },
    deposit(5, 'first'),
    {
      ...call,
      n: 6,
      operation: 'approveTransaction',
      id: { $of: 5, at: 'id' },
      query: { account_id: account },
      key: { $fresh: 'approve' },
    },
    { do: 'advance', n: 7, byMs },
    deposit(8, 'again'),
  ],
});

async function foundIn(sequence: Sequence, settlesAfterMs: number): Promise<readonly string[]> {
  const settings = { ...defaultSettings, settlement_delay_ms: settlesAfterMs };
  const target = await simulatorModel(settings);
  try {
    const { found, inconclusive } = await explore({
      provider: target.provider,
      sender: target.sender,
      makeModel: (wanted) => simulatorModel({ ...defaultSettings, ...wanted }),
      settings: { settlement_delay_ms: null },
      sequences: [sequence],
      seed: 1,
      requests: 500,
      untilMs: Number.POSITIVE_INFINITY,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      crowd: 8,
      width: 1,
    });
    assert.equal(inconclusive, []);
    return found.map(({ difference: { operation, at } }) => `${operation} ${at}`);
  } finally {
    await target.close();
  }
}

settling('is no difference (NS-3)', async () => {
  assert.equal(await foundIn(afterPause(3 * HOUR_MS), 2 * HOUR_MS), []);
});

settling('is one within the hour in which it was seen to settle nothing', async () => {
  assert.is.not((await foundIn(afterPause(HOUR_MS / 2), HOUR_MS / 4)).length, 0);
});

settling.run();
