// Lists that are waited for: answered by what comes, by the time, and by every end there is, and
// nothing is left running by any of them.
import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, type TestPlane } from './testing/plane.ts';

const waits = suite<{ trial: TestPlane; listening: () => number }>('control: waits');

const long = 'wait_ms=60000';

waits.before.each(async (context) => {
  context.trial = await createTestPlane();
  const { first } = context.trial.sandbox;
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
waits.after.each(({ trial }) => trial.sandbox.close());

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const ada = { client_reference_id: 'ada', email: 'ada@new.example', brand_id: '10' };
const create = (trial: TestPlane) =>
  trial.call('firm', 'POST', 'accounts', { body: ada, key: 'one' });

/** Waits until that many lists are waited for. */
async function begun(listening: () => number, count: number): Promise<void> {
  while (listening() < count) await new Promise(setImmediate);
}

waits('what fits comes as soon as it happens, with filters and after', async (context) => {
  const { trial, listening } = context;
  const { last_seq } = (await trial.ask('GET', 'events?limit=1')).body;
  const before = timers();
  const asked = [
    `requests?operation=createAccount&status=201&${long}`,
    `events?after_seq=${last_seq}&kind=account.created&${long}`,
  ].map((path) => trial.ask('GET', path));
  await begun(listening, 2);
  assert.is(timers(), before + 2);
  await trial.call('firm', 'GET', 'accounts');
  await create(trial);
  const [requests, events] = await Promise.all(asked);
  assert.is(requests?.body.requests[0].response.status, 201);
  assert.equal(
    events?.body.events.map((event: { kind: string }) => event.kind),
    ['account.created'],
  );
  const none = await trial.ask('GET', 'requests?operation=createAccount&status=409&wait_ms=1');
  assert.equal(none.body, { requests: [], next_after: null });
  assert.equal([listening(), timers()], [0, before]);
});

waits('what is there already is answered without a timer', async ({ trial, listening }) => {
  await create(trial);
  const before = timers();
  const [answered] = await Promise.all([trial.ask('GET', `requests?${long}`)]);
  assert.is(answered.body.requests.length, 1);
  assert.equal([listening(), timers()], [0, before]);
});

waits('a delivery is waited for in the status that it is to have', async ({ trial, listening }) => {
  const body = { url: 'https://hooks.example.com', event_categories: ['account'] };
  const { id } = (await trial.call('firm', 'POST', 'webhooks', { body })).body;
  let arrive: (outcome: { status: number; error: null }) => void = () => undefined;
  trial.receiver = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  await create(trial);
  const asked = trial.ask('GET', `deliveries?subscription_id=${id}&status=delivered&${long}`);
  await begun(listening, 1);
  while (trial.sent.length === 0) await new Promise(setImmediate);
  arrive({ status: 204, error: null });
  const { deliveries } = (await asked).body;
  assert.equal([deliveries.length, deliveries[0].status], [1, 'delivered']);
});

const ends: Readonly<Record<string, (trial: TestPlane) => unknown>> = {
  'a reset': (trial) => trial.ask('POST', 'reset'),
  'a state put in': async (trial) =>
    trial.ask('PUT', 'state', (await trial.ask('GET', 'state')).body),
  'the end of the plane': (trial) => trial.plane.close(),
  'the end of everything': (trial) => trial.sandbox.close(),
};
for (const [name, end] of Object.entries(ends)) {
  waits(`${name} answers who waits, with what is there then`, async ({ trial, listening }) => {
    const before = timers();
    const lists = ['requests', 'events?after_seq=100000', 'deliveries?event_id=none'];
    const asked = lists.map((list) =>
      trial.ask('GET', `${list}${list.includes('?') ? '&' : '?'}${long}`),
    );
    await begun(listening, 3);
    await end(trial);
    for (const { status } of await Promise.all(asked)) assert.is(status, 200);
    assert.equal([listening(), timers()], [0, before]);
  });
}

waits('a world that is dropped answers who waits in it', async ({ trial }) => {
  await trial.ask('POST', 'worlds', { name: 'other' });
  const asked = trial.ask('GET', `worlds/other/requests?${long}`);
  await new Promise(setImmediate);
  await trial.ask('DELETE', 'worlds/other');
  assert.equal((await asked).body.requests, []);
});

waits('who has left costs nothing', async ({ trial, listening }) => {
  const before = timers();
  const left = new AbortController();
  const { signal } = new Request(`http://any/_sandbox/requests?${long}`, left);
  const asked = trial.plane.fetch(new Request(`http://any/_sandbox/requests?${long}`, left));
  await begun(listening, 1);
  left.abort();
  assert.is(await asked.catch(({ name }: Error) => name), 'AbortError');
  assert.equal([listening(), timers()], [0, before]);
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

waits('no longer than a minute, and no less than nothing', async ({ trial }) => {
  for (const wait of ['60001', '-1', 'long']) {
    const { status, body } = await trial.ask('GET', `requests?wait_ms=${wait}`);
    assert.equal([status, body.errors[0].field], [422, 'wait_ms']);
  }
});

waits.run();
