// The explorer on a target with a profile and no control plane: the requests it sends, the records it
// leaves, and that money which settles automatically is no difference.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { socketSender } from '../../../conformance/engine/send/sender.ts';
import type { ExploreReport } from '../../../conformance/explore/report/report.ts';
import type { Step, Value } from '../../../conformance/explore/sequence.ts';
import { type Profile, parseProfile } from '../../../conformance/providers/profile.ts';
import { profileProvider } from '../../../conformance/providers/profile-provider.ts';
import { runExplore } from '../../commands/conformance/testing/run-judge.ts';
import { onLiveTarget, profileOfSandbox } from '../testing/live-profile.ts';
import { type Passed, sandboxed } from '../testing/sandboxed.ts';
import { createAccount, explored } from './testing/explored.ts';

const live = suite('explore a live target');

/** Explores a sandbox with its profile, through a gateway that records every request. */
async function explore(over: object, given: Readonly<Record<string, string>>) {
  const seen: Passed[] = [];
  const note = (passed: Passed) => {
    seen.push(passed);
    return false;
  };
  const change = (profile: Profile) => ({ ...profile, ...over });
  const target = { rates: { per_second: 400 }, gateway: { note }, change };
  const report = await onLiveTarget(target, async ({ given: { json: _, ...live }, cwd }) => {
    writeFileSync(join(cwd, 'm.json'), '{}');
    const options = { ...live, ...given, model: 'm.json', report: ['json=r.json'] };
    await runExplore(options, { cwd });
    return JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as ExploreReport;
  });
  return { seen, report };
}

const ORDER = { instrument: 'EURUSD', side: 'buy', volume: '0.01' };
const positions = { open: { body: ORDER }, close: { body: {} } };
const idsOf = (seen: readonly Passed[], path: RegExp) =>
  seen
    .filter((each) => each.method === 'POST' && path.test(each.path) && each.status < 300)
    .flatMap(({ answer }) => {
      const rows = (answer.rows ?? [answer]) as readonly { readonly id?: unknown }[];
      return rows.map(({ id }) => String(id));
    });

live(
  'it writes to its own records, sends the orders of the profile, and says what is left',
  async () => {
    const { seen, report } = await explore({ positions }, { requests: '80', seed: '2' });
    assert.equal(report.differences, []);
    const accounts = new Set(idsOf(seen, /\/accounts(\/bulk)?$/));
    for (const { method, path } of seen) {
      const [, id] = /^\/api\/v1\/accounts\/(\d+)$/.exec(path) ?? [];
      if (method === 'PATCH' && id !== undefined) {
        assert.ok(accounts.has(id) || id === '999999999999', path);
      }
    }
    const orders = seen.filter(({ path }) => path.endsWith('/positions/open'));
    assert.ok(orders.length > 0, 'orders are sent');
    for (const { body } of orders) assert.equal(body.volume ?? '0.01', '0.01');
    const urls = seen.filter(({ path, method }) => path.endsWith('/webhooks') && method === 'POST');
    const foreign = urls.flatMap(({ status, body: { url } }) => {
      return status < 300 && !/tunnel\.example\.com/.test(String(url)) ? [url] : [];
    });
    assert.equal(foreign, []);
    const { made, enabled, positions: left } = report.inventory;
    assert.is(made.subscriptions, new Set(idsOf(seen, /\/webhooks$/)).size);
    assert.is(
      made.accounts + made.bulk_accounts,
      [...accounts].filter((id) => id !== 'null').length,
    );
    assert.equal(enabled, []);
    // The inventory is complete: the records that were opened and never closed, and nothing else.
    const served = seen.filter(({ status }) => status < 300);
    const of = (path: RegExp) => served.filter((each) => path.test(each.path));
    const closed = new Set(of(/\/positions\/close$/).map(({ body }) => String(body.position_id)));
    const opened = of(/\/positions\/open$/).map(({ answer }) => String(answer.position_id));
    assert.equal(
      [...(left ?? [])].sort(),
      [...new Set(opened)].filter((id) => !closed.has(id)).sort(),
    );
  },
);

live('without templates it sends no order, and it keeps to --max-rate', async () => {
  const { seen, report } = await explore({}, { requests: '60', maxRate: '20' });
  assert.equal(report.differences, []);
  const orders = seen.filter(({ path }) => /\/positions\//.test(path));
  assert.equal(orders, []);
  const times = seen.map(({ atMs }) => atMs).sort((one, other) => one - other);
  const most = times.map((from) => times.filter((at) => at >= from && at < from + 1000).length);
  // One second's allowance in a burst, and the refill of one second.
  assert.ok(Math.max(...most) <= 41, `${Math.max(...most)} requests in a second`);
});

const call = { do: 'call', as: 'firm' } as const;
const at = (name: string): Value => ({ $of: 1, at: name });
const query = { account_id: at('account_id') };
const pay = (n: number, key: string): Step => ({
  ...{ ...call, n, operation: 'createTransaction', key: { $fresh: key } },
  body: {
    ...{ client_reference_id: { $fresh: 't' }, amount: '1.00', transaction_type: 'Deposit' },
    ...{ account_id: at('account_id'), currency: at('currency') },
    trading_account_id: at('trading_account_id'),
  },
});
const decide = (n: number, verb: 'approve' | 'cancel', key: string): Step => ({
  ...{ ...call, n, key: { $fresh: key }, id: { $of: 2, at: 'id' }, query },
  ...(verb === 'approve'
    ? { operation: 'approveTransaction' }
    : { operation: 'cancelTransaction', body: { reason: 'late' } }),
});
const approved: readonly Step[] = [
  { do: 'place', n: 1, kind: 'trading_account' },
  ...[pay(2, 'a'), decide(3, 'approve', 'b')],
];
const ROWS: readonly (readonly [words: string, steps: readonly Step[], delayMs: number | null])[] =
  [
    ['approved twice, settled at once', [...approved, pay(4, 'c'), decide(5, 'approve', 'd')], 0],
    ['approved twice, never settled', [...approved, pay(4, 'c'), decide(5, 'approve', 'd')], null],
    ['taken back, settled at once', [...approved, decide(4, 'cancel', 'c'), pay(5, 'd')], 0],
    ['taken back, never settled', [...approved, decide(4, 'cancel', 'c'), pay(5, 'd')], null],
    [
      'a credential whose brand the profile does not give',
      [{ ...createAccount(1, { brand_id: { $role: 'no_amend', has: 'brand' } }), as: 'no_amend' }],
      0,
    ],
  ];

for (const [words, steps, settlement_delay_ms] of ROWS) {
  live(`${words}: no difference`, async () => {
    await sandboxed({ settings: { settlement_delay_ms } }, async (baseUrl, sandbox) => {
      const rates = { per_second: 2_000, firm_per_second: 8_000 };
      const { profile } = parseProfile(await profileOfSandbox(sandbox, rates), {});
      const provider = profileProvider({ baseUrl, profile: profile!, mark: 'explorer' });
      const sender = await socketSender();
      try {
        const { found, inconclusive } = await explored({ provider, sender, steps });
        assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
      } finally {
        await provider.close();
        await sender.close();
      }
    });
  });
}

live.run();
