// The expected requests and records of a run: every scenario has been measured, and the duration
// follows the pace.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../scenarios/all.ts';
import { isOperatorCapability, laneOf } from '../capabilities.ts';
import type { Scenario } from '../types.ts';
import costs from './costs.json' with { type: 'json' };
import { Inventory } from './inventory.ts';
import { planRun } from './plan.ts';

const plan = suite('plan');

/** At most this many scenarios may be newer than the last measurement; more would make a plan a guess. */
const UNMEASURED = 6;

plan('every scenario has been measured in each mode in which it can run', () => {
  const known: Readonly<Record<string, { profile?: object; control?: object }>> = costs;
  const ids = new Set<string>(scenarios.map(({ id }) => id));
  const stale = Object.keys(known).filter((id) => !ids.has(id));
  const open = scenarios.filter(({ id, needs = [] }) => {
    const isLive = !needs.some(isOperatorCapability);
    return (isLive ? known[id]?.profile : known[id]?.control) === undefined;
  });
  const words = `tsx bin/dev/costs.ts: ${[...stale, ...open.map(({ id }) => id)].join(', ')}`;
  assert.ok(stale.length + open.length <= UNMEASURED, words);
});

const chosen = scenarios
  // The number of concurrent requests depends on the plan.
  .filter((each) => laneOf(each) === 'shared' && !/crowd/.test(each.id))
  .map((scenario: Scenario) => ({ scenario, rules: scenario.rules }));

plan('a pace half as fast takes twice as long, and sends as much', () => {
  const at = (perSecond: number, firmPerSecond = perSecond * 4, own = chosen) =>
    planRun(own, { mode: 'profile', perSecond, firmPerSecond });
  const [slow, fast] = [at(1), at(2)];
  assert.is(Math.round(slow.ms / fast.ms), 2);
  assert.is(slow.requests, fast.requests);
  assert.ok(slow.made.accounts > 50);
  // The rate of the firm slows down requests that several credentials send together.
  assert.ok(at(100, 1).ms >= slow.ms);
  const limits = scenarios.filter(({ id }) => id === 'lim-bulk-is-one');
  const [lim] = limits.map((scenario) => [{ scenario, rules: scenario.rules }]);
  const counts = [1, 5, 10, 200, 1000].map((rate) => at(rate, rate, lim).requests);
  assert.equal(counts, [2, 7, 13, 241, 1201]);
});

/** Plays answers to POSTs; returns what the run made and left. */
async function inventoryOf(
  ...answers: readonly (readonly [path: string, number, answer: unknown, world?: string])[]
) {
  const inventory = new Inventory('http://target.test');
  const left = [...answers];
  const sender = inventory.watch({
    send: async () => {
      const [, status, answer] = left.shift()!;
      return { status, headers: [], body: Buffer.from(JSON.stringify(answer)) };
    },
    close: async () => undefined,
  });
  for (const [path, , , world = ''] of answers) {
    const url = `http://target.test/api/v1${path}`;
    const headers = [['x-sandbox-world', world]] as const;
    await sender.send({ method: 'POST', url, headers, body: undefined, timeoutMs: 1 });
  }
  return inventory;
}

plan('a record that a create or a batch names was created by the run, once', async () => {
  const rows = [
    { status: 200, id: '8' },
    { status: 201, id: '9' },
    { status: 422, id: '10' },
  ];
  const { made } = await inventoryOf(
    ['/accounts', 201, { id: '7' }],
    ['/accounts', 200, { id: '7' }],
    ['/accounts', 200, { id: '8' }],
    ['/accounts', 201, { id: '7' }, 'a world with the same ids'],
    ['/accounts', 422, { id: '11' }],
    ['/accounts', 201, 'no object'],
    ['/accounts/bulk', 200, { rows }],
    ['/accounts', 200, { id: '9' }],
    ['/transactions', 200, { id: '8' }],
    ['/transactions/8/approve?account_id=7', 200, { id: '8' }],
    ['/webhooks', 200, { id: 3 }],
    ['/oauth/token', 200, { access_token: 'x' }],
  );
  assert.equal(made, {
    ...{ accounts: 3, bulk_accounts: 1, transactions: 1 },
    ...{ positions: 0, subscriptions: 1, tokens: 1 },
  });
});

plan('remaining records are known, whatever the form of the answers', async () => {
  const { left } = await inventoryOf(
    ['/transactions', 202, { id: 9 }],
    ['/transactions/9/approve?account_id=1', 202, {}],
    ['/transactions', 202, { id: '10', status: 'pending' }],
  );
  assert.equal([left.approved, left.pending], [['9'], ['10']]);
});

plan.run();
