// Secrets are removed from output in every spelling, and nothing else is removed.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hideInBody, hideInHeader, hideInTarget } from './hide-secrets.ts';

const hiding = suite('hidden secrets');

const bodies = [
  ['{"client_id":"cl","client_secret":"s3cret"}', '{"client_id":"cl","client_secret":"(hidden)"}'],
  ['{ "secret" : "s3cret" , "a": 1 }', '{ "secret" : "(hidden)" , "a": 1 }'],
  ['{"client\\u005fsecret":"s3cret"}', '{"client\\u005fsecret":"(hidden)"}'],
  ['{"a":{"access_token":"s3\\"cret"}}', '{"a":{"access_token":"(hidden)"}}'],
  ['[{"token":"s3cret"},{"token":"s3cret"}]', '[{"token":"(hidden)"},{"token":"(hidden)"}]'],
  ['{"token":"s3cret', '{"token":"(hidden)"'],
  ['{"token":"s3cret\\', '{"token":"(hidden)"'],
  ['{"token":5,"first_name":"token"}', '{"token":5,"first_name":"token"}'],
  ['{"first_name":"secret","last_name":"x"}', '{"first_name":"secret","last_name":"x"}'],
  ['{"token":["a"]}', '{"token":["a"]}'],
  ['client_id=cl&client_secret=s3cret&a=b', 'client_id=cl&client_secret=(hidden)&a=b'],
  ['client%5Fsecret=s3cret', 'client%5Fsecret=(hidden)'],
  ['%zz=1&secret=s3cret', '%zz=1&secret=(hidden)'],
  ['a plain text', 'a plain text'],
  ['', ''],
] as const;

for (const [body, shown] of bodies) {
  hiding(`body ${body}`, () => assert.is(hideInBody(body), shown));
}

hiding('secrets in targets are hidden', () => {
  const hidden = hideInTarget('/api/v1/events?access_token=tok&x=1');
  assert.is(hidden, '/api/v1/events?access_token=(hidden)&x=1');
  assert.is(hideInTarget('/a?x=1&access%5ftoken=tok'), '/a?x=1&access%5ftoken=(hidden)');
  assert.is(hideInTarget('/token=1'), '/token=1');
});

hiding('secrets in headers are hidden', () => {
  assert.is(hideInHeader('authorization', 'Bearer tok_1'), 'Bearer (hidden)');
  assert.is(hideInHeader('authorization', 'basic YTpi'), 'basic (hidden)');
  assert.is(hideInHeader('authorization', 'tok_1'), '(hidden)');
  assert.is(hideInHeader('cookie', 'session=1'), '(hidden)');
  assert.is(hideInHeader('idempotency-key', 'one'), 'one');
});

// Searching for the end of the string again at every quote would take an hour.
hiding('a body built to be slow is handled in linear time', () => {
  for (const text of [`{"a":"${'\\"'.repeat(400_000)}`, `{${'"token":'.repeat(300_000)}`]) {
    assert.type(hideInBody(text), 'string');
  }
  assert.type(hideInBody(`{"token"${' '.repeat(600_000)}`), 'string');
  assert.type(hideInBody(`{${'"a" '.repeat(200_000)}`), 'string');
});

hiding.run();
