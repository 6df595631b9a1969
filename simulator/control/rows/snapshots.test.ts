// Snapshots and copies of worlds: as they stood, apart from what went on, with tokens of their own.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, startMs, type TestPlane } from '../testing/plane.ts';

const snapshots = suite('control: snapshots and copies');

const person = (n: number) => ({
  client_reference_id: `p-${n}`,
  email: `p-${n}@example.com`,
  brand_id: '10',
});

const deposit = {
  client_reference_id: 'd-1',
  account_id: '1001',
  trading_account_id: '5001',
  currency: 'USD',
  amount: '10.00',
  transaction_type: 'Deposit',
};

async function documentOf({ ask }: TestPlane, world = ''): Promise<Record<string, unknown>> {
  const { body } = await ask('GET', `${world}state`);
  return body.world;
}

snapshots(
  'goes back to how the world stood, its clock, keys, buckets and journal included',
  async () => {
    const testPlane = await createTestPlane();
    const { ask, call } = testPlane;
    const first = await call('firm', 'POST', 'accounts', { body: person(1), key: 'one' });
    const { body: made } = await call('firm', 'POST', 'transactions', { body: deposit });
    await call('firm', 'POST', `transactions/${made.id}/approve?account_id=1001`);
    const taken = await ask('POST', 'snapshots', { name: 'before' });
    assert.equal([taken.status, taken.body.name, taken.body.accounts], [201, 'before', 7]);
    const before = await documentOf(testPlane);
    await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
    await call('firm', 'POST', 'accounts', { body: person(2) });
    assert.is((await ask('GET', `transactions/${made.id}`)).body.status, 'settled');
    const back = await ask('POST', 'snapshots/before/restore', {});
    assert.equal([back.status, back.body.clock.now_ms], [200, startMs]);
    assert.equal({ ...(await documentOf(testPlane)), idEras: 0 }, { ...before, idEras: 0 });
    assert.is((await ask('GET', `transactions/${made.id}`)).body.status, 'approved');
    assert.is((await ask('GET', 'requests')).body.requests.length, 3);
    const replayed = await call('firm', 'POST', 'accounts', { body: person(1), key: 'one' });
    assert.equal([replayed.status, replayed.body], [201, first.body]);
    // As often as one likes: what happened after it has not touched it.
    await ask('POST', 'snapshots/before/restore', {});
    assert.equal({ ...(await documentOf(testPlane)), idEras: 0 }, { ...before, idEras: 0 });
  },
);

snapshots('money booked after a snapshot is not in it', async () => {
  const { ask, call } = await createTestPlane();
  await ask('POST', 'snapshots', { name: 'poor' });
  const { body: made } = await call('firm', 'POST', 'transactions', { body: deposit });
  await call('firm', 'POST', `transactions/${made.id}/approve?account_id=1001`);
  const { balance } = (await ask('GET', 'trading-accounts/5001')).body;
  await ask('POST', 'clock/advance', { by_ms: 2000 });
  const ledger = (await ask('GET', 'trading-accounts/5001')).body;
  assert.is.not(ledger.balance, balance);
  await ask('POST', 'snapshots/poor/restore', {});
  const restored = (await ask('GET', 'trading-accounts/5001')).body;
  assert.equal([restored.balance, restored.entries.length], [balance, ledger.entries.length - 1]);
});

snapshots('are listed, replaced, dropped, and outlive a reset', async () => {
  const { ask, call } = await createTestPlane();
  await ask('POST', 'snapshots', { name: 'a' });
  await ask('POST', 'snapshots', { name: 'b' });
  await call('firm', 'POST', 'accounts', { body: person(1) });
  await ask('POST', 'snapshots', { name: 'a' });
  await ask('POST', 'reset', {});
  const listed = (await ask('GET', 'snapshots')).body.snapshots;
  assert.equal(
    listed.map(({ name, accounts }: Record<string, unknown>) => [name, accounts]),
    [
      ['b', 6],
      ['a', 7],
    ],
  );
  await ask('POST', 'snapshots/a/restore', {});
  assert.is((await ask('GET', 'accounts')).body.accounts.length, 7);
  assert.is((await ask('DELETE', 'snapshots/a')).status, 204);
  assert.is((await ask('DELETE', 'snapshots/a')).status, 404);
  assert.is((await ask('POST', 'snapshots/a/restore', {})).status, 404);
  for (const name of ['', '../x', 'a b', 'x'.repeat(65), 5]) {
    assert.is((await ask('POST', 'snapshots', { name })).status, 422, `${name}`);
  }
  // Those of one world are not those of another.
  await ask('POST', 'worlds', { name: 'w' });
  assert.equal((await ask('GET', 'worlds/w/snapshots')).body.snapshots, []);
});

snapshots('copies a world as it stands, with tokens and secrets of its own', async () => {
  const testPlane = await createTestPlane();
  const { ask, call } = testPlane;
  const first = await call('firm', 'POST', 'accounts', { body: person(1), key: 'one' });
  await ask('POST', 'clock/advance', { by_ms: 1000 });
  const made = await ask('POST', 'worlds', { name: 'copy', from: 'default' });
  assert.equal([made.status, made.body.clock.now_ms], [201, startMs + 1000]);
  const credentials = (await ask('GET', 'credentials')).body.credentials;
  for (const [at, { name, token, client_secret }] of made.body.credentials.entries()) {
    assert.is(name, credentials[at].name);
    assert.is.not(token, credentials[at].token);
    assert.is.not(client_secret, credentials[at].client_secret);
  }
  const { token, client_id, client_secret } = made.body.credentials[0];
  // The key is known there: the answer is the first one's, byte for byte.
  const again = await call(token, 'POST', 'accounts', { body: person(1), key: 'one' });
  assert.equal([again.status, again.body], [201, first.body]);
  await call(token, 'POST', 'accounts', { body: person(2) });
  await call('firm', 'POST', 'accounts', { body: person(3) });
  await call('firm', 'POST', 'accounts', { body: person(4) });
  const count = async (path: string) => (await ask('GET', path)).body.accounts.length;
  assert.equal([await count('worlds/copy/accounts'), await count('accounts')], [8, 9]);
  // A token asked for there reaches it too.
  const issued = await call('', 'POST', 'oauth/token', {
    body: { grant_type: 'client_credentials', client_id, client_secret },
  });
  const read = await call(issued.body.access_token, 'GET', 'accounts');
  // Those of its firm.
  assert.is(read.body.accounts.length, 7);
});

snapshots('a copy of a copy, with a clock as it is told, and back to its beginning', async () => {
  const { ask, call } = await createTestPlane();
  await call('firm', 'POST', 'accounts', { body: person(1) });
  await ask('POST', 'worlds', { name: 'a', from: 'default', clock: 'real' });
  const later = startMs + 5_000;
  const clock = { mode: 'frozen', now_ms: later };
  const made = await ask('POST', 'worlds', { name: 'b', from: 'a', clock: 'frozen' });
  assert.is(made.body.clock.mode, 'frozen');
  const set = await ask('POST', 'worlds', { name: 'c', from: 'default', clock });
  assert.is(set.body.clock.now_ms, later);
  const { token } = set.body.credentials[0];
  await call(token, 'POST', 'accounts', { body: person(2) });
  await ask('POST', 'worlds/c/clock/advance', { by_ms: 5000 });
  // Back to the copy, and not to the world that was copied.
  await ask('POST', 'reset', {});
  await ask('POST', 'worlds/c/reset', {});
  assert.is((await ask('GET', 'worlds/c/accounts')).body.accounts.length, 7);
  assert.is((await ask('GET', 'worlds/c/clock')).body.now_ms, later);
  assert.is((await call(token, 'GET', 'accounts')).body.accounts.length, 6);
});

const wrong = [
  [{ from: 'nowhere' }, 'from'],
  [{ from: 5 }, 'from'],
  [{ from: 'default', world: 'empty' }, 'world'],
  [{ from: 'default', seed: 1 }, 'seed'],
  [{ from: 'default', clock: '2020-01-01T00:00:00Z' }, 'clock'],
] as const;

snapshots('refuses copies that make no sense, by the name of the field', async () => {
  const { ask } = await createTestPlane();
  for (const [body, field] of wrong) {
    const refused = await ask('POST', 'worlds', body);
    assert.equal([refused.status, refused.body.errors[0].field], [422, field]);
  }
  assert.is((await ask('GET', 'worlds')).body.worlds.length, 1);
});

snapshots('an event on its way to a receiver is on its way in the copy too', async () => {
  const testPlane = await createTestPlane();
  const { ask, call, sent } = testPlane;
  testPlane.receiver = () => ({ status: 500, error: null });
  await call('firm', 'POST', 'webhooks', {
    body: { url: 'https://hooks.example.com/in', event_categories: ['account'] },
  });
  await call('firm', 'POST', 'accounts', { body: person(1) });
  await ask('POST', 'clock/advance', { by_ms: 0 });
  await ask('POST', 'worlds', { name: 'copy', from: 'default' });
  const before = sent.length;
  await ask('POST', 'worlds/copy/clock/advance', { by_ms: 30_000 });
  assert.ok(sent.length > before, 'the copy retries');
  const ids = sent.map(({ body }) => JSON.parse(String(body)).seq);
  assert.is(ids.at(-1), ids.at(before - 1));
});

snapshots.run();
