// Which headers reveal a record that is out of reach.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../engine/send/answer.ts';
import { Headers } from '../../engine/send/headers.ts';
import { headersApart, wording } from './hidden.ts';

const telling = suite('headers that reveal a record');

const answer = (...names: readonly string[]) => ({
  headers: new Headers(names.map((name) => [name, 'x'] as const)),
});

telling('a header that only one of the two has', () => {
  assert.equal(headersApart(answer('Vary', 'ETag'), answer('vary')), ['etag']);
  assert.equal(headersApart(answer(), answer('X-Owner')), ['x-owner']);
});

telling('the wording leaves out the ids of the request', () => {
  const refused = (id: string, detail: string) => {
    const json: Record<string, string> = { code: 'not_found', detail, request_id: id };
    const at = (name: string) => json[name];
    return wording({ json, at, headers: new Headers([['X-Request-Id', id]]) } as unknown as Answer);
  };
  const ofUnknown = refused('req_b', 'There is no 7 (req_b)');
  assert.is(refused('req_a', 'There is no 12 (req_a)'), ofUnknown);
  assert.is.not(refused('req_a', 'There is no 12 for you (req_a)'), ofUnknown);
});

telling('no header about the connection', () => {
  const closed = answer('Connection', 'Content-Length', 'X-Request-Id');
  assert.equal(headersApart(closed, answer('Transfer-Encoding', 'x-request-id', 'Date')), []);
});

telling.run();
