// Settings whose every value is shown here: the judge does not observe them, or not all their values.
// `bin/e2e/conformance-settings.test.ts` has the other settings.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SettingKey } from '../../fixtures/settings.ts';
import { personOf } from '../../fixtures/testing/bodies.ts';
import type { SandboxOptions } from '../index.ts';
import { openClient, type SandboxClient, statusOf } from './sandbox-client.ts';

const settings = suite('settings');

/** Each value of the setting, and what is seen under it. */
function shows(
  key: SettingKey,
  look: (client: SandboxClient) => Promise<unknown>,
  values: readonly (readonly [value: unknown, seen: unknown])[],
  { settings: among, ...options }: SandboxOptions = {},
): void {
  settings(key, async () => {
    for (const [value, seen] of values) {
      const client = await openClient({ ...options, settings: { ...among, [key]: value } });
      const found = await look(client).finally(() => client.close());
      assert.equal(found, seen, JSON.stringify(value));
    }
  });
}

const checks = ['route', 'key', 'token', 'rate'];
shows('check_order', (client) => statusOf(client.post('accounts', [], { as: 'no-scopes' })), [
  [[...checks, 'readable', 'replay', 'scope'], 422],
  [[...checks, 'scope', 'readable', 'replay'], 403],
]);

shows(
  'length_unit',
  async (client) => [
    // 200 code points: as many UTF-16 units and twice as many bytes, or twice as many units.
    (await client.person({ client_reference_id: 'é'.repeat(200) })).status,
    (await client.person({ client_reference_id: '😀'.repeat(200) })).status,
  ],
  [
    ['code_points', [201, 201]],
    ['utf16', [201, 422]],
    ['bytes', [422, 422]],
  ],
);

shows(
  'read_page_size',
  async (client) => (await client.call('GET', 'transactions')).body.transactions.length,
  [
    [100, 11],
    [1, 1],
  ],
);

shows('read_scope', (client) => statusOf(client.call('GET', 'accounts')), [
  [null, 200],
  ['accounts:read', 403],
]);

async function setOddStatus(client: SandboxClient): Promise<number> {
  const { body, headers } = await client.person();
  const tag = { 'if-match': headers.get('etag') ?? '' };
  const odd = { body: { status: 'Odd' }, headers: tag };
  return statusOf(client.call('PATCH', `accounts/${body.id}`, odd));
}

shows('account_statuses', setOddStatus, [
  [null, 200],
  [['New', 'Active'], 422],
]);

shows(
  'account_named_after_email',
  async (client) => {
    const { body } = await client.person({ email: 'ada@example.com' });
    return [body.first_name, body.last_name];
  },
  [
    ['whole', ['ada@example.com', '']],
    ['local_part', ['ada', '']],
    ['other', ['', 'ada@example.com']],
  ],
);

/** Statuses after approving a withdrawal with and without a payout by a provider. */
async function payOut(client: SandboxClient) {
  const statuses: number[] = [];
  for (const provider_payouts of [true, false]) {
    const path = 'accounts/1002/trading-accounts';
    const { id: trading_account_id } = await client.control('POST', path, { provider_payouts });
    const withdrawal = { amount: '-5.00', method: 'Withdrawal', transaction_type: 'Withdrawal' };
    const { body } = await client.transaction({ ...withdrawal, trading_account_id });
    const approve = `transactions/${body.id}/approve?account_id=1002`;
    statuses.push((await client.call('POST', approve)).status);
  }
  return statuses;
}

shows('provider_withdrawals', payOut, [
  ['trading_account', [501, 200]],
  ['every', [501, 501]],
  ['none', [200, 200]],
]);

shows(
  'settlement_delay_ms',
  async (client) => {
    const { id } = (await client.transaction()).body;
    await client.call('POST', `transactions/${id}/approve?account_id=1002`);
    await client.advance(2000);
    return (await client.control('GET', `transactions/${id}`)).status;
  },
  [
    [2000, 'settled'],
    [null, 'approved'],
  ],
);

shows(
  'delegated_webhooks',
  async (client) => {
    await client.control('PUT', 'dns/hooks.example.com', { addresses: ['93.184.216.34'] });
    const holder = { kind: 'delegated', account_id: '1001', scopes: ['webhooks:manage'] };
    const { token } = await client.control('POST', 'credentials', holder);
    const headers = { authorization: `Bearer ${token}` };
    const hook = { url: 'https://hooks.example.com/in', event_categories: ['account'] };
    const brands = await client.post('webhooks', hook, { as: 'brand-a' });
    const own = await client.post('webhooks', hook, { headers });
    const statuses: number[] = [];
    for (const { body } of [own, brands]) {
      statuses.push((await client.call('GET', `webhooks/${body.id}`, { headers })).status);
    }
    for (const account_id of ['1001', '1002']) {
      await client.control('POST', 'events', { category: 'account', account_id });
    }
    const path = `deliveries?subscription_id=${own.body.id}`;
    return [...statuses, (await client.control('GET', path)).deliveries.length];
  },
  [
    ['account', [200, 404, 1]],
    ['brand', [200, 200, 2]],
  ],
);

const long = { ...personOf('long'), first_name: 'x'.repeat(2000) };
shows(
  'max_bulk_body_bytes',
  (client) => statusOf(client.post('accounts/bulk', { accounts: [long] })),
  [
    [16_777_216, 200],
    [1024, 413],
  ],
);

shows(
  'body_too_large_status',
  (client) => statusOf(client.post('accounts', long)),
  [
    [413, 413],
    [400, 400],
  ],
  { settings: { max_body_bytes: 1024 } },
);

shows(
  'firm_rate_from',
  async (client) => {
    const { client_id } = client.sandbox.credential('firm');
    await client.control('PATCH', `credentials/${client_id}`, { rate_per_second: 100 });
    const { buckets } = await client.control('GET', 'buckets');
    return buckets.find(({ name }: { name: string }) => name === 'firm:1').rate_per_second;
  },
  [
    ['firm_plan', 20],
    ['highest_credential', 400],
  ],
  { plan: 'sandbox' },
);

settings.run();
