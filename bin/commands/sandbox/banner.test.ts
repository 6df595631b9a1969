// The banner shows the addresses, and its first call works as printed.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CredentialShown } from '../../../simulator/control/records.ts';
import { bannerLines } from './banner.ts';
import type { ReadyEvent } from './ready.ts';

const credential = (change: Partial<CredentialShown>): CredentialShown => ({
  name: 'firm',
  kind: 'server',
  client_id: 'client',
  client_secret: 'secret',
  token: 'token-firm',
  firm_id: '1',
  brand_id: null,
  account_id: null,
  scopes: ['accounts:write', 'trades:write', 'transactions:write', 'webhooks:manage', 'x'],
  read_only: false,
  plan: 'sandbox',
  rate_per_second: 5,
  ...change,
});

const ready: ReadyEvent = {
  event: 'ready',
  version: '0.1.0',
  pid: 1,
  base_url: 'http://127.0.0.1:7420',
  control_url: 'http://127.0.0.1:7420/_sandbox',
  dashboard_url: 'http://127.0.0.1:7420/',
  openapi_url: 'http://127.0.0.1:7420/openapi.json',
  world: 'default',
  credentials: [
    credential({}),
    credential({ name: 'brand-a', token: 'token-a', brand_id: '10' }),
    credential({ name: 'no-scopes', token: 'token-none', scopes: [] }),
    credential({
      name: 'delegated-read-only',
      kind: 'delegated',
      token: 'token-d',
      account_id: '1001',
      scopes: ['trader:trade'],
      read_only: true,
    }),
  ],
  subscription: null,
};

const banner = suite('banner');

banner('shows every address and every credential with its scope', () => {
  const text = bannerLines(ready).join('\n');
  for (const url of [ready.control_url, ready.openapi_url, `${ready.base_url}/api/v1`]) {
    assert.match(text, url);
  }
  assert.match(text, /firm +token-firm +firm 1, all brands; 5 scopes\n/);
  assert.match(text, /brand-a +token-a +firm 1, brand 10; 5 scopes\n/);
  assert.match(text, /no-scopes +token-none +firm 1, all brands; no scopes\n/);
  assert.match(text, /token-d +account 1001; trader:trade; read-only\n/);
});

banner('shows where deliveries go, and the secret that signs them', () => {
  const forwarded = { id: 7, url: 'https://r', secret: 'whsec_1', forwards_to: 'http://l/in' };
  const text = bannerLines({ ...ready, subscription: forwarded }).join('\n');
  assert.match(text, /Delivered to +http:\/\/l\/in\n +Secret +whsec_1\n/);
});

banner('the first call names a brand by its credential', () => {
  const line = bannerLines(ready).find((one) => one.includes('curl'));
  assert.match(line ?? '', /^ {2}curl -i http:\/\/127\.0\.0\.1:7420\/api\/v1\/accounts /);
  assert.match(line ?? '', 'Bearer token-a');
  const body = /-d '(.*)'/.exec(line ?? '')?.[1] ?? '';
  assert.equal(Object.keys(JSON.parse(body)), ['client_reference_id', 'email']);
});

banner('without a suitable credential there is no call to try', () => {
  const lines = bannerLines({ ...ready, credentials: [credential({ scopes: [] })] });
  assert.not.ok(lines.some((line) => line.includes('curl')));
});

banner('a token that is not a plain shell word appears in no call to try', () => {
  for (const token of ["t'; touch pwned; '", 't$(touch pwned)', 't\u2019; touch pwned']) {
    const hostile = credential({ token, brand_id: '10' });
    assert.not.match(bannerLines({ ...ready, credentials: [hostile] }).join('\n'), 'curl');
    const lines = bannerLines({ ...ready, credentials: [hostile, ...ready.credentials] });
    assert.match(lines.find((line) => line.includes('curl')) ?? '', 'Bearer token-a');
  }
});

banner('deviations are shown', () => {
  assert.match(bannerLines(ready, ['local webhooks are allowed']).join('\n'), 'Note: local');
});

banner.run();
