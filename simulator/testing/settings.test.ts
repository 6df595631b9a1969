// Every value of every setting changes what the API returns or sends.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
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
    const made = await client.control('POST', 'accounts/1002/trading-accounts', {
      currency: 'USD',
      provider_payouts,
    });
    const { body } = await client.transaction({
      trading_account_id: made.id,
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
  const made = await client.control('POST', `accounts/${account_id}/trading-accounts`, {});
  const where = { account_id, trading_account_id: made.id };
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
    const asked = verb === 'approve' ? {} : { body: { reason: 'Asked for.', operator: 'ops' } };
    const path = `transactions/${moved}/${verb}?account_id=1002`;
    const { status, body } = await client.call('POST', path, asked);
    last = [status, body.status === status ? body.code : body.status];
  }
  return last;
}

const settledId = '9006';

const dayMs = 86_400_000;

/** A create with one header line for each key, which `fetch` cannot send. */
function postWithKeys(url: string, token: string, keys: readonly string[]): Promise<number> {
  const text = JSON.stringify({
    client_reference_id: 'two-keys',
    email: 'two-keys@example.com',
    brand_id: '10',
  });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': [...keys],
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

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

const hourMs = 3_600_000;

/** The deliveries of one event. */
async function deliver(client: SandboxClient) {
  const { arrived } = await client.subscribe();
  await client.triggerEvent();
  const [first] = arrived;
  if (first === undefined) throw new Error('nothing arrived');
  return first;
}

/** Sequence numbers that arrive, relative to the first, while the first event fails. */
async function failFirst(client: SandboxClient, afterMs: number) {
  const failing = new Set<number>();
  const { arrived } = await client.subscribe((nth) => {
    const seq = arrived[nth - 1]?.body.seq;
    if (failing.size === 0) failing.add(seq);
    return failing.has(seq) ? 500 : 200;
  });
  await client.triggerEvent();
  await client.triggerEvent();
  await client.advance(afterMs);
  const [first = 0] = failing;
  return [...new Set(arrived.map(({ body }) => body.seq - first))];
}

const tooLong = { max_body_bytes: 1024 };

const long = { first_name: 'x'.repeat(2000) };

const shows: Readonly<Record<SettingKey, SettingCheck>> = {
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
  absent_optionals: see(
    { null: null, empty: '', left_out: undefined },
    async (client) => (await client.person()).body.phone,
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
  account_status_endpoint: see({ served: [200, 1], none: [404, null] }, async (client) => {
    const made = await client.person();
    const { status, body } = await client.call('GET', `accounts/${made.body.id}/status`);
    return [status, body.revision ?? null];
  }),
  known_reference: see({ first: [200, 200], last: [422, 422] }, async (client) => {
    const one = { client_reference_id: 'one' };
    await client.person(one);
    await client.transaction(one);
    const wrong = [
      client.person({ ...one, email: 'none' }),
      client.transaction({ ...one, amount: 'x' }),
    ];
    return Promise.all(wrong.map(statusOf));
  }),
  phone_letters: see(
    { left_out: '1800', keypad: '+18003569377' },
    async (client) => (await client.person({ phone: '+1 800 FLOWERS' })).body.phone,
  ),
  foreign_brand_status: see(
    {
      403: ['forbidden', 'forbidden'],
      404: ['not_found', 'not_found'],
      422: ['validation_failed', 'validation_failed'],
    },
    async (client) => {
      const of = async (brand_id: string) => (await client.person({ brand_id })).body.code;
      return [await of('20'), await of('999999999')];
    },
  ),
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
  phone_form: see(
    { e164: '+442079460958', digits: '442079460958', other: '+ 442079460958' },
    async (client) => (await client.person({ phone: '+44 20 7946 0958' })).body.phone,
  ),
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
  first_revision: see([1, 7], async (client) => (await client.person()).body.revision),
  revision_step: see(
    { 1: 2, 10: 11 },
    async (client) => (await update(client, { status: 'Active' })).body.revision,
  ),
  transaction_reference_scope: see({ firm: [201, 200], account: [201, 201] }, async (client) => {
    const one = { client_reference_id: 'one' };
    const first = await client.transaction(one);
    const made = await client.control('POST', 'accounts/1003/trading-accounts', {});
    const elsewhere = { account_id: '1003', trading_account_id: made.id };
    const second = await client.transaction({ ...one, ...elsewhere });
    return [first.status, second.status];
  }),
  update_null: see(
    { not_sent: [200, 'person-1@example.com'], cleared: [200, null], refused: [422, null] },
    async (client) => {
      const { status, body } = await update(client, { country: 'NO', first_name: null });
      return [status, body.first_name ?? null];
    },
  ),
  update_other_members: see({ ignored: 200, refused: 422 }, (client) =>
    statusOf(update(client, { country: 'NO', email: 'other@example.com' })),
  ),
  missing_if_match: see(null, (client) => statusOf(update(client, { status: 'Active' }, {}))),
  tag_before_no_change: see({ true: 412, false: 422 }, (client) =>
    statusOf(update(client, {}, { 'if-match': '"99"' })),
  ),
  if_match_star: see({ malformed: 422, any: 200 }, (client) =>
    statusOf(update(client, { status: 'Active' }, { 'if-match': '*' })),
  ),
  batch_refusal_status: see(null, (client) =>
    statusOf(bulk(client, { client_reference_id: undefined, email: 'a@x.y', brand_id: '10' })),
  ),
  batch_brand_refusal_status: see(null, (client) =>
    statusOf(bulk(client, { email: 'a@x.y', brand_id: '11' }, 'brand-a')),
  ),
  bulk_row_problems: see({ row: 200, batch: 422 }, (client) =>
    statusOf(bulk(client, { brand_id: '10' })),
  ),
  open_position_status: see(null, (client) => statusOf(client.post('positions/open', position))),
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
  other_currency: see({ accepted: 201, refused: 422 }, (client) =>
    statusOf(client.transaction({ currency: 'CHF' })),
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
  reject_from_approved: see(
    { refused: [409, 'invalid_state'], rejected: [200, 'rejected'] },
    (client) => move(client, null, 'approve', 'reject'),
  ),
  reject_from_settled: see(
    { refused: [409, 'invalid_state'], rejected: [200, 'rejected'] },
    (client) => move(client, settledId, 'reject'),
  ),
  cancel_from_approved: see(
    { refused: [409, 'invalid_state'], cancelled: [200, 'cancelled'] },
    (client) => move(client, null, 'approve', 'cancel'),
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
  transaction_subject_case_sensitive: see(
    { false: 'replayed', true: 'converged' },
    async (client) => {
      await client.transaction({ client_reference_id: 'one' }, { key: 'same' });
      await client.transaction({ client_reference_id: 'ONE' }, { key: 'same' });
      return client.idempotency();
    },
  ),
  key_age_from: see({ answer: 'replayed', request: 'converged' }, async (client) => {
    await client.sandbox.faults.add({ effect: { kind: 'delay', ms: 10_000 }, times: 1 });
    const one = { client_reference_id: 'one', email: 'one@example.com' };
    const slow = client.person(one, { key: 'same' });
    await client.inFlight('same');
    await client.advance(10_000);
    await slow;
    await client.advance(dayMs - 5000);
    await client.person(one, { key: 'same' });
    return client.idempotency();
  }),
  approve_body: see({ ignored: 200, refused: 422 }, async (client) => {
    const { body } = await client.transaction();
    const path = `transactions/${body.id}/approve?account_id=1002`;
    return statusOf(client.post(path, { reason: 'none is asked for' }));
  }),
  repeated_account_id: see({ first: 200, last: 404, refused: 422 }, async (client) => {
    const { body } = await client.transaction();
    const path = `transactions/${body.id}/approve?account_id=1002&account_id=1001`;
    return statusOf(client.call('POST', path));
  }),
  repeated_key: see(
    { refused: [400, null], first: [201, 'one'], joined: [201, 'one, two'] },
    async (client) => {
      const { base_url } = await client.sandbox.listen({ port: 0 });
      const { token } = client.sandbox.credential('firm');
      const url = `${base_url}/api/v1/accounts`;
      const status = await postWithKeys(url, String(token), ['one', 'two']);
      const { requests } = await client.control('GET', 'requests?limit=1');
      return [status, requests[0].key];
    },
  ),
  retry_counted_from: see({ end: 45_000, start: 30_000 }, async (client) => {
    const { id } = await client.subscribe(() => null);
    await client.triggerEvent();
    const startedAtMs = client.sandbox.clock.nowMs();
    await client.advance(15_000);
    const { deliveries } = await client.control('GET', `deliveries?subscription_id=${id}`);
    return deliveries[0].next_due_ms - startedAtMs;
  }),
  token_lifetime_s: see([3600, 60], async (client) => (await askToken(client)).body.expires_in),
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
  delegated_account_create: see({ served: 201, refused: 403 }, async (client) => {
    const narrow = { kind: 'delegated', firm_id: '1', account_id: '1002' };
    const scopes = ['accounts:write'];
    await client.control('POST', 'credentials', { name: 'trader', ...narrow, scopes });
    return statusOf(client.person({}, { as: 'trader' }));
  }),
  read_only_before_scope: see(
    { true: 'read_only_credential', false: 'forbidden' },
    async (client) => (await client.person({}, { as: 'delegated-read-only' })).body.code,
  ),
  webhook_list_shape: see({ object: false, array: true }, async (client) =>
    Array.isArray((await client.call('GET', 'webhooks')).body),
  ),
  webhook_create_status: see(null, async (client) => (await subscribe(client)).status),
  rotate_secret_status: see(null, async (client) => {
    const { body } = await subscribe(client);
    return (await client.call('POST', `webhooks/${body.id}/rotate-secret`)).status;
  }),
  webhook_disable_answer: see({ subscription: [200, true], empty: [204, null] }, async (client) => {
    const made = await subscribe(client);
    const { status, body } = await client.call('POST', `webhooks/${made.body.id}/disable`);
    return [status, body === '' ? null : body.disabled];
  }),
  unknown_categories: see(
    { refused: 'validation_failed', left_out: ['account'] },
    async (client) => {
      const { body } = await subscribe(client, { event_categories: ['account', 'deal'] });
      return body.event_categories ?? body.code;
    },
  ),
  subscription_brand_id: see(
    { string: '10', number: 10 },
    async (client) => (await subscribe(client, {}, 'brand-a')).body.brand_id,
  ),
  webhook_refusal_status: see({ 422: [422, 422], 400: [400, 400] }, async (client) => [
    (await subscribe(client, { url: 'https://127.0.0.1/' })).status,
    (await subscribe(client, { event_categories: ['weather'] })).status,
  ]),
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
  rotation_overlap_s: see({ 86400: 2, 60: 1 }, async (client) => {
    const { id, arrived } = await client.subscribe();
    await client.call('POST', `webhooks/${id}/rotate-secret`);
    await client.advance(120_000);
    await client.triggerEvent();
    const header = String(arrived[0]?.headers['x-webhook-signature']);
    return header.split(',').filter((part) => part.trim().startsWith('v1=')).length;
  }),
  envelope_seq_name: see(
    { seq: ['number', 'undefined'], number: ['undefined', 'number'] },
    async (client) => {
      const { body } = await deliver(client);
      return [typeof body.seq, typeof body.number];
    },
  ),
  signature_header: see(
    { 'X-Webhook-Signature': ['x-webhook-signature'], 'X-Signed': ['x-signed'] },
    async (client) => {
      const { headers } = await deliver(client);
      return ['x-webhook-signature', 'x-signed'].filter((name) => name in headers);
    },
  ),
  subscription_header: see(
    {
      'X-Webhook-Subscription-Id': ['x-webhook-subscription-id'],
      'X-Subscribed': ['x-subscribed'],
    },
    async (client) => {
      const { headers } = await deliver(client);
      return ['x-webhook-subscription-id', 'x-subscribed'].filter((name) => name in headers);
    },
  ),
  event_kinds: {
    look: async (client) => {
      const { events: before } = await client.control('GET', 'events');
      await client.person();
      const after = before.at(-1)?.seq ?? 0;
      const { events } = await client.control('GET', `events?after_seq=${after}`);
      return events.map(({ kind }: { kind: string }) => kind);
    },
    values: [{}, { 'account.created': 'person.made' }, { 'account.created': null }],
    seen: [['account.created'], ['person.made'], []],
  },
  events_path: see(
    { '/api/v1/events': [426, 404], '/api/v1/channel/events': [404, 426] },
    async (client) => [
      (await client.call('GET', 'events')).status,
      (await client.call('GET', 'channel/events')).status,
    ],
  ),
  delivery_order: see({ in_sequence: [0], independent: [0, 1] }, (client) => failFirst(client, 0)),
  after_last_attempt: see({ stop: [0], skip: [0, 1] }, (client) => failFirst(client, 24 * hourMs)),
  error_entry: see(
    {
      field_message: ['field', 'message'],
      text: 'text',
      pointer_detail: ['pointer', 'detail'],
    },
    async (client) => {
      const [entry] = (await client.person({ email: 'anonymous' })).body.errors;
      return typeof entry === 'string' ? 'text' : Object.keys(entry);
    },
  ),
  unparsable_status: see(null, (client) =>
    statusOf(client.call('POST', 'accounts', { text: '{' })),
  ),
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
  unknown_method_status: see({ 405: [405, 'GET, POST'], 404: [404, null] }, async (client) => {
    const { status, headers } = await client.call('DELETE', 'accounts');
    return [status, headers.get('allow')];
  }),
  path_id_status: see({ 404: [404, 404, 422], 422: [422, 422, 422] }, async (client) => [
    await statusOf(client.call('GET', 'webhooks/abc')),
    await statusOf(client.call('GET', 'accounts/abc/status')),
    // CONV-1c: never of the nine writes.
    await statusOf(client.call('POST', 'transactions/abc/approve?account_id=1002')),
  ]),
  duplicate_members: see({ last_wins: 201, refused: 422 }, (client) => {
    const text = '{"client_reference_id":"a","email":"a@x.y","email":"b@x.y","brand_id":"10"}';
    return statusOf(client.call('POST', 'accounts', { text }));
  }),
  delegated_allowance: {
    ...see({ apart: 5, within_the_minters: 0 }, async (client) => {
      const { client_id } = client.sandbox.credential('firm');
      for (let calls = 0; calls < 5; calls += 1)
        await client.call('GET', 'accounts', { as: 'delegated' });
      const { buckets } = await client.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === `credential:${client_id}`).level;
    }),
    plan: 'sandbox',
  },
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
for (const [key, show] of Object.entries(shows)) {
  settings(key, () => checkSetting(key as SettingKey, show));
}
settings.run();
