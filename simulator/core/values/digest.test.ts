// Checks the digests against openssl's answers, and seeded material for being repeatable and even.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { equalInConstantTime, hmacSha256Hex, seededToken, sha256Hex } from './digest.ts';

const test = suite('digests');
const hex = '0123456789abcdef';

test('SHA-256 agrees with openssl dgst -sha256', () => {
  assert.is(sha256Hex(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.is(sha256Hex('abc'), abc);
  assert.is(sha256Hex(new TextEncoder().encode('abc')), abc);
});

test('HMAC-SHA256 agrees with openssl dgst -sha256 -hmac, however the message is cut', () => {
  const expected = 'fbdb60255821c731d116e4e2cf72e8d1e6146448af4ab3cb01025e1577117e6c';
  assert.is(hmacSha256Hex('7', 'label\u00000'), expected);
  assert.is(hmacSha256Hex('7', 'label', '\0', '0'), expected);
  assert.is(hmacSha256Hex(Uint8Array.of(0x37), 'label', Uint8Array.of(0, 0x30)), expected);
});

test('seeded material is the digest stream spelt in the alphabet', () => {
  const expected = 'fbdb60255821c731d116e4e2cf72e8d1e6146448af4ab3cb01025e1577117e6c';
  // 16 letters divide 256, so nothing is dropped and each byte gives its low four bits.
  const lowNibbles = expected.replace(/.(.)/g, '$1');
  assert.is(seededToken(7, 'label', 32, hex), lowNibbles);
});

test('the same seed and label give the same material, others give other material', () => {
  const token = seededToken('default:7', 'token', 40, hex);
  assert.is(token.length, 40);
  assert.is(seededToken('default:7', 'token', 40, hex), token);
  assert.is(seededToken('default:7', 'token', 60, hex).slice(0, 40), token);
  assert.is.not(seededToken('default:8', 'token', 40, hex), token);
  assert.is.not(seededToken('default:7', 'secret', 40, hex), token);
  assert.is(seededToken(1, 'none', 0, hex), '');
});

test('every character of an alphabet that does not divide 256 is equally likely', () => {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789';
  const counts = new Map<string, number>();
  for (const letter of seededToken(1, 'even', 59_000, alphabet)) {
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  // 1000 each on average; with bytes taken modulo 59 the first twenty would stand at 1152.
  const first = [...alphabet].slice(0, 20).reduce((sum, letter) => sum + counts.get(letter)!, 0);
  assert.is(counts.size, alphabet.length);
  assert.ok(Math.abs(first / 20 - 1000) < 40, `${first / 20}`);
});

test('an alphabet of no choice is refused', () => {
  assert.throws(() => seededToken(1, 'x', 8, 'a'), /alphabet/);
  assert.throws(() => seededToken(1, 'x', 8, 'ab'.repeat(200)), /alphabet/);
});

test('equality in constant time is equality', () => {
  assert.ok(equalInConstantTime('', ''));
  assert.ok(equalInConstantTime('abc', 'abc'));
  assert.not.ok(equalInConstantTime('abc', 'abd'));
  assert.not.ok(equalInConstantTime('abc', 'ab'));
  assert.not.ok(equalInConstantTime('é', 'e'));
});

test.run();
