// Checks what the journal keeps: the newest entries, as many and as heavy as it may.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createJournal,
  findEntry,
  type JournalEntry,
  keepEntry,
  newestEntries,
} from './journal.ts';

const journal = suite('journal');

function entryOf(n: number, bytes = 0): JournalEntry {
  return {
    n,
    requestId: `req_${n}`,
    atMs: n,
    call: { method: 'POST', target: '/', headers: {}, body: new Uint8Array(bytes) },
    operation: null,
    clientId: null,
    key: null,
    subject: null,
    idempotency: null,
    firstCall: null,
    steps: [],
    allowanceLeft: null,
    allowance: null,
    cites: [],
    hints: [],
    eventsAfter: 0,
    eventsTo: 0,
    faults: [],
    reply: null,
    answeredAtMs: null,
    reset: false,
  };
}

const numbers = (kept: ReturnType<typeof createJournal>) =>
  [...newestEntries(kept)].map(({ n }) => n);

journal('keeps the newest up to its capacity', () => {
  const kept = createJournal(4);
  for (let n = 1; n <= 10; n += 1) keepEntry(kept, entryOf(n, 10));
  assert.equal(numbers(kept), [10, 9, 8, 7]);
  assert.is(findEntry(kept, 6), undefined);
  assert.is(kept.bytes, 40);
});

journal('an entry is completed in its place', () => {
  const kept = createJournal(4);
  for (let n = 1; n <= 3; n += 1) keepEntry(kept, entryOf(n, 10));
  keepEntry(kept, { ...entryOf(2, 25), answeredAtMs: 99 });
  assert.equal(numbers(kept), [3, 2, 1]);
  assert.is(findEntry(kept, 2)?.answeredAtMs, 99);
  assert.is(kept.bytes, 45);
});

journal('one that comes back after it was forgotten takes the place of no newer one', () => {
  const kept = createJournal(4);
  for (let n = 1; n <= 10; n += 1) keepEntry(kept, entryOf(n, 10));
  keepEntry(kept, entryOf(2, 10));
  assert.equal(numbers(kept), [10, 9, 8, 7]);
  assert.is(kept.bytes, 40);
});

journal('a journal that begins late begins there', () => {
  const kept = createJournal(4);
  keepEntry(kept, entryOf(500));
  keepEntry(kept, entryOf(20));
  assert.equal(numbers(kept), [500]);
});

journal('numbers that were left out leave gaps', () => {
  const kept = createJournal(4);
  for (const n of [1, 2, 7, 9]) keepEntry(kept, entryOf(n, 1));
  assert.equal(numbers(kept), [9, 7]);
  assert.is(kept.bytes, 2);
});

journal('heavy bodies push out more', () => {
  const kept = createJournal(1000);
  const megabyte = 1024 * 1024;
  for (let n = 1; n <= 60; n += 1) keepEntry(kept, entryOf(n, megabyte));
  assert.is(numbers(kept).length, 48);
  assert.is(kept.bytes, 48 * megabyte);
  keepEntry(kept, entryOf(61, 100 * megabyte));
  assert.equal(numbers(kept), [61]);
});

journal.run();
