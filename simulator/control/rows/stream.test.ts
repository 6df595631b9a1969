// The stream of a world reports changes when they happen, in the form of the lists; for each reader it
// is ordered and bounded, with a count of lost events.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type StreamItem, streamItems } from '../follower.ts';
import { type TestPlane, withPlane } from '../testing/plane.ts';

const stream = suite<TestPlane>('control: stream');
withPlane(stream);

interface StreamEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: validated against the answers of the rows.
  readonly data: any;
}

/** Reads a stream until there is an event of a kind; returns all events up to it. */
async function follow({ ask }: TestPlane, path = 'stream') {
  const { status, headers, body } = await ask('GET', path);
  assert.is(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  const until = async (kind: string): Promise<StreamEvent[]> => {
    const seen: StreamEvent[] = [];
    for (;;) {
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = parse(text.slice(0, end));
        text = text.slice(end + 2);
        seen.push(event);
        if (event.event === kind) return seen;
      }
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended without ${kind}`);
      text += decoder.decode(value, { stream: true });
    }
  };
  return { until, cancel: () => reader.cancel(), reader };
}

function parse(frame: string): StreamEvent {
  const parts = Object.fromEntries(
    frame.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
  );
  return { id: parts.id, event: parts.event, data: JSON.parse(parts.data) };
}

const person = { client_reference_id: 'p-1', email: 'p-1@example.com' };

stream('the stream sends the clock, then events and requests as in lists', async (plane) => {
  const { ask, call } = plane;
  const { until, cancel } = await follow(plane);
  const [clock] = await until('clock');
  assert.equal([clock?.id, clock?.data], ['1', (await ask('GET', 'clock')).body]);
  await call('brand-a', 'POST', 'accounts', { body: person });
  const streamed = await until('request');
  const seen = streamed.map(({ id, event }) => `${id} ${event}`);
  assert.equal(seen, ['2 event', '3 request']);
  const { last_seq } = (await ask('GET', 'events')).body;
  const listed = (await ask('GET', `events?after_seq=${last_seq - 1}`)).body.events[0];
  assert.equal(streamed[0]?.data, listed);
  assert.equal(streamed[1]?.data, (await ask('GET', 'requests')).body.requests[0]);
  await cancel();
});

stream('the stream sends deliveries, changes by the plane, and the clock', async (plane) => {
  const { ask, call } = plane;
  const body = { url: 'https://hooks.partner.example/in', event_categories: ['account'] };
  await call('brand-a', 'POST', 'webhooks', { body });
  const { until, cancel } = await follow(plane);
  await until('clock');
  await ask('PATCH', 'firms/1', { plan: 'pro' });
  assert.equal((await until('change')).at(-1)?.data, { command: 'changeFirm' });
  await call('brand-a', 'POST', 'accounts', { body: person });
  await until('delivery');
  await ask('POST', 'clock/advance', { by_ms: 1000 });
  const streamed = await until('clock');
  assert.is(streamed.at(-1)?.data.now_ms, (await ask('GET', 'clock')).body.now_ms);
  assert.is(streamed.filter(({ event }) => event === 'delivery').at(-1)?.data.status, 'delivered');
  await cancel();
});

stream('the stream sends the creation and removal of worlds, and a reset', async (plane) => {
  const { ask } = plane;
  const { until, cancel } = await follow(plane);
  await ask('POST', 'worlds', { name: 'side' });
  assert.equal((await until('world')).at(-1)?.data, { name: 'side', what: 'made' });
  await ask('DELETE', 'worlds/side');
  assert.equal((await until('world')).at(-1)?.data, { name: 'side', what: 'dropped' });
  await ask('POST', 'reset', {});
  assert.equal((await until('world')).at(-1)?.data, { name: 'default', what: 'replaced' });
  await cancel();
});

stream('each world has its own stream, which ends with the world', async (plane) => {
  const { ask, call } = plane;
  const side = await ask('POST', 'worlds', { name: 'side' });
  const here = await follow(plane, 'worlds/side/stream');
  await here.until('clock');
  await call('brand-a', 'POST', 'accounts', { body: person });
  await call(side.body.credentials[0].token, 'GET', 'accounts');
  const operations = (await here.until('request')).map(({ data }) => data.operation);
  assert.equal(operations, ['listAccounts']);
  await ask('DELETE', 'worlds/side');
  assert.is((await here.reader.read()).done, true);
});

stream('the stream ends when the plane is closed', async (plane) => {
  const { until, reader } = await follow(plane);
  await until('clock');
  const ended = reader.read();
  plane.plane.close();
  assert.is((await ended).done, true);
});

stream('the stream sends a delivery that a fault drops or delays', async (plane) => {
  const { ask, call } = plane;
  const body = { url: 'https://hooks.example.com/', event_categories: ['account'] };
  const { id } = (await call('firm', 'POST', 'webhooks', { body })).body;
  const { until, cancel } = await follow(plane);
  for (const [effect, status, error] of [
    [{ kind: 'drop' }, 'delivered', 'dropped by a fault; counted as delivered'],
    [{ kind: 'delay', ms: 5000 }, 'pending', undefined],
  ] as const) {
    await ask('POST', 'faults', { match: { webhook: id }, effect, times: 1 });
    await ask('POST', 'events', { category: 'account', brand_id: '10' });
    const { data } = (await until('delivery')).at(-1) as StreamEvent;
    assert.equal([data.status, data.attempts[0]?.error], [status, error]);
  }
  await cancel();
});

function begin() {
  let add: (item: StreamItem) => void = () => {};
  let end = () => {};
  let isStopped = false;
  const pieces = streamItems((adding, ending) => {
    add = adding;
    end = ending;
    return () => {
      isStopped = true;
    };
  })[Symbol.asyncIterator]();
  return {
    /** The next chunk; undefined at the end. */
    next: async () => {
      const { done, value } = await pieces.next();
      return done ? undefined : String(value);
    },
    add: (json: string | undefined) => add({ kind: 'thing', show: () => json }),
    end: () => end(),
    isStopped: () => isStopped,
  };
}

const frameOf = (id: number, json: string) => `id: ${id}\nevent: thing\ndata: ${json}\n\n`;

stream('the stream yields past events, then waits for more, and ends with its source', async () => {
  const { next, add, end, isStopped } = begin();
  add('1');
  add('2');
  assert.is(await next(), frameOf(1, '1') + frameOf(2, '2'));
  const waiting = next();
  await new Promise(setImmediate);
  add(undefined);
  add('3');
  assert.is(await waiting, frameOf(3, '3'));
  end();
  assert.ok(isStopped());
  assert.is(await next(), undefined);
});

stream('a slow reader loses the oldest events and gets their count', async () => {
  const { next, add } = begin();
  for (let n = 1; n <= 2600; n += 1) add(String(n));
  const value = (await next()) ?? '';
  const first = value.split('\n\n')[0] ?? '';
  assert.match(first, /^id: 1\nevent: lost\ndata: \{"count":(\d+)\}$/);
  const lost = Number(/\d+(?=\}$)/.exec(first)?.[0]);
  assert.ok(lost >= 1600 && lost < 2600, String(lost));
  assert.match(value, new RegExp(`id: 2\nevent: thing\ndata: ${lost + 1}\n`));
  let last = value;
  let kept = value.match(/event: thing/g)?.length ?? 0;
  while (!last.includes('data: 2600\n')) {
    last = (await next()) ?? '';
    kept += last.match(/event: thing/g)?.length ?? 0;
  }
  assert.is(kept + lost, 2600);
});

stream.run();
