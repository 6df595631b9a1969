// Entity tags: which text is a single strong tag.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseIfMatch, parseIfMatchList } from './etag.ts';

const etags = suite('entity tags');

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

etags('only a single strong tag is accepted (UPD-9, NS-39)', () => {
  for (const [header, kind] of single) assert.is(parseIfMatch(header).kind, kind, String(header));
});

etags('lists and * are accepted if the setting allows them', () => {
  assert.equal(parseIfMatchList('*'), { kind: 'any', values: null });
  assert.equal(parseIfMatchList('"1", "2"'), { kind: 'any', values: ['1', '2'] });
  assert.equal(parseIfMatchList('"1"'), { kind: 'tag', value: '1' });
  assert.is(parseIfMatchList('"1", W/"2"').kind, 'malformed');
  assert.is(parseIfMatchList(undefined).kind, 'missing');
});

etags.run();
