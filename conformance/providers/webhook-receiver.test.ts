// The receiver keeps deliveries as they came, tells hooks apart, and answers as it is told.
import { request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebhookReceiver } from './webhook-receiver.ts';

const run = suite<{ receiver: WebhookReceiver }>('receiver');

run.before.each(async (own) => {
  own.receiver = await WebhookReceiver.listen();
});
run.after.each(({ receiver }) => receiver.close());

/** One raw request; 0 when the connection was cut. */
function post(url: string, body: Buffer, headers: string[] = []): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(
      url,
      { method: 'POST', headers: ['Host', 'x', ...headers] as never },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}

const hookOf = (receiver: WebhookReceiver) =>
  receiver.hook((name) => `${receiver.origin}/in/${name}`);

run('bytes and header lines are kept as they came', async ({ receiver }) => {
  const hook = hookOf(receiver);
  const body = Buffer.from([0x7b, 0x22, 0xff, 0x00, 0x7d]);
  const lines = ['X-Twice', 'one', 'X-Twice', 'two'];
  assert.is(await post(hook.url, body, lines), 200);
  const [arrival] = hook.deliveries;
  assert.equal(Buffer.from(arrival!.body), body);
  assert.equal(arrival!.headers.all('x-twice'), ['one', 'two']);
  assert.is(arrival!.answered, 200);
  assert.ok(
    arrival!.headers.lines.some(([name]) => name === 'X-Twice'),
    'as it was written',
  );
});

run('hooks do not see each other’s deliveries', async ({ receiver }) => {
  const [one, two] = [hookOf(receiver), hookOf(receiver)];
  await post(`${one.url}?a=1`, Buffer.from('1'));
  await post(two.url, Buffer.from('2'));
  await post(two.url, Buffer.from('3'));
  assert.equal([one.deliveries.length, two.deliveries.length], [1, 2]);
  assert.is.not(one.url, two.url);
});

run('an endpoint that was forgotten keeps what came, and takes no more', async ({ receiver }) => {
  const [kept, gone] = [hookOf(receiver), hookOf(receiver)];
  assert.is(await post(gone.url, Buffer.from('1')), 200);
  receiver.forget(gone);
  assert.is(await post(gone.url, Buffer.from('2')), 404);
  assert.is(await post(kept.url, Buffer.from('3')), 200);
  assert.equal([kept.deliveries.length, gone.deliveries.length], [1, 1]);
});

run('what is addressed to no hook, or to one of another run, is 404', async ({ receiver }) => {
  const other = await WebhookReceiver.listen();
  const path = new URL(hookOf(other).url).pathname;
  await other.close();
  assert.is(await post(`${receiver.origin}${path}`, Buffer.from('x')), 404);
  assert.is(await post(`${receiver.origin}/`, Buffer.from('x')), 404);
});

run(
  'answers what it is told: by count, late, with headers, or not at all',
  async ({ receiver }) => {
    const hook = hookOf(receiver);
    hook.answer((_, count) => {
      if (count === 1) return { status: 500 };
      if (count === 2) return { status: 302, headers: { location: '/elsewhere' }, delayMs: 5 };
      if (count === 3) return { status: 200, cut: true };
      return { status: 200 };
    });
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await post(hook.url, Buffer.from('x')));
    assert.equal(statuses, [500, 302, 0, 200]);
    assert.equal(
      hook.deliveries.map((each) => each.answered),
      [500, 302, 0, 200],
    );
  },
);

run('a body beyond all reason is not read to its end', async ({ receiver }) => {
  const hook = hookOf(receiver);
  assert.is(await post(hook.url, Buffer.alloc(9 * 1024 * 1024)), 0);
  assert.is(hook.deliveries.length, 0);
});

run('a port that is taken is an error with a code', async ({ receiver }) => {
  const port = Number(new URL(receiver.origin).port);
  try {
    await WebhookReceiver.listen('127.0.0.1', port);
    assert.unreachable();
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'EADDRINUSE');
  }
});

run.run();
