// A sandbox in a program, without a socket: webhooks in an array, waits that say what did come, the
// channel, copies, and a closed sandbox that says so at every door.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook } from '../host/signing/verify.ts';
import { createSandbox, type SandboxOptions, type SandboxWorld } from '../index.ts';

const handles = suite('a world in a program');

const day = 86_400_000;

const open = (options: SandboxOptions = {}) => createSandbox({ clock: 'frozen', ...options });

function create({ fetch, credential }: SandboxWorld, n: number, as = 'firm') {
  return fetch('http://sandbox/api/v1/accounts', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential(as).token}`,
      'idempotency-key': `key-${n}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      client_reference_id: `p-${n}`,
      email: `p-${n}@example.com`,
      brand_id: '10',
    }),
  });
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was wrong',
    (error: Error) => error.message,
  );

handles('webhooks arrive in an array, signed, and are answered as the test says', async () => {
  const sandbox = await open();
  const wrong = { categories: ['accounts'] } as never;
  assert.match(
    await messageOf(sandbox.webhooks.collect(wrong)),
    'categories must be a list of account, order, position, transaction, not ["accounts"]',
  );
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
  assert.equal(
    both.map(({ attempt }) => attempt),
    [1, 2],
  );
  assert.is(both[1]?.envelope.id, first?.envelope.id);
  await sink.expectNone({ kind: 'account.updated' }, { withinMs: 1 });
  const told = await messageOf(sink.waitFor({ kind: 'account.updated' }, { timeoutMs: 1 }));
  assert.match(told, /0 of 1 came within 1 ms: delivery .*\n.*account\.created evt_/);
  await sandbox.close();
});

handles('waits for calls, those that came before among them, and says what did come', async () => {
  const sandbox = await open();
  const waiting = sandbox.requests.waitFor({ operation: 'createAccount', status: 201 });
  await create(sandbox, 1);
  const [entry] = await waiting;
  assert.equal([entry?.operation, entry?.response?.status], ['createAccount', 201]);
  const again = await sandbox.requests.waitFor({ operation: 'createAccount' });
  assert.is(again.length, 1);
  const late = await messageOf(sandbox.requests.waitFor({ status: 409 }, { timeoutMs: 1 }));
  assert.match(late, /0 of 1 came within 1 ms: request \{"status":409\}; what came \(1\)/);
  assert.match(late, /1 POST \/api\/v1\/accounts 201 \(createAccount, firm\)/);
  await sandbox.requests.expectNone({ status: 409 }, { withinMs: 1 });
  const came = await messageOf(sandbox.requests.expectNone({ status: 201 }));
  assert.match(came, /1 came, and none should/);
  const next = messageOf(sandbox.requests.expectNone({ after: 1 }, { withinMs: 10_000 }));
  await create(sandbox, 2);
  assert.match(await next, /1 came, and none should/);
  await sandbox.close();
});

handles('the channel gives one envelope after another, and says why it is refused', async () => {
  const sandbox = await open();
  await create(sandbox, 1);
  const { last_seq } = ((await sandbox.control('GET', 'info')) as { counts: { last_seq: number } })
    .counts;
  const seen: string[] = [];
  for await (const { kind } of sandbox.channel({ credential: 'firm', after_seq: last_seq - 1 })) {
    seen.push(kind);
    if (seen.length === 2) break;
    await create(sandbox, 2);
  }
  assert.equal(seen, ['account.created', 'account.created']);
  const refused = sandbox.channel({ credential: 'tok_nobody' }).next();
  assert.match(await messageOf(refused), /refused with 401/);
  await sandbox.close();
});

handles('a fork goes its own way, with its own tokens, and ends by itself', async () => {
  const sandbox = await open();
  await create(sandbox, 1);
  const copy = await sandbox.fork();
  assert.is.not(copy.credential('firm').token, sandbox.credential('firm').token);
  const repeated = await create(copy, 1);
  assert.is(repeated.status, 201, 'its key is known there');
  await create(copy, 2);
  const countOf = async (world: SandboxWorld) =>
    ((await world.control('GET', 'accounts')) as { accounts: unknown[] }).accounts.length;
  assert.equal([await countOf(sandbox), await countOf(copy)], [7, 8]);
  await copy.clock.advance({ by_ms: 1000 });
  assert.is(copy.clock.nowMs() - sandbox.clock.nowMs(), 1000);
  // A token of another world is none there.
  const { token } = sandbox.credential('firm');
  const stranger = await copy.fetch('/api/v1/accounts', {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.is(stranger.status, 401);
  const fromCopy = await copy.fork('second');
  assert.is(await countOf(fromCopy), 8);
  await copy.close();
  assert.is(await messageOf(copy.control('GET', 'info')), 'the sandbox is closed');
  assert.is(await countOf(sandbox), 7);
  await sandbox.close();
});

handles('the channel begins at 0 where the starting world is older than its window', async () => {
  const sandbox = await createSandbox({ world: 'default', clock: 'frozen' });
  const begun = sandbox.clock.nowMs();
  const { value } = await sandbox.channel({ credential: 'firm', after_seq: 0 }).next();
  const atMs = Number(value?.occurred_at);
  assert.ok(atMs >= begun - 7 * day && atMs < begun, 'the oldest one of the last seven days');
  await sandbox.clock.advance({ by_ms: day });
  assert.not.ok((await sandbox.channel({ credential: 'firm', after_seq: 0 }).next()).done);
  // What has happened since it began can be missed.
  await create(sandbox, 1);
  await sandbox.clock.advance({ by_ms: 7 * day + 1 });
  const late = sandbox.channel({ credential: 'firm', after_seq: 0 }).next();
  assert.match(await messageOf(late), /ended with 4410/);
  await sandbox.close();
});

handles('after close every door says that the sandbox is closed', async () => {
  const sandbox = await open();
  const sink = await sandbox.webhooks.collect();
  const pending = messageOf(sink.waitFor({ kind: 'none' }));
  const follow = () => sandbox.channel({ credential: 'firm' });
  const [early, late] = [follow(), follow()];
  const next = messageOf(late.next());
  const waiting = messageOf(sandbox.requests.waitFor({ status: 201 }));
  await sandbox.close();
  const doors = [
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
  for (const door of doors) assert.is(await door, 'the sandbox is closed');
  for (const door of [
    () => sandbox.credential('firm'),
    () => sandbox.clock.nowMs(),
    () => sandbox.channel({ credential: 'firm' }),
  ]) {
    assert.throws(door, 'the sandbox is closed');
  }
});

handles.run();
