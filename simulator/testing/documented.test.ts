// Events and answers match the OpenAPI document: each kind of event, from the history and from calls,
// fits the union of envelopes, and each answer has the headers that are described.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { planRates } from '../../fixtures/constants.ts';
import { eventKinds } from '../../fixtures/event-kinds.ts';
import { documentOf, operationsIn } from '../../fixtures/testing/openapi-document.ts';
import { openClient, type SandboxClient } from './sandbox-client.ts';

async function callAll(client: SandboxClient): Promise<void> {
  const call = async (method: string, path: string, body?: object, tag?: string) => {
    const headers = tag === undefined ? {} : { 'if-match': tag };
    const answer = await client.call(method, path, { body, headers });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status}`);
    return answer;
  };
  const created = await client.person();
  const tag = created.headers.get('etag') ?? '';
  await call('PATCH', `accounts/${created.body.id}`, { language: 'en' }, tag);
  const terms = { trading_account_id: '5001', instrument: 'EURUSD', side: 'buy', volume: '1' };
  const { position_id } = (await call('POST', 'positions/open', terms)).body;
  await call('POST', 'positions/close', { trading_account_id: '5001', position_id });
  for (const verb of ['approve', 'reject', 'cancel']) {
    const { body } = await client.transaction();
    const reason = verb === 'approve' ? undefined : { reason: 'none' };
    await call('POST', `transactions/${body.id}/${verb}?account_id=1002`, reason);
  }
  await client.advance(10_000);
}

test('every kind of event matches its schema', async () => {
  const formats = { uri: true } as const;
  const ajv = new Ajv2020({ strict: false, formats }).addSchema(documentOf(), 'api');
  const fits = (value: unknown) => ajv.validate('api#/components/schemas/Envelope', value);
  const client = await openClient();
  await callAll(client);
  const { events } = await client.sandbox.control.listEvents({ limit: 10_000 });
  assert.equal([...new Set(events.map(({ kind }) => kind))].sort(), [...eventKinds].sort());
  for (const event of events) assert.ok(fits(event), `${event.kind}: ${ajv.errorsText()}`);
  const [first] = events;
  for (const other of [{ kind: 'account.gone' }, { data: {} }]) {
    assert.not.ok(fits({ ...first, ...other }), JSON.stringify(other));
  }
  await client.close();
});

test('every answer has exactly the headers that the document describes for it', async () => {
  const described = new Map(
    operationsIn(documentOf()).map(({ operation }) => [operation.operationId, operation.responses]),
  );
  const client = await openClient();
  await callAll(client);
  await client.call('GET', 'accounts', { as: null });
  await client.person({ email: 7 });
  await client.person({ email: 'no at' });
  await client.transaction({ account_id: '9999' });
  for (let n = 0; n <= planRates.pro; n += 1) await client.call('GET', 'webhooks');
  const { requests } = await client.sandbox.control.listRequests({ limit: 1000 });
  const statuses = new Set<number>();
  for (const { operation, response } of requests) {
    if (operation === null || response === null) continue;
    statuses.add(response.status);
    const names = Object.keys(response.headers).filter((name) => name !== 'content-type');
    const headers = described.get(operation)?.[response.status]?.headers ?? {};
    const wanted = Object.keys(headers).map((name) => name.toLowerCase());
    assert.equal(names.sort(), wanted.sort(), `${operation} ${response.status}`);
  }
  assert.equal([...statuses].sort(), [200, 201, 401, 404, 422, 429]);
  await client.close();
});

test.run();
