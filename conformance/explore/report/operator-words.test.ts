// Checks that every kind of step but a call is told in words, and records by the steps that made
// them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operatorWords, type ToldStep } from './operator-words.ts';

const words = suite('what an operator did, in words');

const id = { $of: 3, at: 'id' } as const;
const call = { do: 'call', n: 2, operation: 'rejectTransaction', as: 'firm', id } as const;
const delegated = { kind: 'delegated', scopes: [], account: id, mintedBy: 'm4' } as const;

const STEPS: { readonly [K in ToldStep['do']]: readonly [ToldStep & { do: K }, string] } = {
  advance: [{ do: 'advance', n: 1, byMs: 90_000 }, '1 min 30 s pass'],
  open: [
    { do: 'open', n: 1, account: id, currency: 'EUR', provider: true },
    'a trading account is opened for the account of step 3 in EUR that pays out through a provider',
  ],
  place: [
    { do: 'place', n: 1, kind: 'trading_account' },
    'the trading account is seeds.trading_account of the profile',
  ],
  settle: [{ do: 'settle', n: 1, id }, 'the transaction of step 3 settles'],
  ledger: [
    { do: 'ledger', n: 1, tradingAccount: { $of: 3, at: 'trading_account_id' } },
    'the trading account of step 3 is looked at',
  ],
  hook: [
    { do: 'hook', n: 1, answers: [500, 200] },
    'an endpoint is made that answers 500, then 200',
  ],
  emit: [
    { do: 'emit', n: 1, category: 'order', kind: 'order.opened', account: id },
    'an event of the category order happens to the account of step 3',
  ],
  listen: [
    { do: 'listen', n: 1, as: 'firm', after: 0 },
    "firm listens to the events channel after 0, and meanwhile an account's event happens",
  ],
  mint: [
    { do: 'mint', n: 1, name: 'm1', wish: delegated },
    "the credential m1 is made: a trader's token, for the account of step 3, from m4, with no scope",
  ],
  rescope: [
    { do: 'rescope', n: 1, name: 'm1', scopes: ['trades:write'] },
    'the credential m1 has the scopes trades:write from now on',
  ],
  permit: [
    { do: 'permit', n: 1, operation: 'createAccount', allowed: false },
    'the firm may no longer use createAccount',
  ],
  resolve: [
    { do: 'resolve', n: 1, name: 'n.example.com', addresses: ['10.0.0.1', '::1'] },
    'the name n.example.com resolves to 10.0.0.1 and ::1',
  ],
  resume: [{ do: 'resume', n: 1, subscription: id }, 'the subscription of step 3 is resumed'],
  firmRate: [{ do: 'firmRate', n: 1, perSecond: 1 }, 'the firm may make 1 call a second'],
  await: [{ do: 'await', n: 1, call: 3 }, 'the answer of step 3 is awaited'],
  fault: [
    {
      ...{ do: 'fault', n: 1, match: { operation: 'createAccount' }, phase: 'after', times: 1 },
      effect: { kind: 'status', status: 503 },
    },
    'the next createAccount is answered 503, after it was carried out',
  ],
  many: [
    { do: 'many', n: 1, count: 25, call },
    '25 times POST /api/v1/transactions/:id/reject for the id of step 3 as firm',
  ],
};

for (const [kind, [{ n: _, ...operator }, said]] of Object.entries(STEPS)) {
  words(`a step of the kind ${kind}`, () => assert.is(operatorWords(operator), said));
}

words('a delay is told by how long it is', () => {
  const effect = { kind: 'delay', ms: 3_000 };
  const fault = { do: 'fault', match: { operation: 'openPosition' }, effect };
  assert.is(operatorWords(fault), 'every openPosition is kept waiting for 3.0 s');
});

words('what an operator was refused is not told as done', () => {
  const settled = { do: 'settle', n: 1, id, refused: true } as const;
  assert.is(operatorWords(settled), 'the transaction of step 3 settles, which is refused');
});

words.run();
