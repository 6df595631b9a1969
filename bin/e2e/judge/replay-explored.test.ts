// The script of a difference that the explorer has found shows it again by curl alone: on a target
// that still deviates it ends with 1, on one that does not with 0.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readExploreOptions } from '../../commands/conformance/explore-options.ts';
import { exploreTarget } from '../../commands/conformance/explore-target.ts';
import type { JudgeIo } from '../../commands/conformance/io.ts';
import { replay } from '../../commands/conformance/replay.ts';
import { playScript, served } from '../testing/bent-sandbox.ts';

const explored = suite('scripts of the explorer');
const folder = mkdtempSync(join(tmpdir(), 'explored-'));
explored.after(() => rmSync(folder, { recursive: true, force: true }));

const io: JudgeIo = {
  ...{ env: {}, cwd: folder, version: '0.0.0', isTerminal: false, color: false, columns: 100 },
  out: () => undefined,
  err: () => undefined,
  nowMs: () => Date.now(),
};

/** The script of what was found first on a sandbox that is bent so. */
async function scriptOf(deviation: string): Promise<string> {
  const file = `${deviation}.json`;
  writeFileSync(join(folder, 'model.json'), '{}');
  await served([deviation], async (baseUrl) => {
    const given = { baseUrl, model: 'model.json', requests: '250', report: [`json=${file}`] };
    const options = readExploreOptions(given, io.env);
    assert.is(await exploreTarget(options, io, new AbortController().signal), 1);
  });
  return replay(file, 'd1', io);
}

explored(
  'a transaction that answers as it was: seen again, and not where it is right',
  async () => {
    const script = await scriptOf('approve-answers-old-state');
    const bent = await playScript(script, ['approve-answers-old-state']);
    assert.is(bent.code, 1, bent.out);
    const right = await playScript(script, []);
    assert.is(right.code, 0, right.out);
  },
);

/** A trader's token for the first account, which records a deposit on the second. */
const STRANGER = [
  account(1),
  account(2),
  {
    ...{ do: 'mint', n: 3, name: 'm3' },
    wish: {
      ...{ kind: 'delegated', scopes: ['trader:funds'], mintedBy: 'firm' },
      account: { $of: 1, at: 'id' },
    },
  },
  { do: 'open', n: 4, account: { $of: 2, at: 'id' } },
  {
    ...{ do: 'call', n: 5, operation: 'createTransaction', as: 'm3', key: { $fresh: 'k5' } },
    body: {
      client_reference_id: { $fresh: 'r5' },
      account_id: { $of: 2, at: 'id' },
      trading_account_id: { $of: 4, at: 'trading_account_id' },
      ...{ currency: { $of: 4, at: 'currency' }, amount: '25.00', transaction_type: 'Deposit' },
    },
  },
];

function account(n: number) {
  return {
    ...{ do: 'call', n, operation: 'createAccount', as: 'firm', key: { $fresh: `k${n}` } },
    body: {
      client_reference_id: { $fresh: `a${n}` },
      email: { $join: [{ $fresh: `a${n}` }, '@explore.example.com'] },
      brand_id: { $role: 'firm', has: 'brand' },
    },
  };
}

/** A deposit that settles, is cancelled, and is looked for in the balance. */
const REVERSED = [
  account(1),
  { do: 'open', n: 2, account: { $of: 1, at: 'id' } },
  {
    ...{ do: 'call', n: 3, operation: 'createTransaction', as: 'firm', key: { $fresh: 'k3' } },
    body: {
      client_reference_id: { $fresh: 'r3' },
      account_id: { $of: 1, at: 'id' },
      trading_account_id: { $of: 2, at: 'trading_account_id' },
      ...{ currency: { $of: 2, at: 'currency' }, amount: '25.00', transaction_type: 'Deposit' },
    },
  },
  decision(4, 'approveTransaction'),
  { do: 'settle', n: 5, id: { $of: 3, at: 'id' } },
  { ...decision(6, 'cancelTransaction'), body: { reason: 'late' } },
  { do: 'ledger', n: 7, tradingAccount: { $of: 2, at: 'trading_account_id' } },
];

function decision(n: number, operation: string) {
  const query = { account_id: { $of: 1, at: 'id' } };
  const call = { do: 'call', n, operation, as: 'firm', key: { $fresh: `k${n}` } };
  return { ...call, id: { $of: 3, at: 'id' }, query };
}

const KNOWN = [
  [
    'a token of one account: the script has it minted for its own',
    'delegated-reaches-whole-brand',
    STRANGER,
  ],
  ['money that is not given back: the script looks for it', 'cancel-settled-keeps-money', REVERSED],
] as const;

for (const [words, bend, steps] of KNOWN) {
  explored(words, async () => {
    const known = { schema: 'explore/1', differences: [{ id: 'd1', sequence: { steps } }] };
    writeFileSync(join(folder, 'known.json'), JSON.stringify(known));
    await served([bend], async (baseUrl) => {
      const given = { baseUrl, replay: 'known.json#d1', report: ['json=shown.json'] };
      const options = readExploreOptions(given, io.env);
      assert.is(await exploreTarget(options, io, new AbortController().signal), 1);
    });
    const script = await replay('shown.json', 'd1', io);
    const bent = await playScript(script, [bend]);
    assert.is(bent.code, 1, bent.out);
    const right = await playScript(script, []);
    assert.is(right.code, 0, right.out);
  });
}

explored.run();
