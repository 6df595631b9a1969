// The exit code of a run, as scripts rely on it.
import type { RunVerdict, Verdict } from '../types.ts';

export const EXIT_CODES = {
  conformant: 0,
  deviates: 1,
  usage: 2,
  ungraded: 3,
  incomplete: 4,
  harness: 5,
  staleBaseline: 6,
  interrupted: 130,
} as const;

export interface RunOutcome {
  readonly verdict: RunVerdict;
  readonly summary: Readonly<Pick<Record<Verdict, number>, 'harness_error'>>;
  readonly interrupted: boolean;
  /** Entries of a baseline that no longer deviate. */
  readonly stale: number;
  /** Rules that are open although the target offers the required capabilities. */
  readonly hindered?: number;
}

/**
 * The exit code for the most urgent outcome of a run; always 130 if it was interrupted.
 */
export function exitCode(outcome: RunOutcome, allowIncomplete = false): number {
  if (outcome.interrupted) return EXIT_CODES.interrupted;
  if (outcome.verdict === 'deviates') return EXIT_CODES.deviates;
  if (outcome.summary.harness_error > 0) return EXIT_CODES.harness;
  if (outcome.verdict === 'invalid') return EXIT_CODES.ungraded;
  if (outcome.stale > 0) return EXIT_CODES.staleBaseline;
  const isForgiven = allowIncomplete && (outcome.hindered ?? 0) === 0;
  if (outcome.verdict === 'incomplete' && !isForgiven) return EXIT_CODES.incomplete;
  return EXIT_CODES.conformant;
}

/** Rules that --allow-incomplete does not accept: blocked, inconclusive, or needs are broken. */
export function countHindered(
  rules: readonly { readonly verdict: Verdict; readonly lost: readonly string[] }[],
): number {
  return rules.filter(
    ({ verdict, lost }) => verdict === 'blocked' || verdict === 'inconclusive' || lost.length > 0,
  ).length;
}
