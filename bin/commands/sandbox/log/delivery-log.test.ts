// The log tells of every delivery attempt, those that a fault kept from being made included.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryEffect } from '../../../../simulator/core/pipeline/find-fault.ts';
import { DeliveryTestHarness } from '../../../../simulator/host/delivery/testing/delivery-test-harness.ts';
import { logDeliveries } from './delivery-log.ts';

const log = suite('delivery log');

/** What is written while one event is delivered under a fault. */
async function logUnder(effect: DeliveryEffect, json: boolean): Promise<string[]> {
  const harness = await DeliveryTestHarness.begin();
  await harness.subscribe('https://hooks.example.com/in');
  harness.execute('makeFault', { match: { webhook: true }, effect, times: 1 });
  const lines: string[] = [];
  logDeliveries(harness.sandbox, { json, say: (line) => lines.push(line) });
  harness.emit();
  await harness.waitUntilIdle();
  await harness.advance(60_000);
  await harness.close();
  return lines;
}

log('a delivery that a fault drops is told as one that has ended', async () => {
  const [line, ...rest] = await logUnder({ kind: 'drop' }, false);
  assert.match(line ?? '', /<-- dropped by a fault; counted as delivered \(seq 1 attempt 1\)$/);
  assert.is(rest.length, 0);
  const events = (await logUnder({ kind: 'drop' }, true)).map((text) => JSON.parse(text));
  assert.is(events.length, 1);
  const [{ event, phase, attempt, status, error, outcome }] = events;
  assert.equal(
    { event, phase, attempt, status, error, outcome },
    {
      event: 'delivery',
      phase: 'ended',
      attempt: 1,
      status: null,
      error: 'dropped by a fault; counted as delivered',
      outcome: 'delivered',
    },
  );
});

log('one that a fault delays is told when it is delayed, and again when it goes out', async () => {
  const lines = await logUnder({ kind: 'delay', ms: 5000 }, false);
  const said = lines.map((line) => line.replace(/^\S+ +/, ''));
  assert.equal(said, [
    '... delayed by a fault, goes out in 5 s (seq 1 attempt 1)',
    said[1],
    '<-- 200 (seq 1 attempt 1)',
  ]);
  assert.match(said[1] ?? '', /^--> \S+ seq 1 attempt 1 to https:\/\/hooks\.example\.com\/in$/);
  const events = (await logUnder({ kind: 'delay', ms: 5000 }, true)).map((text) =>
    JSON.parse(text),
  );
  assert.equal(
    events.map(({ phase }) => phase),
    ['delayed', 'sent', 'ended'],
  );
  assert.is(events[0].next_due_ms, events[0].at_ms + 5000);
});

log.run();
