// Shows the monitor answers of every kind: it reports what no answer may contain, and nothing else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Answer } from '../send/answer.ts';
import type { HeaderLine } from '../send/headers.ts';
import { AnswerMonitor } from './answer-monitor.ts';

interface CallOptions {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string;
  readonly status?: number;
  readonly headers?: readonly HeaderLine[];
  readonly type?: string;
  readonly body?: unknown;
}

let count = 0;

function call(options: CallOptions = {}): Answer {
  count += 1;
  const { method = 'POST', path = '/api/v1/accounts', key, status = 201 } = options;
  const { headers = [['x-request-id', `req-${count}`]], type = 'application/json' } = options;
  const text = typeof options.body === 'string' ? options.body : JSON.stringify(options.body ?? {});
  const sent: HeaderLine[] = key === undefined ? [] : [['idempotency-key', key]];
  const request = { method, url: `http://target.test${path}`, headers: sent, body: undefined };
  const lines: HeaderLine[] = [['content-type', type], ...headers];
  const response = { status, headers: lines, body: Buffer.from(text) };
  return new Answer({ n: count, request, response });
}

function problem(over: object = {}) {
  const type = 'https://docs.example.com/errors/not_found';
  const rest = { title: 'Not found', status: 404, code: 'not_found', detail: 'no', errors: [] };
  return { type, ...rest, request_id: 'req-1', ...over };
}

const rulesFor = (options: CallOptions, watch = new AnswerMonitor(), ownToken = true) =>
  watch.inspect(call(options), ownToken).flatMap(({ rules }) => rules);

const refusal = { status: 404, type: 'application/problem+json' };
const watching = suite('answer monitor');

const SILENT: [name: string, made: CallOptions, ownToken?: boolean][] = [
  ['a success', {}],
  ['a refusal', { ...refusal, body: problem() }],
  ['plain text', { status: 400, type: 'text/plain', body: 'no' }],
  ['a 429, which has its own rules', { status: 429, headers: [['x-ratelimit-limit', '5']] }],
  ['a gateway', { status: 502, headers: [], type: 'text/html', body: '<h1>' }],
  [
    'a router that knows no such path',
    { status: 404, headers: [], type: 'text/plain', body: 'no' },
  ],
  ['a path that is none of the API', { path: '/health', headers: [] }],
  ['the token endpoint', { path: '/api/v1/oauth/token', headers: [] }],
  ['another token refused in its own way', { status: 403, body: { code: 'forbidden' } }, false],
  ['a secret where it belongs', { path: '/api/v1/webhooks', body: { secret: 'whsec-abcdef' } }],
];

for (const [name, options, ownToken] of SILENT) {
  watching(`reports nothing for ${name}`, () =>
    assert.equal(rulesFor(options, new AnswerMonitor(), ownToken), []),
  );
}

const form = (over: object): CallOptions => ({ ...refusal, body: problem(over) });

const TELLING: [name: string, made: CallOptions, rule: string][] = [
  ['no request id', { headers: [] }, 'ERR-4'],
  [
    'a rate header',
    {
      headers: [
        ['x-request-id', 'a'],
        ['x-ratelimit-reset', '1'],
      ],
    },
    'LIM-8',
  ],
  [
    'a wait with a success',
    {
      headers: [
        ['x-request-id', 'b'],
        ['retry-after', '1'],
      ],
    },
    'LIM-8',
  ],
  ['a refusal as plain JSON', { status: 404, body: problem() }, 'ERR-1a'],
  ['a number for a code', form({ code: 404 }), 'ERR-1a'],
  ['no errors', form({ errors: undefined }), 'ERR-1a'],
  ['a status that is text', form({ status: '404' }), 'ERR-1a'],
  ['another status', form({ status: 400 }), 'ERR-1b'],
  ['a type that ends otherwise', form({ type: 'https://docs.example.com/errors/404' }), 'ERR-1b'],
  ['a type that is no URI', form({ type: '/errors/not_found' }), 'ERR-1b'],
  [
    'a secret in a read',
    { method: 'GET', path: '/api/v1/webhooks/1', body: { secret: '' } },
    'HOOK-3',
  ],
  [
    'a secret in a list',
    { method: 'GET', path: '/api/v1/webhooks', body: [{ secret: '****' }] },
    'HOOK-3',
  ],
];

for (const [name, options, rule] of TELLING) {
  watching(`reports ${name}`, () => assert.equal(rulesFor({ status: 200, ...options }), [rule]));
}

watching('reports an id that comes twice, except in a replay, which has its own rule', () => {
  const watch = new AnswerMonitor();
  const same: CallOptions = { headers: [['x-request-id', 'same']] };
  assert.equal(rulesFor({ ...same, key: 'k1' }, watch), []);
  assert.equal(rulesFor({ ...same, key: ' k1 ' }, watch), []);
  assert.equal(rulesFor({ ...same, key: 'k2' }, watch), ['ERR-4']);
  assert.equal(rulesFor({ ...same }, watch), ['ERR-4']);
});

watching('recognises a secret in every answer', () => {
  const watch = new AnswerMonitor();
  rulesFor({ path: '/api/v1/webhooks', body: { secret: 'whsec-abcdef' } }, watch);
  assert.equal(rulesFor({ body: { first_name: 'is whsec-abcdef' } }, watch), ['HOOK-3']);
});

watching('reports a defect in every answer only a few times', () => {
  const watch = new AnswerMonitor();
  const all = Array.from({ length: 20 }, () => rulesFor({ headers: [] }, watch)).flat();
  assert.equal(all, ['ERR-4', 'ERR-4', 'ERR-4']);
});

for (const path of ['/api/v1/accounts', '/api/v1/oauth/token']) {
  watching(`an answer without an id is foreign if the others have one: ${path}`, () => {
    const watch = new AnswerMonitor();
    const bare = call({ path, status: 429, headers: [], type: 'text/plain' });
    assert.not(watch.isForeign(bare), 'nothing is known yet');
    for (let n = 0; n < 3; n += 1) rulesFor({ path }, watch);
    assert.ok(watch.isForeign(bare));
    assert.not(watch.isForeign(call({ path })));
    const elsewhere = path.includes('oauth') ? '/api/v1/accounts' : '/api/v1/oauth/token';
    assert.not(watch.isForeign(call({ path: elsewhere, headers: [] })));
  });
}

watching(
  'IDEM-4a: a replay with another status is not reported for the form of its problem',
  () => {
    const watch = new AnswerMonitor();
    const body = problem();
    assert.equal(rulesFor({ ...refusal, key: 'k', body }, watch), []);
    assert.equal(rulesFor({ ...refusal, status: 409, key: 'k', body }, watch), []);
    assert.equal(rulesFor({ ...refusal, status: 409, key: 'other', body }, watch), ['ERR-1b']);
  },
);

watching('HOOK-3: other answers must not contain a secret, not even null', () => {
  const read = { method: 'GET', path: '/api/v1/webhooks/1' };
  assert.equal(rulesFor({ ...read, body: { secret: null } }), ['HOOK-3']);
  assert.equal(rulesFor({ ...read, body: { url: 'https://x' } }), []);
});

watching.run();
