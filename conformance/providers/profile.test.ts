// A profile is parsed strictly: every error names its field and how to fix it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  EXAMPLE_PROFILE,
  listenAddress,
  parseProfile,
  profileFields,
  type ReadProfile,
} from './profile.ts';

const env = { FIRM_TOKEN: 'firm-token-1', SECRET: 'client-secret-1', EMPTY: '', BROKEN: 'x\n' };

/** The profile from the documentation. */
const whole = {
  base_url: 'https://api.example.com',
  credentials: {
    firm: { token: 'env:FIRM_TOKEN', brand_id: '10' },
    brand: { token: 'brand-token-1', brand_id: '10' },
    other_brand: { token: 'other-brand-token', brand_id: '11' },
    other_firm: { token: 'other-firm-token', brand_id: '20' },
    no_scopes: { token: 'no-scopes-token' },
    no_amend: { token: 'no-amend-token' },
    amend_only: { token: 'amend-only-token' },
    delegated: { token: 'delegated-token', account_id: '1001', trading_account_id: '5001' },
    read_only: { token: 'read-only-token', account_id: '1001' },
    client: { client_id: 'client-1', client_secret: 'env:SECRET' },
  },
  seeds: {
    trading_account: { account_id: '1001', trading_account_id: '5001', currency: 'USD' },
    second_trading_account: { account_id: '1002', trading_account_id: '5002', currency: 'USD' },
    provider_trading_account: { account_id: '1001', trading_account_id: '5003', currency: 'USD' },
    settled_transactions: [{ id: '9001', account_id: '1001' }],
  },
  positions: {
    open: { body: { symbol: 'EURUSD', side: 'buy', volume: '0.01' } },
    close: { body: {} },
  },
  plan: { per_second: 5, firm_per_second: 20 },
  receiver: { listen: '127.0.0.1:9000', public_url: 'https://tunnel.example.com/hooks' },
};

const profile = suite('profile');

profile('the whole profile is parsed, and secrets are resolved and collected', () => {
  const read = parseProfile(whole, env);
  assert.equal(read.problems, undefined);
  assert.is(read.profile!.credentials.firm!.token, 'firm-token-1');
  assert.is(read.profile!.credentials.client!.client_secret, 'client-secret-1');
  assert.is(read.profile!.seeds!.settled_transactions![0]!.id, '9001');
  const { secrets = [], warnings = [], variables } = read as ReadProfile;
  assert.is(variables.get('credentials.client.client_secret'), 'SECRET');
  const [warning] = warnings;
  assert.match(warning!, 'credentials.brand.token holds a token: use env:NAME');
  for (const secret of ['firm-token-1', 'brand-token-1', 'client-secret-1']) {
    assert.ok(secrets.includes(secret), secret);
  }
});

profile('one credential is enough', () => {
  const read = parseProfile({ credentials: { brand: { token: 'brand-token-1' } } }, env);
  assert.equal(read.problems, undefined);
});

/** The profile with the value at a dotted path replaced, or removed if undefined. */
function profileWith(path: string, value: unknown): unknown {
  const copy = structuredClone(whole) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

const WRONG: [path: string, value: unknown, field: string, words: RegExp][] = [
  ['extra', 1, 'extra', /is not known here/],
  ['credentials.firm.scope', 'x', 'credentials.firm.scope', /is not known here/],
  ['credentials.boss', { token: 'x' }, 'credentials.boss', /is not known here/],
  ['seeds.settled_transactions.0.account', '1', 'seeds.settled_transactions[0].account', /known/],
  ['base_url', 'api.example.com', 'base_url', /does not have the right form: .*such as https/],
  ['base_url', 7, 'base_url', /must be a string, not a number/],
  ['base_url', 'http://x.example/api/v1/', 'base_url', /without \/api\/v1/],
  ['credentials', [], 'credentials', /must be an object, not a list/],
  ['credentials', {}, 'credentials', /at least one credential/],
  ['credentials.firm', 'token', 'credentials.firm', /must be an object/],
  ['credentials.firm.token', undefined, 'credentials.firm.token', /is missing \(its access token/],
  ['credentials.firm.token', '', 'credentials.firm.token', /is blank/],
  ['credentials.firm.token', '…', 'credentials.firm.token', /not filled in/],
  [
    'credentials.firm.token',
    'FIRM_TOKEN',
    'credentials.firm.token',
    /did you mean env:FIRM_TOKEN\?/,
  ],
  [
    'credentials.firm.token',
    'env:BROKEN',
    'credentials.firm.token',
    /BROKEN ends with a line break/,
  ],
  ['credentials.firm.token', 12345678, 'credentials.firm.token', /must be a string: the value/],
  ['credentials.firm.brand_id', 10, 'credentials.firm.brand_id', /must be a string, not a number/],
  [
    'credentials.firm.brand_id',
    'ten',
    'credentials.firm.brand_id',
    /does not have the right form: "ten"/,
  ],
  ['credentials.delegated.account_id', undefined, 'credentials.delegated.account_id', /missing/],
  ['seeds.trading_account.currency', ' ', 'seeds.trading_account.currency', /must not be empty/],
  ['seeds.settled_transactions', {}, 'seeds.settled_transactions', /must be a list/],
  ['plan.per_second', 0, 'plan.per_second', /must be from 0.1/],
  ['plan.per_second', '5', 'plan.per_second', /must be a number/],
  ['plan.per_second', undefined, 'plan.per_second', /missing/],
  ['credentials.other_brand.brand_id', '10', 'credentials.other_brand.brand_id', /another than/],
  ['receiver.listen', '9000', 'receiver.listen', /host:port/],
  ['receiver.listen', '127.0.0.1:90000', 'receiver.listen', /host:port/],
  ['receiver.public_url', 'http://x.example.com', 'receiver.public_url', /https:/],
];
for (const [path, value, field, words] of WRONG) {
  profile(`${path} as ${JSON.stringify(value)} is refused`, () => {
    const { problems = [] } = parseProfile(profileWith(path, value), env);
    assert.equal(
      problems.map((each) => each.field),
      [field],
    );
    assert.match(problems[0]!.message, words);
  });
}

profile('a value that is not an object is refused', () => {
  for (const given of [null, [], 'x', 1]) {
    assert.is(parseProfile(given, env).problems?.[0]?.field, 'the profile');
  }
});

profile('one token for two roles is refused', () => {
  const given = { credentials: { firm: { token: 'same-token' }, brand: { token: 'same-token' } } };
  const { problems = [] } = parseProfile(given, env);
  assert.is(problems[0]?.field, 'credentials.brand.token');
  assert.match(problems[0]!.message, 'is the token of credentials.firm too');
});

profile('all errors are reported together, and no secret is repeated', () => {
  const given = {
    credentials: { firm: { token: 4711471147, x: 1 }, brand: { token: 'a secret' } },
    plan: {},
  };
  const { problems = [] } = parseProfile(given, env);
  assert.is(problems.length, 4);
  const words = JSON.stringify(problems);
  assert.not.match(words, '4711471147');
  assert.not.match(words, 'a secret');
});

profile('parts whose variables are not set count as absent, with one note', () => {
  const read = parseProfile(EXAMPLE_PROFILE, { FIRM_TOKEN: 'firm-token-1' });
  assert.equal(read.problems, undefined);
  assert.equal(Object.keys(read.profile!.credentials), ['firm']);
  assert.equal(read.profile!.seeds, { settled_transactions: [] });
  assert.is(read.profile!.receiver, undefined);
  const [note, ...more] = 'notes' in read ? read.notes : [];
  assert.equal(more, []);
  assert.match(note!, 'credentials.brand (BRAND_TOKEN)');
  assert.match(note!, 'credentials.client (CLIENT_ID, CLIENT_SECRET)');
  assert.match(note!, 'receiver (WEBHOOK_URL)');
  const { problems = [] } = parseProfile(EXAMPLE_PROFILE, {});
  assert.match(
    problems[0]!.message,
    'needs at least one whose variable is set, such as FIRM_TOKEN',
  );
});

profile('every field has a description, and the example with every variable set is valid', () => {
  for (const { path, words } of profileFields()) assert.ok(words.length > 10, path.join('.'));
  const names = JSON.stringify(EXAMPLE_PROFILE).match(/(?<=env:)\w+/g) ?? [];
  const set = (name: string, at: number) => {
    if (name === 'WEBHOOK_URL') return 'https://tunnel.example.com/hooks';
    return /TOKEN|CLIENT/.test(name) ? `value-of-${name}` : String(1000 + at);
  };
  const values = Object.fromEntries(names.map((name, at) => [name, set(name, at)]));
  assert.equal(parseProfile(EXAMPLE_PROFILE, values).problems, undefined);
});

profile('addresses to listen on', () => {
  assert.equal(listenAddress('127.0.0.1:0'), { host: '127.0.0.1', port: 0 });
  assert.equal(listenAddress('[::1]:9000'), { host: '::1', port: 9000 });
});

profile.run();
