// What is said of a firm's rate by requests of its credentials: only what must be so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sighting, Weight } from './rate-evidence.ts';
import { weighTogether } from './together.ts';

const together = suite('together');

/** Twelve seconds of 60 requests a second, against buckets of this rate for each and for all. */
function play(own: number, firm: number, credentials = 6, tookMs = 5): Sighting[] {
  const left = Array.from({ length: credentials }, () => own);
  let all = firm;
  const sightings: Sighting[] = [];
  for (let atMs = 0; atMs < 12_000; atMs += 100) {
    for (let who = 0; who < credentials; who += 1) {
      const served = left[who]! >= 1 && all >= 1;
      if (served) left[who]! -= 1;
      if (served) all -= 1;
      sightings.push({ sentAtMs: atMs, answeredAtMs: atMs + tookMs, served });
    }
    for (const [who, each] of left.entries()) left[who] = Math.min(own, each + own / 10);
    all = Math.min(firm, all + firm / 10);
  }
  return sightings;
}

const CASES: readonly (readonly [string, Sighting[], Weight])[] = [
  ['four times its credentials', play(5, 20), 'kept'],
  ['far away', play(5, 20, 6, 300), 'kept'],
  ['not limited', play(5, 10_000), 'broken'],
  ['eight times its credentials', play(5, 40), 'broken'],
  ['twice its credentials', play(5, 10), 'broken'],
  ['slower than it, on a network that may be why', play(5, 10, 6, 3_000), 'open'],
  ['never asked for', [], 'open'],
];

for (const [words, sightings, weight] of CASES) {
  together(words, () => assert.is(weighTogether(20, sightings), weight));
}

together.run();
