// Faults as a client meets them: in the API's own form, before or after, in flight until given up,
// and told in the journal and in a header of the answer.
// time limit: 60 s
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CallFault, createSandbox, type FaultOptions, type SandboxOptions } from '../index.ts';
import { SandboxClient } from './settings/show-setting.ts';

const faults = suite('faults of calls');

const one = { client_reference_id: 'one', email: 'one@example.com' };

async function open(options: SandboxOptions = {}): Promise<SandboxClient> {
  return new SandboxClient(await createSandbox({ clock: 'frozen', plan: 'pro', ...options }));
}

/** The same call again and again. */
const create = (client: SandboxClient) => client.person(one, { key: 'same' });

async function withFault(
  fault: FaultOptions,
  work: (client: SandboxClient, id: string) => Promise<void>,
) {
  const client = await open();
  const { id } = await client.sandbox.faults.add({ times: 1, ...fault });
  await work(client, id).finally(() => client.close());
}

const statuses = [
  [429, 'rate_limited', ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining']],
  [500, 'internal_error', []],
  [503, 'write_contention', []],
] as const;

for (const [status, code, headers] of statuses) {
  for (const [phase, repeated] of [
    ['before', 'first'],
    ['after', 'converged'],
  ] as const) {
    faults(`${status} ${phase}: in the API's own form, and a repeat is ${repeated}`, () =>
      withFault({ phase, effect: { kind: 'status', status } }, async (client, id) => {
        const struck = await create(client);
        assert.is(struck.status, status);
        assert.match(struck.headers.get('content-type') ?? '', /^application\/problem\+json/);
        assert.equal([struck.body.status, struck.body.code], [status, code]);
        assert.is(struck.body.request_id, struck.headers.get('x-request-id'));
        for (const name of headers) assert.ok(struck.headers.has(name), `${name} is there`);
        // Told in the answer and in the journal.
        assert.is(struck.headers.get('x-sandbox-fault'), id);
        const { fault } = await client.control('GET', 'requests/1');
        assert.equal([fault.id, fault.phase], [id, phase]);
        // IDEM-6: nothing is recorded, so the repeat runs.
        const again = await create(client);
        assert.is(again.status < 300, true);
        assert.is(await client.idempotency(), repeated);
        assert.is(again.headers.has('x-sandbox-fault'), false);
        const { accounts } = await client.control('GET', 'accounts');
        const made = accounts.filter(
          ({ client_reference_id }: { client_reference_id: string }) =>
            client_reference_id === 'one',
        );
        assert.is(made.length, 1);
      }),
    );
  }
}

faults('a hang is in flight for 30 s of the sandbox, then given up, and its key is free', () =>
  withFault({ effect: { kind: 'hang' } }, async (client) => {
    const first = create(client).then(
      () => 'answered',
      (error: Error) => error.name,
    );
    await client.inFlight('same');
    await client.advance(29_999);
    const early = await create(client);
    assert.equal([early.status, early.body.code], [409, 'idempotency_in_flight']);
    assert.is(await client.idempotency(), 'in_flight');
    await client.advance(1);
    assert.is((await create(client)).status, 201);
    assert.is(await client.idempotency(), 'first');
    // Whoever waits for the first one waits until the end.
    await client.close();
    assert.is(await first, 'TypeError');
  }),
);

faults('a delay beyond 30 s is given up too: it never runs, and says so when its time comes', () =>
  withFault({ effect: { kind: 'delay', ms: 45_000 } }, async (client) => {
    const slow = create(client);
    await client.inFlight('same');
    await client.advance(30_000);
    const again = await create(client);
    assert.is(again.status, 201);
    await client.advance(15_000);
    const late = await slow;
    assert.equal([late.status, late.body.code], [500, 'internal_error']);
    assert.is((await create(client)).body.id, again.body.id);
    assert.is(await client.idempotency(), 'replayed');
  }),
);

faults('a delay after: it has run, and a repeat is answered at once', () =>
  withFault({ phase: 'after', effect: { kind: 'delay', ms: 60_000 } }, async (client) => {
    const slow = create(client);
    await client.inFlight('same');
    const again = await create(client);
    assert.is(await client.idempotency(), 'replayed');
    await client.advance(60_000);
    assert.is((await slow).body.id, again.body.id);
    assert.is((await slow).status, 201);
  }),
);

for (const [phase, repeated] of [
  ['before', 'first'],
  ['after', 'replayed'],
] as const) {
  faults(`a reset ${phase}: the connection is cut, and a repeat is ${repeated}`, () =>
    withFault({ phase, effect: { kind: 'reset' } }, async (client) => {
      const cut = await create(client).catch((error: Error) => error.name);
      assert.is(cut, 'TypeError');
      assert.is((await create(client)).status, 201);
      assert.is(await client.idempotency(), repeated);
    }),
  );
}

// What a fault is meant for, and whether it strikes POST /api/v1/accounts of the credential `firm`.
const matches: readonly (readonly [NonNullable<CallFault['match']>, boolean])[] = [
  [{}, true],
  [{ operation: 'createAccount' }, true],
  [{ operation: 'updateAccount' }, false],
  [{ method: 'post' }, true],
  [{ method: 'PATCH' }, false],
  [{ path: '/api/v1/accounts' }, true],
  [{ path: '/api/v1/acc*' }, true],
  [{ path: '/api/v1/acc' }, false],
  [{ path: '/api/v1/transactions*' }, false],
  [{ client_id: 'cl_firm' }, true],
  [{ client_id: 'cl_brand_a' }, false],
  [{ operation: 'createAccount', client_id: 'cl_firm', path: '/api/v1/*' }, true],
  [{ operation: 'createAccount', client_id: 'cl_brand_a' }, false],
];

faults('strikes what all of its parts fit, and counts its hits', async () => {
  const client = await open();
  for (const [match, strikes] of matches) {
    await client.sandbox.faults.clear();
    const fault = await client.sandbox.faults.add({
      match,
      effect: { kind: 'status', status: 503 },
    });
    const said = JSON.stringify(match);
    assert.is(
      (await client.person()).headers.get('x-sandbox-fault'),
      strikes ? fault.id : null,
      said,
    );
    const { faults: listed } = await client.control('GET', 'faults');
    assert.is(listed[0].hits, strikes ? 1 : 0, said);
  }
  await client.close();
});

faults('strikes as many times as it says; of two the older one first', async () => {
  const client = await open();
  const status = (code: 500 | 503) => ({ effect: { kind: 'status', status: code } }) as const;
  await client.sandbox.faults.add({ ...status(503), times: 2 });
  await client.sandbox.faults.add({ ...status(500), times: 1 });
  const heard: number[] = [];
  for (let n = 0; n < 4; n += 1) heard.push((await create(client)).status);
  assert.equal(heard, [503, 503, 500, 201]);
  const { faults: listed } = await client.control('GET', 'faults');
  assert.equal(
    listed.map(({ hits }: { hits: number }) => hits),
    [2, 1],
  );
  await client.close();
});

// AUTH-8: one permission each; the call that it is about, otherwise answered.
const permitted = [
  ['createAccount', (client: SandboxClient) => client.person()],
  [
    'bulkCreateAccounts',
    (client: SandboxClient) => client.post('accounts/bulk', { accounts: [one] }),
  ],
  ['createTransaction', (client: SandboxClient) => client.transaction()],
  [
    'approveTransaction',
    (client: SandboxClient) => client.call('POST', 'transactions/9006/approve?account_id=1002'),
  ],
  ['listWebhooks', (client: SandboxClient) => client.call('GET', 'webhooks')],
  ['listAccounts', (client: SandboxClient) => client.call('GET', 'accounts')],
] as const;

faults('a permission of the firm that is switched off refuses that operation alone', async () => {
  const client = await open();
  for (const [operation, ask] of permitted) {
    assert.ok((await ask(client)).status < 300, operation);
    await client.control('PATCH', 'firms/1', { permissions: { [operation]: false } });
    for (const [other, askOther] of permitted) {
      const { status, body } = await askOther(client);
      if (other !== operation) assert.ok(status < 300, `${other} without ${operation}`);
      else assert.equal([status, body.code], [403, 'forbidden'], operation);
    }
    await client.control('PATCH', 'firms/1', { permissions: { [operation]: true } });
  }
  await client.close();
});

/** Calls without a key, each of another kind. */
const keyless = [
  ['GET', 'accounts'],
  ['POST', 'webhooks/1/disable'],
] as const;

for (const [method, path] of keyless) {
  faults(`${method} ${path}: delayed for a minute it is answered after a minute`, () =>
    withFault({ effect: { kind: 'delay', ms: 60_000 } }, async (client) => {
      let answered: number | null = null;
      const late = client.call(method, path).then(({ status }) => {
        answered = status;
      });
      await client.untilHeld();
      await client.advance(59_999);
      assert.is(answered, null);
      await client.advance(1);
      await late;
      assert.is(answered, 200);
    }),
  );
}

faults('a call without a key that hangs leaves nothing behind', () =>
  withFault({ effect: { kind: 'hang' } }, async (client) => {
    // Cut off at the end, when the sandbox is closed.
    void client.call('GET', 'accounts').catch(() => null);
    await client.untilHeld();
    const { world } = await client.control('GET', 'state');
    assert.equal([world.suspendedCalls, world.timers.length], [[], 0]);
    await client.advance(86_400_000);
    const { requests } = await client.control('GET', 'requests?limit=1');
    assert.is(requests[0].response, null);
  }),
);

faults.run();
