// Faults as a client sees them: responses in the form of the API or of a gateway, lost, truncated,
// slow or in flight until they time out; and which calls a fault matches.
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CallFault, createSandbox, type FaultOptions } from '../index.ts';
import { openClient as open, type SandboxClient } from './sandbox-client.ts';

const faults = suite('call faults');

const one = { client_reference_id: 'one', email: 'one@example.com' };

/** Repeats the same call. */
const create = (client: SandboxClient) => client.person(one, { key: 'same' });

async function withFault(
  fault: FaultOptions,
  work: (client: SandboxClient, id: string) => Promise<void>,
) {
  const client = await open();
  const { id } = await client.sandbox.faults.add({ times: 1, ...fault });
  await work(client, id).finally(() => client.close());
}

const madeOf = async (client: SandboxClient) =>
  (await client.control('GET', 'accounts')).accounts.filter(
    ({ client_reference_id: reference }: Record<string, string>) => reference === 'one',
  ).length;

const statuses = [
  [429, 'rate_limited', ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining']],
  [500, 'internal_error', []],
  [503, 'write_contention', []],
] as const;

for (const [phase, repeated] of [
  ['before', 'first'],
  ['after', 'converged'],
] as const) {
  faults(`a status ${phase}: in the API's own form, and a repeat is ${repeated}`, async () => {
    for (const [status, code, headers] of statuses) {
      await withFault({ phase, effect: { kind: 'status', status } }, async (client, id) => {
        const faulted = await create(client);
        assert.equal(
          [faulted.status, faulted.body.status, faulted.body.code],
          [status, status, code],
        );
        assert.match(faulted.headers.get('content-type') ?? '', /^application\/problem\+json/);
        assert.is(faulted.body.request_id, faulted.headers.get('x-request-id'));
        for (const name of headers) assert.ok(faulted.headers.has(name), `${name} is there`);
        // Reported in the response and in the journal.
        assert.is(faulted.headers.get('x-sandbox-fault'), id);
        const { fault } = await client.control('GET', 'requests/1');
        assert.equal([fault.id, fault.phase], [id, phase]);
        // IDEM-6: nothing is recorded, so the repeat runs.
        const again = await create(client);
        assert.ok(again.status < 300);
        assert.is(await client.idempotency(), repeated);
        assert.is(again.headers.has('x-sandbox-fault'), false);
        assert.is(await madeOf(client), 1);
      });
    }
  });
}

faults('a hang is in flight for 30 s of sandbox time, then times out and frees its key', () =>
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
    // A request that waits for the first call waits until the end.
    await client.close();
    assert.is(await first, 'TypeError');
  }),
);

faults('a delay beyond 30 s times out too: the call never runs, and gets a 500 when due', () =>
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

faults('a delay after: the call has run, and a repeat is answered immediately', () =>
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

// The parts of a fault, and whether it matches POST /api/v1/accounts by the credential `firm`.
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

faults('a fault matches if all of its parts match, and counts its matches', async () => {
  const client = await open();
  for (const [match, applies] of matches) {
    await client.sandbox.faults.clear();
    const fault = await client.sandbox.faults.add({
      match,
      effect: { kind: 'status', status: 503 },
    });
    const label = JSON.stringify(match);
    assert.is(
      (await client.person()).headers.get('x-sandbox-fault'),
      applies ? fault.id : null,
      label,
    );
    const { faults: listed } = await client.control('GET', 'faults');
    assert.is(listed[0].hits, applies ? 1 : 0, label);
  }
  await client.close();
});

faults('a fault applies as often as configured, and the older of two applies first', async () => {
  const client = await open();
  const status = (code: 500 | 503) => ({ effect: { kind: 'status', status: code } }) as const;
  await client.sandbox.faults.add({ ...status(503), times: 2 });
  await client.sandbox.faults.add({ ...status(500), times: 1 });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await create(client)).status);
  assert.equal(statuses, [503, 503, 500, 201]);
  const { faults: listed } = await client.control('GET', 'faults');
  assert.equal(
    listed.map(({ hits }: { hits: number }) => hits),
    [2, 1],
  );
  await client.close();
});

/** Calls without a key, each of another kind. */
const keyless = [
  ['GET', 'accounts'],
  ['POST', 'webhooks/1/disable'],
] as const;

faults('a call without a key that is delayed for a minute is answered after a minute', async () => {
  for (const [method, path] of keyless) {
    await withFault({ effect: { kind: 'delay', ms: 60_000 } }, async (client) => {
      let answered: number | null = null;
      const late = client.call(method, path).then(({ status }) => {
        answered = status;
      });
      await client.untilHeld();
      await client.advance(59_999);
      assert.is(answered, null, path);
      await client.advance(1);
      await late;
      assert.is(answered, 200, path);
    });
  }
});

faults('a call without a key that hangs leaves nothing behind', () =>
  withFault({ effect: { kind: 'hang' } }, async (client) => {
    // Aborted at the end, when the sandbox is closed.
    void client.call('GET', 'accounts').catch(() => null);
    await client.untilHeld();
    const { world } = await client.control('GET', 'state');
    assert.equal([world.suspendedCalls, world.timers.length], [[], 0]);
    await client.advance(86_400_000);
    const { requests } = await client.control('GET', 'requests?limit=1');
    assert.is(requests[0].response, null);
  }),
);

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: Error) => error.message,
  );

faults('502 and 504: the page of a gateway, without problem document or request id', async () => {
  for (const status of [502, 504] as const) {
    await withFault({ effect: { kind: 'status', status } }, async (client) => {
      const { status: got, headers, body } = await create(client);
      assert.equal([got, headers.get('content-type')], [status, 'text/html']);
      assert.match(body, new RegExp(`<title>${status} `));
      assert.not.ok([...headers.keys()].some((name) => name.startsWith('x-')));
      // Nothing has run, and nothing is recorded.
      assert.is((await create(client)).status, 201);
      assert.is(await client.idempotency(), 'first');
    });
  }
});

faults(
  'a status after it ran, twice: the repeat converges and gets the status as well',
  async () => {
    for (const status of [500, 502] as const) {
      const fault = { phase: 'after', effect: { kind: 'status', status } } as const;
      await withFault({ ...fault, times: 2 }, async (client) => {
        const [first, second] = [await create(client), await create(client)];
        assert.equal([first.status, second.status], [status, status]);
        assert.is(second.headers.get('content-type'), first.headers.get('content-type'));
        assert.is((await create(client)).status, 200);
      });
      // Also if the token is missing.
      await withFault(fault, async (client) => {
        const { client_id, client_secret } = client.sandbox.credential('firm');
        const body = { client_id, client_secret, grant_type: 'client_credentials' };
        const ask = () => client.post('oauth/token', body, { as: null });
        assert.equal([(await ask()).status, (await ask()).status], [status, 200]);
      });
    }
  },
);

const refusals = [
  ['invalid_state', 409, 'replayed'],
  ['not_implemented', 501, 'replayed'],
  ['revision_conflict', 412, 'replayed'],
  ['write_contention', 503, 'first'],
  ['rate_limited', 429, 'first'],
  ['idempotency_in_flight', 409, 'first'],
  ['idempotency_key_required', 400, 'first'],
] as const;

faults('refuse: nothing has run, and a repeat is handled by IDEM-6', async () => {
  for (const [code, status, repeated] of refusals) {
    await withFault({ effect: { kind: 'refuse', code } }, async (client) => {
      const refused = await create(client);
      assert.equal([refused.status, refused.body.code], [status, code]);
      assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
      const again = await create(client);
      assert.is(await client.idempotency(), repeated, code);
      assert.is(again.status, repeated === 'replayed' ? status : 201, code);
    });
  }
});

faults('refuse without a code of the specification: the token, and plain text', async () => {
  const client = await open();
  await client.sandbox.faults.add({ effect: { kind: 'refuse', code: 'unauthorized' }, times: 1 });
  const outsider = await create(client);
  assert.equal([outsider.status, outsider.headers.get('www-authenticate')], [401, 'Bearer']);
  await client.sandbox.faults.add({ effect: { kind: 'refuse', code: 'unreadable' }, times: 1 });
  const unread = await create(client);
  assert.equal(
    [unread.status, unread.headers.get('content-type')],
    [400, 'text/plain; charset=utf-8'],
  );
  assert.is((await create(client)).status, 201);
  await client.close();
});

faults('after with reset, two times: the response and that of its repeat are lost', () =>
  withFault({ phase: 'after', effect: { kind: 'reset' }, times: 2 }, async (client) => {
    assert.match(await failure(create(client)), /reset/);
    assert.match(await failure(create(client)), /reset/);
    assert.is(await client.idempotency(), 'replayed');
    assert.is((await create(client)).status, 201);
    assert.is(await madeOf(client), 1);
  }),
);

faults('a fault on a repeat does not change the recorded response', async () => {
  const client = await open();
  const first = await create(client);
  for (const fault of [
    { effect: { kind: 'status', status: 503 } },
    { effect: { kind: 'refuse', code: 'not_found' } },
    { phase: 'after', effect: { kind: 'status', status: 500 } },
  ] as const) {
    await client.sandbox.faults.add({ ...fault, times: 1 });
    assert.is.not((await create(client)).status, 201);
    const again = await create(client);
    assert.equal([again.status, again.body], [201, first.body]);
    assert.is(await client.idempotency(), 'replayed');
  }
  await client.close();
});

faults('truncate: the body ends after that many bytes, and the key replays it completely', () =>
  withFault({ effect: { kind: 'truncate', bytes: 20 } }, async (client) => {
    const { token } = client.sandbox.credential('firm');
    const response = await client.sandbox.fetch('/api/v1/accounts', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': 'same',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...one, brand_id: '10' }),
    });
    assert.is(response.status, 201);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    assert.is(value?.byteLength, 20);
    assert.is(await failure(reader.read()), 'terminated');
    const again = await create(client);
    assert.is(await client.idempotency(), 'replayed');
    assert.ok(JSON.stringify(again.body).startsWith(new TextDecoder().decode(value)));
  }),
);

faults('slow_body: headers immediately, the body in chunks over that time', () =>
  withFault({ effect: { kind: 'slow_body', ms: 100 } }, async (client) => {
    const response = await wholeList(client);
    const { requests } = await client.control('GET', 'requests');
    assert.equal([response.status, requests[0].response.status], [200, 200]);
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      pieces.push(piece);
    }
    assert.is(pieces.length, 10);
    assert.is(Buffer.concat(pieces).toString(), await (await wholeList(client)).text());
  }),
);

function wholeList(client: SandboxClient): Promise<Response> {
  const { token } = client.sandbox.credential('firm');
  return client.sandbox.fetch('/api/v1/accounts', {
    headers: { authorization: `Bearer ${token}` },
  });
}

faults(
  'over a socket: a truncated body ends cleanly, and a slow body arrives in chunks',
  async () => {
    const sandbox = await createSandbox({ plan: 'pro' });
    const { base_url } = await sandbox.listen();
    const { token } = sandbox.credential('firm');
    const ask = async () => {
      const socket = connect(Number(new URL(base_url).port), '127.0.0.1');
      const pieces: string[] = [];
      socket.on('data', (bytes: Buffer) => pieces.push(String(bytes)));
      socket.write(
        `GET /api/v1/accounts HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n` +
          `authorization: Bearer ${token}\r\n\r\n`,
      );
      // An end instead of an error: a reset would lose the bytes before it.
      await once(socket, 'end');
      const text = pieces.join('');
      const [head = '', body = ''] = text.split('\r\n\r\n');
      return { length: Number(/content-length: (\d+)/.exec(head)?.[1]), body, pieces };
    };
    await sandbox.faults.add({ effect: { kind: 'truncate', bytes: 7 }, times: 1 });
    const cut = await ask();
    assert.is(cut.body.length, 7);
    assert.ok(cut.length > 7, 'the headers promise more');
    await sandbox.faults.add({ effect: { kind: 'slow_body', ms: 100 }, times: 1 });
    const slow = await ask();
    assert.is(Buffer.byteLength(slow.body), slow.length);
    assert.ok(slow.pieces.length > 1, 'it came in pieces');
    await sandbox.close();
  },
);

faults('nth: the fault applies from that matching call on', async () => {
  const client = await open();
  await client.sandbox.faults.add({
    match: { operation: 'listAccounts' },
    effect: { kind: 'status', status: 503 },
    nth: 3,
    times: 1,
  });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    await client.person();
    statuses.push((await wholeList(client)).status);
  }
  assert.equal(statuses, [200, 200, 503, 200]);
  await client.close();
});

async function hitsOf(probability: number, seed: number): Promise<string> {
  const client = await open({ seed });
  await client.sandbox.faults.add({ effect: { kind: 'status', status: 503 }, probability });
  let seen = '';
  for (let n = 0; n < 60; n += 1) seen += (await wholeList(client)).status === 503 ? 'x' : '.';
  await client.close();
  return seen;
}

faults('probability: the fault applies at random, reproducibly by seed', async () => {
  const seen = await hitsOf(0.5, 1);
  const count = seen.replaceAll('.', '').length;
  assert.ok(count > 10 && count < 50, seen);
  assert.is(await hitsOf(0.5, 1), seen);
  assert.is.not(await hitsOf(0.5, 2), seen);
  assert.is(await hitsOf(0, 1), '.'.repeat(60));
  assert.is(await hitsOf(1, 1), 'x'.repeat(60));
});

faults.run();
