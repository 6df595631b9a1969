// What faults do to the answers of calls and of their repeats: a gateway's page, a refusal of one's
// choice, an answer that is lost twice, cut short or slow; and which of many calls they strike.
// time limit: 60 s
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox, type FaultOptions, type SandboxOptions } from '../index.ts';
import { SandboxClient } from './settings/show-setting.ts';

const effects = suite('effects of faults');

const one = { client_reference_id: 'one', email: 'one@example.com' };

async function open(options: SandboxOptions = {}): Promise<SandboxClient> {
  return new SandboxClient(await createSandbox({ clock: 'frozen', plan: 'pro', ...options }));
}

const create = (client: SandboxClient) => client.person(one, { key: 'same' });

async function withFault(fault: FaultOptions, work: (client: SandboxClient) => Promise<void>) {
  const client = await open();
  await client.sandbox.faults.add({ times: 1, ...fault });
  await work(client).finally(() => client.close());
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: Error) => error.message,
  );

for (const status of [502, 504] as const) {
  effects(`${status}: a page of a gateway, without problem or request id`, () =>
    withFault({ effect: { kind: 'status', status } }, async (client) => {
      const { status: got, headers, body } = await create(client);
      assert.is(got, status);
      assert.is(headers.get('content-type'), 'text/html');
      assert.match(body, new RegExp(`<title>${status} `));
      assert.equal(
        [...headers.keys()].filter((name) => name.startsWith('x-')),
        [],
      );
      // Nothing has run, and nothing is recorded.
      assert.is((await create(client)).status, 201);
      assert.is(await client.idempotency(), 'first');
    }),
  );
}

for (const status of [500, 502] as const) {
  effects(`${status} after it ran, twice: the repeat converges and is answered so as well`, () =>
    withFault({ phase: 'after', effect: { kind: 'status', status }, times: 2 }, async (client) => {
      const first = await create(client);
      const second = await create(client);
      assert.equal([first.status, second.status], [status, status]);
      assert.is(second.headers.get('content-type'), first.headers.get('content-type'));
      assert.is((await create(client)).status, 200);
    }),
  );
  effects(`${status} in the place of a token`, () =>
    withFault({ phase: 'after', effect: { kind: 'status', status } }, async (client) => {
      const { client_id, client_secret } = client.sandbox.credential('firm');
      const body = JSON.stringify({ client_id, client_secret, grant_type: 'client_credentials' });
      const ask = () =>
        client.sandbox.fetch('http://sandbox/api/v1/oauth/token', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
      assert.equal([(await ask()).status, (await ask()).status], [status, 200]);
    }),
  );
}

const refusals = [
  ['invalid_state', 409, 'replayed'],
  ['not_implemented', 501, 'replayed'],
  ['revision_conflict', 412, 'replayed'],
  ['write_contention', 503, 'first'],
  ['rate_limited', 429, 'first'],
  ['idempotency_in_flight', 409, 'first'],
  ['idempotency_key_required', 400, 'first'],
] as const;

for (const [code, status, repeated] of refusals) {
  effects(`refuse ${code}: nothing has run, and a repeat is ${repeated}`, () =>
    withFault({ effect: { kind: 'refuse', code } }, async (client) => {
      const refused = await create(client);
      assert.equal([refused.status, refused.body.code], [status, code]);
      assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
      const again = await create(client);
      assert.is(await client.idempotency(), repeated);
      assert.is(again.status, repeated === 'replayed' ? status : 201);
    }),
  );
}

effects('refuse without a code of the specification: the token, and plain text', async () => {
  const client = await open();
  await client.sandbox.faults.add({ effect: { kind: 'refuse', code: 'unauthorized' }, times: 1 });
  const stranger = await create(client);
  assert.equal([stranger.status, stranger.headers.get('www-authenticate')], [401, 'Bearer']);
  await client.sandbox.faults.add({ effect: { kind: 'refuse', code: 'unreadable' }, times: 1 });
  const unread = await create(client);
  assert.equal(
    [unread.status, unread.headers.get('content-type')],
    [400, 'text/plain; charset=utf-8'],
  );
  assert.is((await create(client)).status, 201);
  await client.close();
});

effects('after with reset, two times: the answer is lost, and that of its repeat', () =>
  withFault({ phase: 'after', effect: { kind: 'reset' }, times: 2 }, async (client) => {
    assert.match(await failure(create(client)), /reset/);
    assert.match(await failure(create(client)), /reset/);
    assert.is(await client.idempotency(), 'replayed');
    assert.is((await create(client)).status, 201);
    const { accounts } = await client.control('GET', 'accounts');
    const made = accounts.filter(
      ({ client_reference_id: reference }: Record<string, string>) => reference === 'one',
    );
    assert.is(made.length, 1);
  }),
);

effects('a repeat that is struck leaves what is recorded as it was', async () => {
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

effects('truncate: the body breaks off after so many bytes, and the key replays it whole', () =>
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

effects('slow_body: headers at once, the body in pieces as the clock goes on', () =>
  withFault({ effect: { kind: 'slow_body', ms: 10_000 } }, async (client) => {
    const { token } = client.sandbox.credential('firm');
    const response = await client.sandbox.fetch('/api/v1/accounts', {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.is(response.status, 200);
    const length = Number(Buffer.byteLength(await (await wholeList(client)).text()));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await client.advance(5000);
    let read = 0;
    while (read < Math.floor(length / 2)) read += (await reader.read()).value?.byteLength ?? 0;
    assert.is(read, Math.floor(length / 2));
    const { fired } = await client.sandbox.clock.advance({ by_ms: 5000 });
    assert.equal(
      fired.map(({ kind, outcome }) => `${kind}: ${outcome}`),
      [6, 7, 8, 9, 10].map((piece) => `piece: piece ${piece} of 10`),
    );
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.byteLength;
    }
    assert.is(read, length);
  }),
);

function wholeList(client: SandboxClient): Promise<Response> {
  const { token } = client.sandbox.credential('firm');
  return client.sandbox.fetch('/api/v1/accounts', {
    headers: { authorization: `Bearer ${token}` },
  });
}

effects('over a socket: cut short it ends in order, slow it comes in pieces', async () => {
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
    // An end and no error: the bytes before it are not lost to a reset.
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
});

effects('nth: from that matching call on', async () => {
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

effects('probability: now and then, the same with the same seed', async () => {
  const seen = await hitsOf(0.5, 1);
  const count = seen.replaceAll('.', '').length;
  assert.ok(count > 10 && count < 50, seen);
  assert.is(await hitsOf(0.5, 1), seen);
  assert.is.not(await hitsOf(0.5, 2), seen);
  assert.is(await hitsOf(0, 1), '.'.repeat(60));
  assert.is(await hitsOf(1, 1), 'x'.repeat(60));
});

effects('a call without a key is never given up', () =>
  withFault({ effect: { kind: 'delay', ms: 60_000 } }, async (client) => {
    const slow = wholeList(client);
    await client.control('GET', 'info');
    await client.advance(60_000);
    assert.is((await slow).status, 200);
  }),
);

effects('a suspended body outlives the saving of its world', () =>
  withFault({ effect: { kind: 'slow_body', ms: 10_000 }, times: 2 }, async (client) => {
    const response = await wholeList(client);
    const state = await client.control('GET', 'state');
    await client.control('PUT', 'state', state);
    // Who waited is cut off by the change of worlds; the new world goes on all the same.
    assert.is(await failure(response.text()), 'terminated');
    const { fired } = await client.sandbox.clock.advance({ by_ms: 10_000 });
    assert.is(fired.length, 10);
  }),
);

effects.run();
