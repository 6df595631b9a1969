// The lines of a delivery say what left, what came back, and what happens next.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { delayedLine, type EndedLine, endedLine, sentLine, spanOf } from './delivery-line.ts';

const lines = suite('delivery line');

const atMs = Date.UTC(2026, 0, 1, 12, 0, 1, 250);
const ended = (status: number | null, error: string | null, next: EndedLine['next']) =>
  endedLine({ atMs, seq: 12, attempt: 1, status, error, next });

lines('an attempt that leaves', () => {
  assert.is(
    sentLine({ atMs, kind: 'transaction.approved', seq: 12, attempt: 1, url: 'http://x/in' }),
    '12:00:01.250  --> transaction.approved seq 12 attempt 1 to http://x/in',
  );
});

lines('an attempt that a fault delays', () => {
  assert.is(
    delayedLine({ atMs, seq: 12, attempt: 1, inMs: 90_000 }),
    '12:00:01.250  ... delayed by a fault, goes out in 1 min 30 s (seq 12 attempt 1)',
  );
});

lines('an attempt that has ended', () => {
  const cases: [string, string][] = [
    [ended(204, null, { kind: 'delivered' }), '204'],
    [ended(500, null, { kind: 'again', inMs: 30_000 }), '500, again in 30 s'],
    [
      ended(null, 'connection refused', { kind: 'again', inMs: 120_000 }),
      'connection refused, again in 2 min',
    ],
    [
      ended(503, null, { kind: 'exhausted', stops: true }),
      '503, the last attempt: delivery stops until it is resumed',
    ],
    [ended(503, null, { kind: 'exhausted', stops: false }), '503, given up'],
    [
      ended(null, null, { kind: 'disabled', reason: 'not public any more' }),
      'disabled: not public any more',
    ],
    [ended(400, null, { kind: 'nothing' }), '400'],
  ];
  for (const [line, words] of cases) {
    assert.is(line, `12:00:01.250  <-- ${words} (seq 12 attempt 1)`);
  }
});

lines('spans in words', () => {
  const spans: [number, string][] = [
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [30_000, '30 s'],
    [600_000, '10 min'],
    [90_000, '1 min 30 s'],
    [43_200_000, '12 h'],
    [9_000_000, '2 h 30 min'],
    [3_601_000, '1 h'],
  ];
  for (const [ms, words] of spans) assert.is(spanOf(ms), words);
});

lines('others’ text cannot move the cursor', () => {
  const line = ended(null, 'gone\u001b[2J\r\n', { kind: 'nothing' });
  assert.not.match(line, /\p{Cc}/u);
  assert.match(line, 'gone\\x1b[2J\\n');
});

lines.run();
