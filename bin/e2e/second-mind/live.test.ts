// The explorer on a target as a partner has it: a profile in place of a control plane, a clock that
// runs, accounts that outlive the run.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ideas } from '../../../conformance/explore/draw/ideas.ts';
import { explore } from '../../../conformance/explore/explore.ts';
import type { Sequence, Step } from '../../../conformance/explore/sequence.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';
import { type Explored, exploreOne } from '../../dev/prove-explorer/explore-one.ts';
import { liveSandbox } from '../../dev/prove-explorer/live.ts';
import { liveSecondMind, type Subject } from '../../dev/prove-explorer/subjects.ts';
import { defects } from '../testing/second-mind/defects.ts';

const live = suite('explore a live target');

const signal = new AbortController().signal;
/** But those of a trader's token, which is held to five calls a second whatever is agreed on. */
const money = ideas.filter(
  ({ id }) => /^(place|transaction|decide|position)\//.test(id) && !/delegated|read_only/.test(id),
);

function explored(subject: Subject, requests: number, sequence?: Sequence): Promise<Explored> {
  const given = sequence === undefined ? { ideas: money } : { sequence };
  const learned = subject.settings ?? defaultSettings;
  // This seed has all kinds of calls early; others begin with what takes money alone.
  return exploreOne(subject, { seed: 3, requests, all: true, signal, learned, ...given });
}

function sandbox(settlesAfterMs: number | null, ...deviations: readonly string[]): Subject {
  const settings = { ...defaultSettings, settlement_delay_ms: settlesAfterMs };
  const open = () => liveSandbox(settings, deviations);
  return { id: 'live', kind: 'live', breaks: [...deviations], settings, open };
}

const OF_MONEY = [
  ...['createTransaction', 'approveTransaction', 'rejectTransaction', 'cancelTransaction'],
  ...['openPosition', 'closePosition'],
];

live('money and positions are drawn at the accounts of the profile, and agree', async () => {
  for (const subject of [liveSecondMind('plain'), sandbox(0)]) {
    const { found, inconclusive, operations } = await explored(subject, 250);
    assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
    for (const each of OF_MONEY) assert.ok((operations[each] ?? 0) > 0, each);
  }
});

const call = { do: 'call', as: 'firm' } as const;
const query = { account_id: { $of: 1, at: 'account_id' } };
const paid = (n: number, key: string): Step => ({
  ...{ ...call, n, operation: 'createTransaction', key: { $fresh: key } },
  body: {
    ...{ client_reference_id: { $fresh: 't' }, amount: '1.00', transaction_type: 'Deposit' },
    account_id: { $of: 1, at: 'account_id' },
    trading_account_id: { $of: 1, at: 'trading_account_id' },
    currency: { $of: 1, at: 'currency' },
  },
});
const decided = (n: number, verb: 'approve' | 'cancel', key: string): Step => ({
  ...{ ...call, n, key: { $fresh: key }, id: { $of: 2, at: 'id' }, query },
  ...(verb === 'approve'
    ? { operation: 'approveTransaction' }
    : { operation: 'cancelTransaction', body: { reason: 'late' } }),
});
const created = (n: number): Step => ({
  ...{ ...call, n, operation: 'createAccount', key: { $fresh: `k${n}` } },
  body: {
    client_reference_id: { $fresh: `a${n}` },
    email: { $join: [{ $fresh: `a${n}` }, '@explore.example.com'] },
    brand_id: { $role: 'firm', has: 'brand' },
  },
});
const place: Step = { do: 'place', n: 1, kind: 'trading_account' };
const approvedTwice: readonly Step[] = [
  ...[place, paid(2, 'a'), decided(3, 'approve', 'b'), paid(4, 'c')],
  decided(5, 'approve', 'd'),
];
const takenBack: readonly Step[] = [
  ...[place, paid(2, 'a'), decided(3, 'approve', 'b')],
  ...[decided(4, 'cancel', 'c'), paid(5, 'd')],
];

live('what has settled by itself meanwhile is no difference, at once or at length', async () => {
  for (const delay of [0, null]) {
    for (const steps of [approvedTwice, takenBack]) {
      const { found, inconclusive } = await explored(sandbox(delay), 60, { steps });
      assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
    }
  }
});

live('what a play has made is told of though it ends half-way', async () => {
  const opened = await liveSandbox(defaultSettings);
  try {
    const steps = Array.from({ length: 40 }, (_, at) => created(at + 1));
    const { provider, sender } = opened;
    const { requests, inventory } = await explore({
      ...{ provider, sender, signal, settings: {}, seed: 1, crowd: 1, width: 1 },
      makeModel: (wanted) => simulatorModel({ ...defaultSettings, ...wanted }),
      ...{ requests: 30, untilMs: Number.POSITIVE_INFINITY, timeoutMs: 10_000 },
      sequences: [{ steps }],
    });
    assert.is(requests, 30);
    assert.ok(inventory!.accounts > 10, `${inventory!.accounts} accounts`);
  } finally {
    await opened.close();
  }
});

live('a transaction that settled and is on its way again is one', async () => {
  const subject = sandbox(0, 'cancelled-settled-reads-settled');
  const { found } = await explored(subject, 60, { steps: takenBack });
  assert.is.not(found.length, 0);
});

live(
  'a credential whose brand the profile does not say makes accounts of the main one',
  async () => {
    const created: Step = {
      ...{ ...call, n: 1, as: 'no_amend', operation: 'createAccount', key: { $fresh: 'a' } },
      body: {
        client_reference_id: { $fresh: 'a' },
        email: { $join: [{ $fresh: 'a' }, '@explore.example.com'] },
        brand_id: { $role: 'no_amend', has: 'brand' },
      },
    };
    const { found, inconclusive } = await explored(sandbox(0), 60, { steps: [created] });
    assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
  },
);

live('whatever was paid in before, nothing is a first deposit any more', async () => {
  const { found } = await explored(sandbox(null, 'ftd-on-every-deposit'), 250);
  const rules = found.flatMap((each) => each.rules[0] ?? []);
  assert.ok(rules.includes('TXS-2'), rules.join(' '));
});

/** What the other style answers to open questions that calls about positions meet. */
const OTHER: Settings = {
  ...defaultSettings,
  ...{ open_position_status: 200, close_position_status: 200, unknown_fields: 'refused' },
  ...{ absent_optionals: 'empty', account_named_after_email: 'local_part', phone_form: 'digits' },
  ...{ first_revision: 100, revision_step: 10, id_leading_zeros: 'refused' },
  ...{ error_entry: 'text', unparsable_status: 422, unreadable_status: 400 },
};

// NS-1: what is taken was found out before; POS-3 and POS-4 are broken in any form.
live('positions of another form are compared by what they are', async () => {
  const { opening, closing } = {
    opening: {
      terms: { symbol: 'EURUSD', direction: 'long', lots: '0.10' },
      other: { symbol: 'GBPUSD', direction: 'short', lots: '0.20' },
    },
    closing: { name: 'ticket', path: 'ticket', terms: {} },
  };
  const positions = ideas.filter(({ id }) => /^(place|position|burst)\/|orders$/.test(id));
  const given = { seed: 1, requests: 200, all: true, signal, learned: OTHER, ideas: positions };
  const ids = [undefined, 'pos-key-for-all', 'pos-shared-key'];
  const [whole, ...broken] = await Promise.all(
    ids.map((id) =>
      exploreOne(
        liveSecondMind(
          'other',
          defects.find((each) => each.id === id),
        ),
        { ...given, orders: { opening, closing } },
      ),
    ),
  );
  assert.equal(whole!.found, []);
  assert.ok((whole!.operations.closePosition ?? 0) > 0);
  assert.equal(
    broken.map(({ found: [first] }) => first?.rules[0]),
    ['POS-4', 'POS-3'],
  );
});

live.run();
