// The row that judges a subscription's receiver: what it hands to the judge, and what it refuses.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReceiverJudged, ReceiverToJudge } from '../plane.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';

const receivers = suite('control: receivers');

const report = {
  verdict: 'conformant',
  summary: { passed: 64 },
  requests: 80,
  duration_ms: 300,
  notes: [],
  rules: [],
};

const origin = 'https://hooks.partner.example';

async function testPlaneWith(
  judgeReceiver: (receiver: ReceiverToJudge) => Promise<ReceiverJudged>,
): Promise<TestPlane & { readonly path: string; readonly secret: string }> {
  const testPlane = await createTestPlane({ plane: { judgeReceiver } });
  const { body: made } = await testPlane.call('firm', 'POST', 'webhooks', {
    body: { url: `${origin}/in?a=1`, event_categories: ['account'] },
  });
  return { ...testPlane, path: `subscriptions/${made.id}/judge`, secret: made.secret };
}

receivers('the judge gets where the forward leads, and what is signed with', async () => {
  const orders: ReceiverToJudge[] = [];
  const { ask, path, secret } = await testPlaneWith(async (order) => {
    orders.push(order);
    return { report };
  });
  await ask('PUT', 'forwards', { from: origin, to: 'http://127.0.0.1:9000' });
  assert.equal((await ask('POST', path)).body, report);
  await ask('PUT', 'forwards', { from: origin, to: 'http://localhost:9000/other' });
  const probe = 'http://[::1]:9000/count';
  assert.is((await ask('POST', path, { effect_probe: probe })).status, 200);
  const headers = {
    signatureHeader: 'X-Webhook-Signature',
    subscriptionHeader: 'X-Webhook-Subscription-Id',
  };
  const [, subscriptionId = ''] = path.split('/');
  const signing = { secret, previousSecret: null, ...headers, subscriptionId };
  assert.equal(orders, [
    { url: 'http://127.0.0.1:9000/in?a=1', ...signing, effectProbe: null },
    { url: 'http://localhost:9000/other', ...signing, effectProbe: probe },
  ]);
});

receivers('what is not on this machine is refused, by field', async () => {
  const { ask, path } = await testPlaneWith(() => Promise.reject(new Error('nothing is judged')));
  const unforwarded = await ask('POST', path);
  assert.is(unforwarded.status, 422);
  assert.match(
    unforwarded.body.detail,
    /^forwards_to: https:\/\/hooks\.partner\.example\/in\?a=1 is/,
  );
  await ask('PUT', 'forwards', { from: origin, to: 'http://192.168.0.7:9000/in' });
  assert.is((await ask('POST', path)).body.errors[0].field, 'forwards_to');
  await ask('PUT', 'forwards', { from: origin, to: 'http://127.0.0.1:9000/in' });
  for (const effect_probe of ['http://elsewhere.example/', 'count', 'ftp://127.0.0.1/']) {
    const { status, body } = await ask('POST', path, { effect_probe });
    assert.is(status, 422);
    assert.is(body.errors[0].field, 'effect_probe');
  }
  const unknown = await ask('POST', 'subscriptions/999/judge');
  assert.is(unknown.status, 404);
  assert.match(unknown.body.detail, 'there is no subscription 999');
});

receivers('one receiver at a time', async () => {
  let end = () => {};
  const { ask, path } = await testPlaneWith(
    () =>
      new Promise((resolve) => {
        end = () => resolve({ report });
      }),
  );
  await ask('PUT', 'forwards', { from: origin, to: 'http://127.0.0.1:9000' });
  const first = ask('POST', path);
  const second = await ask('POST', path);
  assert.is(second.status, 409);
  assert.match(second.body.detail, 'is being judged');
  end();
  assert.is((await first).status, 200);
  const third = ask('POST', path);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  end();
  assert.is((await third).status, 200);
});

receivers('a judge that fails leaves the place free, and its refusal names the field', async () => {
  let turn = 0;
  const { ask, path } = await testPlaneWith(async () => {
    turn += 1;
    return { refused: { field: 'effect_probe', message: `no number, ${turn}` } };
  });
  await ask('PUT', 'forwards', { from: origin, to: 'http://127.0.0.1:9000' });
  for (const n of [1, 2]) {
    const { status, body } = await ask('POST', path, { effect_probe: 'http://127.0.0.1:1/' });
    assert.is(status, 422);
    assert.is(body.detail, `effect_probe: no number, ${n}.`);
  }
});

receivers('a sandbox without a judge says who has one', async () => {
  const { ask, call } = await createTestPlane();
  const { body: made } = await call('firm', 'POST', 'webhooks', {
    body: { url: `${origin}/in`, event_categories: ['account'] },
  });
  await ask('PUT', 'forwards', { from: origin, to: 'http://127.0.0.1:9000' });
  const { status, body } = await ask('POST', `subscriptions/${made.id}/judge`);
  assert.is(status, 409);
  assert.match(body.detail, '`sandbox start`');
});

receivers.run();
