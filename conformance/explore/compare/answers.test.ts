// A replay has the bytes of its first answer, and a refusal has the request id of its own attempt.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Basis, CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import { answered } from '../testing/outcomes.ts';
import { asForeignReplay, compareAttempt, compareReplay, differenceOf } from './answers.ts';

const attempts = suite('explore attempts');

const step: CallStep = { do: 'call', n: 2, operation: 'createAccount', as: 'firm' };

interface Given {
  readonly key: string;
  readonly as?: string;
  /** The request id in the body, and in the header. */
  readonly ids?: readonly [body: string, header?: string];
  readonly text?: string;
  readonly idempotency?: Basis['idempotency'];
}

function refused(n: number, { key, ids = ['r'], text, idempotency, as = 'firm' }: Given) {
  return answered('409 invalid_state', {
    ...{ n, as, sent: [['idempotency-key', key]], json: { request_id: ids[0] } },
    headers: ids[1] === undefined ? [] : [['x-request-id', ids[1]]],
    ...(text !== undefined && { text }),
    basis: idempotency ? { cites: ['ACC-8'], idempotency } : undefined,
  });
}

/** The second call's answers, after a first call under the key `k`. */
const ATTEMPTS: readonly (readonly [
  words: string,
  key: string,
  ids: readonly [body: string, header: string],
  at?: string | undefined,
  due?: Basis['idempotency'],
])[] = [
  ['IDEM-2a: the attempt of another key', 'K', ['r1', 'r2'], 'that of call 1'],
  ['its own attempt', 'K', ['r2', 'r2']],
  ['the same key, with spaces', ' k ', ['r1', 'r2']],
  ['an id that every call has', 'K', ['r1', 'r1']],
  ['an id of no call', 'K', ['other', 'r2']],
  ['what is not kept under its key', 'K', ['r1', 'r2'], undefined, null],
];

for (const [words, key, ids, at, due = 'first'] of ATTEMPTS) {
  attempts(words, () => {
    const first = refused(1, { key: 'k', ids: ['r1', 'r1'] });
    const model = refused(2, { key, ids: ['m2'], idempotency: due });
    const found = compareAttempt(step, refused(2, { key, ids }), model, new Map([[1, first]]));
    assert.is(found?.target, at);
  });
}

const byNumber = (all: readonly CallOutcome[]) => new Map(all.map((each) => [each.n, each]));

attempts('IDEM-4b: a repeat has the bytes of its own first answer', () => {
  const first = (key: string, text: string, n: number) =>
    refused(n, { key, text, idempotency: 'first' });
  const played = {
    model: byNumber([first('k', '{}', 1), first('l', '{}', 2)]),
    target: byNumber([first('k', '{ }', 1), first('l', '{}', 2)]),
  };
  const model = refused(3, { key: 'l', text: '{}', idempotency: 'replayed' });
  const again = (text: string) =>
    compareReplay(step, refused(3, { key: 'l', text }), model, played)?.at;
  assert.equal([again('{}'), again('{ }')], [undefined, 'replay.bytes']);
});

attempts('IDEM-7b: a repeat after a second run has the bytes of that run', () => {
  const ran = (text: string, n: number) => refused(n, { key: 'k', text, idempotency: 'first' });
  const played = {
    model: byNumber([ran('{}', 1), ran('{}', 2)]),
    target: byNumber([ran('{"seen": 1}', 1), ran('{"seen": 2}', 2)]),
  };
  const model = refused(3, { key: 'k', text: '{}', idempotency: 'replayed' });
  const again = refused(3, { key: 'k', text: '{"seen": 2}' });
  assert.is(compareReplay(step, again, model, played), null);
});

attempts('IDEM-2b: a repeat has the bytes of the answer to its own caller', () => {
  const said = (n: number, as: string, text: string, idempotency: Basis['idempotency']) =>
    refused(n, { as, key: 'k', text, idempotency });
  const callers = ['firm', 'm1', 'm1'] as const;
  const model = callers.map((as, at) => said(at + 1, as, '{}', at === 2 ? 'replayed' : 'first'));
  const target = ['{ }', '{}', '{}'].map((text, at) => said(at + 1, callers[at]!, text, null));
  const played = { model: byNumber(model), target: byNumber(target) };
  assert.is(compareReplay(step, target[2]!, model[2]!, played), null);
  assert.is(compareReplay(step, target[0]!, model[2]!, played)?.at, 'replay.bytes');
});

attempts('IDEM-2a: the answer of another case of the key, told apart by its status alone', () => {
  const said = (n: number, status: number, key = 'k') =>
    answered(`${status} application/json`, { n, sent: [['idempotency-key', key]], text: '{}' });
  const found = differenceOf(step, said(2, 201), said(2, 200), { at: '', target: '', model: '' });
  const first = byNumber([said(1, 201, 'K')]);
  const played = { target: first, model: first };
  assert.is(asForeignReplay(found, said(2, 201), said(2, 200), played).at, 'attempt');
});

attempts.run();
