// Checks signatures against vectors that openssl worked out, and the layout of the header.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signatureVectors } from '../../../fixtures/vectors/signatures.ts';
import { signatureHeader, signBody } from './signature.ts';

const test = suite('signatures');

test('EVT-6: agrees with openssl, on text and on bytes that are no text', () => {
  for (const { name, secret, t, bodyBase64, hex } of signatureVectors) {
    const bytes = Buffer.from(bodyBase64, 'base64');
    assert.is(signBody(secret, Number(t), bytes), hex, name);
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) assert.is(signBody(secret, Number(t), text), hex, name);
  }
});

test('EVT-6: secret, time and every byte of the body count', () => {
  const signature = signBody('s', 1_700_000_000_000, '{"a":1}');
  assert.match(signature, /^[0-9a-f]{64}$/);
  assert.is.not(signBody('S', 1_700_000_000_000, '{"a":1}'), signature);
  assert.is.not(signBody('s', 1_700_000_000_001, '{"a":1}'), signature);
  assert.is.not(signBody('s', 1_700_000_000_000, '{"a":1}\n'), signature);
});

test('EVT-5a, EVT-7: one t, then a v1 for each signature', () => {
  assert.is(signatureHeader(1_700_000_000_000, ['ab']), 't=1700000000000,v1=ab');
  assert.is(signatureHeader(5, ['new', 'old']), 't=5,v1=new,v1=old');
});

test('a time that is not whole milliseconds, or no signature, is our own mistake', () => {
  for (const tMs of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
    assert.throws(() => signBody('s', tMs, ''), /whole milliseconds/);
    assert.throws(() => signatureHeader(tMs, ['ab']), /whole milliseconds/);
  }
  assert.throws(() => signatureHeader(1, []), /needs a signature/);
});

test.run();
