// Generated worlds are reproducible from the seed, valid, and of the requested size.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventWindowMs } from '../../../fixtures/constants.ts';
import { emptyWorld } from '../../../fixtures/worlds/built-in.ts';
import { parseWorld, type WorldFixture } from '../../../fixtures/worlds.ts';
import { dumpWorld, loadWorld } from '../../core/state/snapshot.ts';
import { Invariants } from '../../core/testing/invariants.ts';
import { createTestSandbox } from '../testing/sandbox.ts';
import { generatePeople } from './generate-people.ts';
import type { Sandbox } from './sandbox.ts';
import type { WorldHost } from './world-host.ts';

const generated = suite<{ sandbox: Sandbox }>('generated people');

const generate = {
  accounts: 300,
  trading_accounts_per_account: 2,
  positions_per_account: 2,
  days: 30,
};
const fixture: WorldFixture = { ...emptyWorld, generate: generate };

generated.before(async (place) => {
  place.sandbox = await createTestSandbox({ fixture });
});
generated.after(({ sandbox }) => sandbox.close());

generated('a world has the requested number of people, and passes validation', async () => {
  const { longestAgoMs, ...people } = await generatePeople(generate, emptyWorld, '7');
  const accounts = [...people.accounts];
  const world = JSON.parse(JSON.stringify({ ...emptyWorld, accounts }));
  assert.equal(parseWorld(world).problems ?? [], []);
  assert.is(accounts.length, 300);
  const longest = Math.max(...accounts.map(({ ago }) => Number(ago) * 1000));
  assert.ok(longest <= longestAgoMs && longest > longestAgoMs * 0.9, `${longest} ms ago`);
  for (const { trading_accounts: [first, second] = [] } of accounts) {
    assert.is((first?.transactions?.length ?? 0) + (second?.transactions?.length ?? 0), 3);
    assert.is((first?.positions?.length ?? 0) + (second?.positions?.length ?? 0), 2);
  }
  const steps = accounts.flatMap(({ trading_accounts: all = [] }) =>
    all.flatMap(({ transactions = [] }) =>
      transactions.map(({ steps: taken = [] }) => taken.at(-1)?.to),
    ),
  );
  assert.is(new Set(steps).size, 5, 'transactions in every status');
});

generated('explicit records are kept, and a world without the option is unchanged', async () => {
  const person = { brand_id: '10', client_reference_id: 'x', email: 'x@y.z', ago: '1d' };
  const sandbox = await createTestSandbox({ fixture: { ...fixture, accounts: [person] } });
  const { accounts } = sandbox.first.world;
  assert.is(accounts.size, 301);
  assert.is([...accounts.values()][0]?.client_reference_id, 'x');
  const alone = await sandbox.addWorld({ name: 'alone', fixture: emptyWorld });
  assert.is(alone.world.accounts.size, 0);
  await sandbox.close();
});

generated('events are in order of time, and only those that can still be read', ({ sandbox }) => {
  const { events, nowMs } = sandbox.first.world;
  const { records, first } = events;
  assert.ok(records.length > 500, `${records.length} events`);
  assert.ok(first > 500, 'older ones have been forgotten');
  const times = records.map(({ occurred_at: atMs }) => atMs);
  const sorted = times.toSorted((one, other) => one - other);
  assert.equal(times, sorted);
  assert.ok((times[0] ?? 0) >= nowMs - eventWindowMs);
});

generated('an event shows its record at that time, even after a reload', ({ sandbox }) => {
  const { world, behaviour } = sandbox.first;
  const loaded = loadWorld(dumpWorld(world), behaviour);
  const statuses: Readonly<Record<string, string>> = {
    'transaction.created': 'pending',
    'transaction.approved': 'approved',
    'transaction.settled': 'settled',
    'transaction.rejected': 'rejected',
    'transaction.cancelled': 'cancelled',
    'account.created': 'New Active Dormant',
    'position.opened': 'open',
    'position.closed': 'closed',
    'order.filled': 'filled',
  };
  const seen = new Set<string>();
  for (const [index, { kind, body }] of world.events.records.entries()) {
    assert.is(loaded.events.records[index]?.body, body);
    const allowed = statuses[kind];
    if (allowed === undefined) continue;
    const { status } = JSON.parse(body) as { status: string };
    assert.ok(allowed.split(' ').includes(status), `${kind} with ${status}`);
    seen.add(kind);
  }
  assert.equal([...seen].sort(), Object.keys(statuses).sort());
});

generated('a sandbox starts with the people, also after a reset', async ({ sandbox }) => {
  const { first } = sandbox;
  assert.is(first.world.accounts.size, 300);
  assert.is(first.world.transactions.size, 900);
  assert.is(first.world.positions.size, 600);
  for (const problem of new Invariants().problems(first.world)) assert.unreachable(problem);
  const peopleOf = ({ world }: WorldHost) => [...world.accounts.values()];
  const before = peopleOf(first);
  await sandbox.reset('default');
  assert.equal(peopleOf(first), before);
  // The same seed gives the same people, another seed other people.
  const beside = await sandbox.addWorld({ name: 'beside', seed: 'other' });
  assert.is(beside.world.accounts.size, 300);
  assert.not.equal(peopleOf(beside), before);
  const again = await sandbox.addWorld({ name: 'again', seed: 'other' });
  assert.equal(peopleOf(again), peopleOf(beside));
});

generated.run();
