// The progress of a run, and the time that remains.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { about, ProgressLine, timeWords } from './progress.ts';

const line = suite('progress line');

line('the remaining time follows the pace so far, once that is predictive', () => {
  assert.is(timeWords(0.01, 1_000), '1 s');
  assert.is(timeWords(0.5, 10_000), '10 s, about 10 s left');
  assert.is(timeWords(1, 60_000), '1 min, under 1 s left');
});

line('the text is rounded up', () => {
  const words = ['under 1 s', 'about 10 s', 'about 1 min 5 s', 'about 7 min'];
  assert.equal([900, 8_000, 61_000, 400_000].map(about), words);
});

line('on a terminal it is cut to the width and cleared; in a log it is a line', () => {
  for (const isTerminal of [true, false]) {
    let text = '';
    const io = { err: (each: string) => (text += each), isTerminal, columns: 11 };
    const drawn = new ProgressLine(io, () => 'twelve long words');
    drawn.draw();
    drawn.end();
    assert.is(text, isTerminal ? '\r\x1b[Ktwelve lon\r\x1b[K' : 'twelve long words\n');
  }
});

line.run();
