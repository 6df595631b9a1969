// Checks that a refusal is seen to be another call's by the attempt that it names.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Headers } from '../../engine/send/headers.ts';
import type { Basis, CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import { compareAttempt, compareReplay } from './replays.ts';

const attempts = suite('explore attempts');

const step: CallStep = { do: 'call', n: 2, operation: 'createAccount', as: 'firm' };

interface Given {
  readonly key: string;
  /** In the body, and in the header. */
  readonly ids: readonly [body: string, header?: string];
  readonly idempotency?: Basis['idempotency'];
  readonly as?: string;
}

function refused(
  n: number,
  { key, ids: [body, header], idempotency, as = 'firm' }: Given,
): CallOutcome {
  const json = { status: 409, code: 'invalid_state', request_id: body };
  return {
    ...{ kind: 'answer', n, status: 409, json, body: Buffer.from(JSON.stringify(json)) },
    sent: { as, method: 'POST', target: '/', headers: [['idempotency-key', key]], body: undefined },
    headers: new Headers(header === undefined ? [] : [['x-request-id', header]]),
    ...{ sentAtMs: 0, answeredAtMs: 0 },
    basis: idempotency ? { cites: ['ACC-8'], idempotency, step: '' } : undefined,
  };
}

/** What is said of a second call, after a first one under the key `k`. */
function told(given: Given, due: Basis['idempotency'] = 'first'): string | undefined {
  const first = refused(1, { key: 'k', ids: ['r1', 'r1'] });
  const model = refused(2, { key: given.key, ids: ['m2'], idempotency: due });
  const found = compareAttempt(step, refused(2, given), model, new Map([[1, first]]));
  return found?.target;
}

attempts('IDEM-2a: under another key it comes from an attempt of its own', () => {
  assert.is(told({ key: 'K', ids: ['r1', 'r2'] }), 'that of call 1');
  assert.is(told({ key: 'K', ids: ['r2', 'r2'] }), undefined);
});

attempts('under that key, with spaces or without, whether it is one is told elsewhere', () => {
  assert.is(told({ key: ' k ', ids: ['r1', 'r2'] }), undefined);
});

attempts('an id that is said of every call, or of none that was made, tells nothing', () => {
  assert.is(told({ key: 'K', ids: ['r1', 'r1'] }), undefined);
  assert.is(told({ key: 'K', ids: ['other', 'r2'] }), undefined);
});

attempts('what is not kept under its key is no matter of keys', () => {
  assert.is(told({ key: 'K', ids: ['r1', 'r2'] }, null), undefined);
});

attempts(
  'IDEM-4b: a repeat has the bytes of its own first answer, whatever else reads the same',
  () => {
    const answered = (n: number, key: string, text: string, idempotency: Basis['idempotency']) => ({
      ...refused(n, { key, ids: ['r'], idempotency }),
      body: Buffer.from(text),
    });
    const [model, target] = [
      [answered(1, 'k', '{}', 'first'), answered(2, 'l', '{}', 'first')] as const,
      [answered(1, 'k', '{ }', null), answered(2, 'l', '{}', null)] as const,
    ].map((all) => new Map(all.map((each) => [each.n, each])));
    const played = { model: model!, target: target! };
    const again = (text: string) =>
      compareReplay(step, answered(3, 'l', text, null), answered(3, 'l', '{}', 'replayed'), played)
        ?.at;
    assert.is(again('{}'), undefined);
    assert.is(again('{ }'), 'replay.bytes');
  },
);

attempts('IDEM-2b: and those of its own caller, where another has the same key', () => {
  const said = (n: number, as: string, text: string, idempotency: Basis['idempotency']) => ({
    ...refused(n, { as, key: 'k', ids: ['r'], idempotency }),
    body: Buffer.from(text),
  });
  const callers = ['firm', 'm1', 'm1'] as const;
  const model = callers.map((as, at) => said(at + 1, as, '{}', at === 2 ? 'replayed' : 'first'));
  const target = ['{ }', '{}', '{}'].map((text, at) => said(at + 1, callers[at]!, text, null));
  const byNumber = (all: readonly CallOutcome[]) => new Map(all.map((each) => [each.n, each]));
  const played = { model: byNumber(model), target: byNumber(target) };
  assert.is(compareReplay(step, target[2]!, model[2]!, played), null);
  assert.is(compareReplay(step, target[0]!, model[2]!, played)?.at, 'replay.bytes');
});

attempts.run();
