// The journal keeps the newest entries, up to its limits of count and size.
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

/** The members of an entry that decide how long it is kept. */
const entryOf = (n: number, bytes = 0) =>
  ({
    ...{ n, key: null, reply: null },
    call: { method: 'POST', target: '/', headers: {}, body: new Uint8Array(bytes) },
  }) as unknown as JournalEntry;

/** The bytes of an entry without a body. */
const bare = 401;

const numbers = (kept: ReturnType<typeof createJournal>) =>
  [...newestEntries(kept)].map(({ n }) => n);

journal('the journal keeps the newest entries up to its capacity', () => {
  const kept = createJournal(4);
  for (let n = 1; n <= 10; n += 1) keepEntry(kept, entryOf(n, 10));
  assert.equal(numbers(kept), [10, 9, 8, 7]);
  assert.is(findEntry(kept, 6), undefined);
  assert.is(kept.bytes, 4 * (bare + 10));
});

journal('an entry is completed in place', () => {
  const kept = createJournal(4);
  for (let n = 1; n <= 3; n += 1) keepEntry(kept, entryOf(n, 10));
  keepEntry(kept, { ...entryOf(2, 25), answeredAtMs: 99 });
  assert.equal(numbers(kept), [3, 2, 1]);
  assert.is(findEntry(kept, 2)?.answeredAtMs, 99);
  assert.is(kept.bytes, 3 * bare + 45);
});

journal('completing a forgotten entry does not replace a newer one', () => {
  const kept = createJournal(4);
  for (let n = 1; n <= 10; n += 1) keepEntry(kept, entryOf(n, 10));
  keepEntry(kept, entryOf(2, 10));
  assert.equal(numbers(kept), [10, 9, 8, 7]);
  assert.is(kept.bytes, 4 * (bare + 10));
});

journal('large bodies evict more entries', () => {
  const kept = createJournal(1000);
  const megabyte = 1024 * 1024;
  for (let n = 1; n <= 60; n += 1) keepEntry(kept, entryOf(n, megabyte));
  assert.is(numbers(kept).length, 47);
  assert.is(kept.bytes, 47 * (bare + megabyte));
  keepEntry(kept, entryOf(61, 100 * megabyte));
  assert.equal(numbers(kept), [61]);
});

journal('headers, targets and keys count towards the size like bodies', () => {
  const kept = createJournal(4);
  const long = 'x'.repeat(1000);
  const { call, ...entry } = entryOf(1);
  const headers = { 'x-long': long, 'x-twice': [long, long] };
  keepEntry(kept, { ...entry, key: long, call: { ...call, target: long, headers } });
  assert.is(kept.bytes, bare - 1 + 5000 + 'x-longx-twice'.length);
});

journal.run();
