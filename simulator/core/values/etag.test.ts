// Entity tags: which text is a single strong tag.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseIfMatch, parseIfMatchList } from './etag.ts';

const etags = suite('entity tags');

const tags = ['"1"', ' "1" ', '""', '"a!~\u00ff"'];
const malformed = ['', '1', '"1', "'1'", 'W/"1"', 'w/"1"', '"1 2"', '"1""2"', '"1", "2"', '*'];

etags('only a single strong tag is accepted (UPD-9, NS-39)', () => {
  for (const header of tags) assert.is(parseIfMatch(header).kind, 'tag', header);
  for (const header of malformed) assert.is(parseIfMatch(header).kind, 'malformed', header);
  assert.is(parseIfMatch(undefined).kind, 'missing');
});

etags('lists and * are accepted if the setting allows them', () => {
  assert.equal(parseIfMatchList('*'), { kind: 'any', values: null });
  assert.equal(parseIfMatchList('"1", "2"'), { kind: 'any', values: ['1', '2'] });
  assert.equal(parseIfMatchList('"1"'), { kind: 'tag', value: '1' });
  assert.is(parseIfMatchList('"1", W/"2"').kind, 'malformed');
  assert.is(parseIfMatchList(undefined).kind, 'missing');
});

etags.run();
