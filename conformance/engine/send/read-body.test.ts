// A response that never ends, or is nested without end, costs the judge next to nothing.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { effectCounterOf } from '../../receiver/behaviour.ts';
import { openProbeSender } from '../../receiver/run.ts';
import { withServer } from '../testing/http.ts';
import { Answer } from './answer.ts';
import { isTooDeep } from './json.ts';
import { ANSWER_LIMIT_BYTES, readBody } from './read-body.ts';
import { socketSender } from './sender.ts';

const bodies = suite('untrusted bodies');
const mebibyte = new Uint8Array(1024 * 1024);

async function* endless(count: { chunks: number }) {
  for (;;) {
    count.chunks += 1;
    yield mebibyte;
  }
}

bodies('the beginning of an endless body is kept, and the rest is not read', async () => {
  const count = { chunks: 0 };
  const bytes = await readBody(endless(count), { isCut: true });
  assert.equal([bytes.length, count.chunks], [ANSWER_LIMIT_BYTES, 2]);
  const result = await readBody(endless(count)).catch((error: Error) => error.message);
  assert.is(result, 'the answer is longer than 1024 KiB and was not read further');
});

bodies('a body exactly at the limit is complete', async () => {
  async function* one() {
    yield mebibyte;
  }
  assert.is((await readBody(one())).length, ANSWER_LIMIT_BYTES);
});

bodies('an answer is read unchanged, for any number of chunks and any depth', async () => {
  const text = Array.from({ length: 3000 }, (_, n) => n % 10).join('');
  const byteByByte = (async function* () {
    for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
  })();
  assert.is(Buffer.from(await readBody(byteByByte)).toString(), text);
  const request = { method: 'GET', url: '', headers: [], body: undefined };
  const answerOf = (json: string) =>
    new Answer({ request, response: { status: 200, headers: [], body: Buffer.from(json) } });
  assert.equal(answerOf('{"a":[1]}').json, { a: [1] });
  assert.is(answerOf(`${'['.repeat(300)}${']'.repeat(300)}`).json, undefined);
});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(String, (error: Error) => error.message);

bodies('an endless response of a receiver or a target is cut off', async () => {
  let sent = 0;
  const endlessly: RequestListener = (request, response) => {
    request.resume();
    const more = (): void => {
      while (sent < 200 && !response.destroyed && response.write(mebibyte)) sent += 1;
      if (sent < 200 && !response.destroyed) response.once('drain', more);
    };
    more();
  };
  await withServer(endlessly, async (url) => {
    const sender = await openProbeSender(url, 0);
    const { response } = await sender.send({ headers: [], body: Buffer.from('{}') } as never);
    assert.equal([response?.status, response?.body.length], [200, 65_536]);
    await sender.close();
    const counted = effectCounterOf(url)();
    assert.match(await failureOf(counted), 'longer than 1024 KiB');
    const target = await socketSender();
    const wire = { method: 'GET', url, headers: [], body: undefined, timeoutMs: 20_000 };
    assert.match(await failureOf(target.send(wire)), 'longer than 1024 KiB');
    await target.close();
  });
  assert.ok(sent < 100, `${sent} MiB were sent`);
});

bodies('brackets are counted outside strings only', () => {
  assert.ok(isTooDeep('['.repeat(1_000_000)));
  assert.not(isTooDeep('['.repeat(200)));
  assert.not(isTooDeep(JSON.stringify({ text: '[{'.repeat(1000), quoted: '\\"[' })));
});

bodies.run();
