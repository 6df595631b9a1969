// Events, deliveries and subscriptions over the control plane: made by hand, retried, resumed.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';

const deliveries = suite('control: events and deliveries');

async function subscribe({ call }: TestPlane, categories = ['account']): Promise<number> {
  const body = { url: 'https://hooks.partner.example/in', event_categories: categories };
  const { status, body: made } = await call('firm', 'POST', 'webhooks', { body });
  assert.is(status, 201);
  return made.id as number;
}

deliveries('makes an event like any other', async () => {
  const testPlane = await createTestPlane();
  const { ask, sent } = testPlane;
  const id = await subscribe(testPlane);
  const last = (await ask('GET', 'info')).body.counts.last_seq;
  const made = await ask('POST', 'events', {
    category: 'account',
    kind: 'account.noted',
    account_id: '1001',
    data: { note: 'hello' },
  });
  assert.is(made.status, 201);
  assert.equal(
    [made.body.seq, made.body.kind, made.body.brand_id, made.body.account_id, made.body.data],
    [last + 1, 'account.noted', '10', '1001', { note: 'hello' }],
  );
  await ask('POST', 'clock/advance', { by_ms: 0 });
  assert.equal(JSON.parse(sent[0]?.body ?? ''), made.body);
  const listed = (await ask('GET', `deliveries?subscription_id=${id}`)).body.deliveries;
  assert.equal(
    listed.map((each: Record<string, unknown>) => [each.event_id, each.status, each.seq]),
    [[made.body.id, 'delivered', last + 1]],
  );
  assert.is(listed[0].attempts[0].signature, sent[0]?.headers['X-Webhook-Signature']);
  const byEvent = (await ask('GET', `deliveries?event_id=${made.body.id}`)).body.deliveries;
  assert.equal(byEvent, listed);
});

deliveries('lists envelopes after a sequence number, page by page', async () => {
  const { ask } = await createTestPlane();
  const all = (await ask('GET', 'events')).body;
  assert.is(all.next_after_seq, null);
  assert.is(all.events.at(-1).seq, all.last_seq);
  const page = (await ask('GET', `events?after_seq=${all.last_seq - 3}&limit=2`)).body;
  assert.equal(
    page.events.map(({ seq }: { seq: number }) => all.last_seq - seq),
    [2, 1],
  );
  assert.is(page.next_after_seq, all.last_seq - 1);
  assert.equal((await ask('GET', `events?after_seq=${all.last_seq}`)).body.events, []);
});

deliveries('refuses an event that cannot be, by field', async () => {
  const { ask } = await createTestPlane();
  const category = 'account';
  const cases = [
    [{}, 'category'],
    [{ category: 'money' }, 'category'],
    [{ category, account_id: 1001 }, 'account_id'],
    [{ category, account_id: '99' }, 'account_id'],
    [{ category, brand_id: '99' }, 'brand_id'],
    [{ category, account_id: '1001', brand_id: '20' }, 'brand_id'],
    [{ category, data: 'text' }, 'data'],
    [{ category, kind: '' }, 'kind'],
    [{ category, seq: 5 }, 'seq'],
  ] as const;
  for (const [body, field] of cases) {
    const refused = await ask('POST', 'events', body);
    assert.equal([refused.status, refused.body.errors[0].field], [422, field]);
  }
});

deliveries('shows what waits behind a failing event, and goes on when resumed', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  const id = await subscribe(testPlane);
  testPlane.receiver = () => ({ status: 500, error: null });
  for (let n = 0; n < 3; n += 1) await ask('POST', 'events', { category: 'account' });
  await ask('POST', 'clock/advance', { by_ms: 0 });
  const list = async () => (await ask('GET', `deliveries?subscription_id=${id}`)).body.deliveries;
  const shown = async () =>
    (await list()).map((each: { status: string; attempts: unknown[] }) => [
      each.status,
      each.attempts.length,
    ]);
  assert.equal(await shown(), [
    ['pending', 1],
    ['pending', 0],
    ['pending', 0],
  ]);
  assert.equal(
    (await list()).map(({ id: delivery }: { id: string | null }) => delivery === null),
    [false, true, true],
  );
  await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
  assert.equal((await shown())[0], ['exhausted', 8]);
  const stopped = (await ask('GET', 'subscriptions')).body.subscriptions.at(-1);
  assert.equal([stopped.id, stopped.stopped], [id, true]);
  testPlane.receiver = () => ({ status: 204, error: null });
  const resumed = await ask('POST', `subscriptions/${id}/resume`);
  assert.equal([resumed.status, resumed.body.stopped], [200, false]);
  await ask('POST', 'clock/advance', { by_ms: 0 });
  assert.equal(await shown(), [
    ['delivered', 9],
    ['delivered', 1],
    ['delivered', 1],
  ]);
});

deliveries('attempts a waiting delivery at once', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  const id = await subscribe(testPlane);
  testPlane.receiver = () => ({ status: 500, error: null });
  await ask('POST', 'events', { category: 'account' });
  await ask('POST', 'clock/advance', { by_ms: 0 });
  const list = async () => (await ask('GET', `deliveries?subscription_id=${id}`)).body.deliveries;
  const [waiting] = await list();
  testPlane.receiver = () => ({ status: 204, error: null });
  const retried = await ask('POST', `deliveries/${waiting.id}/retry`);
  assert.equal([retried.status, retried.body.in_flight], [200, true]);
  await ask('POST', 'clock/advance', { by_ms: 0 });
  const [done] = await list();
  assert.equal([done.status, done.attempts.length], ['delivered', 2]);
  assert.is((await ask('POST', 'deliveries/9999/retry')).status, 404);
});

deliveries('nothing resumes what is disabled', async () => {
  const { ask } = await createTestPlane();
  const { subscriptions } = (await ask('GET', 'subscriptions')).body;
  const disabled = subscriptions.find((each: { disabled: boolean }) => each.disabled);
  assert.is((await ask('POST', `subscriptions/${disabled.id}/resume`, {})).status, 409);
  assert.is((await ask('POST', 'subscriptions/99/resume')).status, 404);
});

deliveries('pages through deliveries', async () => {
  const { ask } = await createTestPlane();
  const all = (await ask('GET', 'deliveries')).body.deliveries.filter(
    ({ id }: { id: string | null }) => id !== null,
  );
  const seen: string[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const { body } = await ask('GET', `deliveries?limit=7&after=${after}`);
    seen.push(...body.deliveries.map(({ id }: { id: string | null }) => id));
    after = body.next_after;
  }
  assert.equal(
    seen.filter((id) => id !== null),
    all.map(({ id }: { id: string }) => id),
  );
});

deliveries.run();
