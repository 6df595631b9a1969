// Checks when calls go out: at once or one behind, and once more after a limit, and how patiently.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pacer } from '../../engine/pace/pacer.ts';
import type { BurstStep, CallStep } from '../sequence.ts';
import { type Ground, released, sendPaced } from './ground.ts';

const pacing = suite('the pace of a sequence');

const limited = (retryAfter: string) => ({ status: 429, headers: [['Retry-After', retryAfter]] });
const served = { status: 201, headers: [] };
const wire = {} as Parameters<typeof sendPaced>[2];
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

pacing('what was limited for a moment is sent once more, and counted', async () => {
  assert.equal(await sent([limited('2'), served]), { status: 201, spent: 2, waits: [2_000] });
  const twice = await sent([limited('1'), limited('1'), served]);
  assert.equal(twice, { status: 429, spent: 2, waits: [1_000] });
});

pacing('what asks for much patience, or says nothing of it, is left as it is', async () => {
  for (const after of ['60', '']) {
    const { status, spent } = await sent([limited(after), served]);
    assert.equal([status, spent], [429, 1]);
  }
});

pacing('a limit is no accident where the clock stands, and where there is no pace', async () => {
  assert.is((await sent([limited('1'), served], ['clock'])).status, 429);
  assert.is((await sent([limited('1'), served], [], false)).status, 429);
});

const burst = (more: Partial<BurstStep>): BurstStep => ({
  do: 'burst',
  n: 9,
  calls: [1, 2, 3].map((n): CallStep => ({ do: 'call', n, operation: 'listWebhooks', as: 'firm' })),
  ...more,
});

/** What went out, and what was answered, in turn; the second call is answered first. */
async function playedAs(step: BurstStep) {
  const log: string[] = [];
  const answers = await released(step, async ({ n }) => {
    log.push(`sent ${n}`);
    for (let turns = n === 2 ? 1 : 8; turns > 0; turns -= 1) await Promise.resolve();
    log.push(`answered ${n}`);
    return n;
  });
  return { log, answers };
}

pacing('the calls of a burst go out all together', async () => {
  const { log, answers } = await playedAs(burst({}));
  assert.equal(log.slice(0, 3), ['sent 1', 'sent 2', 'sent 3']);
  assert.equal(answers, [1, 2, 3]);
});

pacing('and the last with the first answer, where it trails', async () => {
  const { log, answers } = await playedAs(burst({ trails: true }));
  assert.equal(log.slice(0, 4), ['sent 1', 'sent 2', 'answered 2', 'sent 3']);
  assert.equal(answers, [1, 2, 3]);
});

pacing('one that is alone goes out though it trails', async () => {
  const { answers } = await playedAs(burst({ trails: true, calls: burst({}).calls.slice(0, 1) }));
  assert.equal(answers, [1]);
});

pacing.run();
