// Credentials and firms over the control plane: made, changed, metered, refused by field.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane } from '../testing/plane.ts';

const credentials = suite('control: credentials and firms');

const everyMember = [
  'name',
  'kind',
  'client_id',
  'client_secret',
  'token',
  'firm_id',
  'brand_id',
  'scopes',
  'read_only',
  'account_id',
  'plan',
  'rate_per_second',
];

const person = { client_reference_id: 'new-1', email: 'new-1@example.com', brand_id: '10' };

credentials(
  'lists the nine of the default world with exactly the members of the contract',
  async () => {
    const { ask } = await createTestPlane();
    const { body } = await ask('GET', 'credentials');
    assert.equal(
      body.credentials.map(({ name }: { name: string }) => name),
      [
        'firm',
        'brand-a',
        'brand-b',
        'no-scopes',
        'no-amend',
        'amend-only',
        'delegated',
        'delegated-read-only',
        'other-firm',
      ],
    );
    for (const each of body.credentials) {
      assert.equal(Object.keys(each).sort(), everyMember.toSorted());
    }
    assert.is(body.next_after, null);
    const page = await ask('GET', 'credentials?after=7&limit=1');
    assert.equal(
      [page.body.credentials.length, page.body.credentials[0].name, page.body.next_after],
      [1, 'delegated-read-only', 8],
    );
  },
);

credentials('makes one whose token works at once', async () => {
  const { ask, call } = await createTestPlane();
  const made = await ask('POST', 'credentials', {
    name: 'mine',
    firm_id: '1',
    brand_id: '10',
    scopes: ['accounts:write'],
    rate_per_second: 1_000_000_000,
  });
  assert.is(made.status, 201);
  assert.is(made.body.rate_per_second, 1_000_000_000);
  assert.is(made.body.brand_id, '10');
  const answer = await call(made.body.token, 'POST', 'accounts', { body: person });
  assert.is(answer.status, 201);
});

credentials('makes a delegated one for an account, at the Sandbox rate', async () => {
  const { ask, call } = await createTestPlane();
  const made = await ask('POST', 'credentials', {
    kind: 'delegated',
    account_id: '1001',
    scopes: ['trader:funds'],
    minted_by: 'cl_firm',
    plan: 'pro',
    read_only: true,
  });
  assert.is(made.status, 201);
  assert.equal(
    [made.body.brand_id, made.body.account_id, made.body.read_only, made.body.rate_per_second],
    ['10', '1001', true, 5],
  );
  const refused = await call(made.body.token, 'POST', 'transactions', {
    body: {
      client_reference_id: 'x',
      account_id: '1001',
      trading_account_id: '5001',
      currency: 'USD',
      amount: '1',
      transaction_type: 'Deposit',
    },
  });
  assert.is(refused.body.code, 'read_only_credential');
});

const scopes: string[] = [];
// [body, the field that is named]
const wrong = [
  [{}, 'scopes'],
  [{ scopes: 'accounts:write' }, 'scopes'],
  [{ scopes: ['accounts:read'] }, 'scopes[0]'],
  [{ scopes: [1] }, 'scopes[0]'],
  [{ scopes, firm_id: 1 }, 'firm_id'],
  [{ scopes, firm_id: '9' }, 'firm_id'],
  [{ scopes, brand_id: '20', firm_id: '1' }, 'brand_id'],
  [{ scopes, name: '' }, 'name'],
  [{ scopes, kind: 'robot' }, 'kind'],
  [{ scopes, read_only: 'yes' }, 'read_only'],
  [{ scopes, read_only: true }, 'read_only'],
  [{ scopes, account_id: '1001' }, 'account_id'],
  [{ scopes, kind: 'delegated' }, 'account_id'],
  [{ scopes, kind: 'delegated', account_id: '77' }, 'account_id'],
  [{ scopes, kind: 'delegated', account_id: '1001', brand_id: '11' }, 'brand_id'],
  [{ scopes, kind: 'delegated', account_id: '1001', minted_by: 'anonymous' }, 'minted_by'],
  [{ scopes, kind: 'delegated', account_id: '1001', minted_by: 'cl_other_firm' }, 'minted_by'],
  [{ scopes, kind: 'delegated', account_id: '1001', minted_by: 'cl_brand_b' }, 'minted_by'],
  [{ scopes, minted_by: 'cl_firm' }, 'minted_by'],
  [{ scopes, plan: 'gold' }, 'plan'],
  [{ scopes, rate_per_second: 0 }, 'rate_per_second'],
  [{ scopes, rate_per_second: 1.5 }, 'rate_per_second'],
  [{ scopes, rate_per_second: 2e9 }, 'rate_per_second'],
  [{ scopes, client_id: 'mine' }, 'client_id'],
  [{ scopes, scope: 'x' }, 'scope'],
] as const;

credentials('refuses whatever cannot be, by the name of its field, and makes nothing', async () => {
  const { ask } = await createTestPlane();
  for (const [body, field] of wrong) {
    const refused = await ask('POST', 'credentials', body);
    assert.is(refused.status, 422, JSON.stringify(body));
    assert.is(refused.body.errors[0].field, field, JSON.stringify(refused.body));
  }
  assert.is((await ask('GET', 'credentials')).body.credentials.length, 9);
});

credentials('changes scopes, plan and rate of one', async () => {
  const { ask, call } = await createTestPlane();
  const narrowed = await ask('PATCH', 'credentials/cl_brand_a', { scopes: [] });
  assert.equal(narrowed.body.scopes, []);
  assert.is((await call('brand-a', 'POST', 'accounts', { body: person })).status, 403);
  const rate = async (body: object) =>
    (await ask('PATCH', 'credentials/cl_brand_a', body)).body.rate_per_second;
  assert.is(await rate({ rate_per_second: 7 }), 7);
  assert.is(await rate({ plan: 'pro' }), 200);
  assert.is(await rate({ plan: 'standard', rate_per_second: 9 }), 9);
  assert.is(await rate({ rate_per_second: null }), 50);
  assert.is((await ask('PATCH', 'credentials/unknown', { plan: 'pro' })).status, 404);
  const refused = await ask('PATCH', 'credentials/cl_brand_a', { name: 'other' });
  assert.is(refused.body.errors[0].field, 'name');
});

credentials('reaches one whose client_id has a slash in it', async () => {
  const { ask, call } = await createTestPlane();
  const client = (await ask('GET', 'credentials')).body.credentials[0];
  const body = {
    grant_type: 'client_credentials',
    client_id: client.client_id,
    client_secret: client.client_secret,
    account_id: '1001',
  };
  assert.is((await call('none', 'POST', 'oauth/token', { body })).status, 200);
  const path = `credentials/${encodeURIComponent('cl_firm/account-1001')}`;
  const changed = await ask('PATCH', path, { rate_per_second: 3 });
  assert.equal([changed.status, changed.body.rate_per_second, changed.body.token], [200, 3, null]);
});

credentials('shows firms with their brands and everything they may do', async () => {
  const { ask } = await createTestPlane();
  const { body } = await ask('GET', 'firms/1');
  assert.is(body.rate_per_second, 20);
  assert.is(Object.keys(body.permissions).length, 19);
  assert.ok(Object.values(body.permissions).every(Boolean));
  assert.equal(
    body.brands.map(({ id }: { id: string }) => id),
    ['10', '11'],
  );
  assert.is((await ask('GET', 'firms')).body.firms.length, 2);
  assert.is((await ask('GET', 'firms/3')).status, 404);
});

credentials('takes a permission from a firm and gives it back', async () => {
  const { ask, call } = await createTestPlane();
  const off = await ask('PATCH', 'firms/1', { permissions: { createAccount: false } });
  assert.is(off.body.permissions.createAccount, false);
  assert.is(off.body.permissions.updateAccount, true);
  const refused = await call('firm', 'POST', 'accounts', { body: person });
  assert.equal([refused.status, refused.body.code], [403, 'forbidden']);
  await ask('PATCH', 'firms/1', { permissions: { createAccount: true } });
  assert.is((await call('firm', 'POST', 'accounts', { body: person })).status, 201);
});

credentials('sets and frees the rate of a firm, and refuses what is wrong', async () => {
  const { ask } = await createTestPlane();
  assert.is((await ask('PATCH', 'firms/1', { rate_per_second: 3 })).body.rate_per_second, 3);
  assert.is((await ask('PATCH', 'firms/1', { rate_per_second: null })).body.rate_per_second, 20);
  assert.is((await ask('PATCH', 'firms/1', { plan: 'pro' })).body.rate_per_second, 800);
  const cases = [
    [{ permissions: { createAcount: false } }, 'permissions.createAcount'],
    [{ permissions: { createAccount: 'no' } }, 'permissions.createAccount'],
    [{ permissions: [] }, 'permissions'],
    [{ rate_per_second: -1 }, 'rate_per_second'],
    [{ name: 'x' }, 'name'],
  ] as const;
  for (const [body, field] of cases) {
    const refused = await ask('PATCH', 'firms/1', body);
    assert.equal([refused.status, refused.body.errors[0].field], [422, field]);
  }
  assert.match(
    (await ask('PATCH', 'firms/1', cases[0][0])).body.detail,
    /did you mean "createAccount"/,
  );
});

credentials.run();
