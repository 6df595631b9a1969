// TXN-2, NS-20: how often a firm may have one transaction reference, and that the invariant of all
// made-up inputs allows just that.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { step } from './step.ts';
import { behaviour, seedWorld } from './testing/begin-world.ts';
import { Invariants } from './testing/invariants.ts';
import type { World } from './world.ts';

const references = suite('references');
/** One reference by a credential, on an account and its trading account: the status and the id. */
function create(world: World, name: string, accountId: string, tradingAccountId: string) {
  const made = [...world.credentials.values()].find((each) => each.name === name);
  const token = [...world.tokens.values()].find(
    ({ client_id: clientId }) => clientId === made!.client_id,
  )!;
  const body = {
    client_reference_id: name === 'firm' ? 'SAME' : 'same',
    account_id: accountId,
    trading_account_id: tradingAccountId,
    currency: 'USD',
    amount: '1',
    transaction_type: 'Deposit',
  };
  const { effects } = step(world, behaviour, {
    kind: 'call',
    atMs: world.nowMs + 1000,
    facts: { addresses: [] },
    call: {
      method: 'POST',
      target: '/api/v1/transactions',
      headers: {
        authorization: `Bearer ${token.token}`,
        'idempotency-key': `key-${world.nowMs}`,
        'content-type': 'application/json',
      },
      body: new TextEncoder().encode(JSON.stringify(body)),
    },
  });
  const [reply] = effects.flatMap((each) => (each.kind === 'answer' ? [each.reply] : []));
  return { status: reply!.status, id: String(JSON.parse(reply!.body).id) };
}

const twiceIn = (world: World) =>
  [...new Invariants().problems(world)].filter((each) => each.includes('two transactions'));

references('one reference is made again only by who does not reach it, on another account', () => {
  const world = seedWorld();
  const first = create(world, 'brand-a', '1002', '5002');
  assert.is(first.status, 201);
  assert.is(create(world, 'brand-b', '1004', '5005').status, 201);
  const own = create(world, 'delegated', '1001', '5001');
  assert.is(own.status, 201);
  assert.equal(twiceIn(world), []);
  // The one who reaches more is given the oldest; who reaches one account is given its own.
  for (const [accountId, trading] of [
    ['1001', '5001'],
    ['1004', '5005'],
  ] as const) {
    assert.equal(create(world, 'firm', accountId, trading), { status: 200, id: first.id });
  }
  assert.equal(create(world, 'delegated', '1001', '5001'), { status: 200, id: own.id });
});

references('a second one on the same account is a fault that the invariant sees', () => {
  const world = seedWorld();
  const { id } = create(world, 'firm', '1001', '5001');
  assert.equal(twiceIn(world), []);
  const twin = { ...world.transactions.get(id)!, id: '999999', reference: 'Same' };
  world.transactions.set(twin.id, twin);
  assert.equal(twiceIn(world), ['reference 1001 same names two transactions']);
});

references.run();
