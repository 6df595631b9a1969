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
/** How far a rate may be from the one that is told, over seconds: 4 is not 5 (LIM-1). */
const NEARLY = 0.05;
/** Within this nothing gets lost for want of room, however early or late a request was counted. */
const UNBROKEN_MS = 700;

export function about(count: number): [least: number, most: number] {
  return [Math.round(count * (1 - ABOUT)), Math.round(count * (1 + ABOUT)) + 1];
}

export function allowanceOf(perSecond: number): Allowance {
  return { perSecond, capacity: [perSecond, perSecond] };
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
  const perMs = perSecond / 1000;
  const served = pressing.filter((each) => each.served);
  const usedUp = draining.filter((each) => !each.served);
  const refused = pressing.filter((each) => !each.served);
  if (usedUp.length === 0) return 'open';
  // There was nothing left when one of the first was refused, and that was no earlier than this.
  const fromMs = latest(usedUp.map((each) => each.sentAtMs));
  const longestMs = latest(served.map((each) => each.answeredAtMs)) - fromMs;
  if (served.length > mostIn(perSecond, longestMs)) return 'broken';
  if (refused.length === 0) return 'open';
  // Nor when the last was refused; what came back in between was served before that.
  const last = refused.reduce((a, b) => (b.sentAtMs > a.sentAtMs ? b : a));
  const drainedMs = latest(draining.map((each) => each.answeredAtMs));
  const shortestMs = last.sentAtMs - drainedMs;
  const before = served.filter((each) => each.sentAtMs < last.answeredAtMs).length;
  if (!isUnbroken(drainedMs, refused)) return 'open';
  if (before < leastIn(perSecond, shortestMs)) return 'broken';
  const slow = served.length < perMs * (1 - ABOUT) * longestMs;
  const fast = served.length > 2 + perMs * (1 + ABOUT) * shortestMs;
  return slow || fast ? 'open' : 'kept';
}

/**
 * LIM-1, where the target's clock moves only when it is told to, by seconds: nothing is left to
 * guess.
 */
export function weighSteps(perSecond: number, served: number, elapsedMs: number): Weight {
  const most = 1 + (perSecond * (1 + NEARLY) * elapsedMs) / 1000;
  return served >= leastIn(perSecond, elapsedMs) && served <= most ? 'kept' : 'broken';
}

/** What comes back in a time: bit by bit, or all at once when a second begins. */
function mostIn(perSecond: number, ms: number): number {
  const lumps = perSecond * Math.ceil(ms / 1000);
  return Math.max(1 + (perSecond * (1 + NEARLY) * ms) / 1000, lumps);
}

function leastIn(perSecond: number, ms: number): number {
  const lumps = perSecond * Math.floor(ms / 1000);
  return Math.min((perSecond * (1 - NEARLY) * ms) / 1000 - 1, lumps);
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

/** Whether it was used up so often that nothing can have been lost for want of room. */
function isUnbroken(fromMs: number, refused: readonly Sighting[]): boolean {
  let beforeMs = fromMs;
  for (const each of [...refused].sort((a, b) => a.sentAtMs - b.sentAtMs)) {
    if (each.answeredAtMs - beforeMs > UNBROKEN_MS) return false;
    beforeMs = each.sentAtMs;
  }
  return true;
}

function latest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

function earliest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}
