// Checks when a rate-limited call is retried, and how long the wait may be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pacer } from '../../engine/pace/pacer.ts';
import { type Ground, sendPaced, settlesUnseen } from './ground.ts';

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

pacing('a call that was limited briefly is retried once, and counted', async () => {
  assert.equal(await sent([limited('2'), served]), { status: 201, spent: 2, waits: [2_000] });
  const twice = await sent([limited('1'), limited('1'), served]);
  assert.equal(twice, { status: 429, spent: 2, waits: [1_000] });
});

pacing('a 429 with a long or missing Retry-After is not retried', async () => {
  for (const after of ['60', '']) {
    const { status, spent } = await sent([limited(after), served]);
    assert.equal([status, spent], [429, 1]);
  }
});

pacing('a 429 is kept if the clock is controlled or there is no pacer', async () => {
  assert.is((await sent([limited('1'), served], ['clock'])).status, 429);
  assert.is((await sent([limited('1'), served], [], false)).status, 429);
});

pacing('NS-3: approved money may settle unobserved while the clock is advanced', () => {
  const approved = { kind: 'answer', sent: { target: '/api/v1/transactions/7/approve' } };
  const isOpen = (nowMs: number, settlesLate: boolean, outcome: object = approved) => {
    const ground = { settlesLate } as Ground;
    const outcomes = new Map([[1, outcome]]) as unknown as Parameters<
      typeof settlesUnseen
    >[0]['outcomes'];
    return settlesUnseen({ ground, startMs: 0, nowMs, outcomes });
  };
  assert.equal([isOpen(0, false), isOpen(1, false), isOpen(1, true)], [false, true, false]);
  assert.ok(isOpen(3_600_000, true));
  assert.not(isOpen(1, false, { kind: 'done' }));
});

pacing.run();
