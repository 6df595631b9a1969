// Checks what is tried in place of a step to make it plainer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Step, Value } from '../sequence.ts';
import { call } from './plain-calls.ts';
import { simpler } from './simpler.ts';

const plainer = suite('simpler');

const of = (step: Step): readonly Step[] => [...simpler(step, [])];

plainer('a trading account as any other', () => {
  const open = { do: 'open', n: 1, account: '7' } as const;
  assert.equal(of({ ...open, provider: true, currency: 'EUR' }), [
    { ...open, currency: 'EUR' },
    { ...open, provider: true },
  ]);
  assert.equal(of(open), []);
});

const named = { email: 'a@example.com', country: 'XX' };
const bare = { email: 'a@example.com' };

plainer('rows of a batch without what they can do without', () => {
  const batch = (accounts: readonly Value[]) =>
    call(1, 'bulkCreateAccounts', 'firm', { body: { accounts } });
  const tried = of(batch([named, named])).map((each) => JSON.stringify(each));
  for (const rows of [
    [bare, bare],
    [bare, named],
    [named, bare],
  ]) {
    assert.ok(tried.includes(JSON.stringify(batch(rows))), JSON.stringify(rows));
  }
});

plainer('calls at once without what they can do without, updates as they are', () => {
  const calls = [
    call(1, 'createAccount', 'firm', { body: named }),
    call(2, 'updateAccount', 'firm', { body: { country: 'XX' } }),
  ];
  const kept = of({ do: 'burst', n: 3, calls }).filter(
    (each) => each.do === 'burst' && each.calls.length === 2,
  );
  assert.equal(
    kept.map((each) => each.do === 'burst' && each.calls.map(({ body }) => body)),
    [[bare, { country: 'XX' }]],
  );
});

plainer.run();
