// Calls that came too close to each other, as far as a busy judge can tell.
import type { ApiCall } from '../call.ts';

/** A second, less what lies between sending and looking where nothing else is to be done. */
const secondMs = 950;

export interface Crowd {
  readonly calls: readonly ApiCall[];
  readonly withinMs: number;
  /** They may have been further apart: the judge was as late as that to look at the first. */
  readonly isDoubtful: boolean;
}

/** More than `most` calls within a second, where there are; those that lie closest. */
export function crowdIn(calls: readonly ApiCall[], most: number, lagMs: number): Crowd | null {
  const spans = calls.slice(most).map((last, at) => last.atMs - (calls[at]?.atMs ?? 0));
  const withinMs = Math.min(...spans);
  if (!(withinMs < secondMs)) return null;
  const at = spans.indexOf(withinMs);
  const isDoubtful = withinMs + lagMs > secondMs + 50;
  return { calls: calls.slice(at, at + most + 1), withinMs, isDoubtful };
}
