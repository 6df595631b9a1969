// Every value of every setting shows in what the API answers or sends.
import { request } from 'node:http';
import { suite } from 'uvu';
import type { SettingKey } from '../../../fixtures/settings.ts';
import {
  checkSetting,
  type SandboxClient,
  type SettingCheck,
  statusOf,
  update,
} from './show-setting.ts';

const bulk = (client: SandboxClient, row: object, as = 'firm') =>
  client.post('accounts/bulk', { accounts: [{ client_reference_id: 'one', ...row }] }, { as });

const position = {
  account_id: '1002',
  trading_account_id: '5002',
  instrument: 'EURUSD',
  side: 'buy',
  volume: '1.00',
};

/** Statuses of approving a withdrawal that a provider pays out, and one that it does not. */
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

/** Whether the first Deposit of a new account gets the mark when it comes by way of that method. */
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

/** A new transaction, or another of account 1002, taken through these verbs; the last answer. */
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

/** A create with a header line for each key, which `fetch` cannot send. */
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

/** Asks for a token with the secret of a credential, or with another. */
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

/** What the receiver got of one event. */
async function deliver(client: SandboxClient) {
  const { arrived } = await client.subscribe();
  await client.triggerEvent();
  const [first] = arrived;
  if (first === undefined) throw new Error('nothing arrived');
  return first;
}

/** Sequence numbers that arrive, counted from the first one on, while the first event fails. */
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
  deprecation_header: {
    look: async (client) => (await client.person()).headers.get('deprecation'),
    values: [null, '@1767225600'],
    seen: [null, '@1767225600'],
  },
  length_unit: {
    look: async (client) => [
      // 200 code points: as many UTF-16 units and twice as many bytes, or twice as many units.
      (await client.person({ client_reference_id: 'é'.repeat(200) })).status,
      (await client.person({ client_reference_id: '😀'.repeat(200) })).status,
    ],
    values: ['code_points', 'utf16', 'bytes'],
    seen: [
      [201, 201],
      [201, 422],
      [422, 422],
    ],
  },
  absent_optionals: {
    look: async (client) => (await client.person()).body.phone,
    values: ['null', 'empty', 'left_out'],
    seen: [null, '', undefined],
  },
  amount_as_number: {
    look: (client) => statusOf(client.transaction({ amount: 5 })),
    values: ['refused', 'accepted'],
    seen: [422, 201],
  },
  id_leading_zeros: {
    look: async (client) => {
      const { body } = await client.transaction();
      return statusOf(client.call('POST', `transactions/00${body.id}/approve?account_id=1002`));
    },
    values: ['same_id', 'refused'],
    seen: [200, 422],
  },
  read_page_size: {
    look: async (client) => {
      const { body } = await client.call('GET', 'transactions');
      return (body.transactions ?? body.data ?? body).length;
    },
    values: [100, 1],
    seen: [11, 1],
  },
  read_scope: {
    look: (client) => statusOf(client.call('GET', 'accounts')),
    values: [null, 'accounts:read'],
    seen: [200, 403],
  },
  amount_exponent: {
    look: (client) => statusOf(client.transaction({ amount: '1e3' })),
    values: ['refused', 'accepted'],
    seen: [422, 201],
  },
  account_statuses: {
    look: (client) => statusOf(update(client, { status: 'Odd' })),
    values: [null, ['New', 'Active']],
    seen: [200, 422],
  },
  account_status_endpoint: {
    look: async (client) => {
      const made = await client.person();
      const { status, body } = await client.call('GET', `accounts/${made.body.id}/status`);
      return [status, body.revision ?? null];
    },
    values: ['served', 'none'],
    seen: [
      [200, 1],
      [404, null],
    ],
  },
  known_reference: {
    look: async (client) => {
      const one = { client_reference_id: 'one' };
      await client.person(one);
      await client.transaction(one);
      const wrong = [
        client.person({ ...one, email: 'none' }),
        client.transaction({ ...one, amount: 'x' }),
      ];
      return Promise.all(wrong.map(statusOf));
    },
    values: ['first', 'last'],
    seen: [
      [200, 200],
      [422, 422],
    ],
  },
  phone_letters: {
    look: async (client) => (await client.person({ phone: '+1 800 FLOWERS' })).body.phone,
    values: ['left_out', 'keypad'],
    seen: ['1800', '+18003569377'],
  },
  foreign_brand_status: {
    look: async (client) => {
      const of = async (brand_id: string) => (await client.person({ brand_id })).body.code;
      return [await of('20'), await of('999999999')];
    },
    values: [403, 404, 422],
    seen: [
      ['forbidden', 'forbidden'],
      ['not_found', 'not_found'],
      ['validation_failed', 'validation_failed'],
    ],
  },
  account_reference_scope: {
    look: async (client) => {
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const first = await client.person({ ...one, brand_id: '10' });
      const second = await client.person({ ...one, brand_id: '11' });
      return first.body.id === second.body.id;
    },
    values: ['brand', 'firm'],
    seen: [false, true],
  },
  email_case_sensitive: {
    look: async (client) => {
      await client.person({ email: 'one@example.com' });
      return statusOf(client.person({ email: 'ONE@example.com' }));
    },
    values: [false, true],
    seen: [409, 201],
  },
  phone_form: {
    look: async (client) => (await client.person({ phone: '+44 20 7946 0958' })).body.phone,
    values: ['e164', 'digits', 'other'],
    seen: ['+442079460958', '442079460958', '+ 442079460958'],
  },
  account_named_after_email: {
    look: async (client) => {
      const { body } = await client.person({ email: 'ada@example.com' });
      return [body.first_name, body.last_name];
    },
    values: ['whole', 'local_part', 'other'],
    seen: [
      ['ada@example.com', ''],
      ['ada', ''],
      ['', 'ada@example.com'],
    ],
  },
  first_revision: {
    look: async (client) => (await client.person()).body.revision,
    values: [1, 7],
    seen: [1, 7],
  },
  revision_step: {
    look: async (client) => (await update(client, { status: 'Active' })).body.revision,
    values: [1, 10],
    seen: [2, 11],
  },
  transaction_reference_scope: {
    look: async (client) => {
      const one = { client_reference_id: 'one' };
      const first = await client.transaction(one);
      const made = await client.control('POST', 'accounts/1003/trading-accounts', {});
      const elsewhere = { account_id: '1003', trading_account_id: made.id };
      const second = await client.transaction({ ...one, ...elsewhere });
      return [first.status, second.status];
    },
    values: ['firm', 'account'],
    seen: [
      [201, 200],
      [201, 201],
    ],
  },
  update_null: {
    look: async (client) => {
      const { status, body } = await update(client, { country: 'NO', first_name: null });
      return [status, body.first_name ?? null];
    },
    values: ['not_sent', 'cleared', 'refused'],
    seen: [
      [200, 'person-1@example.com'],
      [200, null],
      [422, null],
    ],
  },
  update_other_members: {
    look: (client) => statusOf(update(client, { country: 'NO', email: 'other@example.com' })),
    values: ['ignored', 'refused'],
    seen: [200, 422],
  },
  missing_if_match: {
    look: (client) => statusOf(update(client, { status: 'Active' }, {})),
    values: [422, 428, 400, 412],
    seen: [422, 428, 400, 412],
  },
  tag_before_no_change: {
    look: (client) => statusOf(update(client, {}, { 'if-match': '"99"' })),
    values: [true, false],
    seen: [412, 422],
  },
  if_match_star: {
    look: (client) => statusOf(update(client, { status: 'Active' }, { 'if-match': '*' })),
    values: ['malformed', 'any'],
    seen: [422, 200],
  },
  batch_refusal_status: {
    look: (client) =>
      statusOf(bulk(client, { client_reference_id: undefined, email: 'a@x.y', brand_id: '10' })),
    values: [422, 400],
    seen: [422, 400],
  },
  batch_brand_refusal_status: {
    look: (client) => statusOf(bulk(client, { email: 'a@x.y', brand_id: '11' }, 'brand-a')),
    values: [403, 422],
    seen: [403, 422],
  },
  bulk_row_problems: {
    look: (client) => statusOf(bulk(client, { brand_id: '10' })),
    values: ['row', 'batch'],
    seen: [200, 422],
  },
  open_position_status: {
    look: (client) => statusOf(client.post('positions/open', position)),
    values: [201, 200],
    seen: [201, 200],
  },
  close_position_status: {
    look: async (client) => {
      const { body } = await client.post('positions/open', position);
      const { account_id, trading_account_id } = position;
      const position_id = body.position_id ?? body.id;
      return statusOf(
        client.post('positions/close', { account_id, trading_account_id, position_id }),
      );
    },
    values: [201, 200],
    seen: [201, 200],
  },
  unknown_fields: {
    look: (client) => statusOf(client.person({ shoe_size: 43 })),
    values: ['ignored', 'refused'],
    seen: [201, 422],
  },
  provider_withdrawals: {
    look: payOut,
    values: ['trading_account', 'every', 'none'],
    seen: [
      [501, 200],
      [501, 501],
      [200, 200],
    ],
  },
  amount_sign: {
    look: (client) => statusOf(client.transaction({ amount: '-5.00' })),
    values: ['any', 'matches_method'],
    seen: [201, 422],
  },
  zero_amount: {
    look: (client) => statusOf(client.transaction({ amount: '0.00' })),
    values: ['refused', 'accepted'],
    seen: [422, 201],
  },
  other_currency: {
    look: (client) => statusOf(client.transaction({ currency: 'CHF' })),
    values: ['accepted', 'refused'],
    seen: [201, 422],
  },
  bonus_is_deposit: {
    look: isFirstDepositBy('Bonus'),
    values: [false, true],
    seen: [false, true],
  },
  withdrawal_method_is_deposit: {
    look: isFirstDepositBy('Withdrawal'),
    values: [true, false],
    seen: [true, false],
  },
  settlement_delay_ms: {
    look: async (client) => {
      const { body } = await client.transaction();
      await move(client, body.id, 'approve');
      await client.advance(2000);
      const { transactions } = await client.control('GET', 'transactions');
      return transactions.find(({ id }: { id: string }) => id === body.id).status;
    },
    values: [2000, null],
    seen: ['settled', 'approved'],
  },
  reject_from_approved: {
    look: (client) => move(client, null, 'approve', 'reject'),
    values: ['refused', 'rejected'],
    seen: [
      [409, 'invalid_state'],
      [200, 'rejected'],
    ],
  },
  reject_from_settled: {
    look: (client) => move(client, settledId, 'reject'),
    values: ['refused', 'rejected'],
    seen: [
      [409, 'invalid_state'],
      [200, 'rejected'],
    ],
  },
  cancel_from_approved: {
    look: (client) => move(client, null, 'approve', 'cancel'),
    values: ['refused', 'cancelled'],
    seen: [
      [409, 'invalid_state'],
      [200, 'cancelled'],
    ],
  },
  approve_from_settled: {
    look: (client) => move(client, settledId, 'approve'),
    values: ['unchanged', 'refused'],
    seen: [
      [200, 'settled'],
      [409, 'invalid_state'],
    ],
  },
  abandon_after_ms: {
    look: async (client) => {
      await client.sandbox.faults.add({ effect: { kind: 'hang' }, times: 1 });
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      // Cut off at the end, when the sandbox is closed.
      void client.person(one, { key: 'same' }).catch(() => null);
      await client.inFlight('same');
      await client.advance(30_000);
      return statusOf(client.person(one, { key: 'same' }));
    },
    values: [30_000, 60_000],
    seen: [201, 409],
  },
  transaction_subject_case_sensitive: {
    look: async (client) => {
      await client.transaction({ client_reference_id: 'one' }, { key: 'same' });
      await client.transaction({ client_reference_id: 'ONE' }, { key: 'same' });
      return client.idempotency();
    },
    values: [false, true],
    seen: ['replayed', 'converged'],
  },
  key_age_from: {
    look: async (client) => {
      await client.sandbox.faults.add({ effect: { kind: 'delay', ms: 10_000 }, times: 1 });
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const slow = client.person(one, { key: 'same' });
      await client.inFlight('same');
      await client.advance(10_000);
      await slow;
      await client.advance(dayMs - 5000);
      await client.person(one, { key: 'same' });
      return client.idempotency();
    },
    values: ['answer', 'request'],
    seen: ['replayed', 'converged'],
  },
  approve_body: {
    look: async (client) => {
      const { body } = await client.transaction();
      const path = `transactions/${body.id}/approve?account_id=1002`;
      return statusOf(client.post(path, { reason: 'none is asked for' }));
    },
    values: ['ignored', 'refused'],
    seen: [200, 422],
  },
  repeated_account_id: {
    look: async (client) => {
      const { body } = await client.transaction();
      const path = `transactions/${body.id}/approve?account_id=1002&account_id=1001`;
      return statusOf(client.call('POST', path));
    },
    values: ['first', 'last', 'refused'],
    seen: [200, 404, 422],
  },
  repeated_key: {
    look: async (client) => {
      const { base_url } = await client.sandbox.listen({ port: 0 });
      const { token } = client.sandbox.credential('firm');
      const url = `${base_url}/api/v1/accounts`;
      const status = await postWithKeys(url, String(token), ['one', 'two']);
      const { requests } = await client.control('GET', 'requests?limit=1');
      return [status, requests[0].key];
    },
    values: ['refused', 'first', 'joined'],
    seen: [
      [400, null],
      [201, 'one'],
      [201, 'one, two'],
    ],
  },
  retry_counted_from: {
    look: async (client) => {
      const { id } = await client.subscribe(() => null);
      await client.triggerEvent();
      const startedAtMs = client.sandbox.clock.nowMs();
      await client.advance(15_000);
      const { deliveries } = await client.control('GET', `deliveries?subscription_id=${id}`);
      return deliveries[0].next_due_ms - startedAtMs;
    },
    values: ['end', 'start'],
    seen: [45_000, 30_000],
  },
  token_lifetime_s: {
    look: async (client) => (await askToken(client)).body.expires_in,
    values: [3600, 60],
    seen: [3600, 60],
  },
  token_errors: {
    look: async (client) => {
      const { status, body } = await askToken(client, 'wrong');
      return [status, body.error ?? null, body.code ?? null];
    },
    values: ['oauth', 'problem'],
    seen: [
      [401, 'invalid_client', null],
      [401, null, 'invalid_client'],
    ],
  },
  unauthorized_status: {
    look: (client) => statusOf(client.person({}, { as: null })),
    values: [401, 403],
    seen: [401, 403],
  },
  unauthorized_code: {
    look: async (client) => (await client.person({}, { as: null })).body.code,
    values: ['unauthorized', 'no_token'],
    seen: ['unauthorized', 'no_token'],
  },
  delegated_account_create: {
    look: async (client) => {
      const narrow = { kind: 'delegated', firm_id: '1', account_id: '1002' };
      const scopes = ['accounts:write'];
      await client.control('POST', 'credentials', { name: 'trader', ...narrow, scopes });
      return statusOf(client.person({}, { as: 'trader' }));
    },
    values: ['served', 'refused'],
    seen: [201, 403],
  },
  read_only_before_scope: {
    look: async (client) => (await client.person({}, { as: 'delegated-read-only' })).body.code,
    values: [true, false],
    seen: ['read_only_credential', 'forbidden'],
  },
  webhook_list_shape: {
    look: async (client) => Array.isArray((await client.call('GET', 'webhooks')).body),
    values: ['object', 'array'],
    seen: [false, true],
  },
  webhook_create_status: {
    look: async (client) => (await subscribe(client)).status,
    values: [201, 200],
    seen: [201, 200],
  },
  rotate_secret_status: {
    look: async (client) => {
      const { body } = await subscribe(client);
      return (await client.call('POST', `webhooks/${body.id}/rotate-secret`)).status;
    },
    values: [200, 201],
    seen: [200, 201],
  },
  webhook_disable_answer: {
    look: async (client) => {
      const made = await subscribe(client);
      const { status, body } = await client.call('POST', `webhooks/${made.body.id}/disable`);
      return [status, body === '' ? null : body.disabled];
    },
    values: ['subscription', 'empty'],
    seen: [
      [200, true],
      [204, null],
    ],
  },
  unknown_categories: {
    look: async (client) => {
      const { body } = await subscribe(client, { event_categories: ['account', 'deal'] });
      return body.event_categories ?? body.code;
    },
    values: ['refused', 'left_out'],
    seen: ['validation_failed', ['account']],
  },
  subscription_brand_id: {
    look: async (client) => (await subscribe(client, {}, 'brand-a')).body.brand_id,
    values: ['string', 'number'],
    seen: ['10', 10],
  },
  webhook_refusal_status: {
    look: async (client) => [
      (await subscribe(client, { url: 'https://127.0.0.1/' })).status,
      (await subscribe(client, { event_categories: ['weather'] })).status,
    ],
    values: [422, 400],
    seen: [
      [422, 422],
      [400, 400],
    ],
  },
  unresolvable_webhook_host: {
    look: async (client) => {
      await client.control('PUT', 'dns/nowhere.example.com', { addresses: [] });
      return (
        await client.post('webhooks', { ...subscription, url: 'https://nowhere.example.com/' })
      ).status;
    },
    values: ['refused', 'accepted'],
    seen: [422, 201],
  },
  firm_wide_sees_webhooks: {
    look: async (client) => {
      const { body } = await subscribe(client, {}, 'brand-a');
      return (await client.call('GET', `webhooks/${body.id}`)).status;
    },
    values: ['all', 'own'],
    seen: [200, 404],
  },
  delegated_webhooks: {
    look: async (client) => {
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
    },
    values: ['account', 'brand'],
    seen: [
      [200, 404, 1],
      [200, 200, 2],
    ],
  },
  rotation_overlap_s: {
    look: async (client) => {
      const { id, arrived } = await client.subscribe();
      await client.call('POST', `webhooks/${id}/rotate-secret`);
      await client.advance(120_000);
      await client.triggerEvent();
      const header = String(arrived[0]?.headers['x-webhook-signature']);
      return header.split(',').filter((part) => part.trim().startsWith('v1=')).length;
    },
    values: [86_400, 60],
    seen: [2, 1],
  },
  envelope_seq_name: {
    look: async (client) => {
      const { body } = await deliver(client);
      return [typeof body.seq, typeof body.number];
    },
    values: ['seq', 'number'],
    seen: [
      ['number', 'undefined'],
      ['undefined', 'number'],
    ],
  },
  signature_header: {
    look: async (client) => {
      const { headers } = await deliver(client);
      return ['x-webhook-signature', 'x-signed'].filter((name) => name in headers);
    },
    values: ['X-Webhook-Signature', 'X-Signed'],
    seen: [['x-webhook-signature'], ['x-signed']],
  },
  subscription_header: {
    look: async (client) => {
      const { headers } = await deliver(client);
      return ['x-webhook-subscription-id', 'x-subscribed'].filter((name) => name in headers);
    },
    values: ['X-Webhook-Subscription-Id', 'X-Subscribed'],
    seen: [['x-webhook-subscription-id'], ['x-subscribed']],
  },
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
  events_path: {
    look: async (client) => [
      (await client.call('GET', 'events')).status,
      (await client.call('GET', 'channel/events')).status,
    ],
    values: ['/api/v1/events', '/api/v1/channel/events'],
    seen: [
      [426, 404],
      [404, 426],
    ],
  },
  delivery_order: {
    look: (client) => failFirst(client, 0),
    values: ['in_sequence', 'independent'],
    seen: [[0], [0, 1]],
  },
  after_last_attempt: {
    look: (client) => failFirst(client, 24 * hourMs),
    values: ['stop', 'skip'],
    seen: [[0], [0, 1]],
  },
  error_entry: {
    look: async (client) => {
      const [entry] = (await client.person({ email: 'anonymous' })).body.errors;
      return typeof entry === 'string' ? 'text' : Object.keys(entry);
    },
    values: ['field_message', 'text', 'pointer_detail'],
    seen: [['field', 'message'], 'text', ['pointer', 'detail']],
  },
  unparsable_status: {
    look: (client) => statusOf(client.call('POST', 'accounts', { text: '{' })),
    values: [400, 422],
    seen: [400, 422],
  },
  unreadable_status: {
    look: (client) => statusOf(client.post('accounts', [])),
    values: [422, 400],
    seen: [422, 400],
  },
  content_type_status: {
    look: (client) => statusOf(client.person({}, { headers: { 'content-type': 'text/plain' } })),
    values: [415, 400, 422],
    seen: [415, 400, 422],
  },
  max_body_bytes: {
    look: (client) => statusOf(client.person(long)),
    values: [1_048_576, 1024],
    seen: [201, 413],
  },
  max_bulk_body_bytes: {
    look: (client) => {
      const row = { client_reference_id: 'one', email: 'one@example.com', brand_id: '10', ...long };
      return statusOf(client.post('accounts/bulk', { accounts: [row] }));
    },
    values: [16_777_216, 1024],
    seen: [200, 413],
  },
  body_too_large_status: {
    among: tooLong,
    look: (client) => statusOf(client.person(long)),
    values: [413, 400],
    seen: [413, 400],
  },
  unknown_method_status: {
    look: async (client) => {
      const { status, headers } = await client.call('DELETE', 'accounts');
      return [status, headers.get('allow')];
    },
    values: [405, 404],
    seen: [
      [405, 'GET, POST'],
      [404, null],
    ],
  },
  path_id_status: {
    look: async (client) => [
      await statusOf(client.call('GET', 'webhooks/abc')),
      await statusOf(client.call('GET', 'accounts/abc/status')),
      // CONV-1c: never of the nine writes.
      await statusOf(client.call('POST', 'transactions/abc/approve?account_id=1002')),
    ],
    values: [404, 422],
    seen: [
      [404, 404, 422],
      [422, 422, 422],
    ],
  },
  duplicate_members: {
    look: (client) => {
      const text = '{"client_reference_id":"a","email":"a@x.y","email":"b@x.y","brand_id":"10"}';
      return statusOf(client.call('POST', 'accounts', { text }));
    },
    values: ['last_wins', 'refused'],
    seen: [201, 422],
  },
  delegated_allowance: {
    plan: 'sandbox',
    look: async (client) => {
      const { client_id } = client.sandbox.credential('firm');
      for (let calls = 0; calls < 5; calls += 1)
        await client.call('GET', 'accounts', { as: 'delegated' });
      const { buckets } = await client.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === `credential:${client_id}`).level;
    },
    values: ['apart', 'within_the_minters'],
    seen: [5, 0],
  },
  firm_rate_from: {
    plan: 'sandbox',
    look: async (client) => {
      const { client_id } = client.sandbox.credential('firm');
      await client.control('PATCH', `credentials/${client_id}`, { rate_per_second: 100 });
      const { buckets } = await client.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === 'firm:1').rate_per_second;
    },
    values: ['firm_plan', 'highest_credential'],
    seen: [20, 400],
  },
};

const settings = suite('settings');
for (const [key, show] of Object.entries(shows)) {
  settings(key, () => checkSetting(key as SettingKey, show));
}
settings.run();
