// What requests that were sent and answered show of an allowance. A request was counted by the
// target at some time between the two, and nobody here knows when: what is said of a target must be
// so whenever that was.

/** One request, by a clock of the judge's that only goes forward. */
export interface Sighting {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** False for one that was refused for its rate. */
  readonly served: boolean;
}

/** `open`: what was seen fits a target that keeps the rule, and one that does not. */
export type Weight = 'kept' | 'broken' | 'open';

/** What may be there at once, and how fast it comes back. */
export interface Allowance {
  readonly perSecond: number;
  readonly capacity: readonly [least: number, most: number];
}

/** How far "about one second" reaches, either way (LIM-2). */
const ABOUT = 0.25;
/** How far a rate may be under the plan's, over seconds: 4 is not 5 (LIM-1); and how far above. */
const NEARLY = 0.05;
const GENEROUS = 0.22;
/** Within this nothing gets lost for want of room, however early or late a request was counted. */
const UNBROKEN_MS = 700;
/** Whoever was not met for longer may have been faster than was seen. */
const WATCHED_MS = 1_000;

export function about(count: number): [least: number, most: number] {
  return [Math.round(count * (1 - ABOUT)), Math.round(count * (1 + ABOUT)) + 1];
}

/** The rates that are taken for this one, in words for reports. */
export function nearly(perSecond: number): [least: number, most: number] {
  const tenths = (share: number) => Math.round(perSecond * share * 10) / 10;
  return [tenths(1 - NEARLY), tenths(1 + GENEROUS)];
}

export function allowanceOf(perSecond: number): Allowance {
  return { perSecond, capacity: [perSecond, perSecond] };
}

/** What gathers, as one burst shows it: what was served, or less if some came back meanwhile. */
export function shownBy(perSecond: number, sightings: readonly Sighting[]): Allowance {
  const served = sightings.filter((each) => each.served);
  const most = served.length;
  const least = most - (perSecond * (1 + ABOUT) * apart(served).longestMs) / 1000;
  return { perSecond, capacity: [Math.max(0, least), most] };
}

/** LIM-2: what is served of requests that meet a full allowance, in whatever time. */
export function weighBurst(
  { perSecond, capacity: [low, high] }: Allowance,
  sightings: readonly Sighting[],
): Weight {
  const served = sightings.filter((each) => each.served);
  const [least, most] = [about(low)[0], about(high)[1]];
  const back = (ms: number, share: number) => (perSecond * share * Math.max(0, ms)) / 1000;
  const { longestMs, shortestMs, transitMs } = apart(served);
  const refused = sightings.length > served.length;
  if (refused && served.length < least) return 'broken';
  if (served.length > most + back(longestMs, 1 + ABOUT)) return 'broken';
  // Not said of a target, but for it: all of them took as long to arrive as the quickest at least.
  const few = served.length - back(longestMs - transitMs, 1 + ABOUT) < least;
  const many = served.length > most + back(shortestMs + transitMs, 1 - ABOUT);
  return !refused || few || many ? 'open' : 'kept';
}

/**
 * LIM-1: a rate, by requests that kept an allowance used up (`pressing`), after others had used it
 * up (`draining`).
 */
export function weighRate(
  perSecond: number,
  draining: readonly Sighting[],
  pressing: readonly Sighting[],
): Weight {
  const served = pressing.filter((each) => each.served);
  const usedUp = draining.filter((each) => !each.served);
  if (usedUp.length === 0) return 'open';
  // There was nothing left when one of the first was refused, and that was no earlier than this.
  const fromMs = latest(usedUp.map((each) => each.sentAtMs));
  const longestMs = latest(served.map((each) => each.answeredAtMs)) - fromMs;
  if (served.length > mostIn(perSecond, longestMs)) return 'broken';
  const refused = pressing.filter((each) => !each.served).sort((a, b) => a.sentAtMs - b.sentAtMs);
  const [first, last] = [refused[0], refused.at(-1)];
  if (first === undefined || last === undefined) return 'open';
  // Nor was there when these two were: what came back in between was served in between.
  const between = served.filter(
    (each) => each.answeredAtMs > first.sentAtMs && each.sentAtMs < last.answeredAtMs,
  );
  const least = leastIn(perSecond, last.sentAtMs - first.answeredAtMs);
  const gapMs = longestGapMs(refused);
  if (between.length < least && gapMs <= UNBROKEN_MS) return 'broken';
  const shortestMs = last.sentAtMs - latest(draining.map((each) => each.answeredAtMs));
  const slow = served.length < (perSecond * (1 - ABOUT) * longestMs) / 1000;
  const fast = served.length > 2 + (perSecond * (1 + ABOUT) * shortestMs) / 1000;
  const sparse = between.length < least || gapMs > WATCHED_MS;
  return slow || fast || sparse ? 'open' : 'kept';
}

/**
 * LIM-1, where the target's clock moves only when it is told to, by seconds: nothing is left to
 * guess.
 */
export function weighSteps(perSecond: number, served: number, elapsedMs: number): Weight {
  const most = 1 + (perSecond * (1 + GENEROUS) * elapsedMs) / 1000;
  return served >= leastIn(perSecond, elapsedMs) && served <= most ? 'kept' : 'broken';
}

/** What comes back in a time: bit by bit, or all at once when a second begins. */
function mostIn(perSecond: number, ms: number): number {
  const generous = perSecond * (1 + GENEROUS);
  return Math.max(1 + (generous * ms) / 1000, generous * Math.ceil(ms / 1000));
}

/** Two fewer for who looks back a second from each request, and so serves a little less. */
function leastIn(perSecond: number, ms: number): number {
  return (1 - NEARLY) * perSecond * Math.floor(ms / 1000) - 2;
}

/** How far apart they can have been counted, how far they must have been, and the quickest. */
function apart(sightings: readonly Sighting[]) {
  if (sightings.length === 0) return { longestMs: 0, shortestMs: 0, transitMs: 0 };
  const sent = sightings.map((each) => each.sentAtMs);
  const answered = sightings.map((each) => each.answeredAtMs);
  return {
    longestMs: latest(answered) - earliest(sent),
    shortestMs: latest(sent) - earliest(answered),
    transitMs: earliest(sightings.map((each) => each.answeredAtMs - each.sentAtMs)),
  };
}

/** For how long at most there may have been something left over, from one refusal to the next. */
function longestGapMs(refused: readonly Sighting[]): number {
  const gaps = refused.map(
    ({ answeredAtMs }, at) => answeredAtMs - refused[Math.max(0, at - 1)]!.sentAtMs,
  );
  return latest(gaps);
}

function latest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

function earliest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}
