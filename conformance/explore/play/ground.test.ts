// Checks when a call is sent once more after a limit, and how patiently.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pacer } from '../../engine/pace/pacer.ts';
import { type Ground, sendPaced } from './ground.ts';

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

pacing.run();
