// The verdicts on answers, one case per line: statuses, no answer, slowness, redirects, leaks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchangeOf } from '../engine/testing/exchanges.ts';
import type { Exchange } from '../engine/types.ts';
import { mannerChecks } from './behaviour.ts';
import type { Check } from './check.ts';
import { receiverChecks } from './checks.ts';
import { deliveryOf } from './delivery.ts';
import { judgeCheck, leaksMac } from './judge.ts';

const judging = suite('judging answers of a receiver');

const answer = (status: number | null, durationMs = 1) => exchangeOf({ status, durationMs });

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
    const exchanges = statuses.map((status) => answer(status));
    assert.is(judgeCheck(checkOf(id), exchanges).verdict, verdict);
  });
}

const manners: readonly (readonly [string, readonly Exchange[], string, string])[] = [
  ['five seconds are in time', [answer(204, 5000)], 'RCV-answers-in-time', 'passed'],
  ['more is worth a look', [answer(204, 5001)], 'RCV-answers-in-time', 'advisory'],
  ['fifteen are the last moment', [answer(204, 15_000)], 'RCV-answers-in-time', 'advisory'],
  ['more is too late', [answer(204), answer(null, 15_001)], 'RCV-answers-in-time', 'deviates'],
  ['a redirect is no answer', [answer(204), answer(307)], 'RCV-does-not-redirect', 'deviates'],
  ['a refusal is none', [answer(400)], 'RCV-does-not-redirect', 'passed'],
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
  const refused = (text: string, header = '') =>
    exchangeOf({ status: 400, answer: text, headers: [['x-told', header]] });
  assert.ok(leaksMac(probe, refused('expected AB12')));
  assert.ok(leaksMac(probe, refused('', 'v1=ab12')));
  assert.not(leaksMac(probe, refused('ab')));
  assert.not(leaksMac(probe, answer(null)));
  assert.not(leaksMac({ delivery }, refused('ab12')));
  assert.is(mannerChecks.at(-1)?.judge([], [answer(400)]).verdict, 'deviates');
});

judging.run();
