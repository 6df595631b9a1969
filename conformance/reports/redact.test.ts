// No secret survives in any of its forms, and other text is unchanged.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REDACTED, Redactor } from './redact.ts';

const TOKEN = 'tok_Dxaatqur1TgfhqpgiZvVzxZU';
const SECRET = 'p@ss/w"ord+1';

const redactor = new Redactor([TOKEN, SECRET, 'abc']);

const redact = suite('redaction');

const GONE: [name: string, text: string, secret: string][] = [
  ['a known token in words', `refused: ${TOKEN}!`, TOKEN],
  ['a known secret in JSON, escaped', JSON.stringify({ note: SECRET }), 'w\\"ord'],
  ['a known secret in a query', `/x?y=${encodeURIComponent(SECRET)}`, 'p%40ss'],
  ['in lower-case escapes', `/x?y=${encodeURIComponent(SECRET).toLowerCase()}`, 'p%40ss'],
  ['in a form', new URLSearchParams([['y', SECRET]]).toString(), 'ord%2B1'],
  ['in JSON that escapes slashes', '{"x":"p@ss\\/w\\"ord+1"}', 'p@ss\\/w'],
  ['in JSON that escapes more', '{"x":"p\\u0040ss\\u002fw\\u0022ord\\u002b1"}', 'w\\u0022ord'],
  ['on a web page', '<b>p@ss/w&quot;ord+1</b>', 'w&quot;ord'],
  ['on a web page, by numbers', '<b>p&#64;ss&#47;w&#34;ord&#43;1</b>', 'w&#34;ord'],
  ['behind a name in base64', btoa(`cl_1:${TOKEN}`), btoa(`cl_1:${TOKEN}`).slice(12, 36)],
  ['behind another name', btoa(`cl_12:${TOKEN}`), btoa(`cl_12:${TOKEN}`).slice(12, 36)],
  ['behind a third one', btoa(`cl_123:${TOKEN}`), btoa(`cl_123:${TOKEN}`).slice(12, 36)],
  ['a known secret in base64', Buffer.from(SECRET).toString('base64'), 'cEBzcy'],
  ['an unknown secret of a subscription', '{"id":7,"secret":"whsec_1"}', 'whsec_1'],
  ['another spelling', '{"signing_secret": "s3"}', '"s3"'],
  ['camel case', '{"clientSecret":"s3","accessToken":"t4"}', 't4'],
  ['with escapes inside', '{"secret":"a\\"b","id":1}', 'a\\"b'],
  ['cut off in the middle', '{"secret":"never-end', 'never-end'],
  ['in a list', '{"secrets":["one","two"]}', 'two'],
  ['JSON in JSON', JSON.stringify({ body: '{"secret":"inner"}' }), 'inner'],
  ['a token answer', '{"access_token":"at-1","token_type":"Bearer"}', 'at-1'],
  ['a form', 'grant_type=x&client_secret=form-1&scope=a', 'form-1'],
  ['a query', 'wss://x/api/v1/events?access_token=query-1&after_seq=0', 'query-1'],
  ['a bearer token in words', 'sent Authorization: Bearer abcdefghijkl', 'abcdefghijkl'],
  ['basic credentials in words', 'Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNz'],
  ['a JWT', 'x eyJhbGciOi.eyJzdWIiOi.SflKxwRJ y', 'eyJzdWIiOi'],
  ['a signature', `t=1,v1=${'ab12'.repeat(16)}`, 'ab12'.repeat(4)],
  ['an upper-case signature', `v1=${'AB12'.repeat(16)}`, 'AB12'.repeat(4)],
  ['user info in a url', 'https://user:pass@host/x', 'pass@'],
];
for (const [name, text, secret] of GONE) {
  redact(`gone: ${name}`, () => {
    assert.ok(text.includes(secret), 'the case is right');
    const seen = redactor.text(text);
    assert.not.ok(seen.includes(secret), seen);
    assert.ok(seen.includes(REDACTED), seen);
  });
}

const STAYS = [
  '{"token_type":"Bearer","expires_in":3600}',
  '{"code":"forbidden","detail":"the token lacks the scope accounts:write"}',
  'idempotency-key: key-0a1b2c3d4e-9f8e7d-1',
  'the answer has no "secret"',
  '{"secret":null,"disabled":true}',
  'x-request-id: 4bf92f3577b34da6a3ce929d0e0e4736',
  'abc is too short to be blotted out',
  'https://host/path@x',
  'Bearer',
  '',
];
for (const text of STAYS) {
  redact(`stays: ${text}`, () => {
    assert.is(redactor.text(text), text);
  });
}

redact('a member remains visible, without its value', () => {
  assert.is(redactor.text('{"id":7,"secret":"x"}'), `{"id":7,"secret":"${REDACTED}"}`);
});

const HEADERS: [name: string, value: string, seen: string][] = [
  ['Authorization', `Bearer ${TOKEN}`, `Bearer ${REDACTED}`],
  ['authorization', 'Basic dXNlcjpwYXNz', `Basic ${REDACTED}`],
  ['authorization', 'something of its own', REDACTED],
  ['authorization', '', ''],
  ['authorization', 'Bearer ', 'Bearer '],
  ['set-cookie', 'session=1', REDACTED],
  ['x-webhook-signature', `t=1,v1=${'0f'.repeat(32)}`, `t=1,v1=0f0f0f0f${REDACTED}`],
  ['content-type', 'application/json', 'application/json'],
];
for (const [name, value, seen] of HEADERS) {
  redact(`header ${name}: ${value}`, () => {
    assert.is(redactor.header(name, value), seen);
  });
}

redact('a secret that is added later is redacted from then on', () => {
  const own = new Redactor();
  assert.is(own.text('later-1'), 'later-1');
  own.add('later-1');
  own.add('later-12');
  assert.is(own.text('later-12 later-1'), `${REDACTED} ${REDACTED}`);
});

// A pattern with catastrophic backtracking would exceed the time limit of a test file.
redact('long bodies are processed in linear time', () => {
  for (const long of ['secret_', '"', 'token', 'a=&', '\\"secret\\":']) {
    const text = long.repeat(100_000);
    assert.ok(redactor.text(text).length > 0);
  }
});

redact.run();
