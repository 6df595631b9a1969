// The length of a refusal depends on its reason, not on the length of the input.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openClient } from './sandbox-client.ts';

const refusals = suite('short refusals');
const digits = '9'.repeat(300_000);
const person = { client_reference_id: 'long', email: 'long@example.com', brand_id: digits };

const long: readonly (readonly [string, string, unknown])[] = [
  ['POST', 'accounts', person],
  ['POST', 'accounts', { ...person, brand_id: 'x'.repeat(300_000) }],
  ['POST', 'accounts', { ...person, client_reference_id: digits }],
  ['POST', 'accounts/bulk', { accounts: [person] }],
  ['PATCH', 'accounts/1001', { status: { [digits]: digits } }],
  ['POST', 'transactions', { client_reference_id: 'long', account_id: digits, amount: digits }],
  ['POST', 'webhooks', { url: `https://${digits}.example`, event_categories: [digits] }],
  ['POST', 'oauth/token', { grant_type: digits, client_id: digits, client_secret: digits }],
  ['GET', `accounts?limit=${digits.slice(0, 9000)}`, undefined],
  ['GET', `accounts/${digits.slice(0, 9000)}`, undefined],
];

refusals('refusals do not repeat long input', async () => {
  const client = await openClient();
  for (const [method, path, body] of long) {
    const headers = { 'if-match': '"1"' };
    const answer = await client.call(method, path, { body, headers });
    const text = JSON.stringify(answer.body);
    const what = `${method} ${path.slice(0, 40)}: ${answer.status} ${text.slice(0, 300)}`;
    assert.ok(answer.status >= 400 && answer.status < 500, what);
    const { length } = text.replace(path, '');
    assert.ok(length < 1000, `${length} characters, ${what}`);
  }
  await client.close();
});

refusals.run();
