// Checks when a rate-limited call is retried, and how long the wait may be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pacer } from '../../engine/pace/pacer.ts';
import { type Ground, sendPaced, settlesUnseen } from './ground.ts';
import type { Player } from './player.ts';

const pacing = suite('the pace of a sequence');

const limited = (retryAfter: string) => ({ status: 429, headers: [['Retry-After', retryAfter]] });
const served = { status: 201, headers: [] };
const wire = { headers: [] } as unknown as Parameters<typeof sendPaced>[2];
const rates = [{ key: 'main', perSecond: 5 }];

async function sent(answers: readonly object[], offers: readonly string[] = [], paced = true) {
  const left = [...answers];
  const waits: number[] = [];
  let spent = 0;
  const pacer = {
    take: async () => {},
    backOff: (_: unknown, forMs: number) => waits.push(forMs),
  } as unknown as Pacer;
  const ground = {
    ...(paced && { pacer }),
    spend: () => {
      spent += 1;
    },
    target: { offers: new Set(offers) },
    sender: { send: async () => left.shift()! },
  } as unknown as Ground;
  const { status } = await sendPaced(ground, rates, wire);
  return { status, spent, waits };
}

const ROWS: readonly (readonly [
  words: string,
  answers: readonly object[],
  sent: readonly [status: number, spent: number, ...waits: number[]],
  offers?: readonly string[],
  paced?: boolean,
])[] = [
  ['a call that was limited briefly is retried', [limited('2'), served], [201, 2, 2_000]],
  ['a call is retried once', [limited('1'), limited('1'), served], [429, 2, 1_000]],
  ['a long Retry-After is not waited for', [limited('60'), served], [429, 1]],
  ['nor is a missing one', [limited(''), served], [429, 1]],
  ['a 429 is kept if the clock is controlled', [limited('1'), served], [429, 1], ['clock']],
  ['a 429 is kept without a pacer', [limited('1'), served], [429, 1], [], false],
];
for (const [words, answers, expected, offers, paced] of ROWS) {
  pacing(words, async () => {
    const { status, spent, waits } = await sent(answers, offers, paced);
    assert.equal([status, spent, ...waits], expected);
  });
}

pacing('NS-3: approved money may settle unobserved while the clock is advanced', () => {
  const approved = { kind: 'answer', sent: { target: '/api/v1/transactions/7/approve' } };
  const isOpen = (nowMs: number, settlesLate: boolean, outcome: object = approved) => {
    const ground = { settlesLate } as Ground;
    const outcomes = new Map([[1, outcome]]) as never;
    return settlesUnseen({ ground, startMs: 0, nowMs, outcomes } as unknown as Player);
  };
  assert.equal([isOpen(0, false), isOpen(1, false), isOpen(1, true)], [false, true, false]);
  assert.ok(isOpen(3_600_000, true));
  assert.not(isOpen(1, false, { kind: 'done' }));
});

pacing.run();
