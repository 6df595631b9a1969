// Shows the monitor answers of every kind: it reports what no answer may contain, and nothing else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Answer } from '../send/answer.ts';
import type { HeaderLine } from '../send/headers.ts';
import { exchangeOf, type Written } from '../testing/exchanges.ts';
import { AnswerMonitor } from './answer-monitor.ts';

let count = 0;

function call(written: Written = {}): Answer {
  count += 1;
  return new Answer(
    exchangeOf({ n: count, headers: [['x-request-id', `req-${count}`]], ...written }),
  );
}

function problem(over: object = {}) {
  const type = 'https://docs.example.com/errors/not_found';
  const rest = { title: 'Not found', status: 404, code: 'not_found', detail: 'no', errors: [] };
  return { type, ...rest, request_id: 'req-1', ...over };
}

const rulesFor = (options: Written, watch = new AnswerMonitor(), ownToken = true) =>
  watch.inspect(call(options), ownToken).flatMap(({ rules }) => rules);

const refusal = { status: 404, type: 'application/problem+json' };
const watching = suite('answer monitor');

const SILENT: [name: string, made: Written, ownToken?: boolean][] = [
  ['a success', {}],
  ['a refusal', { ...refusal, answer: problem() }],
  ['plain text', { status: 400, type: 'text/plain', answer: 'no' }],
  ['a 429, which has its own rules', { status: 429, headers: [['x-ratelimit-limit', '5']] }],
  ['a gateway', { status: 502, headers: [], type: 'text/html', answer: '<h1>' }],
  [
    'a router that knows no such path',
    { status: 404, headers: [], type: 'text/plain', answer: 'no' },
  ],
  ['a path that is none of the API', { url: 'http://target.test/health', headers: [] }],
  ['the token endpoint', { path: '/oauth/token', headers: [] }],
  ['another token refused in its own way', { status: 403, answer: { code: 'forbidden' } }, false],
  ['a subscription without its secret', { method: 'GET', path: '/webhooks/1', answer: { id: 1 } }],
  ['a secret where it belongs', { path: '/webhooks', answer: { secret: 'whsec-abcdef' } }],
];

for (const [name, options, ownToken] of SILENT) {
  watching(`reports nothing for ${name}`, () =>
    assert.equal(rulesFor(options, new AnswerMonitor(), ownToken), []),
  );
}

const form = (over: object): Written => ({ ...refusal, answer: problem(over) });

const withHeader = (...line: HeaderLine): Written => ({ headers: [['x-request-id', 'a'], line] });
const read: Written = { method: 'GET', path: '/webhooks/1' };

const TELLING: [name: string, made: Written, rule: string][] = [
  ['no request id', { headers: [] }, 'ERR-4'],
  ['a rate header', withHeader('x-ratelimit-reset', '1'), 'LIM-8'],
  ['a wait with a success', withHeader('retry-after', '1'), 'LIM-8'],
  ['a refusal as plain JSON', { status: 404, answer: problem() }, 'ERR-1a'],
  ['a number for a code', form({ code: 404 }), 'ERR-1a'],
  ['no errors', form({ errors: undefined }), 'ERR-1a'],
  ['a status that is text', form({ status: '404' }), 'ERR-1a'],
  ['another status', form({ status: 400 }), 'ERR-1b'],
  ['a type that ends otherwise', form({ type: 'https://docs.example.com/errors/404' }), 'ERR-1b'],
  ['a type that is no URI', form({ type: '/errors/not_found' }), 'ERR-1b'],
  ['a secret in a read', { ...read, answer: { secret: '' } }, 'HOOK-3'],
  ['a secret in a list', { ...read, path: '/webhooks', answer: [{ secret: '*' }] }, 'HOOK-3'],
  ['a secret that is null', { ...read, answer: { secret: null } }, 'HOOK-3'],
];

for (const [name, options, rule] of TELLING) {
  watching(`reports ${name}`, () => assert.equal(rulesFor({ status: 200, ...options }), [rule]));
}

watching('reports an id that comes twice, except in a replay, which has its own rule', () => {
  const watch = new AnswerMonitor();
  const same: Written = { headers: [['x-request-id', 'same']] };
  assert.equal(rulesFor({ ...same, key: 'k1' }, watch), []);
  assert.equal(rulesFor({ ...same, key: ' k1 ' }, watch), []);
  assert.equal(rulesFor({ ...same, key: 'k2' }, watch), ['ERR-4']);
  assert.equal(rulesFor({ ...same }, watch), ['ERR-4']);
});

watching('recognises a secret in every answer', () => {
  const watch = new AnswerMonitor();
  rulesFor({ path: '/webhooks', answer: { secret: 'whsec-abcdef' } }, watch);
  assert.equal(rulesFor({ answer: { first_name: 'is whsec-abcdef' } }, watch), ['HOOK-3']);
});

watching('reports a defect in every answer only a few times', () => {
  const watch = new AnswerMonitor();
  const all = Array.from({ length: 20 }, () => rulesFor({ headers: [] }, watch)).flat();
  assert.equal(all, ['ERR-4', 'ERR-4', 'ERR-4']);
});

for (const path of ['/accounts', '/oauth/token']) {
  watching(`an answer without an id is foreign if the others have one: ${path}`, () => {
    const watch = new AnswerMonitor();
    const bare = call({ path, status: 429, headers: [], type: 'text/plain' });
    assert.not(watch.isForeign(bare), 'nothing is known yet');
    for (let n = 0; n < 3; n += 1) rulesFor({ path }, watch);
    assert.ok(watch.isForeign(bare));
    assert.not(watch.isForeign(call({ path })));
    const elsewhere = path.includes('oauth') ? '/accounts' : '/oauth/token';
    assert.not(watch.isForeign(call({ path: elsewhere, headers: [] })));
  });
}

watching('IDEM-4a: a replay with another status is not reported for its problem', () => {
  const watch = new AnswerMonitor();
  const known = { ...refusal, answer: problem() };
  assert.equal(rulesFor({ ...known, key: 'k' }, watch), []);
  assert.equal(rulesFor({ ...known, status: 409, key: 'k' }, watch), []);
  assert.equal(rulesFor({ ...known, status: 409, key: 'other' }, watch), ['ERR-1b']);
});

watching.run();
