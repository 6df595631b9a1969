// Every value of a setting changes what the API returns or sends.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import { keyRetentionMs } from '../../fixtures/constants.ts';
import {
  defaultSettings,
  type SettingKey,
  type SettingSpec,
  type Settings,
  settingSpecs,
} from '../../fixtures/settings.ts';
import { openClient, type SandboxClient, statusOf, update } from './sandbox-client.ts';

/** The observation for each value; a list: values observed as themselves; null: all are. */
type Seen = readonly unknown[] | Readonly<Record<string, unknown>> | null;

interface SettingCheck {
  /** Other settings that this setting needs to be observable. */
  readonly among?: Partial<Settings>;
  readonly plan?: 'sandbox' | 'standard' | 'pro';
  readonly look: (client: SandboxClient) => Promise<unknown>;
  /** The values, if they cannot be derived from names; `seen` is then a list. */
  readonly values?: readonly unknown[];
  readonly seen: Seen;
}

const see = (seen: Seen, look: SettingCheck['look']): SettingCheck => ({ seen, look });

/** Rejects unless every listed value of the setting is observable, each differently. */
async function checkSetting(key: SettingKey, show: SettingCheck): Promise<void> {
  const { among = {}, plan = 'pro', look } = show;
  const spec: SettingSpec = settingSpecs[key];
  const listed: readonly unknown[] = spec.enum ?? (spec.type === 'boolean' ? [true, false] : []);
  const named = Object.keys(show.seen ?? {}).map((name) => {
    const known = [...listed, defaultSettings[key], null].find((value) => String(value) === name);
    return known !== undefined ? known : /^\d+$/.test(name) ? Number(name) : name;
  });
  const given = Array.isArray(show.seen) ? show.seen : named;
  const values = show.values ?? (given.length > 0 ? given : listed);
  const seen = Object.values(show.seen ?? values);
  assert.ok(values.length > 1 && values.length === seen.length);
  for (const value of [...listed, defaultSettings[key]]) {
    assert.ok(
      values.some((each) => isDeepStrictEqual(each, value)),
      `${value} is shown`,
    );
  }
  const outcomes = new Set(seen.map((outcome) => JSON.stringify(outcome)));
  assert.equal(outcomes.size, seen.length, 'each value shows differently');
  for (const [at, value] of values.entries()) {
    const settings = { ...among, [key]: value } as Partial<Settings>;
    const client = await openClient({ plan, settings });
    const found = await look(client).finally(() => client.close());
    assert.deepEqual(found, seen[at], `${key}: ${JSON.stringify(value)}`);
  }
}

const bulk = (client: SandboxClient, row: object, as = 'firm') =>
  client.post('accounts/bulk', { accounts: [{ client_reference_id: 'one', ...row }] }, { as });

const position = {
  account_id: '1002',
  trading_account_id: '5002',
  instrument: 'EURUSD',
  side: 'buy',
  volume: '1.00',
};

/** Statuses after approving a withdrawal with and without a payout by a provider. */
async function payOut(client: SandboxClient) {
  const statuses: number[] = [];
  for (const provider_payouts of [true, false]) {
    const created = await client.control('POST', 'accounts/1002/trading-accounts', {
      currency: 'USD',
      provider_payouts,
    });
    const { body } = await client.transaction({
      trading_account_id: created.id,
      amount: '-5.00',
      method: 'Withdrawal',
      transaction_type: 'Withdrawal',
    });
    const path = `transactions/${body.id}/approve?account_id=1002`;
    statuses.push((await client.call('POST', path)).status);
  }
  return statuses;
}

/** Whether the first Deposit of a new account by that method is marked as first. */
const isFirstDepositBy = (method: string) => async (client: SandboxClient) => {
  const person = await client.person();
  const account_id = person.body.id;
  const created = await client.control('POST', `accounts/${account_id}/trading-accounts`, {});
  const where = { account_id, trading_account_id: created.id };
  const { body } = await client.transaction({ ...where, method });
  const path = `transactions/${body.id}/approve?account_id=${account_id}`;
  return (await client.call('POST', path)).body.is_ftd;
};

type Verb = 'approve' | 'reject' | 'cancel';

/** A new transaction, or one of account 1002, after these actions; the last response. */
async function move(client: SandboxClient, id: string | null, ...verbs: readonly Verb[]) {
  const moved = id ?? (await client.transaction()).body.id;
  let last: unknown = null;
  for (const verb of verbs) {
    const options = verb === 'approve' ? {} : { body: { reason: 'Asked for.', operator: 'ops' } };
    const path = `transactions/${moved}/${verb}?account_id=1002`;
    const { status, body } = await client.call('POST', path, options);
    last = [status, body.status === status ? body.code : body.status];
  }
  return last;
}

const settledId = '9006';

/** Requests a token with the secret of a credential, or with another. */
async function askToken(client: SandboxClient, secret?: string) {
  const { client_id, client_secret } = client.sandbox.credential('firm');
  const form = {
    grant_type: 'client_credentials',
    client_id,
    client_secret: secret ?? client_secret,
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return client.call('POST', 'oauth/token', {
    as: null,
    text: new URLSearchParams(form).toString(),
    headers,
  });
}

const subscription = { url: 'https://hooks.example.com/in', event_categories: ['account'] };

/** A subscription at a name that resolves. */
async function subscribe(client: SandboxClient, fields: object = {}, as = 'firm') {
  await client.control('PUT', 'dns/hooks.example.com', { addresses: ['93.184.216.34'] });
  return client.post('webhooks', { ...subscription, ...fields }, { as });
}

const tooLong = { max_body_bytes: 1024 };

const long = { first_name: 'x'.repeat(2000) };

/** `bin/e2e/conformance-settings.test.ts` changes each of these, and the judge observes it. */
const observed = `
  absent_optionals account_status_endpoint after_last_attempt approve_body
  batch_refusal_status cancel_from_approved delegated_account_create delegated_allowance
  delivery_order envelope_seq_name error_entry event_kinds events_path first_revision
  foreign_brand_status known_reference missing_if_match open_position_status
  other_currency path_id_status phone_form phone_letters read_only_before_scope
  reject_from_approved repeated_account_id repeated_key retry_counted_from revision_step
  rotate_secret_status rotation_overlap_s signature_header subscription_header
  token_lifetime_s transaction_subject_case_sensitive unknown_categories
  unknown_method_status unparsable_status update_null update_other_members
  webhook_create_status webhook_list_shape webhook_refusal_status
`;

const shows: Readonly<Partial<Record<SettingKey, SettingCheck>>> = {
  check_order: {
    look: (client) => statusOf(client.post('accounts', [], { as: 'no-scopes' })),
    values: [
      ['route', 'key', 'token', 'rate', 'readable', 'replay', 'scope'],
      ['route', 'key', 'token', 'rate', 'scope', 'readable', 'replay'],
    ],
    seen: [422, 403],
  },
  deprecation_header: see([null, '@1767225600'], async (client) =>
    (await client.person()).headers.get('deprecation'),
  ),
  length_unit: see(
    { code_points: [201, 201], utf16: [201, 422], bytes: [422, 422] },
    async (client) => [
      // 200 code points: as many UTF-16 units and twice as many bytes, or twice as many units.
      (await client.person({ client_reference_id: 'é'.repeat(200) })).status,
      (await client.person({ client_reference_id: '😀'.repeat(200) })).status,
    ],
  ),
  amount_as_number: see({ refused: 422, accepted: 201 }, (client) =>
    statusOf(client.transaction({ amount: 5 })),
  ),
  id_leading_zeros: see({ same_id: 200, refused: 422 }, async (client) => {
    const { body } = await client.transaction();
    return statusOf(client.call('POST', `transactions/00${body.id}/approve?account_id=1002`));
  }),
  read_page_size: see({ 100: 11, 1: 1 }, async (client) => {
    const { body } = await client.call('GET', 'transactions');
    return (body.transactions ?? body.data ?? body).length;
  }),
  read_scope: see({ null: 200, 'accounts:read': 403 }, (client) =>
    statusOf(client.call('GET', 'accounts')),
  ),
  amount_exponent: see({ refused: 422, accepted: 201 }, (client) =>
    statusOf(client.transaction({ amount: '1e3' })),
  ),
  account_statuses: {
    look: (client) => statusOf(update(client, { status: 'Odd' })),
    values: [null, ['New', 'Active']],
    seen: [200, 422],
  },
  account_reference_scope: see({ brand: false, firm: true }, async (client) => {
    const one = { client_reference_id: 'one', email: 'one@example.com' };
    const first = await client.person({ ...one, brand_id: '10' });
    const second = await client.person({ ...one, brand_id: '11' });
    return first.body.id === second.body.id;
  }),
  email_case_sensitive: see({ false: 409, true: 201 }, async (client) => {
    await client.person({ email: 'one@example.com' });
    return statusOf(client.person({ email: 'ONE@example.com' }));
  }),
  account_named_after_email: see(
    {
      whole: ['ada@example.com', ''],
      local_part: ['ada', ''],
      other: ['', 'ada@example.com'],
    },
    async (client) => {
      const { body } = await client.person({ email: 'ada@example.com' });
      return [body.first_name, body.last_name];
    },
  ),
  transaction_reference_scope: see({ firm: [201, 200], account: [201, 201] }, async (client) => {
    const one = { client_reference_id: 'one' };
    const first = await client.transaction(one);
    const created = await client.control('POST', 'accounts/1003/trading-accounts', {});
    const elsewhere = { account_id: '1003', trading_account_id: created.id };
    const second = await client.transaction({ ...one, ...elsewhere });
    return [first.status, second.status];
  }),
  tag_before_no_change: see({ true: 412, false: 422 }, (client) =>
    statusOf(update(client, {}, { 'if-match': '"99"' })),
  ),
  if_match_star: see({ malformed: 422, any: 200 }, (client) =>
    statusOf(update(client, { status: 'Active' }, { 'if-match': '*' })),
  ),
  batch_brand_refusal_status: see(null, (client) =>
    statusOf(bulk(client, { email: 'a@x.y', brand_id: '11' }, 'brand-a')),
  ),
  bulk_row_problems: see({ row: 200, batch: 422 }, (client) =>
    statusOf(bulk(client, { brand_id: '10' })),
  ),
  close_position_status: see(null, async (client) => {
    const { body } = await client.post('positions/open', position);
    const { account_id, trading_account_id } = position;
    const position_id = body.position_id ?? body.id;
    return statusOf(
      client.post('positions/close', { account_id, trading_account_id, position_id }),
    );
  }),
  unknown_fields: see({ ignored: 201, refused: 422 }, (client) =>
    statusOf(client.person({ shoe_size: 43 })),
  ),
  provider_withdrawals: see(
    { trading_account: [501, 200], every: [501, 501], none: [200, 200] },
    payOut,
  ),
  amount_sign: see({ any: 201, matches_method: 422 }, (client) =>
    statusOf(client.transaction({ amount: '-5.00' })),
  ),
  zero_amount: see({ refused: 422, accepted: 201 }, (client) =>
    statusOf(client.transaction({ amount: '0.00' })),
  ),
  bonus_is_deposit: see(null, isFirstDepositBy('Bonus')),
  withdrawal_method_is_deposit: see(null, isFirstDepositBy('Withdrawal')),
  settlement_delay_ms: see({ 2000: 'settled', null: 'approved' }, async (client) => {
    const { body } = await client.transaction();
    await move(client, body.id, 'approve');
    await client.advance(2000);
    const { transactions } = await client.control('GET', 'transactions');
    return transactions.find(({ id }: { id: string }) => id === body.id).status;
  }),
  reject_from_settled: see(
    { refused: [409, 'invalid_state'], rejected: [200, 'rejected'] },
    (client) => move(client, settledId, 'reject'),
  ),
  approve_from_settled: see(
    { unchanged: [200, 'settled'], refused: [409, 'invalid_state'] },
    (client) => move(client, settledId, 'approve'),
  ),
  abandon_after_ms: see({ 30000: 201, 60000: 409 }, async (client) => {
    await client.sandbox.faults.add({ effect: { kind: 'hang' }, times: 1 });
    const one = { client_reference_id: 'one', email: 'one@example.com' };
    // Aborted at the end, when the sandbox is closed.
    void client.person(one, { key: 'same' }).catch(() => null);
    await client.inFlight('same');
    await client.advance(30_000);
    return statusOf(client.person(one, { key: 'same' }));
  }),
  key_age_from: see({ answer: 'replayed', request: 'converged' }, async (client) => {
    await client.sandbox.faults.add({ effect: { kind: 'delay', ms: 10_000 }, times: 1 });
    const one = { client_reference_id: 'one', email: 'one@example.com' };
    const slow = client.person(one, { key: 'same' });
    await client.inFlight('same');
    await client.advance(10_000);
    await slow;
    await client.advance(keyRetentionMs - 5000);
    await client.person(one, { key: 'same' });
    return client.idempotency();
  }),
  token_errors: see(
    { oauth: [401, 'invalid_client', null], problem: [401, null, 'invalid_client'] },
    async (client) => {
      const { status, body } = await askToken(client, 'wrong');
      return [status, body.error ?? null, body.code ?? null];
    },
  ),
  unauthorized_status: see(null, (client) => statusOf(client.person({}, { as: null }))),
  unauthorized_code: see(
    ['unauthorized', 'no_token'],
    async (client) => (await client.person({}, { as: null })).body.code,
  ),
  webhook_disable_answer: see({ subscription: [200, true], empty: [204, null] }, async (client) => {
    const created = await subscribe(client);
    const { status, body } = await client.call('POST', `webhooks/${created.body.id}/disable`);
    return [status, body === '' ? null : body.disabled];
  }),
  subscription_brand_id: see(
    { string: '10', number: 10 },
    async (client) => (await subscribe(client, {}, 'brand-a')).body.brand_id,
  ),
  unresolvable_webhook_host: see({ refused: 422, accepted: 201 }, async (client) => {
    await client.control('PUT', 'dns/nowhere.example.com', { addresses: [] });
    return (await client.post('webhooks', { ...subscription, url: 'https://nowhere.example.com/' }))
      .status;
  }),
  firm_wide_sees_webhooks: see({ all: 200, own: 404 }, async (client) => {
    const { body } = await subscribe(client, {}, 'brand-a');
    return (await client.call('GET', `webhooks/${body.id}`)).status;
  }),
  delegated_webhooks: see({ account: [200, 404, 1], brand: [200, 200, 2] }, async (client) => {
    const { token } = await client.control('POST', 'credentials', {
      kind: 'delegated',
      account_id: '1001',
      scopes: ['webhooks:manage'],
    });
    const headers = { authorization: `Bearer ${token}` };
    const brandsOwn = await subscribe(client, {}, 'brand-a');
    const own = await client.post('webhooks', subscription, { headers });
    const ids = [own.body.id, brandsOwn.body.id];
    const statuses = [];
    for (const id of ids) {
      statuses.push((await client.call('GET', `webhooks/${id}`, { headers })).status);
    }
    for (const account_id of ['1001', '1002']) {
      await client.control('POST', 'events', { category: 'account', account_id });
    }
    const { deliveries } = await client.control('GET', `deliveries?subscription_id=${ids[0]}`);
    return [...statuses, deliveries.length];
  }),
  unreadable_status: see(null, (client) => statusOf(client.post('accounts', []))),
  content_type_status: see(null, (client) =>
    statusOf(client.person({}, { headers: { 'content-type': 'text/plain' } })),
  ),
  max_body_bytes: see({ 1048576: 201, 1024: 413 }, (client) => statusOf(client.person(long))),
  max_bulk_body_bytes: see({ 16777216: 200, 1024: 413 }, (client) => {
    const row = { client_reference_id: 'one', email: 'one@example.com', brand_id: '10', ...long };
    return statusOf(client.post('accounts/bulk', { accounts: [row] }));
  }),
  body_too_large_status: {
    ...see(null, (client) => statusOf(client.person(long))),
    among: tooLong,
  },
  duplicate_members: see({ last_wins: 201, refused: 422 }, (client) => {
    const text = '{"client_reference_id":"a","email":"a@x.y","email":"b@x.y","brand_id":"10"}';
    return statusOf(client.call('POST', 'accounts', { text }));
  }),
  firm_rate_from: {
    ...see({ firm_plan: 20, highest_credential: 400 }, async (client) => {
      const { client_id } = client.sandbox.credential('firm');
      await client.control('PATCH', `credentials/${client_id}`, { rate_per_second: 100 });
      const { buckets } = await client.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === 'firm:1').rate_per_second;
    }),
    plan: 'sandbox',
  },
};

const settings = suite('settings');
settings('every setting is checked here or observed by the judge', () => {
  const checked = [...Object.keys(shows), ...observed.trim().split(/\s+/)];
  assert.deepEqual(checked.sort(), Object.keys(defaultSettings).sort());
});
for (const [key, show] of Object.entries(shows)) {
  settings(key, () => checkSetting(key as SettingKey, show));
}
settings.run();
