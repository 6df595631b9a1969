// Faults as a client sees them: responses in the form of the API or of a gateway, lost, truncated,
// slow or in flight until they time out; and which calls a fault matches.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../fixtures/testing/bodies.ts';
import { eachWith } from '../host/testing/each-with.ts';
import { messageOf } from '../host/testing/error-of.ts';
import type { CallFault, FaultOptions } from '../index.ts';
import { openClient as open, type SandboxClient } from './sandbox-client.ts';

const faults = suite<{ client: SandboxClient }>('call faults');
eachWith(faults, 'client', () => open());

const one = personOf('one');

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

// IDEM-6: after a status of a fault nothing is recorded, so a repeat runs; a refusal is recorded as
// any other. [status or code of the fault, its phase, the answer, how the journal shows a repeat]
const answers = [
  [429, 'before', '429 rate_limited', 'first'],
  [500, 'before', '500 internal_error', 'first'],
  [503, 'before', '503 write_contention', 'first'],
  [429, 'after', '429 rate_limited', 'converged'],
  [500, 'after', '500 internal_error', 'converged'],
  [503, 'after', '503 write_contention', 'converged'],
  [502, 'before', '502 text/html', 'first'],
  [504, 'before', '504 text/html', 'first'],
  ['invalid_state', 'before', '409 invalid_state', 'replayed'],
  ['not_implemented', 'before', '501 not_implemented', 'replayed'],
  ['revision_conflict', 'before', '412 revision_conflict', 'replayed'],
  ['write_contention', 'before', '503 write_contention', 'first'],
  ['rate_limited', 'before', '429 rate_limited', 'first'],
  ['idempotency_in_flight', 'before', '409 idempotency_in_flight', 'first'],
  ['idempotency_key_required', 'before', '400 idempotency_key_required', 'first'],
  ['unauthorized', 'before', '401 unauthorized', 'first'],
  ['unreadable', 'before', '400 text/plain', 'first'],
] as const;

const headersBy: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  429: ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining'],
};

for (const [what, phase, expected, repeat] of answers) {
  faults(`a fault of ${what} ${phase} answers ${expected}, and a repeat is ${repeat}`, () => {
    const effect: CallFault['effect'] =
      typeof what === 'number' ? { kind: 'status', status: what } : { kind: 'refuse', code: what };
    return withFault({ phase, effect }, async (client, id) => {
      const { status, headers, body } = await create(client);
      const [type = ''] = (headers.get('content-type') ?? '').split(';');
      const isProblem = type === 'application/problem+json';
      assert.is(`${status} ${isProblem ? body.code : type}`, expected);
      if (isProblem)
        assert.equal([body.status, body.request_id], [status, headers.get('x-request-id')]);
      for (const name of headersBy[status] ?? []) assert.ok(headers.has(name), name);
      // A gateway adds no header of the API or the sandbox.
      const own = [...headers.keys()].filter((name) => name.startsWith('x-'));
      assert.is(own.length > 0, type !== 'text/html');
      assert.is(headers.get('x-sandbox-fault'), type === 'text/html' ? null : id);
      const { fault } = await client.control('GET', 'requests/1');
      assert.equal([fault.id, fault.phase], [id, phase]);
      const again = await create(client);
      assert.is(await client.idempotency(), repeat);
      assert.is(again.status, { first: 201, converged: 200, replayed: status }[repeat]);
      assert.is(again.headers.has('x-sandbox-fault'), false);
      assert.is(await madeOf(client), repeat === 'replayed' ? 0 : 1);
    });
  });
}

faults('a hang is in flight for 30 s of sandbox time, then times out and frees its key', () =>
  withFault({ effect: { kind: 'hang' } }, async (client) => {
    const first = messageOf(create(client));
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
    assert.is(await first, 'fetch failed: the connection was reset');
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

faults('a fault matches if all of its parts match, and counts its matches', async ({ client }) => {
  for (const [match, applies] of matches) {
    await client.sandbox.faults.clear();
    const effect = { kind: 'status', status: 503 } as const;
    const { id } = await client.sandbox.faults.add({ match, effect });
    const label = JSON.stringify(match);
    const { headers } = await client.person();
    assert.is(headers.get('x-sandbox-fault'), applies ? id : null, label);
    const { faults: listed } = await client.control('GET', 'faults');
    assert.is(listed[0].hits, applies ? 1 : 0, label);
  }
});

faults('a fault applies as often as set, and the older of two first', async ({ client }) => {
  const status = (code: 500 | 503) => ({ effect: { kind: 'status', status: code } }) as const;
  await client.sandbox.faults.add({ ...status(503), times: 2 });
  await client.sandbox.faults.add({ ...status(500), times: 1 });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await create(client)).status);
  assert.equal(statuses, [503, 503, 500, 201]);
  const { faults: listed } = await client.control('GET', 'faults');
  assert.equal([listed[0].hits, listed[1].hits], [2, 1]);
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
      await client.inFlight();
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
    await client.inFlight();
    const { world } = await client.control('GET', 'state');
    assert.equal([world.suspendedCalls, world.timers.length], [[], 0]);
    await client.advance(86_400_000);
    const { requests } = await client.control('GET', 'requests?limit=1');
    assert.is(requests[0].response, null);
  }),
);

faults('a reset before the call cuts the connection, and a repeat is the first attempt', () =>
  withFault({ effect: { kind: 'reset' } }, async (client) => {
    assert.match(await messageOf(create(client)), /reset/);
    assert.is((await create(client)).status, 201);
    assert.is(await client.idempotency(), 'first');
  }),
);

const lost = [
  [{ kind: 'reset' }, 'replayed'],
  [{ kind: 'status', status: 500 }, 'converged'],
  [{ kind: 'status', status: 502 }, 'converged'],
] as const;

faults('twice after it ran: the response and that of its repeat are lost', async () => {
  for (const [effect, repeat] of lost) {
    await withFault({ phase: 'after', effect, times: 2 }, async (client) => {
      const sent = () =>
        create(client).then(
          ({ status }) => status,
          () => 'reset',
        );
      const expected = effect.kind === 'status' ? effect.status : 'reset';
      assert.equal([await sent(), await sent()], [expected, expected]);
      assert.is(await sent(), repeat === 'replayed' ? 201 : 200);
      assert.is(await client.idempotency(), repeat);
      assert.is(await madeOf(client), 1);
    });
  }
  // A request without a token can be faulted as well.
  await withFault({ phase: 'after', effect: { kind: 'status', status: 500 } }, async (client) => {
    const { client_id, client_secret } = client.sandbox.credential('firm');
    const body = { client_id, client_secret, grant_type: 'client_credentials' };
    const ask = () => client.post('oauth/token', body, { as: null });
    assert.equal([(await ask()).status, (await ask()).status], [500, 200]);
  });
});

faults('a fault on a repeat does not change the recorded response', async ({ client }) => {
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
});

for (const isOverSocket of [false, true]) {
  const way = isOverSocket ? 'over a socket' : 'without a socket';
  const baseOf = async ({ sandbox }: SandboxClient) =>
    isOverSocket ? (await sandbox.listen()).base_url : undefined;

  faults(`truncate ${way}: the body ends after that many bytes, and the key replays it whole`, () =>
    withFault({ effect: { kind: 'truncate', bytes: 20 } }, async (client) => {
      const base = await baseOf(client);
      const response = await client.send('POST', 'accounts', { body: one, key: 'same', base });
      assert.is(response.status, 201);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      assert.is(value?.byteLength, 20);
      assert.is(await messageOf(reader.read()), 'terminated');
      const again = await create(client);
      assert.is(await client.idempotency(), 'replayed');
      assert.ok(JSON.stringify(again.body).startsWith(new TextDecoder().decode(value)));
    }),
  );

  faults(`slow_body ${way}: headers immediately, the body in chunks over that time`, () =>
    withFault({ effect: { kind: 'slow_body', ms: 100 } }, async (client) => {
      const response = await client.send('GET', 'accounts', { base: await baseOf(client) });
      const { requests } = await client.control('GET', 'requests');
      assert.equal([response.status, requests[0].response.status], [200, 200]);
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        pieces.push(piece);
      }
      // A socket may join pieces.
      assert.ok(isOverSocket ? pieces.length > 1 : pieces.length === 10, `${pieces.length} pieces`);
      const whole = await (await client.send('GET', 'accounts')).text();
      assert.is(Buffer.concat(pieces).toString(), whole);
    }),
  );
}

faults('nth: the fault applies from that matching call on', async ({ client }) => {
  await client.sandbox.faults.add({
    match: { operation: 'listAccounts' },
    effect: { kind: 'status', status: 503 },
    nth: 3,
    times: 1,
  });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    await client.person();
    statuses.push((await client.call('GET', 'accounts')).status);
  }
  assert.equal(statuses, [200, 200, 503, 200]);
});

async function hitsOf(probability: number, seed: number): Promise<string> {
  const client = await open({ seed });
  await client.sandbox.faults.add({ effect: { kind: 'status', status: 503 }, probability });
  let seen = '';
  for (let n = 0; n < 60; n += 1)
    seen += (await client.call('GET', 'accounts')).status === 503 ? 'x' : '.';
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
