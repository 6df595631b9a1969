// What requests reveal about an allowance. The target counted each request at some time between its
// sending and its answer: a target is only called wrong if it is wrong for every such time.

/** One request, with times of the judge's monotonic clock. */
export interface Sighting {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** False if it was refused for its rate. */
  readonly served: boolean;
}

/**
 * Whether the target keeps the rule; undefined if what was seen fits both a target that keeps it and one
 * that breaks it.
 */
export type Truth = boolean | undefined;

/** How many requests a full allowance serves together. */
type Capacity = readonly [least: number, most: number];

/** The tolerance of "about one second", either way (LIM-2). */
const ABOUT = 0.25;
/** The tolerance below and above the plan's rate, over seconds: 4 is not 5 (LIM-1). */
const NEARLY = 0.05;
const GENEROUS = 0.22;
/** Gaps this short are too short for the bucket to fill, so no allowance is lost. */
const UNBROKEN_MS = 700;
/** In gaps longer than this between refusals, the rate may have been higher than was seen. */
const WATCHED_MS = 1_000;

export function about(count: number): Capacity {
  return [Math.round(count * (1 - ABOUT)), Math.round(count * (1 + ABOUT)) + 1];
}

/** The range of rates that count as this one, for reports. */
export function nearly(perSecond: number): [least: number, most: number] {
  const tenths = (share: number) => Math.round(perSecond * share * 10) / 10;
  return [tenths(1 - NEARLY), tenths(1 + GENEROUS)];
}

/** The capacity that a burst shows: the requests served, or fewer if allowance returned during it. */
export function shownBy(perSecond: number, sightings: readonly Sighting[]): Capacity {
  const served = sightings.filter((each) => each.served);
  const most = served.length;
  const least = most - (perSecond * (1 + ABOUT) * apart(served).longestMs) / 1000;
  return [Math.max(0, least), most];
}

/** LIM-2: how many requests a full allowance serves, however long they take. */
export function weighBurst(
  perSecond: number,
  sightings: readonly Sighting[],
  [low, high]: Capacity = [perSecond, perSecond],
): Truth {
  const served = sightings.filter((each) => each.served);
  const [least, most] = [about(low)[0], about(high)[1]];
  const back = (ms: number, share: number) => (perSecond * share * Math.max(0, ms)) / 1000;
  const { longestMs, shortestMs, transitMs } = apart(served);
  const refused = sightings.length > served.length;
  if (refused && served.length < least) return false;
  if (served.length > most + back(longestMs, 1 + ABOUT)) return false;
  // In the target's favour: every request is assumed to arrive as fast as the quickest one.
  const isTooSmall = served.length - back(longestMs - transitMs, 1 + ABOUT) < least;
  const many = served.length > most + back(shortestMs + transitMs, 1 - ABOUT);
  return !refused || isTooSmall || many ? undefined : true;
}

/**
 * LIM-1: a rate, from requests that kept an allowance exhausted (`pressing`), after others had
 * exhausted it (`draining`).
 */
export function weighRate(
  perSecond: number,
  draining: readonly Sighting[],
  pressing: readonly Sighting[],
): Truth {
  const served = pressing.filter((each) => each.served);
  const usedUp = draining.filter((each) => !each.served);
  if (usedUp.length === 0) return undefined;
  // The allowance was used up when the last refused request was counted, not before it was sent.
  const fromMs = latest(usedUp.map((each) => each.sentAtMs));
  const longestMs = latest(served.map((each) => each.answeredAtMs)) - fromMs;
  // The most that returns in a time: evenly, or all at the start of a second.
  const generous = perSecond * (1 + GENEROUS);
  const evenly = 1 + (generous * longestMs) / 1000;
  if (served.length > Math.max(evenly, generous * Math.ceil(longestMs / 1000))) return false;
  const refused = pressing.filter((each) => !each.served).sort((a, b) => a.sentAtMs - b.sentAtMs);
  const [first, last] = [refused[0], refused.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  // It was exhausted at these two refusals as well: what returned in between was used.
  const between = served.filter(
    (each) => each.answeredAtMs > first.sentAtMs && each.sentAtMs < last.answeredAtMs,
  );
  const least = leastIn(perSecond, last.sentAtMs - first.answeredAtMs);
  // The longest time from one refusal to the next in which allowance may have accumulated.
  const gapMs = latest(
    refused.map((each, at) => each.answeredAtMs - (refused[at - 1] ?? each).sentAtMs),
  );
  if (between.length < least && gapMs <= UNBROKEN_MS) return false;
  const shortestMs = last.sentAtMs - latest(draining.map((each) => each.answeredAtMs));
  const slow = served.length < (perSecond * (1 - ABOUT) * longestMs) / 1000;
  const fast = served.length > 2 + (perSecond * (1 + ABOUT) * shortestMs) / 1000;
  const sparse = between.length < least || gapMs > WATCHED_MS;
  return slow || fast || sparse ? undefined : true;
}

/** LIM-1, if the clock of the target moves only on command, second by second. */
export function weighSteps(perSecond: number, served: number, elapsedMs: number): boolean {
  const most = 1 + (perSecond * (1 + GENEROUS) * elapsedMs) / 1000;
  return served >= leastIn(perSecond, elapsedMs) && served <= most;
}

/** Two fewer: a target that counts the requests of the last second serves a little less. */
function leastIn(perSecond: number, ms: number): number {
  return (1 - NEARLY) * perSecond * Math.floor(ms / 1000) - 2;
}

/** Bounds on the time between first and last count, and the duration of the quickest request. */
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

function latest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

function earliest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** A full allowance is exhausted within this time, however slow the network. */
const SETTLED_MS = 1_500;

/** LIM-3: a rate over seconds, from requests that keep exceeding it from the start. */
export function weighTogether(perSecond: number, sightings: readonly Sighting[]): Truth {
  const settledMs = earliest(sightings.map((each) => each.sentAtMs)) + SETTLED_MS;
  const draining = sightings.filter((each) => each.sentAtMs < settledMs);
  const pressing = sightings.filter((each) => each.sentAtMs >= settledMs);
  return weighRate(perSecond, draining, pressing);
}
