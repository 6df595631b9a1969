// The receiver keeps deliveries as they arrive, separates hooks, and answers as configured.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { post } from '../engine/testing/http.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const run = suite<{ receiver: WebhookReceiver }>('receiver');

run.before.each(async (own) => {
  own.receiver = await WebhookReceiver.listen();
});
run.after.each(({ receiver }) => receiver.close());

const hookOf = (receiver: WebhookReceiver, nowMs?: () => number | undefined) =>
  receiver.hook((name) => `${receiver.origin}/in/${name}`, nowMs);

run('bytes and header lines are kept unchanged', async ({ receiver }) => {
  const hook = hookOf(receiver);
  const body = Buffer.from([0x7b, 0x22, 0xff, 0x00, 0x7d]);
  const lines = ['X-Twice', 'one', 'X-Twice', 'two'];
  assert.is(await post(hook.url, body, lines), 200);
  const [arrival] = hook.deliveries;
  assert.equal(Buffer.from(arrival!.body), body);
  assert.equal(arrival!.headers.all('x-twice'), ['one', 'two']);
  assert.is(arrival!.answered, 200);
  assert.ok(arrival!.headers.lines.some(([name]) => name === 'X-Twice'));
});

run('hooks do not see each other’s deliveries, and unknown paths are 404', async ({ receiver }) => {
  const [one, two, gone] = [hookOf(receiver), hookOf(receiver), hookOf(receiver)];
  const other = await WebhookReceiver.listen();
  const path = new URL(hookOf(other).url).pathname;
  await other.close();
  await post(gone.url, Buffer.from('1'));
  receiver.forget(gone);
  const urls = [`${one.url}?a=1`, two.url, two.url, gone.url, `${receiver.origin}${path}`];
  const statuses: number[] = [];
  for (const [n, url] of urls.entries()) statuses.push(await post(url, Buffer.from(`${n}`)));
  assert.equal(statuses, [200, 200, 200, 404, 404]);
  const counts = [one, two, gone].map(({ deliveries }) => deliveries.length);
  assert.equal(counts, [1, 2, 1]);
});

run('answers as configured: by count, late, with headers, or not at all', async ({ receiver }) => {
  const hook = hookOf(receiver);
  hook.answer((_, count) => {
    if (count === 1) return { status: 500 };
    if (count === 2) return { status: 302, headers: { location: '/elsewhere' }, delayMs: 5 };
    if (count === 3) return { status: 200, cut: true };
    return { status: 200 };
  });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push(await post(hook.url, Buffer.from(`${n}`)));
  assert.equal(statuses, [500, 302, 0, 200]);
  const answers = hook.deliveries.map((each) => each.answered);
  assert.equal(answers, [500, 302, 0, 200]);
});

run('EVT-4: a copy within 29 s is no attempt', async ({ receiver }) => {
  let nowMs: number | undefined = 0;
  const hook = hookOf(receiver, () => nowMs);
  hook.answer((_, count) => ({ status: count === 1 ? 500 : 200 }));
  const statuses = [];
  for (const [atMs, signature] of [
    [0, 'a'],
    [28_000, 'a'],
    [28_000, 'b'],
    [60_000, 'a'],
    // While the clock is advanced far, even equal deliveries may be retries.
    [undefined, 'c'],
    [undefined, 'c'],
  ] as const) {
    nowMs = atMs;
    statuses.push(await post(hook.url, Buffer.from('x'), ['X-Signature', signature]));
  }
  assert.equal(statuses, [500, 500, 200, 200, 200, 200]);
  assert.is(hook.deliveries.length, 5);
});

run('a body above the size limit is not read to its end', async ({ receiver }) => {
  const hook = hookOf(receiver);
  assert.is(await post(hook.url, Buffer.alloc(9 * 1024 * 1024)), 0);
  assert.is(hook.deliveries.length, 0);
});

run.run();
