// Decides when enough was played of one aim of a check: a failure is seen twice, or it is none.
import type { Recording } from './call.ts';
import type { Aim, Outcome } from './checks/check.ts';

/** What one run has shown of one aim. */
export interface Played {
  readonly outcome: Outcome;
  readonly recording: Recording;
  /** The number of the run. */
  readonly run: number;
  /** Nothing else went wrong in that run. */
  readonly alone: boolean;
  /** In place of the check's own fault, to tell one reason from another. */
  readonly instead: boolean;
}

export interface Settled {
  readonly aim: Aim;
  readonly outcome: Outcome;
  readonly recording: Recording;
  readonly run: number;
  /** In how many runs of how many it was so. */
  readonly seen: number;
  readonly plays: number;
}

/** More plays of one aim would not make it clearer. */
const mostPlays = 3;
/** What cannot come from chance or a busy machine, and costs a whole timeout to see again. */
const certain = new Set(['waits-for-ever', 'never-gives-up']);

/**
 * null: it has to be played again, alone. `known` are the kinds of mistakes that were seen twice at
 * another place of the same check.
 */
export function settle(
  aim: Aim,
  played: readonly Played[],
  known: ReadonlySet<string>,
): Settled | null {
  const own = played.filter(({ instead }) => !instead);
  const last = own.at(-1);
  if (last === undefined) return null;
  const { outcome } = last;
  const same = own.filter((each) => each.outcome.kind === outcome.kind);
  const settled: Settled = { ...last, aim, seen: same.length, plays: own.length };
  if (outcome.verdict === 'passed' || outcome.verdict === 'not_met') {
    // One run says yes and one says no: the third decides.
    const doubtful = own.length < mostPlays && own.some((each) => each.alone && isFailure(each));
    return doubtful ? null : settled;
  }
  if (!last.alone) return null;
  if (outcome.verdict === 'advisory') return settled;
  if (certain.has(outcome.kind) || same.length > 1) return settled;
  if (outcome.verdict === 'fails' && known.has(outcome.kind)) return settled;
  if (own.length < mostPlays) return null;
  return { ...settled, outcome: { ...outcome, verdict: 'inconclusive' } };
}

function isFailure({ outcome }: Played): boolean {
  return outcome.verdict === 'fails';
}

/** A failure for which another reason was found: advice. */
export function explained(settled: Settled, played: readonly Played[]): Settled {
  const other = played.find(({ instead }) => instead);
  if (other === undefined || other.outcome.verdict !== 'passed') return settled;
  const actual = `${settled.outcome.actual}; told so at its first try it ${other.outcome.actual}`;
  return { ...settled, outcome: { ...settled.outcome, verdict: 'advisory', actual } };
}
