// Reading a body costs memory for its bytes, however many chunks it has.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectGarbage } from '../testing/garbage-collection.ts';
import { readBody } from './read-body.ts';

const reading = suite('bodies');

async function read(pieces: readonly string[], limit = text.length): Promise<string | null> {
  const stream = new PassThrough();
  const body = new Promise<Uint8Array | null>((resolve) => readBody(stream, limit, resolve));
  for (const piece of pieces) if (!stream.write(piece)) await once(stream, 'drain');
  stream.end();
  const bytes = await body;
  return bytes === null ? null : Buffer.from(bytes).toString();
}

const text = 'abcdefghij'.repeat(1000);
const letters = [...text];

reading('a body is read in one chunk, in a few, byte by byte, and if it is empty', async () => {
  for (const pieces of [
    [text],
    [text.slice(0, 9), text.slice(9, 5000), text.slice(5000)],
    letters,
  ]) {
    assert.is(await read(pieces), text);
  }
  assert.is(await read([]), '');
});

reading('a body over the limit is refused, in one chunk and byte by byte', async () => {
  for (const pieces of [[text], letters]) assert.is(await read(pieces, text.length - 1), null);
});

reading('no chunk is retained', async () => {
  const stream = new PassThrough();
  const body = new Promise<Uint8Array | null>((resolve) => readBody(stream, 10_000, resolve));
  const pieces: WeakRef<Buffer>[] = [];
  for (let n = 0; n < 1000; n += 1) {
    // A separate buffer, as a socket delivers it.
    const piece = Buffer.allocUnsafeSlow(1).fill(97);
    pieces.push(new WeakRef(piece));
    stream.write(piece);
    if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await collectGarbage();
  const kept = pieces.filter((piece) => piece.deref() !== undefined).length;
  assert.ok(kept < 20, `${kept} of 1000 pieces are kept`);
  stream.end();
  assert.is((await body)?.byteLength, 1000);
});

reading('nothing of a body over the limit is retained', async () => {
  const stream = new PassThrough();
  const body = new Promise<Uint8Array | null>((resolve) => readBody(stream, 10_000, resolve));
  const send = () => {
    const piece = Buffer.allocUnsafeSlow(9000);
    stream.write(piece);
    return new WeakRef(piece);
  };
  const pieces = [send(), send()];
  await new Promise((resolve) => setImmediate(resolve));
  await collectGarbage();
  assert.is(pieces.filter((piece) => piece.deref() !== undefined).length, 0);
  stream.end();
  assert.is(await body, null);
});

reading.run();
