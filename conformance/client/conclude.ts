// Decides when one aim of a check has been played often enough: a failure must be seen twice.

import type { Aim, Outcome } from './checks/check.ts';
import { type ApiCall, isUnheard, type Recording } from './recording.ts';

/** The result of one run for one aim. */
export interface Played {
  readonly outcome: Outcome;
  readonly recording: Recording;
  /** The number of the run. */
  readonly run: number;
  /** Nothing else was injected in that run. */
  readonly alone: boolean;
  /** Another fault was played, to tell two causes apart. */
  readonly instead: boolean;
  /** The client did not read the response, so this run shows nothing. */
  readonly spoiled: boolean;
}

/** The verdict of one run on one aim. */
export type Judged = Pick<Played, 'outcome'> & { readonly aim: Pick<Aim, 'site'> };

export interface Conclusion {
  readonly aim: Aim;
  readonly outcome: Outcome;
  readonly recording: Recording;
  readonly run: number;
  /** The number of runs that showed it. */
  readonly seen: number;
  readonly plays: number;
}

/** More runs of one aim would show nothing new. */
const maxPlays = 3;
/** More runs in which the client read no response show nothing new either. */
const maxSpoiled = 4;
/** Failures that neither chance nor a busy machine can cause, and that cost a timeout each. */
const certain = new Set(['waits-for-ever', 'never-gives-up', 'still-at-it']);

/**
 * null: it must be played again, alone. `known` are the kinds of mistakes that were seen twice at
 * another site of the same check.
 */
export function conclude(
  aim: Aim,
  played: readonly Played[],
  known: ReadonlySet<string>,
): Conclusion | null {
  const own = played.filter(({ instead }) => !instead);
  const readable = own.filter(({ spoiled }) => !spoiled);
  const unheard = own.length - readable.length;
  if (own.at(-1)?.spoiled && unheard < maxSpoiled) return null;
  const last = readable.at(-1);
  if (last === undefined) return concludeUnheard(aim, own);
  const isOver = readable.length >= maxPlays || unheard >= maxSpoiled;
  const { outcome } = last;
  const same = readable.filter((each) => each.outcome.kind === outcome.kind);
  const concluded: Conclusion = { ...last, aim, seen: same.length, plays: readable.length };
  if (outcome.verdict === 'passed' || outcome.verdict === 'not_tested') {
    // If two runs disagree, a third decides.
    return !isOver && readable.some((each) => each.alone && isFailure(each)) ? null : concluded;
  }
  if (!last.alone && !isOver) return null;
  if (outcome.verdict === 'advisory') return concluded;
  if (last.alone && (certain.has(outcome.kind) || same.length > 1)) return concluded;
  if (last.alone && outcome.verdict === 'deviates' && known.has(outcome.kind)) return concluded;
  return isOver ? { ...concluded, outcome: { ...outcome, verdict: 'inconclusive' } } : null;
}

const tooBusy =
  'it stopped waiting before it had read a response that was there: this machine may be too busy for its time limit';

function concludeUnheard(aim: Aim, own: readonly Played[]): Conclusion | null {
  const last = own.at(-1);
  if (last === undefined) return null;
  const { calls } = last.outcome;
  const outcome: Outcome = { verdict: 'inconclusive', kind: 'unheard', actual: tooBusy, calls };
  return { ...last, aim, outcome, seen: own.length, plays: own.length };
}

/** The client stopped waiting for an unrelated reason, which may explain what it did. */
export function isSpoiled(recording: Recording, played: Judged, first: Recording): boolean {
  // A client that never reads complete responses also does so without faults.
  const habit = first.calls.filter(isUnheard).length * 2 > first.calls.length;
  if (habit) return false;
  const own = played.aim.site?.id ?? null;
  const isOwn = ({ site }: ApiCall) => own === null || site === own;
  const unheard = recording.calls.filter(isUnheard);
  const { verdict } = played.outcome;
  if (verdict === 'passed' || verdict === 'not_tested') {
    return unheard.some((call) => isOwn(call) && call.fault !== null);
  }
  return unheard.some((call) => isOwn(call) || !isLeftAtEnd(call, recording));
}

/** How long a command may take to end after it has decided to. */
const endingMs = 500;

/** A command that exits drops its open connections; the machine need not be busy. */
function isLeftAtEnd({ abandonedAtMs }: ApiCall, { calls, ending }: Recording): boolean {
  const leftAtMs = abandonedAtMs ?? 0;
  return leftAtMs > ending.durationMs - endingMs && calls.every(({ atMs }) => atMs <= leftAtMs);
}

function isFailure({ outcome }: Played): boolean {
  return outcome.verdict === 'deviates';
}

/** A failure with another reason is only advice. */
export function explained(concluded: Conclusion, played: readonly Played[]): Conclusion {
  const other = played.find(({ instead }) => instead);
  if (other === undefined || other.outcome.verdict !== 'passed') return concluded;
  const actual = `${concluded.outcome.actual}; if the first try is answered so, it ${other.outcome.actual}`;
  return { ...concluded, outcome: { ...concluded.outcome, verdict: 'advisory', actual } };
}
