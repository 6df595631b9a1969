// The journal over the control plane: calls with their checks, reasons, repeats and consequences.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { createTestPlane, type TestPlane, withPlane } from '../testing/plane.ts';

const test = suite<TestPlane>('control: journal');
withPlane(test);

const person = (n: number) => ({ client_reference_id: `p-${n}`, email: `p-${n}@example.com` });

function create({ call }: TestPlane, n: number, key = `k-${n}`) {
  return call('brand-a', 'POST', 'accounts', { body: person(n), key });
}

type Step = { readonly name: string; readonly outcome: string; readonly note: string };

test('an entry traces a created account from route to operation', async (plane) => {
  const { ask } = plane;
  const created = await create(plane, 1);
  const { body } = await ask('GET', 'requests/1');
  const steps = body.steps.map(({ name, outcome }: Step) => `${name} ${outcome}`);
  const passed = ['route', 'key', 'token', 'rate', 'readable', 'replay', 'scope'];
  assert.equal(steps, [...passed.map((name) => `${name} passed`), 'operation ran']);
  assert.equal(
    [body.operation, body.client_id, body.client_name, body.idempotency, body.key, body.subject],
    ['createAccount', 'cl_brand_a', 'brand-a', 'first', 'k-1', 'p-1'],
  );
  assert.equal(body.allowance, { per_second: 5, left: 4 });
  assert.is(body.request.method, 'POST');
  assert.is(body.request.target, '/api/v1/accounts');
  assert.equal(JSON.parse(body.request.body), person(1));
  assert.equal(JSON.parse(body.response.body), created.body);
  assert.is(body.response.headers['x-request-id'], body.request_id);
  assert.is(body.response.headers.etag, '"1"');
  assert.ok(body.cites.includes('ACC-1'), String(body.cites));
  for (const [at, { id, words }] of body.reasons.entries()) {
    assert.is(id, body.cites[at]);
    assert.ok(words.length > 10);
  }
  assert.is(body.reasons.length, body.cites.length);
  const [{ id, seq, kind }] = body.events;
  assert.equal([kind, body.event_ids, body.event_seqs], ['account.created', [id], [seq]]);
});

test('a replay and its first attempt link to each other', async (plane) => {
  const { ask } = plane;
  const first = await create(plane, 1);
  await create(plane, 1);
  const replay = (await ask('GET', 'requests/2')).body;
  const request_id = first.headers.get('x-request-id');
  assert.equal(replay.first_attempt, { id: '1', request_id });
  const note = '201, the response to request 1';
  assert.equal(replay.steps.at(-1), { name: 'replay', outcome: 'decided', note });
  assert.equal(replay.event_ids, []);
  assert.equal((await ask('GET', 'requests/1')).body.repeats, ['2']);
});

// [the request, the check that decides, the status]
const refusals = [
  ['nowhere', {}, 'route', 404],
  ['accounts', { key: ' ' }, 'key', 400],
  ['accounts', { headers: { authorization: 'Bearer unknown' } }, 'token', 401],
  ['accounts', { body: '{' }, 'readable', 400],
] as const;

test('an entry names the check that decided a refusal', async ({ ask, call }) => {
  for (const [index, [path, more, step, status]] of refusals.entries()) {
    const answer = await call('brand-a', 'POST', path, { body: person(1), ...more });
    assert.is(answer.status, status, step);
    const { body } = await ask('GET', `requests/${index + 1}`);
    const last = body.steps.at(-1);
    assert.equal([last.name, last.outcome], [step, 'decided']);
    assert.match(last.note, new RegExp(`^${status}: .+`));
  }
  await call('no-scopes', 'POST', 'accounts', { body: { ...person(1), brand_id: '10' } });
  const scope = (await ask('GET', 'requests?limit=1')).body.requests[0];
  assert.equal([scope.steps.at(-1).name, scope.response.status], ['scope', 403]);
});

// [the credential, the call, the exact reasons of the response]
const causes = [
  ['brand-a', 'POST', 'accounts', { body: person(1), key: ' ' }, ['IDEM-1a']],
  ['brand-a', 'POST', 'accounts', { body: person(1), key: 'k'.repeat(256) }, ['IDEM-1b']],
  ['firm', 'GET', 'accounts', {}, ['CONV-3', 'NS-2']],
  ['brand-a', 'GET', 'accounts', {}, ['CONV-3', 'NS-2', 'AUTH-6']],
  ['delegated', 'GET', 'accounts/1002/status', {}, ['NS-54', 'AUTH-5']],
  ['other-firm', 'GET', 'accounts/1001/status', {}, ['NS-54', 'AUTH-7']],
  ['firm', 'GET', 'accounts/9999/status', {}, ['NS-54']],
] as const;

test('a response names the rules that contributed to it', async ({ ask, call }) => {
  for (const [index, [who, method, path, more, cites]] of causes.entries()) {
    await call(who, method, path, more);
    await ask('POST', 'clock/advance', { by_ms: 1000 });
    assert.equal((await ask('GET', `requests/${index + 1}`)).body.cites, cites, `${who} ${path}`);
  }
});

test('an open question is reported with its choice and changed setting', async () => {
  const settings = { ...defaultSettings, unparsable_status: 422 } as const;
  const { ask, call } = await createTestPlane({ options: { settings } });
  await call('brand-a', 'POST', 'accounts', { body: '{' });
  const { reasons } = (await ask('GET', 'requests/1')).body;
  const { words } = reasons.find(({ id }: { id: string }) => id === 'NS-14');
  assert.match(words, /^Which status does .*\? 400 if .* Here `unparsable_status` is `422`\.$/);
});

test('the newest entries are first; after a number, the oldest', async (plane) => {
  const { ask } = plane;
  for (let n = 1; n <= 4; n += 1) await create(plane, n);
  const ids = async (query: string) => {
    const { body } = await ask('GET', `requests?${query}`);
    return [...body.requests.map(({ id }: { id: string }) => id), body.next_after];
  };
  assert.equal(await ids(''), ['4', '3', '2', '1', null]);
  assert.equal(await ids('limit=1'), ['4', null]);
  assert.equal(await ids('after=1&limit=2'), ['2', '3', 3]);
  assert.equal(await ids('after=3'), ['4', null]);
  assert.equal(await ids('after=4'), [null]);
});

test('entries are filtered by operation, status and caller', async (plane) => {
  const { ask, call } = plane;
  await create(plane, 1);
  await call('firm', 'GET', 'accounts');
  await call('firm', 'POST', 'accounts', { body: person(2) });
  const ids = async (query: string) =>
    (await ask('GET', `requests?${query}`)).body.requests.map(({ id }: { id: string }) => id);
  assert.equal(await ids('operation=createAccount'), ['3', '1']);
  assert.equal(await ids('status=422'), ['3']);
  assert.equal(await ids('client_id=cl_firm'), ['3', '2']);
  assert.equal(await ids('client_id=cl_firm&operation=createAccount&status=201'), []);
});

test('a call is found by its X-Request-Id', async (plane) => {
  const created = await create(plane, 1);
  const id = created.headers.get('x-request-id') ?? '';
  assert.is((await plane.ask('GET', `requests/${id}`)).body.id, '1');
});

test('binary bodies are base64, and only lists truncate long bodies', async ({ sandbox, ask }) => {
  const send = (body: Uint8Array) =>
    sandbox.call({ method: 'POST', target: '/api/v1/accounts', headers: {}, body }, () => {});
  send(new Uint8Array([0xff, 0xfe]));
  const broken = (await ask('GET', 'requests/1')).body.request;
  assert.equal([broken.body, broken.encoding], ['//4=', 'base64']);
  // The cut falls inside a character of three bytes.
  const long = `x${'€'.repeat(6000)}`;
  send(Buffer.from(long));
  send(Buffer.from('plain'));
  const [plain, cut] = (await ask('GET', 'requests')).body.requests;
  assert.equal([plain.request.body, plain.request.truncated], ['plain', false]);
  assert.equal([cut.request.encoding, cut.request.truncated], ['text', true]);
  assert.ok(long.startsWith(cut.request.body) && cut.request.body.length > 5000);
  const whole = (await ask('GET', 'requests/2')).body.request;
  assert.equal([whole.body, whole.truncated], [long, false]);
});

test('an entry links a call to its deliveries', async (plane) => {
  const { ask, call } = plane;
  const body = { url: 'https://hooks.partner.example/in', event_categories: ['account'] };
  await call('brand-a', 'POST', 'webhooks', { body });
  await create(plane, 1);
  await ask('POST', 'clock/advance', { by_ms: 0 });
  const { deliveries, events } = (await ask('GET', 'requests/2')).body;
  assert.is(deliveries.length, 1);
  assert.equal([deliveries[0].status, deliveries[0].event_id], ['delivered', events[0].id]);
});

test('secrets are shown only on request', async ({ ask, call, plane, sandbox }) => {
  const { client_id, client_secret } = sandbox.first.world.credentials.get('cl_firm') ?? {};
  const body = { grant_type: 'client_credentials', client_id, client_secret };
  const headers = { cookie: 'session=s3cret' };
  const target = 'oauth/token?access_token=s3cret';
  const created = await call('firm', 'POST', target, { body, headers });
  assert.is(created.status, 200);
  const hook = { url: 'https://hooks.partner.example/in', event_categories: ['account'] };
  const { secret } = (await call('firm', 'POST', 'webhooks', { body: hook })).body;
  const token = (await ask('GET', 'credentials')).body.credentials[0].token;
  const secrets = ['s3cret', client_secret, created.body.access_token, secret, token];
  const stream = await plane.fetch(new Request('http://any/_sandbox/stream'));
  await call('firm', 'GET', 'accounts?access_token=s3cret');
  const reader = stream.body?.getReader();
  let followed = '';
  while (!followed.includes('event: request\n')) {
    followed += new TextDecoder().decode((await reader?.read())?.value);
  }
  await reader?.cancel();
  const textAt = async (path: string) => JSON.stringify((await ask('GET', path)).body);
  const hidden = [followed, await textAt('requests'), await textAt('requests/1')].join();
  const [first, second] = [1, 2].map((id) => textAt(`requests/${id}?secrets=shown`));
  const shown = `${await first}${await second}`;
  for (const one of secrets) {
    assert.type(one, 'string');
    assert.not.ok(hidden.includes(one), one);
    assert.ok(shown.includes(one), one);
  }
});

test.run();
