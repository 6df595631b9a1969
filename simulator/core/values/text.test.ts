// Boundary cases of lengths, blanks, ids and entity tags.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  countBytes,
  countCodePoints,
  foldCase,
  isBlank,
  parseExactId,
  parseId,
  parseIfMatch,
  parseIfMatchList,
} from './text.ts';

const texts = suite('text');

texts('lengths in code points and bytes (NS-40)', () => {
  const rows = [
    ['', 0, 0],
    ['abc', 3, 3],
    ['é', 1, 2],
    ['😀', 1, 4],
    ['😀'.repeat(255), 255, 1020],
    ['a\ud83d', 2, 4],
    ['\ude00\ud83d', 2, 6],
    ['\ud83d\ud83d\ude00', 2, 7],
  ] as const;
  for (const [text, points, bytes] of rows) {
    assert.is(countCodePoints(text), points, JSON.stringify(text));
    assert.is(countCodePoints(text), [...text].length);
    assert.is(countBytes(text), bytes, JSON.stringify(text));
  }
});

texts('case is folded per code point, in any position (ACC-6)', () => {
  for (const text of ['ΟΔΟΣ', 'οδοσ', 'οδος', 'Οδοσ']) assert.is(foldCase(text), 'οδοσ', text);
  for (const text of ['Σ-1', 'σ-1', 'ς-1']) assert.is(foldCase(text), 'σ-1', text);
  assert.is(foldCase('CRM-1'), 'crm-1');
  assert.is.not(foldCase('ı'), foldCase('i'));
});

texts('only white space is blank', () => {
  for (const text of ['', ' ', '\t\n', '\u00a0\u2003']) assert.ok(isBlank(text));
  for (const text of ['a', ' 0 ', '\u0000']) assert.not.ok(isBlank(text));
});

texts('ids are decimal, and leading zeros do not count (NS-48)', () => {
  const rows = [
    ['1001', '1001', '1001'],
    ['0', '0', '0'],
    ['007', '7', null],
    ['000', '0', null],
    ['9'.repeat(40), '9'.repeat(40), '9'.repeat(40)],
    ['', null, null],
    ['-1', null, null],
    ['1.0', null, null],
    ['1e3', null, null],
    [' 1', null, null],
    ['1\n', null, null],
    ['١', null, null],
    ['0x1', null, null],
  ] as const;
  for (const [text, loose, exact] of rows) {
    assert.is(parseId(text), loose, JSON.stringify(text));
    assert.is(parseExactId(text), exact, JSON.stringify(text));
  }
});

const tags = ['"1"', ' "1" ', '""', '"a!~\u00ff"'];
const malformed = ['', '1', '"1', "'1'", 'W/"1"', 'w/"1"', '"1 2"', '"1""2"', '"1", "2"', '*'];

texts('only a single strong tag is accepted (UPD-9, NS-39)', () => {
  for (const header of tags) assert.ok(Array.isArray(parseIfMatch(header)), header);
  for (const header of malformed) assert.is(parseIfMatch(header), 'malformed', header);
  assert.is(parseIfMatch(undefined), 'missing');
});

texts('lists and * are accepted if the setting allows them', () => {
  assert.is(parseIfMatchList('*'), '*');
  assert.equal(parseIfMatchList('"1", "2"'), ['1', '2']);
  assert.equal(parseIfMatchList('"1"'), ['1']);
  assert.is(parseIfMatchList('"1", W/"2"'), 'malformed');
  assert.is(parseIfMatchList(undefined), 'missing');
});

texts.run();
