// Checks signatures against vectors that openssl worked out, and the layout of the header.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signatureHeader, signBody } from './signature.ts';

const test = suite('signatures');

// Each made with: printf '%s' "$t.$body" | openssl dgst -sha256 -hmac "$secret"
const vectors = [
  {
    secret: 'whsec_test',
    tMs: 1_700_000_000_000,
    body: '{"id":"evt_1","seq":1}',
    signature: 'd3f0848e155513c5f034188c5498806e4b4be3df76ce906caf11ad9abfbe6185',
  },
  {
    secret: 'whsec_test',
    tMs: 1_700_000_000_000,
    body: '',
    signature: 'cb807c0377d54760879ccfd8ec82858435b369574c80130dd019ff467d2f4cbb',
  },
  {
    secret: 'geheim-schlüssel',
    tMs: 1_700_000_000_123,
    body: '{"name":"Zoë 日本"}',
    signature: 'aa93425a220b15d9e932550211e18ddada2ba14674107c6583caccb192aa055e',
  },
  {
    secret: 'a'.repeat(100),
    tMs: 1,
    body: 'x',
    signature: 'fedaec8274b542073706be6a11a2409e134d49047e49692fe67fd97445870a0a',
  },
  {
    secret: 'k',
    tMs: 1,
    body: Uint8Array.of(0x00, 0xff, 0xfe, 0x0d, 0x0a),
    signature: 'a7c893e34b3fd6e44b64b91bfd88e8e2a4d0647bf16281d370955b7a7d593975',
  },
];

test('EVT-6: agrees with openssl, on text and on bytes that are no text', () => {
  for (const { secret, tMs, body, signature } of vectors) {
    assert.is(signBody(secret, tMs, body), signature);
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    assert.is(signBody(secret, tMs, bytes), signature);
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
