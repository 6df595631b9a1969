// Entity tags: which text is a single strong tag.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseIfMatch, parseIfMatchList } from './etag.ts';

const etags = suite('entity tags');

const tags = ['"1"', ' "1" ', '""', '"a!~\u00ff"'];
const malformed = ['', '1', '"1', "'1'", 'W/"1"', 'w/"1"', '"1 2"', '"1""2"', '"1", "2"', '*'];

etags('only a single strong tag is accepted (UPD-9, NS-39)', () => {
  for (const header of tags) assert.ok(Array.isArray(parseIfMatch(header)), header);
  for (const header of malformed) assert.is(parseIfMatch(header), 'malformed', header);
  assert.is(parseIfMatch(undefined), 'missing');
});

etags('lists and * are accepted if the setting allows them', () => {
  assert.is(parseIfMatchList('*'), '*');
  assert.equal(parseIfMatchList('"1", "2"'), ['1', '2']);
  assert.equal(parseIfMatchList('"1"'), ['1']);
  assert.is(parseIfMatchList('"1", W/"2"'), 'malformed');
  assert.is(parseIfMatchList(undefined), 'missing');
});

etags.run();
