// How far something is, and how long the rest takes: by the plan first, by what was seen later.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { about, CountedProgress, ProgressLine, remainingMs } from './progress.ts';

const line = suite('progress line');

line('the rest takes as long as it took so far, once that says anything', () => {
  assert.is(remainingMs(0.01, 1_000), undefined);
  assert.is(remainingMs(0.5, 10_000), 10_000);
  assert.is(remainingMs(1, 60_000), 0);
});

line('words round up', () => {
  assert.equal([0, 900, 8_000, 61_000, 400_000].map(about), [
    'under 1 s',
    'under 1 s',
    'about 10 s',
    'about 1 min 5 s',
    'about 7 min',
  ]);
});

line('on a terminal it is cut to its width and wiped; in a log it is a line', () => {
  for (const isTerminal of [true, false]) {
    let text = '';
    const io = { err: (each: string) => (text += each), isTerminal, columns: 11 };
    const drawn = new ProgressLine(io, () => 'twelve long words');
    drawn.draw();
    drawn.end();
    assert.is(text, isTerminal ? '\r\x1b[Ktwelve lon\r\x1b[K' : 'twelve long words\n');
    new CountedProgress(io, 'check').end();
  }
});

line.run();
