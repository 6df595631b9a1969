// The published vectors: our verifier, and one written from the rules with only Node's crypto, agree
// with the expected results.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findRule } from '../../../fixtures/rules.ts';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import { defaultToleranceMs, verifyWebhook, type WebhookRefusal } from './verify.ts';

const test = suite('published vectors');

type Vector = (typeof published.vectors)[number];

const bodyOf = ({ body_base64 }: Vector) => Buffer.from(body_base64, 'base64');

const partsOf = ({ header }: Vector, key: string) =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${key}=`))
    .map((part) => part.slice(key.length + 1));

/** EVT-5a to EVT-7 in a few lines, as a reader of the rules would write them. */
function isGenuine(vector: Vector): boolean {
  const [t, ...others] = partsOf(vector, 't');
  if (t === undefined || others.length > 0 || !/^\d+$/.test(t)) return false;
  if (Math.abs(vector.now_ms - Number(t)) > published.tolerance_ms) return false;
  return vector.secrets.some((secret) => {
    const right = createHmac('sha256', secret).update(`${t}.`).update(bodyOf(vector)).digest('hex');
    return partsOf(vector, 'v1').some(
      (given) =>
        given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right)),
    );
  });
}

test('vectors have unique descriptions, and cite existing rules', () => {
  assert.is(published.tolerance_ms, defaultToleranceMs);
  assert.is(new Set(published.vectors.map(({ name }) => name)).size, published.vectors.length);
  for (const vector of published.vectors) {
    assert.ok(vector.rules.every(findRule), vector.name);
    const text = bodyOf(vector).toString('utf8');
    const isText = Buffer.from(text).equals(bodyOf(vector));
    assert.is(vector.body, isText ? text : null, vector.name);
  }
});

test('our verifier returns each expected result, for the given reason', () => {
  const reasons = new Set<string | null>();
  for (const vector of published.vectors) {
    const { name, header, secrets, now_ms: nowMs, verdict, reason } = vector;
    const verified = verifyWebhook({ header, body: bodyOf(vector), secret: secrets, nowMs });
    assert.is(verified.ok ? 'accept' : 'refuse', verdict, name);
    assert.is(verified.ok ? null : verified.reason, reason, name);
    reasons.add(reason);
  }
  const every: Readonly<Record<WebhookRefusal, true>> = {
    no_header: true,
    malformed: true,
    no_timestamp: true,
    bad_timestamp: true,
    duplicate_timestamp: true,
    no_signature: true,
    bad_signature: true,
    mismatch: true,
    too_old: true,
    too_new: true,
  };
  for (const reason of Object.keys(every)) assert.ok(reasons.has(reason), reason);
});

test('a verifier written from the rules agrees wherever a rule decides', () => {
  for (const vector of published.vectors.filter(({ basis }) => basis === 'rule')) {
    assert.is(isGenuine(vector) ? 'accept' : 'refuse', vector.verdict, vector.name);
  }
});

test.run();
