// Token endpoint cases in which a wrong response grants too much: read-only, and a firm without
// permission.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evolve, putAt } from '../core/change.ts';
import { eachWith } from '../host/testing/each-with.ts';
import { createTestSandbox } from '../host/testing/sandbox.ts';
import { type ApiAnswer, openClient, type SandboxClient } from './sandbox-client.ts';

const tokens = suite<{ client: SandboxClient }>('tokens');
eachWith(tokens, 'client', () => openClient({ plan: 'sandbox' }));

function ask(client: SandboxClient, members: object, form: boolean): Promise<ApiAnswer> {
  const { client_id, client_secret } = client.sandbox.credential('brand-a');
  const all = { grant_type: 'client_credentials', client_id, client_secret, ...members };
  const text = form
    ? new URLSearchParams(all as unknown as Record<string, string>).toString()
    : JSON.stringify(all);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  return client.call('POST', 'oauth/token', { as: null, text, headers: { 'content-type': type } });
}

const deposit = { account_id: '1001', trading_account_id: '5001' };

async function write(client: SandboxClient, { body }: ApiAnswer): Promise<unknown> {
  const headers = { authorization: `Bearer ${body.access_token}` };
  const options = { as: null, headers };
  const { status, body: answer } = await client.transaction(deposit, options);
  return answer.code ?? status;
}

// [as a form, read_only, the response to a write]
const modes = [
  [true, 'true', 'read_only_credential'],
  [true, 'false', 201],
  [true, '', 201],
  [false, true, 'read_only_credential'],
  [false, 'true', 'read_only_credential'],
  [false, false, 201],
  [false, null, 201],
] as const;

tokens('read_only, as a form or as JSON, forbids or allows a write', async ({ client }) => {
  for (const [form, readOnly, expected] of modes) {
    const token = await ask(client, { account_id: '1001', read_only: readOnly }, form);
    const words = `${JSON.stringify(readOnly)} ${form ? 'in a form' : 'in JSON'}`;
    assert.equal([token.status, await write(client, token)], [200, expected], words);
    await client.advance(60_000);
  }
});

tokens('an invalid read_only value gives no token, delegated or not', async ({ client }) => {
  for (const form of [true, false]) {
    for (const word of ['yes', '1', 'TRUE']) {
      for (const account of [{ account_id: '1001' }, {}]) {
        const { status, body } = await ask(client, { ...account, read_only: word }, form);
        assert.equal([status, body.error], [400, 'invalid_request']);
        assert.match(body.error_description, /read_only must be true or false/);
        await client.advance(60_000);
      }
    }
  }
});

tokens('a missing grant type is told from an unknown one', async ({ client }) => {
  const missing = await ask(client, { grant_type: undefined }, false);
  const unknown = await ask(client, { grant_type: 'password' }, false);
  assert.equal([missing.status, missing.body.error], [400, 'invalid_request']);
  assert.equal([unknown.status, unknown.body.error], [400, 'unsupported_grant_type']);
});

tokens('requests under many names store only a bounded number of them', async () => {
  const sandbox = await createTestSandbox();
  const { world } = sandbox.first;
  const known = [...world.credentials.keys()][0] ?? '';
  const ask = (clientId: string) =>
    evolve(world, [putAt('tokenRequests', clientId, [world.nowMs])]);
  ask(known);
  for (let n = 0; n < 25_000; n += 1) ask(`absent-${n}`);
  assert.ok(world.tokenRequests.size <= 10_001, `${world.tokenRequests.size} are kept`);
  assert.ok(world.tokenRequests.has(known), 'a client is not forgotten for outsiders');
  await sandbox.close();
});

tokens('a name longer than any client_id is not stored', async ({ client }) => {
  const absent = 'x'.repeat(256);
  for (let n = 0; n < 12; n += 1) {
    const { status } = await ask(client, { client_id: absent }, false);
    assert.is(status, 401);
  }
  const state = await client.sandbox.control.getState();
  const stored = JSON.stringify(state).replace(/"journal".*/, '');
  assert.not.ok(stored.includes(absent));
});

tokens.run();
