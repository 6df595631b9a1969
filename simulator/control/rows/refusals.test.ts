// Each row names the field that it refuses, and a refusal changes nothing. One function checks
// types and bounds, so each kind of them is tested once here, with the checks that rows add.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startMs, type TestPlane, withPlane } from '../testing/plane.ts';

const test = suite<TestPlane>('control: refusals');
withPlane(test);

const scopes: string[] = [];
const delegated = { scopes, kind: 'delegated', account_id: '1001' };
const category = 'account';
const hang = { kind: 'hang' };
const drop = { kind: 'drop' };
const webhook = { webhook: true };
const from = 'https://hooks.example.com';
const to = 'http://127.0.0.1:9000';
const firm = { id: '7', name: 'Own', brands: [{ id: '70', name: 'Own brand' }] };
const outsider = { name: 'a', firm_id: '9', scopes };

type Refused = readonly (readonly [body: unknown, field: string])[];

const bodies: Readonly<Record<string, Refused>> = {
  'POST clock/advance': [
    [{ by_ms: -1 }, 'by_ms'],
    [{ to_ms: startMs - 1 }, 'to_ms'],
    [{ to_ms: 1e18 }, 'to_ms'],
    [{ to_next: false }, 'to_next'],
    [{ by: 5 }, 'by'],
    [{ by_ms: 1, to_ms: startMs + 1 }, 'body'],
    [{}, 'body'],
  ],
  'PUT clock': [
    [{ mode: 'frozen', now_ms: startMs - 1 }, 'now_ms'],
    [{ now_ms: startMs }, 'mode'],
    [{ mode: 'real', speed: 0 }, 'speed'],
    [{ mode: 'frozen', speed: 2 }, 'speed'],
  ],
  'POST credentials': [
    [{}, 'scopes'],
    [{ scopes: ['accounts:read'] }, 'scopes[0]'],
    [{ scopes, firm_id: '9' }, 'firm_id'],
    [{ scopes, brand_id: '20', firm_id: '1' }, 'brand_id'],
    [{ scopes, read_only: true }, 'read_only'],
    [{ scopes, account_id: '1001' }, 'account_id'],
    [{ scopes, kind: 'delegated' }, 'account_id'],
    [{ ...delegated, account_id: '77' }, 'account_id'],
    [{ ...delegated, brand_id: '11' }, 'brand_id'],
    [{ ...delegated, minted_by: 'anonymous' }, 'minted_by'],
    [{ ...delegated, minted_by: 'cl_other_firm' }, 'minted_by'],
    [{ ...delegated, minted_by: 'cl_brand_b' }, 'minted_by'],
    [{ scopes, minted_by: 'cl_firm' }, 'minted_by'],
    [{ scopes, rate_per_second: 0 }, 'rate_per_second'],
    [{ scopes, client_id: 'mine' }, 'client_id'],
  ],
  'PATCH credentials/cl_brand_a': [[{ name: 'other' }, 'name']],
  'PATCH firms/1': [
    [{ permissions: { createAcount: false } }, 'permissions.createAcount'],
    [{ name: 'x' }, 'name'],
  ],
  'POST accounts/1001/trading-accounts': [
    [{ currency: '' }, 'currency'],
    [{ balance: '5' }, 'balance'],
  ],
  'POST events': [
    [{ category: 'money' }, 'category'],
    [{ category, account_id: '99' }, 'account_id'],
    [{ category, brand_id: '99' }, 'brand_id'],
    [{ category, account_id: '1001', brand_id: '20' }, 'brand_id'],
    [{ category, kind: '' }, 'kind'],
  ],
  'POST faults': [
    [{ match: {}, effect: { kind: 'status' } }, 'effect.status'],
    [{ match: {}, effect: { kind: 'status', status: 404 } }, 'effect.status'],
    [{ match: {}, effect: { kind: 'hang', ms: 5 } }, 'effect.ms'],
    [{ match: {}, effect: { kind: 'hang', status: 500 } }, 'effect.status'],
    [{ match: {}, effect: { kind: 'delay' } }, 'effect.ms'],
    [{ match: {}, effect: drop }, 'effect.kind'],
    [{ match: webhook, effect: hang }, 'effect.kind'],
    [{ match: webhook, effect: drop, phase: 'after' }, 'phase'],
    [{ match: { webhook: 'x' }, effect: drop }, 'match.webhook'],
    [{ match: { client_id: 'cl_unknown' }, effect: hang }, 'match.client_id'],
    [{ match: { ...webhook, method: 'POST' }, effect: drop }, 'match.method'],
    [{ match: { method: 'PUT' }, effect: hang }, 'match.method'],
    [{ match: { path: 'accounts' }, effect: hang }, 'match.path'],
    [{ match: { verb: 'GET' }, effect: hang }, 'match.verb'],
    [{ match: {}, effect: { kind: 'refuse' } }, 'effect.code'],
    [{ match: {}, effect: { kind: 'refuse', code: 'unknown' } }, 'effect.code'],
    [{ match: {}, effect: { kind: 'refuse', code: 'not_found' }, phase: 'after' }, 'phase'],
    [{ match: {}, effect: { kind: 'truncate' } }, 'effect.bytes'],
    [{ match: {}, effect: { kind: 'truncate', bytes: 1 }, phase: 'before' }, 'phase'],
    [{ match: {}, effect: { kind: 'slow_body' } }, 'effect.ms'],
    [{ match: {}, effect: { kind: 'slow_body', ms: 5, bytes: 5 } }, 'effect.bytes'],
    [{ match: webhook, effect: { kind: 'truncate', bytes: 1 } }, 'effect.kind'],
  ],
  'PUT dns/a.example': [[{ addresses: ['hooks.example'] }, 'addresses']],
  'PUT forwards': [
    [{ from: 'http://hooks.example.com', to }, 'from'],
    [{ from: 'https://hooks.example.com/path', to }, 'from'],
    [{ from: 'https://a@hooks.example.com', to }, 'from'],
    [{ from, to: 'ftp://x' }, 'to'],
    [{ from, to: 'nowhere' }, 'to'],
  ],
  'POST snapshots': ['', '../x', 'a b', 'x'.repeat(65), 5].map((name) => [{ name }, 'name']),
  'POST worlds': [
    [{ name: 'a/b' }, 'name'],
    [{ world: 'nowhere' }, 'world'],
    [{ world: {} }, 'world.firms'],
    [{ world: { firms: [firm], credentials: [], rules: 1 } }, 'world.rules'],
    [{ world: { firms: [firm], credentials: [outsider] } }, 'world.credentials[0].firm_id'],
    [{ clock: 'fast' }, 'clock'],
    [{ clock: {} }, 'clock.mode'],
    [{ clock: { mode: 'frozen', now_ms: -1 } }, 'clock.now_ms'],
    [{ plan: 'pro' }, 'plan'],
    [{ from: 'nowhere' }, 'from'],
    [{ from: 'default', world: 'empty' }, 'world'],
    [{ from: 'default', seed: 1 }, 'seed'],
    [{ from: 'default', clock: '2020-01-01T00:00:00Z' }, 'clock'],
  ],
};

test('an invalid body is refused by field, and nothing is changed', async ({ ask }) => {
  const before = (await ask('GET', 'state')).body;
  for (const [row, cases] of Object.entries(bodies)) {
    const [method = '', path = ''] = row.split(' ');
    for (const [body, field] of cases) {
      const refused = await ask(method, path, body);
      const words = `${row} ${JSON.stringify(body)}: ${refused.body?.detail}`;
      assert.equal([refused.status, refused.body.errors[0].field], [422, field], words);
    }
  }
  assert.equal((await ask('GET', 'state')).body, before);
  assert.is((await ask('GET', 'worlds')).body.worlds.length, 1);
  const { detail } = (await ask('PATCH', 'firms/1', { permissions: { createAcount: true } })).body;
  assert.match(detail, /did you mean "createAccount"/);
});

const queries = [
  ['accounts?limit=0', 'limit'],
  ['accounts?limit=1.5', 'limit'],
  ['accounts?brand_id=x', 'brand_id'],
  ['accounts?brand=10', 'brand'],
  ['accounts?limit=1&limit=2', 'limit'],
  ['accounts?__proto__=1', '__proto__'],
  ['transactions?status=done', 'status'],
  ['requests/1?secrets=all', 'secrets'],
] as const;

test('an unknown, invalid or repeated query parameter is refused by name', async ({ ask }) => {
  for (const [path, field] of queries) {
    const { status, body } = await ask('GET', path);
    assert.equal([status, body.errors[0].field], [422, field], path);
  }
  const unnamed = await ask('DELETE', 'forwards');
  assert.equal([unnamed.status, unnamed.body.errors[0].field], [422, 'from']);
  const names = ['a%20b', 'a%2Fb', 'a:80', 'u%40a', '127.0.0.1', '%5B::1%5D', '0x7f.1'];
  for (const name of [...names, 'a..b', 'a'.repeat(64), `${'a.'.repeat(127)}a`]) {
    const { status, body } = await ask('PUT', `dns/${name}`, { addresses: ['93.184.216.34'] });
    assert.equal([status, body.errors[0].field], [422, 'hostname'], name);
  }
});

const unknown = `
  PATCH credentials/unknown, GET firms/3, GET accounts/99, POST accounts/99/trading-accounts,
  GET trading-accounts/99, GET transactions/1, POST transactions/1/settle, GET requests/9,
  GET requests/unknown, DELETE faults/9, DELETE dns/a.example,
  DELETE forwards?from=${encodeURIComponent(from)}, POST deliveries/9999/retry,
  POST subscriptions/99/resume, POST snapshots/none/restore, DELETE snapshots/none,
  GET worlds/none, DELETE worlds/none`;
const conflicting = 'POST transactions/9008/settle, DELETE worlds/default';

test('an unknown record is a 404, and a conflicting state is a 409', async ({ ask }) => {
  for (const [rows, status] of [
    [unknown, 404],
    [conflicting, 409],
  ] as const) {
    for (const row of rows.trim().split(/,\s+/)) {
      const [method = '', path = ''] = row.split(' ');
      assert.is((await ask(method, path)).status, status, row);
    }
  }
  const { subscriptions } = (await ask('GET', 'subscriptions')).body;
  const { id } = subscriptions.find(({ disabled }: { disabled: boolean }) => disabled);
  assert.is((await ask('POST', `subscriptions/${id}/resume`)).status, 409, 'HOOK-13');
  assert.is((await ask('POST', 'worlds', { name: 'default' })).status, 409);
});

test('the response to fifty thousand mistakes is a few kilobytes long', async ({ ask }) => {
  const scopes = Array.from({ length: 50_000 }, (_, n) => `s${n}`);
  const outsiders = Object.fromEntries(scopes.map((name) => [name, 1]));
  for (const body of [{ scopes }, { scopes: [], ...outsiders }]) {
    const { status, body: problem } = await ask('POST', 'credentials', body);
    assert.is(status, 422);
    const { length } = JSON.stringify(problem);
    assert.ok(length < 8000, `${length} characters`);
  }
});

test.run();
