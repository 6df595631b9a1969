// A profile is parsed strictly: every error names its field and how to fix it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXAMPLE_PROFILE, listenAddress, parseProfile, type ReadProfile } from './profile.ts';

const setTo = (name: string, at: number) => {
  if (name === 'WEBHOOK_URL') return 'https://tunnel.example.com/hooks';
  return /TOKEN|CLIENT/.test(name) ? `value-of-${name}` : String(1000 + at);
};
/** Every variable that the example names. */
const env: Record<string, string> = {
  ...Object.fromEntries(
    [...JSON.stringify(EXAMPLE_PROFILE).matchAll(/env:(\w+)/g)].map(([, name], at) => {
      return [name!, setTo(name!, at)];
    }),
  ),
  BROKEN: 'x\n',
};

const profile = suite('profile');

profile('the example is parsed, and its secrets are resolved and collected', () => {
  const read = parseProfile(profileWith('credentials.brand.token', 'brand-token-1'), env);
  assert.equal(read.problems, undefined);
  assert.is(read.profile!.credentials.firm!.token, 'value-of-FIRM_TOKEN');
  assert.is(read.profile!.credentials.client!.client_secret, 'value-of-CLIENT_SECRET');
  const { id } = read.profile!.seeds!.settled_transactions![0]!;
  assert.is(id, env.SETTLED_TRANSACTION_ID);
  const { secrets = [], warnings = [], variables } = read as ReadProfile;
  assert.is(variables.get('credentials.client.client_secret'), 'CLIENT_SECRET');
  const [warning] = warnings;
  assert.match(warning!, 'credentials.brand.token holds a token: use env:NAME');
  for (const secret of ['value-of-FIRM_TOKEN', 'brand-token-1', 'value-of-CLIENT_SECRET']) {
    assert.ok(secrets.includes(secret), secret);
  }
});

profile('one credential is enough', () => {
  const read = parseProfile({ credentials: { brand: { token: 'brand-token-1' } } }, env);
  assert.equal(read.problems, undefined);
});

/** The example with the value of a field replaced, or removed if undefined. */
function profileWith(field: string, value: unknown): unknown {
  const copy = structuredClone(EXAMPLE_PROFILE) as unknown as Record<string, unknown>;
  const steps = field.replace(/\[(\d+)\]/g, '.$1').split('.');
  const last = steps.pop()!;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

const WRONG: [field: string, value: unknown, words: RegExp][] = [
  ['extra', 1, /is not known here/],
  ['credentials.firm.scope', 'x', /is not known here/],
  ['credentials.boss', { token: 'x' }, /is not known here/],
  ['seeds.settled_transactions[0].account', '1', /known/],
  ['base_url', 'api.example.com', /does not have the right form: .*such as https/],
  ['base_url', 7, /must be a string, not a number/],
  ['base_url', 'http://x.example/api/v1/', /without \/api\/v1/],
  ['credentials', [], /must be an object, not a list/],
  ['credentials', {}, /at least one credential/],
  ['credentials.firm', 'token', /must be an object/],
  ['credentials.firm.token', undefined, /is missing \(its access token/],
  ['credentials.firm.token', '', /is blank/],
  ['credentials.firm.token', '…', /not filled in/],
  ['credentials.firm.token', 'FIRM_TOKEN', /did you mean env:FIRM_TOKEN\?/],
  ['credentials.firm.token', 'env:BROKEN', /BROKEN ends with a line break/],
  ['credentials.firm.token', 12345678, /must be a string: the value/],
  ['credentials.firm.brand_id', 10, /must be a string, not a number/],
  ['credentials.firm.brand_id', 'ten', /does not have the right form: "ten"/],
  ['credentials.delegated.account_id', undefined, /missing/],
  ['seeds.trading_account.currency', ' ', /must not be empty/],
  ['seeds.settled_transactions', {}, /must be a list/],
  ['plan.per_second', 0, /must be from 0.1/],
  ['plan.per_second', '5', /must be a number/],
  ['plan.per_second', undefined, /missing/],
  ['credentials.brand.token', 'env:FIRM_TOKEN', /is the token of credentials.firm too/],
  ['credentials.other_brand.brand_id', '10', /another than/],
  ['receiver.listen', '9000', /host:port/],
  ['receiver.listen', '127.0.0.1:90000', /host:port/],
  ['receiver.public_url', 'http://x.example.com', /https:/],
];
for (const [field, value, words] of WRONG) {
  profile(`${field} as ${JSON.stringify(value)} is refused`, () => {
    const { problems = [] } = parseProfile(profileWith(field, value), env);
    assert.equal([problems.length, problems[0]!.field], [1, field]);
    assert.match(problems[0]!.message, words);
  });
}

profile('a value that is not an object is refused', () => {
  for (const given of [null, [], 'x', 1]) {
    assert.is(parseProfile(given, env).problems?.[0]?.field, 'the profile');
  }
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
  assert.match(problems[0]!.message, 'at least one whose variable is set, such as FIRM_TOKEN');
});

profile('addresses to listen on', () => {
  assert.equal(listenAddress('127.0.0.1:0'), { host: '127.0.0.1', port: 0 });
  assert.equal(listenAddress('[::1]:9000'), { host: '::1', port: 9000 });
});

profile.run();
