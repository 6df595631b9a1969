// Events, deliveries, names and forwards over the control plane: emit, retry, resume, redirect.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type TestPlane, withPlane } from '../testing/plane.ts';

const test = suite<TestPlane>('control: events and deliveries');
withPlane(test);

const url = 'https://hooks.partner.example/in?a=1';

async function subscribe({ call }: TestPlane): Promise<number> {
  const body = { url, event_categories: ['account'] };
  const { status, body: subscription } = await call('firm', 'POST', 'webhooks', { body });
  assert.is(status, 201);
  return subscription.id as number;
}

// biome-ignore lint/suspicious/noExplicitAny: the plane validates it against its schema.
type ShownDelivery = any;

const listOf = async ({ ask }: TestPlane, id: number): Promise<ShownDelivery[]> =>
  (await ask('GET', `deliveries?subscription_id=${id}`)).body.deliveries;
const statusesOf = async (plane: TestPlane, id: number) =>
  (await listOf(plane, id)).map(({ status, attempts }) => `${status} ${attempts.length}`);
/** Runs everything that is due now, including the responses. */
const settle = ({ ask }: TestPlane) => ask('POST', 'clock/advance', { by_ms: 0 });

test('an event made by the operator is delivered like any other', async (plane) => {
  const { ask, sent } = plane;
  const id = await subscribe(plane);
  const last = (await ask('GET', 'info')).body.counts.last_seq;
  const about = { kind: 'account.noted', account_id: '1001', data: { note: 'hello' } };
  const { status, body } = await ask('POST', 'events', { category: 'account', ...about });
  assert.equal(
    [status, body.seq, body.kind, body.brand_id, body.account_id, body.data],
    [201, last + 1, 'account.noted', '10', '1001', { note: 'hello' }],
  );
  await settle(plane);
  assert.equal(JSON.parse(sent[0]?.body ?? ''), body);
  const listed = await listOf(plane, id);
  const [{ event_id, status: delivered, seq, attempts }] = listed;
  assert.equal([event_id, delivered, seq], [body.id, 'delivered', last + 1]);
  assert.is(attempts[0].signature, sent[0]?.headers['X-Webhook-Signature']);
  const byEvent = (await ask('GET', `deliveries?event_id=${body.id}`)).body.deliveries;
  assert.equal(byEvent, listed);
});

test('a kind that looks misspelt is sent as it is, with a hint', async ({ ask }) => {
  for (const [kind, hint] of [
    ['transaction.aproved', 'kind is sent as it is; did you mean transaction.approved?'],
    ['transaction.approved', undefined],
    ['transaction.paused', undefined],
  ]) {
    const { status, body } = await ask('POST', 'events', { category: 'transaction', kind });
    assert.equal([status, body.kind, body.hint], [201, kind, hint]);
  }
});

test('events and deliveries are paginated', async ({ ask }) => {
  const all = (await ask('GET', 'events')).body;
  assert.equal([all.next_after_seq, all.events.at(-1).seq], [null, all.last_seq]);
  const page = (await ask('GET', `events?after_seq=${all.last_seq - 3}&limit=2`)).body;
  const seqs = page.events.map(({ seq }: { seq: number }) => all.last_seq - seq);
  assert.equal([seqs, page.next_after_seq], [[2, 1], all.last_seq - 1]);
  assert.equal((await ask('GET', `events?after_seq=${all.last_seq}`)).body.events, []);
  const isBegun = ({ id }: ShownDelivery) => id !== null;
  const begun = (await ask('GET', 'deliveries')).body.deliveries.filter(isBegun);
  const seen: ShownDelivery[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const { body } = await ask('GET', `deliveries?limit=7&after=${after}`);
    seen.push(...body.deliveries.filter(isBegun));
    after = body.next_after;
  }
  assert.equal(seen, begun);
});

test('deliveries behind a failing event are listed, and can be resumed', async (plane) => {
  const { ask } = plane;
  const id = await subscribe(plane);
  plane.receiver = () => ({ status: 500, error: null });
  for (let n = 0; n < 3; n += 1) await ask('POST', 'events', { category: 'account' });
  await settle(plane);
  assert.equal(await statusesOf(plane, id), ['pending 1', 'pending 0', 'pending 0']);
  const ids = (await listOf(plane, id)).map((each) => each.id === null);
  assert.equal(ids, [false, true, true]);
  await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
  assert.is((await statusesOf(plane, id))[0], 'exhausted 8');
  const stopped = (await ask('GET', 'subscriptions')).body.subscriptions.at(-1);
  assert.equal([stopped.id, stopped.stopped], [id, true]);
  plane.receiver = () => ({ status: 204, error: null });
  const resumed = await ask('POST', `subscriptions/${id}/resume`);
  assert.equal([resumed.status, resumed.body.stopped], [200, false]);
  await settle(plane);
  assert.equal(await statusesOf(plane, id), ['delivered 9', 'delivered 1', 'delivered 1']);
});

test('a name resolves to its override until that is removed', async (plane) => {
  const { ask, call } = plane;
  const subscribed = async () => {
    const body = { url, event_categories: ['account'] };
    return (await call('firm', 'POST', 'webhooks', { body })).status;
  };
  const set = await ask('PUT', 'dns/Hooks.Partner.example', { addresses: ['10.0.0.7'] });
  assert.equal(set.body, { hostname: 'hooks.partner.example', addresses: ['10.0.0.7'] });
  assert.equal((await ask('GET', 'dns')).body.dns, [set.body]);
  for (const addresses of [['10.0.0.7'], [], ['93.184.216.34', '10.0.0.7']]) {
    await ask('PUT', 'dns/hooks.partner.example', { addresses });
    assert.is(await subscribed(), 422, String(addresses));
  }
  assert.is((await ask('DELETE', 'dns/hooks.partner.example')).status, 204);
  assert.is(await subscribed(), 201);
  // A name is stored as a URL spells it.
  const named = await ask('PUT', 'dns/B%C3%BCcher.example.', { addresses: ['93.184.216.34'] });
  assert.is(named.body.hostname, 'xn--bcher-kva.example');
});

test('a forward is stored by origin, and deliveries go to its target', async (plane) => {
  const { ask, sent } = plane;
  const forward = { from: 'https://hooks.partner.example', to: 'http://127.0.0.1:9000' };
  const slash = { from: 'https://HOOKS.partner.example/', to: 'http://127.0.0.1:9001/in' };
  assert.equal((await ask('PUT', 'forwards', slash)).body, { ...slash, from: forward.from });
  assert.equal((await ask('PUT', 'forwards', forward)).body, forward);
  assert.equal((await ask('GET', 'forwards')).body, { forwards: [forward] });
  await subscribe(plane);
  await ask('POST', 'events', { category: 'account', brand_id: '10' });
  await settle(plane);
  assert.is(sent[0]?.url, 'http://127.0.0.1:9000/in?a=1');
  assert.is((await ask('GET', 'subscriptions')).body.subscriptions.at(-1).forwards_to, forward.to);
  const from = encodeURIComponent(forward.from);
  assert.is((await ask('DELETE', `forwards?from=${from}`)).status, 204);
  assert.equal((await ask('GET', 'forwards')).body, { forwards: [] });
});

test.run();
