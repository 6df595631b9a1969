// What requests of several credentials show of the one allowance that they share.
import { about, nearly, type Sighting, type Weight } from './rate-evidence.ts';

/** Within this a full allowance goes by, whatever the network does. */
const SETTLED_MS = 1_500;
/** A window in which fewer were refused may not have been used up. */
const LEAST_REFUSED = 0.1;

/**
 * A rate over seconds, by requests that kept on asking for more than it: what was served in all,
 * with what had gathered before, and what was served once that was gone.
 */
export function weighTogether(perSecond: number, sightings: readonly Sighting[]): Weight {
  const served = sightings.filter((each) => each.served);
  if (sightings.length === 0) return 'open';
  const fromMs = Math.min(...sightings.map((each) => each.sentAtMs));
  const untilMs = Math.max(...served.map((each) => each.answeredAtMs), fromMs);
  const [, most] = nearly(perSecond);
  const gathered = about(perSecond)[1];
  if (served.length > gathered + (most * (untilMs - fromMs)) / 1000) return 'broken';
  const settledMs = fromMs + SETTLED_MS;
  const lastMs = Math.max(...sightings.map((each) => each.sentAtMs));
  const later = sightings.filter(
    (each) => each.sentAtMs >= settledMs && each.answeredAtMs <= lastMs,
  );
  const refused = later.filter((each) => !each.served).length;
  if (refused < LEAST_REFUSED * later.length) return 'open';
  const seconds = (lastMs - settledMs) / 1000;
  const [least] = nearly(perSecond);
  // Two at each end may have been counted outside of the time that is looked at.
  if (later.length - refused < least * seconds - 4) return weighSlow(later, perSecond, seconds);
  return 'kept';
}

/** Too few: said only where as many were asked for all along, evenly. */
function weighSlow(later: readonly Sighting[], perSecond: number, seconds: number): Weight {
  const slowest = Math.max(...later.map((each) => each.answeredAtMs - each.sentAtMs));
  const asked = later.length / seconds;
  return asked >= 1.2 * perSecond && slowest < 1_000 ? 'broken' : 'open';
}
