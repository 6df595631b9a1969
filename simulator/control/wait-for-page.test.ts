// A list request that waits ends with a record, a timeout, or any kind of close, and leaves nothing
// running.
import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, type TestPlane } from './testing/plane.ts';

const waits = suite<{ testPlane: TestPlane; listening: () => number }>('control: waits');

const long = 'wait_ms=60000';

waits.before.each(async (context) => {
  context.testPlane = await createTestPlane();
  const { first } = context.testPlane.sandbox;
  let listening = 0;
  const { listen } = first;
  first.listen = (listener) => {
    listening += 1;
    const stop = listen.call(first, listener);
    return () => {
      listening -= 1;
      return stop();
    };
  };
  context.listening = () => listening;
});
waits.after.each(({ testPlane }) => testPlane.sandbox.close());

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const ada = { client_reference_id: 'ada', email: 'ada@new.example', brand_id: '10' };
const create = (testPlane: TestPlane) =>
  testPlane.call('firm', 'POST', 'accounts', { body: ada, key: 'one' });

/** Waits until that many list requests are waiting. */
async function begun(listening: () => number, count: number): Promise<void> {
  while (listening() < count) await new Promise(setImmediate);
}

waits('a matching record is returned when it happens, with filters and after', async (context) => {
  const { testPlane, listening } = context;
  const { last_seq } = (await testPlane.ask('GET', 'events?limit=1')).body;
  const before = timers();
  const asked = [
    `requests?operation=createAccount&status=201&${long}`,
    `events?after_seq=${last_seq}&kind=account.created&${long}`,
  ].map((path) => testPlane.ask('GET', path));
  await begun(listening, 2);
  assert.is(timers(), before + 2);
  await testPlane.call('firm', 'GET', 'accounts');
  await create(testPlane);
  const [requests, events] = await Promise.all(asked);
  assert.is(requests?.body.requests[0].response.status, 201);
  assert.equal(
    events?.body.events.map((event: { kind: string }) => event.kind),
    ['account.created'],
  );
  const none = await testPlane.ask('GET', 'requests?operation=createAccount&status=409&wait_ms=1');
  assert.equal(none.body, { requests: [], next_after: null });
  assert.equal([listening(), timers()], [0, before]);
});

waits(
  'an existing record is returned without starting a timer',
  async ({ testPlane, listening }) => {
    await create(testPlane);
    const before = timers();
    const [answered] = await Promise.all([testPlane.ask('GET', `requests?${long}`)]);
    assert.is(answered.body.requests.length, 1);
    assert.equal([listening(), timers()], [0, before]);
  },
);

waits('a wait can ask for a delivery in a given status', async ({ testPlane, listening }) => {
  const body = { url: 'https://hooks.example.com', event_categories: ['account'] };
  const { id } = (await testPlane.call('firm', 'POST', 'webhooks', { body })).body;
  let arrive: (outcome: { status: number; error: null }) => void = () => undefined;
  testPlane.receiver = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  await create(testPlane);
  const asked = testPlane.ask('GET', `deliveries?subscription_id=${id}&status=delivered&${long}`);
  await begun(listening, 1);
  while (testPlane.sent.length === 0) await new Promise(setImmediate);
  arrive({ status: 204, error: null });
  const { deliveries } = (await asked).body;
  assert.equal([deliveries.length, deliveries[0].status], [1, 'delivered']);
});

const ends: Readonly<Record<string, (testPlane: TestPlane) => unknown>> = {
  'a reset': (testPlane) => testPlane.ask('POST', 'reset'),
  'a state put in': async (testPlane) =>
    testPlane.ask('PUT', 'state', (await testPlane.ask('GET', 'state')).body),
  'the end of the plane': (testPlane) => testPlane.plane.close(),
  'the end of everything': (testPlane) => testPlane.sandbox.close(),
};
for (const [name, end] of Object.entries(ends)) {
  waits(
    `${name} answers waiting requests with the current list`,
    async ({ testPlane, listening }) => {
      const before = timers();
      const lists = ['requests', 'events?after_seq=100000', 'deliveries?event_id=none'];
      const asked = lists.map((list) =>
        testPlane.ask('GET', `${list}${list.includes('?') ? '&' : '?'}${long}`),
      );
      await begun(listening, 3);
      await end(testPlane);
      for (const { status } of await Promise.all(asked)) assert.is(status, 200);
      assert.equal([listening(), timers()], [0, before]);
    },
  );
}

waits('dropping a world answers its waiting requests', async ({ testPlane }) => {
  await testPlane.ask('POST', 'worlds', { name: 'other' });
  const asked = testPlane.ask('GET', `worlds/other/requests?${long}`);
  await new Promise(setImmediate);
  await testPlane.ask('DELETE', 'worlds/other');
  assert.equal((await asked).body.requests, []);
});

waits('a client that disconnects leaves nothing running', async ({ testPlane, listening }) => {
  const before = timers();
  const left = new AbortController();
  const { signal } = new Request(`http://any/_sandbox/requests?${long}`, left);
  const asked = testPlane.plane.fetch(new Request(`http://any/_sandbox/requests?${long}`, left));
  await begun(listening, 1);
  left.abort();
  assert.is(await asked.catch(({ name }: Error) => name), 'AbortError');
  assert.equal([listening(), timers()], [0, before]);
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

waits.run();
