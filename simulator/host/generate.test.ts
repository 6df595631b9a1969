// Checks made-up worlds: the same for the same seed, sound, and as many as were asked for.
// time limit: 60 s
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyWorld } from '../../fixtures/worlds/empty.ts';
import { parseWorld, type WorldFixture } from '../../fixtures/worlds.ts';
import { Invariants } from '../core/invariants-under-test.ts';
import { dumpWorld } from '../core/state.ts';
import { generatePeople } from './generate.ts';
import { trySandbox } from './sandbox-under-test.ts';

const made = suite('made-up people');

const terms = {
  accounts: 300,
  trading_accounts_per_account: 2,
  positions_per_account: 2,
  days: 30,
};
const fixture: WorldFixture = { ...emptyWorld, generate: terms };

made('as many as were asked for, and a world that could have been written by hand', async () => {
  const world = await generatePeople(fixture, '7');
  assert.is(world.generate, undefined);
  assert.equal(parseWorld(JSON.parse(JSON.stringify(world))).problems ?? [], []);
  assert.is(world.accounts?.length, 300);
  for (const { trading_accounts: [first, second] = [] } of world.accounts ?? []) {
    assert.is((first?.transactions?.length ?? 0) + (second?.transactions?.length ?? 0), 3);
    assert.is((first?.positions?.length ?? 0) + (second?.positions?.length ?? 0), 2);
  }
  const steps = world.accounts?.flatMap(({ trading_accounts: all = [] }) =>
    all.flatMap(({ transactions = [] }) =>
      transactions.map(({ steps: taken = [] }) => taken.at(-1)?.to),
    ),
  );
  assert.is(new Set(steps).size, 5, 'transactions in every status');
});

made('the same seed gives the same world, another one another', async () => {
  const [one, same, other] = await Promise.all(
    ['1', '1', '2'].map((seed) => generatePeople(fixture, seed)),
  );
  assert.equal(same, one);
  assert.not.equal(other, one);
});

made('what is written out stays, and a world without the part is left alone', async () => {
  const { brand_id, ...person } = {
    brand_id: '10',
    client_reference_id: 'x',
    email: 'x@y.z',
    ago: '1d',
  };
  const written = { ...fixture, accounts: [{ brand_id, ...person }] };
  assert.equal((await generatePeople(written, '1')).accounts?.[0], { brand_id, ...person });
  assert.is(await generatePeople(emptyWorld, '1'), emptyWorld);
});

made('a sandbox begins with them, soundly, and after a reset has the same again', async () => {
  const sandbox = await trySandbox({ fixture });
  const { first } = sandbox;
  assert.is(first.world.accounts.size, 300);
  assert.is(first.world.transactions.size, 900);
  assert.is(first.world.positions.size, 600);
  for (const problem of new Invariants().problems(first.world)) assert.unreachable(problem);
  const people = () => JSON.stringify([...first.world.accounts.values()]);
  const before = people();
  await sandbox.reset('default');
  assert.is(people(), before);
  const beside = await sandbox.addWorld({ name: 'beside', seed: 'other' });
  assert.is(beside.world.accounts.size, 300);
  const again = await sandbox.addWorld({ name: 'again', seed: 'other' });
  const names = (world: typeof beside.world) =>
    [...world.accounts.values()].map(({ email }) => email);
  assert.equal(names(again.world), names(beside.world));
  assert.ok(dumpWorld(beside.world) !== null);
  await sandbox.close();
});

made.run();
