// The verdicts on answers, one case per line: statuses, no answer, slowness, redirects, leaks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../engine/types.ts';
import { mannerChecks } from './behaviour.ts';
import type { Check } from './check.ts';
import { receiverChecks } from './checks.ts';
import { deliveryOf } from './delivery.ts';
import { judgeCheck, leaksMac } from './judge.ts';

const judging = suite('judging answers of a receiver');

/** An answer with a status, or no answer if null. */
function exchange(status: number | null, durationMs = 1, body = '', header = ''): Exchange {
  return {
    n: 1,
    kind: 'delivery',
    as: null,
    request: { method: 'POST', url: 'http://127.0.0.1:1/', headers: [], body: undefined },
    response:
      status === null ? null : { status, headers: [['x-told', header]], body: Buffer.from(body) },
    failure: status === null ? 'socket hang up' : null,
    atMs: 0,
    durationMs,
  };
}

function checkOf(id: string): Check {
  const found = receiverChecks.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no check ${id}`);
  return found;
}

const verdicts: readonly (readonly [string, readonly (number | null)[], string])[] = [
  ['RCV-accepts-now', [200], 'passed'],
  ['RCV-accepts-now', [204], 'passed'],
  ['RCV-accepts-now', [302], 'deviates'],
  ['RCV-accepts-now', [500], 'deviates'],
  ['RCV-accepts-now', [null], 'deviates'],
  ['RCV-accepts-redelivery', [204, 409], 'deviates'],
  ['RCV-accepts-redelivery', [204, 204], 'passed'],
  ['RCV-refuses-no-t', [400], 'passed'],
  ['RCV-refuses-no-t', [401], 'passed'],
  ['RCV-refuses-no-t', [200], 'deviates'],
  ['RCV-refuses-no-t', [202], 'deviates'],
  ['RCV-refuses-no-t', [500], 'advisory'],
  ['RCV-refuses-no-t', [null], 'advisory'],
  ['RCV-refuses-no-t', [303], 'advisory'],
  ['RCV-refuses-six-minutes-ahead', [204], 'deviates'],
  ['RCV-refuses-t-zero', [400, 204], 'deviates'],
  ['RCV-refuses-t-zero', [400, 500], 'advisory'],
  ['RCV-advises-no-dot', [204], 'advisory'],
  ['RCV-advises-no-dot', [400], 'passed'],
  ['RCV-tolerates-unknown-key', [204], 'passed'],
  ['RCV-tolerates-unknown-key', [400], 'advisory'],
];

for (const [id, statuses, verdict] of verdicts) {
  judging(`${id} with ${statuses.join(', then ')}: ${verdict}`, () => {
    const exchanges = statuses.map((status) => exchange(status));
    assert.is(judgeCheck(checkOf(id), exchanges).verdict, verdict);
  });
}

const manners: readonly (readonly [string, readonly Exchange[], string, string])[] = [
  ['five seconds are in time', [exchange(204, 5000)], 'RCV-answers-in-time', 'passed'],
  ['more is worth a look', [exchange(204, 5001)], 'RCV-answers-in-time', 'advisory'],
  ['fifteen are the last moment', [exchange(204, 15_000)], 'RCV-answers-in-time', 'advisory'],
  ['more is too late', [exchange(204), exchange(null, 15_001)], 'RCV-answers-in-time', 'deviates'],
  ['a redirect is no answer', [exchange(204), exchange(307)], 'RCV-does-not-redirect', 'deviates'],
  ['a refusal is none', [exchange(400)], 'RCV-does-not-redirect', 'passed'],
];

for (const [words, valid, id, verdict] of manners) {
  judging(words, () => {
    const check = mannerChecks.find((each) => each.id === id);
    assert.is(check?.judge(valid, []).verdict, verdict);
  });
}

judging('an answer that contains the correct signature leaks it, in any case and place', () => {
  const names = { signature: 's', subscription: 'i' };
  const signing = { secret: 'x', previousSecret: null, names, mark: 'm' };
  const delivery = deliveryOf(signing, { body: Buffer.from('{}') });
  const probe = { delivery, expectedMac: 'ab12' };
  assert.is(leaksMac(probe, exchange(400, 1, 'expected AB12')), true);
  assert.is(leaksMac(probe, exchange(400, 1, '', 'v1=ab12')), true);
  assert.is(leaksMac(probe, exchange(400, 1, 'ab')), false);
  assert.is(leaksMac(probe, exchange(null)), false);
  assert.is(leaksMac({ delivery }, exchange(400, 1, 'ab12')), false);
  assert.is(mannerChecks.at(-1)?.judge([], [exchange(400)]).verdict, 'deviates');
});

judging.run();
