// Measures the memory that calls retain: the journal bounds it, and expired records are freed.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs, keyRetentionMs } from '../../../fixtures/constants.ts';
import type { Call } from '../call.ts';
import { step } from '../step.ts';
import { beginWorld, behaviour } from '../testing/begin-world.ts';
import type { World } from '../world.ts';

const memory = suite('memory');

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const megabyte = 1024 * 1024;

function usedMegabytes(): number {
  collect();
  return process.memoryUsage().heapUsed / megabyte;
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function send(world: World, call: Partial<Call>): void {
  const whole = { method: 'POST', target: '/api/v1/accounts', headers: {}, ...call } as Call;
  const body = call.body ?? new Uint8Array();
  step(world, behaviour, {
    kind: 'call',
    atMs: world.nowMs,
    call: { ...whole, body },
    facts: { addresses: null },
  });
}

memory('refused calls with a 15 KB header are bounded by the byte limit of the journal', () => {
  const world = beginWorld();
  const before = usedMegabytes();
  for (let n = 0; n < 5000; n += 1) {
    // A copy, because the same string would be stored only once.
    const header = Buffer.alloc(15_000, `${n} `).toString('latin1');
    send(world, { headers: { 'x-long': header } });
  }
  assert.ok(world.journal.bytes <= 48 * megabyte);
  const grown = usedMegabytes() - before;
  assert.ok(grown < 60, `${Math.round(grown)} MB more`);
});

memory('mixed calls keep their keys until they expire, and then all keys are freed', () => {
  const world = beginWorld();
  const [token] = world.lastingTokens.values();
  const authorization = `Bearer ${token}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const calls = 3000;
  const play = (round: number) => {
    for (let n = 0; n < calls; n += 1) {
      const key = { ...headers, 'idempotency-key': `${round}-${n}` };
      // The call is refused, so that only its key record remains.
      const body = bytesOf({ client_reference_id: `r-${n}`, email: 'no at sign', brand_id: '10' });
      send(world, { headers: key, body });
      if (n % 3 === 0) send(world, { headers: key, body });
      if (n % 5 === 0) send(world, { method: 'GET', target: '/api/v1/accounts?limit=1', headers });
    }
  };
  play(0);
  const before = usedMegabytes();
  assert.is(world.keys.size, calls);
  for (let round = 1; round <= 3; round += 1) {
    const atMs = world.nowMs + keyRetentionMs + hourMs;
    step(world, behaviour, { kind: 'time', atMs });
    assert.is(world.keys.size, 0);
    play(round);
  }
  const grown = usedMegabytes() - before;
  assert.ok(grown < 8, `${grown.toFixed(1)} MB more`);
});

memory.run();
