// The progress of a run, and the time that remains.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressLine, TimeLine } from './progress.ts';

const line = suite('progress line');

line('near the end, or if the time left would grow, it names what the run waits for', () => {
  const time = new TimeLine();
  const [one, many] = [new Set(['lim-rate']), new Set(['a', 'b', 'c', 'd'])];
  const steps: [share: number, elapsedMs: number, running: Set<string>, words: string][] = [
    [0.01, 1_000, one, '1 s'],
    [0.4, 60_000, one, '1 min, about 2 min left'],
    [0.5, 80_000, one, '1 min 20 s, about 1 min 20 s left'],
    [0.5, 110_000, many, '1 min 50 s, about 2 min left'],
    [0.5, 110_000, one, '1 min 50 s, waiting for lim-rate'],
    [0.95, 111_000, one, '1 min 51 s, waiting for lim-rate'],
    [0.95, 111_000, new Set(), '1 min 51 s, about 10 s left'],
  ];
  for (const [share, elapsedMs, running, words] of steps) {
    assert.is(time.words(share, elapsedMs, running), words);
  }
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
