// A sandbox without a socket: webhooks in an array, waits that report what arrived instead, the
// events channel, copies, and a closed sandbox that every method reports.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook } from '../host/signing/verify.ts';
import { eachWith } from '../host/testing/each-with.ts';
import { errorOf, messageOf } from '../host/testing/error-of.ts';
import { createSandbox, type SandboxHandle, type SandboxWorld } from '../index.ts';
import { SandboxClient } from '../testing/sandbox-client.ts';

const test = suite<{ sandbox: SandboxHandle }>('world handle');
eachWith(test, 'sandbox', () => open());

const day = 86_400_000;

const open = () => createSandbox({ clock: 'frozen' });

const clientOf = (world: SandboxWorld) => new SandboxClient(world);

const create = (world: SandboxWorld, n: number) => {
  const body = { client_reference_id: `p-${n}`, email: `p-${n}@example.com` };
  return clientOf(world).person(body, { key: `key-${n}` });
};

test('webhooks arrive signed in an array, and the test answers them', async ({ sandbox }) => {
  const sink = await sandbox.webhooks.collect({ categories: ['account'] });
  sink.answer(({ attempt }) => ({ status: attempt === 1 ? 500 : 204 }));
  await create(sandbox, 1);
  const [first] = await sink.waitFor({ kind: 'account.created' });
  assert.equal([first?.envelope.category, first?.attempt], ['account', 1]);
  const header = first?.headers['x-webhook-signature'] ?? '';
  const { secret } = sink.subscription;
  assert.is(verifyWebhook({ header, body: first?.body ?? '', secret }).ok, true);
  assert.is(verifyWebhook({ header, body: '{}', secret }).ok, false);
  await sandbox.clock.advance({ by_ms: 30_000 });
  const both = await sink.waitFor({ kind: 'account.created' }, { count: 2 });
  const seen = both.map(({ attempt, envelope }) => [attempt, envelope.id]);
  const id = first?.envelope.id;
  assert.equal(seen, [
    [1, id],
    [2, id],
  ]);
  await sink.expectNone({ kind: 'account.updated' }, { withinMs: 1 });
  const message = await messageOf(sink.waitFor({ kind: 'account.updated' }, { timeoutMs: 1 }));
  assert.match(message, /0 of 1 deliveries came within 1 ms: .*\n.*\n.*account\.created evt_/);
});

test('a wait includes earlier requests; a timeout reports what came', async ({ sandbox }) => {
  const waiting = sandbox.requests.waitFor({ operation: 'createAccount', status: 201 });
  await create(sandbox, 1);
  const [entry] = await waiting;
  assert.equal([entry?.operation, entry?.response?.status], ['createAccount', 201]);
  const again = await sandbox.requests.waitFor({ operation: 'createAccount' });
  assert.is(again.length, 1);
  const late = await messageOf(sandbox.requests.waitFor({ status: 409 }, { timeoutMs: 1 }));
  assert.match(late, /^0 of 1 requests came within 1 ms: \{"status":409\}\n/);
  assert.match(late, 'the last of 1 requests:');
  assert.match(late, /1 POST \/api\/v1\/accounts 201 \(createAccount, firm\)/);
  // Deliveries of the starting world are no reason why a request is missing.
  assert.is(late.split('\n').length, 4, late);
  const frozen = `the clock is frozen at ${new Date(sandbox.clock.nowMs()).toISOString()}`;
  assert.match(late, `nothing is due; ${frozen}`);
  await sandbox.requests.expectNone({ status: 409 }, { withinMs: 1 });
  const message = await messageOf(sandbox.requests.expectNone({ status: 201 }));
  assert.match(message, /^expected no request, but 1 came: \{"status":201\}/);
  const next = messageOf(sandbox.requests.expectNone({ after: 1 }, { withinMs: 10_000 }));
  await create(sandbox, 2);
  assert.match(await next, /^expected no request, but 1 came/);
  while ((await clientOf(sandbox).call('GET', 'accounts')).status === 200);
  const limited = await messageOf(sandbox.requests.waitFor({ status: 409 }, { timeoutMs: 1 }));
  assert.match(
    limited,
    /hint on request 6: The clock is frozen, .* advance it by Retry-After \(1000 ms\)\./,
  );
});

test('the channel yields envelopes, and reports why it is refused', async ({ sandbox }) => {
  await create(sandbox, 1);
  const { last_seq } = (await sandbox.control.getInfo()).counts;
  const seen: string[] = [];
  for await (const { kind } of sandbox.channel({ credential: 'firm', after_seq: last_seq - 1 })) {
    seen.push(kind);
    if (seen.length === 2) break;
    await create(sandbox, 2);
  }
  assert.equal(seen, ['account.created', 'account.created']);
  const refused = sandbox.channel({ credential: 'tok_nobody' }).next();
  assert.match(await messageOf(refused), /refused with 401/);
});

test('without a forward nothing is sent to a public host', async ({ sandbox }) => {
  await sandbox.control('PUT', 'dns/hooks.partner.example', { addresses: ['93.184.216.34'] });
  const hook = { url: 'https://hooks.partner.example/in', event_categories: ['account'] };
  const { id } = (await clientOf(sandbox).post('webhooks', hook)).body;
  await create(sandbox, 1);
  await sandbox.clock.advance({ by_ms: 0 });
  const { deliveries } = await sandbox.control.listDeliveries({ subscription_id: id });
  const [{ status, error = '' } = {}] = deliveries[0]?.attempts ?? [];
  assert.is(status, null);
  assert.match(
    error ?? '',
    /not sent: .*--forward https:\/\/hooks\.partner\.example=URL, or .*--allow-public-deliveries/,
  );
});

test('a fork is independent, has its own tokens and its own end', async ({ sandbox }) => {
  const copy = await sandbox.fork();
  const { token } = sandbox.credential('firm');
  assert.is.not(copy.credential('firm').token, token);
  const headers = { authorization: `Bearer ${token}` };
  assert.is((await copy.fetch('/api/v1/accounts', { headers })).status, 401);
  await create(copy, 1);
  const countOf = async (world: SandboxWorld) =>
    (await world.control.listAccounts()).accounts.length;
  const second = await copy.fork('second');
  await copy.clock.advance({ by_ms: 1000 });
  assert.is(copy.clock.nowMs() - sandbox.clock.nowMs(), 1000);
  await copy.close();
  assert.is(await messageOf(copy.control('GET', 'info')), 'the sandbox is closed');
  assert.equal([await countOf(sandbox), await countOf(second)], [6, 7]);
});

test('the channel starts at 0 if the starting world is older than its window', async ({
  sandbox,
}) => {
  const begun = sandbox.clock.nowMs();
  const { value } = await sandbox.channel({ credential: 'firm', after_seq: 0 }).next();
  const atMs = Number(value?.occurred_at);
  assert.ok(atMs >= begun - 7 * day && atMs < begun, 'the oldest one of the last seven days');
  await sandbox.clock.advance({ by_ms: day });
  assert.not.ok((await sandbox.channel({ credential: 'firm', after_seq: 0 }).next()).done);
  // Only later events count as missed.
  await create(sandbox, 1);
  await sandbox.clock.advance({ by_ms: 7 * day + 1 });
  const late = sandbox.channel({ credential: 'firm', after_seq: 0 }).next();
  assert.match(await messageOf(late), /ended with 4410/);
});

type Rejected = readonly [(world: SandboxWorld) => unknown, RegExp];

const rejectedAtOnce: readonly Rejected[] = [
  [(w) => w.requests.waitFor({ op: 'openPosition' } as never), /^op is not known here/],
  [(w) => w.requests.expectNone({ path: '/x' } as never), /^path is not known here; there are/],
  [
    (w) => w.requests.expectNone({ operation: 'createAcount' as never }),
    /^operation .*did you mean "createAccount"\?/,
  ],
  [(w) => w.requests.waitFor({ credential: 'firn' }), /^credential .*did you mean "firm"\?/],
  [(w) => w.requests.waitFor({ status: '201' as never }), /^status must be a whole number, not a/],
  [(w) => w.requests.waitFor('createAccount' as never), /^match must be an object/],
  [(w) => w.requests.waitFor({}, { timeout: 5 } as never), /^timeout .*did you mean "timeoutMs"\?/],
  [(w) => w.requests.expectNone({}, { timeoutMs: 5 } as never), /^timeoutMs is not known here/],
  [(w) => w.requests.waitFor({}, { count: 0 }), /^count must be from 1/],
  [
    (w) => w.webhooks.collect({ category: 'account' } as never),
    /^category is not known here; did you mean "categories"\?/,
  ],
  [(w) => w.webhooks.collect({ categories: [] }), /^categories must have at least 1/],
  [
    (w) => w.webhooks.collect({ categories: ['accounts'] } as never),
    /^categories\[0\] cannot be "accounts"; did you mean "account"\?/,
  ],
  [(w) => w.webhooks.collect({ firm_id: '99' }), /^firm_id there is no firm 99/],
  [(w) => w.credential('brandA'), /^credential cannot be "brandA"; did you mean "brand-a"\?/],
  [(w) => w.credential('night'), /^credential must be one of "firm", "brand-a", .*not "night"/],
  [(w) => w.fork(5 as never), /^name must be a string, not a number/],
  [(w) => w.channel(undefined as never), /^options must be an object/],
  [(w) => w.channel({} as never), /^credential is missing/],
];

test('an invalid argument throws a TypeError immediately', async ({ sandbox }) => {
  for (const [ask, words] of rejectedAtOnce) {
    const error = await errorOf(() => ask(sandbox));
    assert.instance(error, TypeError, error.message);
    assert.match(error.message, words);
  }
});

test('a sink refuses unknown kinds and members, and invalid responses', async ({ sandbox }) => {
  const sink = await sandbox.webhooks.collect();
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{ kind: 'acount.created' }, /^kind .*did you mean "account\.created"\?/],
    [{ category: 'accounts' }, /^category .*did you mean "account"\?/],
    [{ knd: 'account.created' }, /^knd is not known here; did you mean "kind"\?/],
    [{ data: { staus: 'New' } }, /^data\.staus is not known here; did you mean "status"\?/],
    ['account.created', /^match must be an object/],
  ];
  for (const [match, words] of wrong) {
    assert.match(await messageOf(sink.waitFor(match as never)), words);
    assert.match(await messageOf(sink.expectNone(match as never)), words);
  }
  assert.throws(() => sink.answer({ status: 500 } as never), /^answer takes a function/);
  sink.answer((() => ({ status: '500' })) as never);
  await create(sandbox, 1);
  await sandbox.clock.advance({ by_ms: 0 });
  assert.match(await messageOf(sink.waitFor()), /must return \{ status: .*not \{"status":"500"\}/);
});

test('a function can match, and data matches at any depth', async ({ sandbox }) => {
  const sink = await sandbox.webhooks.collect({ categories: ['account'] });
  // An event of a kind that only an operator makes.
  const own = { kind: 'account.merged', data: { of: 1 } };
  await sandbox.control.createEvent({ category: 'account', ...own });
  assert.is((await sink.waitFor(own))[0]?.attempt, 1);
  await create(sandbox, 1);
  await create(sandbox, 2);
  const [second] = await sink.waitFor({ data: { client_reference_id: 'p-2' } });
  assert.is(second?.envelope.kind, 'account.created');
  const found = await sink.waitFor(({ envelope }) => envelope.id === second?.envelope.id);
  assert.is(found.length, 1);
  await sink.expectNone(({ attempt }) => attempt > 1, { withinMs: 1 });
  assert.is((await sandbox.requests.waitFor(({ response }) => response?.status === 201)).length, 2);
});

test('a failed wait reports the closest record, and what is due', async ({ sandbox }) => {
  const sink = await sandbox.webhooks.collect();
  const client = clientOf(sandbox);
  const place = { account_id: '1001', trading_account_id: '5001' };
  const { id } = (await client.transaction(place)).body;
  await client.call('POST', `transactions/${id}/approve?account_id=1001`);
  await sink.waitFor({ kind: 'transaction.approved' });
  const late = await messageOf(sink.waitFor({ kind: 'transaction.settled' }, { timeoutMs: 1 }));
  const frozen = `the clock is frozen at ${new Date(sandbox.clock.nowMs()).toISOString()}`;
  assert.match(late, `the settlement of transaction ${id} is due in 2000 ms; ${frozen}`);
  const other = { kind: 'transaction.approved', account_id: '1002' };
  const near = await messageOf(sink.waitFor(other, { timeoutMs: 1 }));
  assert.match(near, /nearest: transaction\.approved .*: account_id is "1001", not "1002"/);
  // A wrong type must not pass a test that expects no events.
  for (const wrong of [{ account_id: 1001 }, { data: { amount: 10 } }]) {
    const words = /^(account_id|data\.amount) must be a string/;
    assert.match(await messageOf(sink.expectNone(wrong as never)), words);
  }
  sink.answer(() => ({ status: 500 }));
  await create(sandbox, 1);
  await sink.waitFor({ kind: 'account.created' });
  await sandbox.clock.advance({ by_ms: 0 });
  const refused = await messageOf(sink.waitFor({ kind: 'account.updated' }, { timeoutMs: 1 }));
  assert.match(
    refused,
    /delivery \S+ of event \d+ got the response 500: later events wait until it succeeds/,
  );
  await sandbox.clock.advance({ by_ms: 2 * day });
  const stopped = await messageOf(sink.waitFor({ kind: 'account.updated' }, { timeoutMs: 1 }));
  const { id: own } = sink.subscription;
  assert.match(stopped, `deliveries of subscription ${own} stopped after the last attempt: call`);
  assert.not.match(stopped, 'northwind');
});

test('a sink survives a reset and a restore, empty; a fork has none', async ({ sandbox }) => {
  const sink = await sandbox.webhooks.collect({ categories: ['account'] });
  await sandbox.control.createSnapshot({ name: 'before' });
  await create(sandbox, 1);
  await sink.waitFor({ kind: 'account.created' });
  for (const renew of [
    () => sandbox.reset(),
    () => sandbox.control.restoreSnapshot({ name: 'before' }),
  ]) {
    await renew();
    assert.is(sink.deliveries.length, 0);
    await create(sandbox, 2);
    const [delivery] = await sink.waitFor({ kind: 'account.created' });
    const header = delivery?.headers['x-webhook-signature'] ?? '';
    const { secret, id } = sink.subscription;
    assert.is(verifyWebhook({ header, body: delivery?.body ?? '', secret }).ok, true);
    assert.is(delivery?.headers['x-webhook-subscription-id'], String(id));
  }
  const copy = await sandbox.fork();
  await create(copy, 3);
  await sink.expectNone({ data: { client_reference_id: 'p-3' } }, { withinMs: 50 });
  const own = await copy.webhooks.collect();
  await copy.reset();
  await create(copy, 4);
  await own.waitFor({ data: { client_reference_id: 'p-4' } });
  assert.is(sink.deliveries.length, 1);
});

test('after close every method reports that the sandbox is closed', async () => {
  const sandbox = await open();
  const sink = await sandbox.webhooks.collect();
  const pending = messageOf(sink.waitFor({ kind: 'order.filled' }));
  const follow = () => sandbox.channel({ credential: 'firm' });
  const [early, late] = [follow(), follow()];
  const next = messageOf(late.next());
  const waiting = messageOf(sandbox.requests.waitFor({ status: 201 }));
  await sandbox.close();
  const methods = [
    waiting,
    pending,
    next,
    messageOf(early.next()),
    messageOf(sink.waitFor()),
    messageOf(sink.expectNone()),
    messageOf(sandbox.fetch('/api/v1/accounts')),
    messageOf(sandbox.listen()),
    messageOf(sandbox.control('GET', 'info')),
    messageOf(sandbox.reset()),
    messageOf(sandbox.clock.advance({ by_ms: 1 })),
    messageOf(sandbox.faults.clear()),
    messageOf(sandbox.webhooks.collect()),
    messageOf(sandbox.requests.waitFor()),
    messageOf(sandbox.fork()),
  ];
  for (const use of methods) assert.is(await use, 'the sandbox is closed');
  assert.throws(() => sandbox.credential('firm'), 'the sandbox is closed');
  assert.throws(() => sandbox.clock.nowMs(), 'the sandbox is closed');
  assert.throws(follow, 'the sandbox is closed');
});

test.run();
