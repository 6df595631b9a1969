// Checks entity tags: what is one strong tag, and what is not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatEtag, parseIfMatch, parseIfMatchList } from './etag.ts';

const etags = suite('entity tags');

etags('what is written is read back', () => {
  assert.is(formatEtag(12), '"12"');
  assert.equal(parseIfMatch(formatEtag(12)), { kind: 'tag', value: '12' });
});

const single: readonly (readonly [string | undefined, string])[] = [
  [undefined, 'missing'],
  ['"1"', 'tag'],
  [' "1" ', 'tag'],
  ['""', 'tag'],
  ['"a!~\u00ff"', 'tag'],
  ['', 'malformed'],
  ['1', 'malformed'],
  ['"1', 'malformed'],
  ["'1'", 'malformed'],
  ['W/"1"', 'malformed'],
  ['w/"1"', 'malformed'],
  ['"1 2"', 'malformed'],
  ['"1""2"', 'malformed'],
  ['"1", "2"', 'malformed'],
  ['*', 'malformed'],
];

etags('one strong tag, and nothing else (UPD-9, NS-39)', () => {
  for (const [header, kind] of single) assert.is(parseIfMatch(header).kind, kind, String(header));
});

etags('lists and * where they are chosen', () => {
  assert.equal(parseIfMatchList('*'), { kind: 'any', values: null });
  assert.equal(parseIfMatchList('"1", "2"'), { kind: 'any', values: ['1', '2'] });
  assert.equal(parseIfMatchList('"1"'), { kind: 'tag', value: '1' });
  assert.is(parseIfMatchList('"1", W/"2"').kind, 'malformed');
  assert.is(parseIfMatchList(undefined).kind, 'missing');
});

etags.run();
