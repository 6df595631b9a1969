// The log shows every delivery attempt, including attempts that a fault prevented.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryEffect } from '../../../../simulator/core/pipeline/find-fault.ts';
import { DeliveryTestHarness } from '../../../../simulator/host/delivery/testing/delivery-test-harness.ts';
import { type DeliveryEvent, deliveryLine, logDeliveries } from './delivery-log.ts';

const log = suite('delivery log');

/** The log output while one event is delivered under a fault. */
async function logUnder(effect: DeliveryEffect, json: boolean): Promise<string[]> {
  const harness = await DeliveryTestHarness.begin();
  await harness.subscribe('https://hooks.example.com/in');
  harness.execute('makeFault', { match: { webhook: true }, effect, times: 1 });
  const lines: string[] = [];
  logDeliveries(harness.sandbox, { json, print: (line) => lines.push(line) });
  harness.emit();
  await harness.waitUntilIdle();
  await harness.advance(60_000);
  await harness.close();
  return lines;
}

log('a delivery that a fault drops is logged as ended', async () => {
  const [line, ...rest] = await logUnder({ kind: 'drop' }, false);
  assert.match(line ?? '', /← dropped by a fault; counted as delivered \(seq 1 attempt 1\)$/);
  assert.is(rest.length, 0);
  const events = (await logUnder({ kind: 'drop' }, true)).map((text) => JSON.parse(text));
  assert.is(events.length, 1);
  const [{ phase, error, outcome }] = events;
  assert.equal([phase, outcome], ['ended', 'delivered']);
  assert.is(error, 'dropped by a fault; counted as delivered');
});

log('a delivery that a fault delays is logged when it is delayed and when it is sent', async () => {
  const lines = await logUnder({ kind: 'delay', ms: 5000 }, false);
  const logged = lines.map((line) => line.replace(/^\S+ +/, ''));
  assert.equal(logged, [
    '... delayed by a fault, goes out in 5 s (seq 1 attempt 1)',
    logged[1],
    '← 200 (seq 1 attempt 1)',
  ]);
  assert.match(logged[1] ?? '', /^→ \S+ seq 1 attempt 1 to https:\/\/hooks\.example\.com\/in$/);
  const events = (await logUnder({ kind: 'delay', ms: 5000 }, true)).map((text) =>
    JSON.parse(text),
  );
  const phases = events.map(({ phase }) => phase);
  assert.equal(phases, ['delayed', 'sent', 'ended']);
  assert.is(events[0].next_due_ms, events[0].at_ms + 5000);
});

const atMs = Date.UTC(2026, 0, 1, 12, 0, 1, 250);

const line = (change: Partial<DeliveryEvent>) =>
  deliveryLine({
    ...{ event: 'delivery', world: 'default', phase: 'ended', at_ms: atMs, id: '1' },
    ...{ subscription_id: 1, event_id: 'evt_1', kind: 'transaction.approved', seq: 12, attempt: 1 },
    ...{ url: 'http://x/in', next_due_ms: null, status: null, error: null, outcome: 'pending' },
    fault: null,
    ...{ disabled_reason: null, stopped: false },
    ...change,
  });

log('the line of an attempt shows the delivery, the response and the next attempt', () => {
  const again = (ms: number) => ({ status: 500, next_due_ms: atMs + ms });
  const cases: readonly (readonly [Partial<DeliveryEvent>, string])[] = [
    [{ status: 204, outcome: 'delivered' }, '204'],
    [{ status: 200, fault: 'duplicate' }, '200 (fault duplicate)'],
    [again(30_000), '500, again in 30 s'],
    [again(90_000), '500, again in 1 min 30 s'],
    [
      { error: 'connection refused', next_due_ms: atMs + 120_000 },
      'connection refused, again in 2 min',
    ],
    [
      { status: 503, outcome: 'exhausted', stopped: true },
      '503, the last attempt: delivery stops until it is resumed',
    ],
    [{ status: 503, outcome: 'exhausted' }, '503, given up'],
    [{ disabled_reason: 'not public any more' }, 'disabled: not public any more'],
    [{ error: 'gone\u001b[2J\r\n' }, 'gone\\x1b[2J\\n'],
  ];
  for (const [change, words] of cases) {
    assert.is(line(change), `12:00:01.250  ← ${words} (seq 12 attempt 1)`);
  }
  assert.is(
    line({ phase: 'sent' }),
    '12:00:01.250  → transaction.approved seq 12 attempt 1 to http://x/in',
  );
});

log.run();
