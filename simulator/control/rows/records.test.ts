// What the plane reports about the sandbox and its records, and what it can change in them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyRetentionMs } from '../../../fixtures/constants.ts';
import { questions } from '../../../fixtures/questions.ts';
import { rules } from '../../../fixtures/rules.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { depositOf } from '../../../fixtures/testing/bodies.ts';
import { createTestPlane, startMs, type TestPlane, withPlane } from '../testing/plane.ts';
import type { QuestionsShown } from './about.ts';

// biome-ignore lint/suspicious/noExplicitAny: the plane validates it against its schema.
type Bucket = any;

const records = suite<TestPlane>('control: records');
withPlane(records);

const person = { client_reference_id: 'new-1', email: 'New-1@example.com', brand_id: '10' };
const members =
  'name kind client_id client_secret token firm_id brand_id scopes read_only account_id plan rate_per_second';
const names =
  'firm brand-a brand-b no-scopes no-amend amend-only delegated delegated-read-only other-firm';

const money = { ...depositOf('deposit'), amount: '25.50' };

async function deposit({ ask, call }: TestPlane) {
  const trading = await ask('POST', 'accounts/1001/trading-accounts', { currency: 'EUR' });
  const created = await call('brand-a', 'POST', 'transactions', {
    body: { ...money, trading_account_id: trading.body.id, currency: 'EUR' },
  });
  return { tradingId: trading.body.id as string, id: created.body.id as string };
}

records('the nine credentials have exactly the members of the contract', async ({ ask }) => {
  const { credentials, next_after } = (await ask('GET', 'credentials')).body;
  assert.is(credentials.map(({ name }: { name: string }) => name).join(' '), names);
  for (const each of credentials) {
    assert.equal(Object.keys(each).sort(), members.split(' ').sort());
  }
  assert.is(next_after, null);
  const { body } = await ask('GET', 'credentials?after=7&limit=1');
  assert.equal([body.credentials[0].name, body.next_after], ['delegated-read-only', 8]);
});

records('a new credential works immediately, within its scopes', async (plane) => {
  const { ask, call } = plane;
  const created = await ask('POST', 'credentials', {
    ...{ name: 'mine', firm_id: '1', brand_id: '10', scopes: ['accounts:write'] },
    rate_per_second: 1_000_000_000,
  });
  assert.equal([created.status, created.body.brand_id], [201, '10']);
  assert.is(created.body.rate_per_second, 1_000_000_000);
  const { token } = created.body;
  assert.is((await call(token, 'POST', 'accounts', { body: person })).status, 201);
  const narrow = await ask('POST', 'credentials', {
    ...{ kind: 'delegated', account_id: '1001', scopes: ['trader:funds'], minted_by: 'cl_firm' },
    ...{ plan: 'pro', read_only: true },
  });
  const { brand_id, account_id, read_only, rate_per_second } = narrow.body;
  assert.equal([brand_id, account_id, read_only, rate_per_second], ['10', '1001', true, 5]);
  const refused = await call(narrow.body.token, 'POST', 'transactions', { body: money });
  assert.is(refused.body.code, 'read_only_credential');
});

records('scopes, plan and rate of a credential can be changed', async ({ ask, call }) => {
  assert.equal((await ask('PATCH', 'credentials/cl_brand_a', { scopes: [] })).body.scopes, []);
  assert.is((await call('brand-a', 'POST', 'accounts', { body: person })).status, 403);
  for (const [body, rate] of [
    [{ rate_per_second: 7 }, 7],
    [{ plan: 'pro' }, 200],
    [{ plan: 'standard', rate_per_second: 9 }, 9],
    [{ rate_per_second: null }, 50],
  ] as const) {
    const { rate_per_second } = (await ask('PATCH', 'credentials/cl_brand_a', body)).body;
    assert.is(rate_per_second, rate);
  }
});

records('a client_id that contains a slash is found', async ({ ask, call, sandbox }) => {
  const { client_id, client_secret } = sandbox.first.world.credentials.get('cl_firm') ?? {};
  const grant = { grant_type: 'client_credentials', account_id: '1001' };
  const body = { ...grant, client_id, client_secret };
  assert.is((await call('none', 'POST', 'oauth/token', { body })).status, 200);
  const path = `credentials/${encodeURIComponent('cl_firm/account-1001')}`;
  const changed = await ask('PATCH', path, { rate_per_second: 3 });
  assert.equal([changed.status, changed.body.rate_per_second, changed.body.token], [200, 3, null]);
});

records('a firm has brands, a rate and permissions, which can be removed', async (plane) => {
  const { ask, call } = plane;
  const { body } = await ask('GET', 'firms/1');
  assert.equal([body.rate_per_second, Object.keys(body.permissions).length], [20, 19]);
  assert.ok(Object.values(body.permissions).every(Boolean));
  assert.is(body.brands.map(({ id }: { id: string }) => id).join(), '10,11');
  assert.is((await ask('GET', 'firms')).body.firms.length, 2);
  const off = await ask('PATCH', 'firms/1', { permissions: { createAccount: false } });
  const { createAccount, updateAccount } = off.body.permissions;
  assert.equal([createAccount, updateAccount], [false, true]);
  const refused = await call('firm', 'POST', 'accounts', { body: person });
  assert.equal([refused.status, refused.body.code], [403, 'forbidden']);
  await ask('PATCH', 'firms/1', { permissions: { createAccount: true } });
  assert.is((await call('firm', 'POST', 'accounts', { body: person })).status, 201);
  for (const [changes, rate] of [
    [{ rate_per_second: 3 }, 3],
    [{ rate_per_second: null }, 20],
    [{ plan: 'pro' }, 800],
  ] as const) {
    assert.is((await ask('PATCH', 'firms/1', changes)).body.rate_per_second, rate);
  }
});

records('an account shows more than in the API, and lists have pages', async ({ ask, call }) => {
  const { id } = (await call('firm', 'POST', 'accounts', { body: person })).body;
  const { body } = await ask('GET', `accounts/${id}`);
  assert.equal(
    [body.email, body.owner, body.created_via, body.client_reference_id, body.first_deposit_id],
    [person.email, 'Northwind Trade desk', 'api', 'new-1', null],
  );
  const seen: string[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const { body: page } = await ask('GET', `accounts?limit=4&after=${after}`);
    seen.push(...page.accounts.map((each: { id: string }) => each.id));
    after = page.next_after;
  }
  assert.is(seen.join(), '1001,1002,1003,1004,1005,1006,1007');
  const { accounts } = (await ask('GET', 'accounts?brand_id=20')).body;
  assert.ok(accounts.length > 0);
  for (const { firm_id } of accounts) assert.is(firm_id, '2');
});

records('the plane can open trading accounts, which the API cannot', async ({ ask }) => {
  const { body: plain } = await ask('POST', 'accounts/1001/trading-accounts');
  const usual = { account_id: '1001', currency: 'USD', provider_payouts: false, balance: '0.00' };
  assert.equal(plain, { id: plain.id, ...usual });
  const terms = { currency: 'GBP', provider_payouts: true };
  const { body: provider } = await ask('POST', 'accounts/1001/trading-accounts', terms);
  assert.equal([provider.currency, provider.provider_payouts], ['GBP', true]);
  assert.equal((await ask('GET', `trading-accounts/${provider.id}`)).body.entries, []);
  const { trading_accounts } = (await ask('GET', 'trading-accounts?account_id=1001')).body;
  assert.ok(trading_accounts.some(({ id }: { id: string }) => id === plain.id));
});

records('an approved transaction is settled immediately, and the API shows it', async (plane) => {
  const { ask, call } = plane;
  const { id, tradingId } = await deposit(plane);
  const early = await ask('POST', `transactions/${id}/settle`, {});
  assert.equal([early.status, early.body.errors[0].field], [409, 'id']);
  const approved = await call('brand-a', 'POST', `transactions/${id}/approve?account_id=1001`);
  const settled = await ask('POST', `transactions/${id}/settle`);
  assert.equal(settled.body, { ...approved.body, status: 'settled' });
  assert.is((await ask('POST', `transactions/${id}/settle`)).status, 200);
  const { balance, entries } = (await ask('GET', `trading-accounts/${tradingId}`)).body;
  assert.is(balance, '25.50');
  const entry = { transaction_id: id, amount: '25.50', kind: 'movement', at_ms: startMs };
  assert.equal(entries, [entry]);
});

records('a rejected transaction stores the reason and the operator', async (plane) => {
  const { ask, call } = plane;
  const { id } = await deposit(plane);
  const path = `transactions/${id}/reject?account_id=1001`;
  const rejected = await call('brand-a', 'POST', path, { body: { reason: 'no papers' } });
  assert.not.ok('reason' in rejected.body);
  const { reason, operator } = (await ask('GET', `transactions/${id}`)).body;
  assert.equal([reason, typeof operator], ['no papers', 'string']);
  const { transactions } = (await ask('GET', 'transactions?status=rejected&account_id=1001')).body;
  assert.ok(transactions.some((each: { id: string }) => each.id === id));
});

records('delegated credentials of one issuer share their allowance', async (p) => {
  const { ask, call } = p;
  for (let n = 0; n < 3; n += 1) await call('brand-a', 'GET', 'accounts');
  const buckets = async () => (await ask('GET', 'buckets')).body.buckets;
  const levels = async () =>
    (await buckets())
      .filter(({ of, client_ids, firm_id }: Bucket) =>
        of === 'firm' ? firm_id === '1' : client_ids.includes('cl_brand_a'),
      )
      .map(({ of, rate_per_second, level, full }: Bucket) => [of, rate_per_second, level, full]);
  assert.equal((await levels()).sort(), [
    ['credential', 5, 2, 5],
    ['firm', 20, 17, 20],
  ]);
  await ask('POST', 'clock/advance', { by_ms: 100 });
  assert.equal((await levels()).sort(), [
    ['credential', 5, 2.5, 5],
    ['firm', 20, 19, 20],
  ]);
  const shared = (await buckets()).find(
    ({ client_ids }: Bucket) => client_ids[0] === 'cl_delegated',
  );
  assert.equal(shared.client_ids, ['cl_delegated', 'cl_delegated_read_only']);
});

records('keys are listed newest first and filtered, until they expire', async (plane) => {
  const { ask, call } = plane;
  const create = (who: string, key: string, client_reference_id: string) =>
    call(who, 'POST', 'accounts', {
      key,
      body: { client_reference_id, email: `${who}@x.example` },
    });
  await create('brand-a', 'one', 'Ref-1');
  await create('brand-b', 'k'.repeat(255), 'r'.repeat(255));
  const list = async (query = '') => (await ask('GET', `keys?${query}`)).body.keys;
  const [long, one] = await list();
  // A very long identity is stored as a digest, and found by its journal entry.
  assert.equal([long.key.length, long.subject.length], [255, 255]);
  const { key, subject, state, status, first_attempt } = one;
  assert.equal([key, subject, state, status, first_attempt], ['one', 'ref-1', 'recorded', 201, 1]);
  assert.equal([one.recorded_at_ms, one.expires_at_ms], [startMs, startMs + keyRetentionMs]);
  for (const [query, count] of [
    ['limit=1', 1],
    ['key=one', 1],
    ['client_id=cl_brand_a', 1],
    ['operation=createTransaction', 0],
  ] as const) {
    assert.is((await list(query)).length, count, query);
  }
  await ask('POST', 'clock/advance', { by_ms: keyRetentionMs - 1 });
  assert.is((await list())[0].age_ms, keyRetentionMs - 1);
  await ask('POST', 'clock/advance', { by_ms: 1 });
  assert.equal(await list(), []);
});

records('info summarizes the sandbox', async ({ ask }) => {
  await ask('POST', 'faults', { match: {}, effect: { kind: 'hang' } });
  const { body } = await ask('GET', 'info');
  assert.is(body.control_url, 'http://sandbox/_sandbox');
  assert.equal([body.credentials.length, body.settings.abandon_after_ms], [9, 30_000]);
  assert.equal([body.settings_changed, body.deviations, body.subscription], [[], [], null]);
  assert.equal([body.counts.accounts, body.counts.faults, body.counts.worlds], [6, 1, 1]);
});

records('rules, questions, changed settings and deviations are described in words', async () => {
  const story = 'the answer is printed again from the record as it is now';
  const deviation = {
    ...{ id: 'replay-reprints-body', story, breaks: ['IDEM-4a'] as const },
    override: <B>(behaviour: B): B => behaviour,
  };
  const settings = { ...defaultSettings, settlement_delay_ms: 5 };
  const { ask, sandbox } = await createTestPlane({
    options: { settings, deviations: [deviation] },
  });
  const page = (await ask('GET', 'questions')).body as QuestionsShown;
  const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);
  assert.equal(idsOf(page.questions), idsOf(questions));
  const wordsOf = (all: readonly { readonly words: string }[]) => all.map(({ words }) => words);
  assert.equal([idsOf(page.rules), wordsOf(page.rules)], [idsOf(rules), wordsOf(rules)]);
  for (const { id, settings: own, no_setting } of page.questions) {
    assert.is(own.length === 0, no_setting !== null, id);
  }
  const changed = page.questions
    .flatMap((question) => question.settings)
    .filter((each) => JSON.stringify(each.value) !== JSON.stringify(each.default))
    .map(({ key, value, default: usual }) => [key, value, usual]);
  assert.equal(changed, [['settlement_delay_ms', 5, 2000]]);
  const [{ id, breaks }] = page.deviations as [QuestionsShown['deviations'][number]];
  assert.equal([id, breaks.map((rule) => rule.id)], ['replay-reprints-body', ['IDEM-4a']]);
  const { body } = await ask('GET', 'info');
  assert.equal([body.settings_changed, body.deviations], [['settlement_delay_ms'], [id]]);
  await sandbox.close();
});

records.run();
