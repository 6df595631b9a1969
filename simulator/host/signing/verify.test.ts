// Valid deliveries verify, and all others are refused for the right reason.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSignatureHeader, signWebhook, verifyWebhook } from './verify.ts';

const test = suite('verifying webhooks');

const secret = 'whsec_5f1c0a9d';
const previousSecret = 'whsec_before';
const tMs = 1_700_000_000_000;
const body = '{"id":"evt_1","seq":1,"name":"Zoë"}';
const bytes = new TextEncoder().encode(body);
const { header } = signWebhook({ secret, body, tMs });
const signature = header.slice(header.indexOf('v1=') + 3);
const rotated = signWebhook({ secret, previousSecret, body, tMs }).header;

function reasonFor(given: Partial<Parameters<typeof verifyWebhook>[0]>): string {
  const verdict = verifyWebhook({ header, body, secret, nowMs: tMs, ...given });
  if (verdict.ok) return `ok ${verdict.matched}`;
  assert.ok(verdict.explanation.length > 10);
  assert.not.ok(verdict.explanation.includes(secret), 'an explanation keeps the secret');
  return verdict.reason;
}

test('a delivery signed by the platform verifies, as text and as bytes', () => {
  assert.is(reasonFor({}), 'ok 0');
  assert.is(reasonFor({ body: bytes }), 'ok 0');
  assert.is(reasonFor({ header: [header] }), 'ok 0');
  const verdict = verifyWebhook({ header, body, secret, nowMs: tMs });
  assert.equal(verdict, { ok: true, t: tMs, matched: 0 });
  // EVT-7: the secret that signed is told by its place.
  assert.is(reasonFor({ header: rotated, secret: ['other', previousSecret] }), 'ok 1');
  assert.is(reasonFor({ secret: ['other', 'another', secret] }), 'ok 2');
});

test('the default clock is the wall clock', () => {
  const fresh = signWebhook({ secret, body });
  assert.ok(verifyWebhook({ header: fresh.header, body, secret }).ok);
  const stale = verifyWebhook({ header, body, secret });
  assert.is(stale.ok ? '' : stale.reason, 'too_old');
});

test('EVT-5b: the tolerance can be configured', () => {
  assert.is(reasonFor({ nowMs: tMs + 300_001, toleranceMs: 300_001 }), 'ok 0');
  assert.is(reasonFor({ nowMs: tMs + 1, toleranceMs: 0 }), 'too_old');
});

// Cases that the published vectors do not cover.
test('EVT-5a: ambiguous and unreadable headers are refused', () => {
  const t = `t=${tMs}`;
  const v1 = `v1=${signature}`;
  const refused: Readonly<Record<string, readonly (string | readonly string[] | null)[]>> = {
    no_header: [null, '  ', []],
    no_timestamp: [`T=${tMs},${v1}`],
    no_signature: [`${t},V1=${signature}`],
    duplicate_timestamp: [[header, header]],
    malformed: [`${t},${v1},`, `,${t},${v1}`, `${t},,${v1}`, `${t},${v1},=x`],
    bad_timestamp: [
      `${t};${v1}`,
      ...['', '0x18bcfe56800', '1.7e12', `+${tMs}`, `0${tMs}`, ` ${tMs}`, '9'.repeat(20)].map(
        (time) => `t=${time},${v1}`,
      ),
      `t=9007199254740993,${v1}`,
      `t=2023-11-14T22:13:20Z,${v1}`,
    ],
    bad_signature: [`${t},v1="${signature}"`, `${t},v1=zz,v1=`],
    mismatch: [`${t},v1=zz,v1=${'0'.repeat(64)}`],
  };
  for (const [expected, headers] of Object.entries(refused)) {
    for (const value of headers) {
      assert.is(reasonFor({ header: value }), expected, JSON.stringify(value));
    }
  }
  for (const value of [`t=${tMs},v2=,${v1},kid=a=b`, [t, v1]]) {
    assert.is(reasonFor({ header: value }), 'ok 0', JSON.stringify(value));
  }
});

test('an endless header is refused with a short explanation', () => {
  const parsed = parseSignatureHeader(`t=1,${'x'.repeat(100_000)}`);
  assert.ok(!parsed.ok && parsed.explanation.length < 200);
});

test('mistakes in the receiver’s own code throw instead of looking like a forgery', () => {
  const verify = (given: object) => () =>
    verifyWebhook({ header, body, secret, nowMs: tMs, ...given } as never);
  for (const value of [undefined, null, { id: 'evt_1' }, [1, 2], 7]) {
    assert.throws(verify({ body: value }), (error: Error) => {
      return error instanceof TypeError && error.message.startsWith('body must be the raw bytes');
    });
  }
  for (const value of [undefined, null, '', [], ['a', ''], [undefined], 7]) {
    assert.throws(verify({ secret: value }), (error: Error) => {
      return error instanceof TypeError && error.message.startsWith('secret must be');
    });
  }
  assert.throws(() => signWebhook({ secret: '', body }), /secret must be/);
  assert.throws(() => signWebhook({ secret, body: {} as never }), /body must be/);
  assert.throws(() => signWebhook({ secret, body, tMs: 1.5 }), /whole milliseconds/);
});

test.run();
