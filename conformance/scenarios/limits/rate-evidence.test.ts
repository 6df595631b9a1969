// Conforming limiters of every kind behind networks of every kind: none is ever called broken. Wrong
// limiters are found if the network does not hide the defect.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../fixtures/random.ts';
import {
  type Sighting,
  type Truth,
  weighBurst,
  weighRate,
  weighSteps,
  weighTogether,
} from './rate-evidence.ts';

/** Whether a request at this time is served; times never decrease. */
type Limiter = (atMs: number) => boolean;

function bucket(perSecond: number, capacity = perSecond): () => Limiter {
  return () => {
    let [level, filledAtMs] = [capacity, 0];
    return (atMs) => {
      level = Math.min(capacity, level + ((atMs - filledAtMs) * perSecond) / 1000);
      filledAtMs = atMs;
      if (level < 1) return false;
      level -= 1;
      return true;
    };
  };
}

/** Serves a number of requests in each second; the seconds begin at a given offset. */
function fixedWindow(perSecond: number, beginsAtMs = 370): () => Limiter {
  return () => {
    let [second, count] = [Number.NaN, 0];
    return (atMs) => {
      const now = Math.floor((atMs - beginsAtMs) / 1000);
      if (now !== second) [second, count] = [now, 0];
      count += 1;
      return count <= perSecond;
    };
  };
}

/** Serves a number of requests in any second. */
function slidingWindow(perSecond: number): () => Limiter {
  return () => {
    let taken: number[] = [];
    return (atMs) => {
      taken = taken.filter((each) => each > atMs - 1000);
      if (taken.length >= perSecond) return false;
      taken.push(atMs);
      return true;
    };
  };
}

/** The time for a request to arrive, and for its answer to return; `n` counts them. */
interface Network {
  readonly there: (n: number, atMs: number) => number;
  readonly back: (n: number, atMs: number) => number;
  /** Connections: the maximum number of concurrent requests. */
  readonly width: number;
}

const steady = (ms: number, width = 256): Network => ({ there: () => ms, back: () => ms, width });

function jittery(maxMs: number, seed: number, width = 256): Network {
  const random = new Random(seed);
  const draw = () => random.next() * maxMs;
  return { there: draw, back: draw, width };
}

/** Nothing arrives during a stall; afterwards everything arrives together. */
function stalling(everyMs: number, forMs: number): Network {
  const rest = (atMs: number) => Math.max(1, forMs - (atMs % everyMs));
  return { there: (_, atMs) => rest(atMs), back: () => 1, width: 256 };
}

const QUICK: Record<string, Network> = {
  local: steady(1),
  near: steady(15),
  jitter: jittery(30, 1),
};

const SLOW: Record<string, Network> = {
  '300 ms': steady(150),
  '600 ms, 64 connections': steady(300, 64),
  'up to 1 s either way': jittery(1000, 2),
  'up to 3 s, 16 connections': jittery(1500, 3, 16),
  'only requests are late': { ...jittery(900, 4), back: () => 1 },
  'only answers are late': { ...jittery(900, 5), there: () => 1 },
  'the last are late': { there: (n) => (n > 6 ? 700 : 1), back: () => 1, width: 256 },
  stalls: stalling(1500, 900),
  'long stalls': stalling(4000, 2600),
};

interface Flight {
  readonly sentAtMs: number;
  readonly arrivesAtMs: number;
  readonly answeredAtMs: number;
}

/** Sends at these times, as far as connections are free. */
function send(network: Network, dueAtMs: readonly number[]): Flight[] {
  const free = Array.from({ length: network.width }, () => Number.NEGATIVE_INFINITY);
  return dueAtMs.map((dueMs, n) => {
    const first = free.indexOf(Math.min(...free));
    const sentAtMs = Math.max(dueMs, free[first]!);
    const arrivesAtMs = sentAtMs + network.there(n, sentAtMs);
    const answeredAtMs = arrivesAtMs + network.back(n, arrivesAtMs);
    free[first] = answeredAtMs;
    return { sentAtMs, arrivesAtMs, answeredAtMs };
  });
}

/** The target counts them in order of arrival, whatever their order of departure. */
function count(limiter: Limiter, flights: readonly Flight[]): Map<Flight, Sighting> {
  const arriving = [...flights].sort((a, b) => a.arrivesAtMs - b.arrivesAtMs);
  return new Map(
    arriving.map((flight) => [flight, { ...flight, served: limiter(flight.arrivesAtMs) }]),
  );
}

const START_MS = 10_000;

/** More requests at once than an allowance per second. */
function crowd(network: Network, perSecond: number): Flight[] {
  const size = Math.ceil(perSecond * 1.6) + 4;
  return send(network, Array(size).fill(START_MS));
}

const burstOf = (make: () => Limiter, network: Network, perSecond: number): Sighting[] => [
  ...count(make(), crowd(network, perSecond)).values(),
];

function rateOf(make: () => Limiter, network: Network, perSecond: number) {
  const drain = crowd(network, perSecond);
  const fromMs = Math.max(...drain.map((each) => each.answeredAtMs));
  const gapMs = 1000 / (perSecond * (perSecond < 20 ? 2 : 1.5));
  const due = Array.from({ length: Math.ceil(7_800 / gapMs) }, (_, n) => fromMs + n * gapMs);
  const press = send(network, due);
  const seen = count(make(), [...drain, ...press]);
  const of = (flights: readonly Flight[]) => flights.map((each) => seen.get(each)!);
  return weighRate(perSecond, of(drain), of(press));
}

const conforming = (perSecond: number): Record<string, () => Limiter> => ({
  bucket: bucket(perSecond),
  'a bucket a little larger': bucket(perSecond, perSecond * 1.2),
  'fixed window': fixedWindow(perSecond),
  'another fixed window': fixedWindow(perSecond, 940),
  'sliding window': slidingWindow(perSecond),
});

const evidence = suite('what requests show about an allowance');

for (const perSecond of [5, 12, 50, 200]) {
  for (const [kind, make] of Object.entries(conforming(perSecond))) {
    for (const [pace, network] of Object.entries({ ...QUICK, ...SLOW })) {
      evidence(`${kind} of ${perSecond}, ${pace}: never broken`, () => {
        // A fixed window serves two seconds' allowance to a burst across its boundary.
        if (!kind.includes('fixed')) {
          const weight = weighBurst(perSecond, burstOf(make, network, perSecond));
          assert.is.not(weight, false);
        }
        assert.is.not(rateOf(make, network, perSecond), false);
      });
    }
  }
  for (const [pace, network] of Object.entries(QUICK)) {
    evidence(`${perSecond} per second over a quick network, ${pace}: kept`, () => {
      const burst = burstOf(bucket(perSecond), network, perSecond);
      assert.is(weighBurst(perSecond, burst), true);
      assert.is(rateOf(bucket(perSecond), network, perSecond), true);
    });
  }
}

const WRONG_BURSTS: [name: string, perSecond: number, make: () => Limiter][] = [
  ['no limit', 5, () => () => true],
  ['no limit', 200, () => () => true],
  ['ten seconds gather', 5, bucket(5, 50)],
  ['two seconds gather', 200, bucket(200, 400)],
  ['nothing gathers', 5, bucket(5, 1)],
  ['half a second gathers', 200, bucket(200, 100)],
];
for (const [name, perSecond, make] of WRONG_BURSTS) {
  const weigh = (network: Network) => weighBurst(perSecond, burstOf(make, network, perSecond));
  evidence(`${name}, where ${perSecond} should: broken, and never kept on a slow network`, () => {
    for (const network of [QUICK.local!, QUICK.near!]) assert.is(weigh(network), false);
    for (const [pace, network] of Object.entries(SLOW)) assert.is.not(weigh(network), true, pace);
  });
}

const WRONG_RATES = { 5: [4, 7, 10, 2.5], 50: [40], 200: [160, 300] };
const wrongRates = Object.entries(WRONG_RATES).flatMap(([perSecond, rates]) =>
  rates.map((rate) => [rate, Number(perSecond)] as const),
);
for (const [rate, perSecond] of wrongRates) {
  evidence(`${rate} per second instead of ${perSecond}: broken over a quick network`, () => {
    for (const network of [QUICK.local!, QUICK.near!]) {
      assert.is(rateOf(bucket(rate, perSecond), network, perSecond), false);
    }
    for (const [pace, network] of Object.entries(SLOW)) {
      if (rate > perSecond / 2 && rate < perSecond * 1.5) continue;
      assert.is.not(rateOf(bucket(rate, perSecond), network, perSecond), true, pace);
    }
  });
}

evidence('if the clock stands still, no result is open', () => {
  for (const [rate, weight] of [
    [5, true],
    [4, false],
    // A rate a fifth above the plan is not a deviation.
    [6, true],
    [7, false],
    [0, false],
  ] as const) {
    const elapsedMs = 6 * 1010;
    assert.is(weighSteps(5, Math.floor((rate * elapsedMs) / 1000), elapsedMs), weight);
  }
  // The whole allowance at the start of each second.
  assert.is(weighSteps(5, 30, 6 * 1010), true);
});

/** Twelve seconds of 60 requests a second, against buckets with these rates, per credential and shared. */
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

const TOGETHER: readonly (readonly [string, Sighting[], Truth])[] = [
  ['four times its credentials', play(5, 20), true],
  ['far away', play(5, 20, 6, 300), true],
  ['not limited', play(5, 10_000), false],
  ['eight times its credentials', play(5, 40), false],
  ['twice its credentials', play(5, 10), false],
  ['slower than it, on a network that may be why', play(5, 10, 6, 3_000), undefined],
  ['never asked for', [], undefined],
];

for (const [words, sightings, truth] of TOGETHER) {
  evidence(`the firm is limited ${words}: ${truth}`, () =>
    assert.is(weighTogether(20, sightings), truth),
  );
}

evidence.run();
