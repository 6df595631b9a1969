// Seeded material is reproducible, and is the digest stream spelled in an alphabet.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { equalInConstantTime, hmacSha256Hex, seededToken } from './digest.ts';

const test = suite('digests');
const hex = '0123456789abcdef';

test('seeded material is the digest stream spelled in the alphabet', () => {
  const expected = 'fbdb60255821c731d116e4e2cf72e8d1e6146448af4ab3cb01025e1577117e6c';
  assert.is(hmacSha256Hex('7', 'label', '\0', '0'), expected);
  // 16 letters divide 256, so nothing is dropped and each byte gives its low four bits.
  const lowNibbles = expected.replace(/.(.)/g, '$1');
  assert.is(seededToken(7, 'label', 32, hex), lowNibbles);
});

test('the same seed and label give the same material, others give other material', () => {
  const token = seededToken('default:7', 'token', 40, hex);
  assert.is(token.length, 40);
  assert.is(seededToken('default:7', 'token', 60, hex).slice(0, 40), token);
  assert.is.not(seededToken('default:8', 'token', 40, hex), token);
  assert.is.not(seededToken('default:7', 'secret', 40, hex), token);
});

test('constant-time comparison is correct', () => {
  assert.ok(equalInConstantTime('abc', 'abc'));
  assert.not.ok(equalInConstantTime('abc', 'abd'));
  assert.not.ok(equalInConstantTime('abc', 'ab'));
});

test.run();
