// Which headers tell of a record that is out of reach.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Headers } from '../../engine/send/headers.ts';
import { headersApart } from './hidden.ts';

const telling = suite('headers that tell of a record');

const answer = (...names: readonly string[]) => ({
  headers: new Headers(names.map((name) => [name, 'x'] as const)),
});

telling('one that only one of the two has', () => {
  assert.equal(headersApart(answer('Vary', 'ETag'), answer('vary')), ['etag']);
  assert.equal(headersApart(answer(), answer('X-Owner')), ['x-owner']);
});

telling('none that is about the connection', () => {
  const closed = answer('Connection', 'Content-Length', 'X-Request-Id');
  assert.equal(headersApart(closed, answer('Transfer-Encoding', 'x-request-id', 'Date')), []);
});

telling.run();
