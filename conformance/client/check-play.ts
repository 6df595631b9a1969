// Plays one check on all its aims, and decides which runs it needs and what the verdict is: a failure
// must be seen twice.
import type { Judged } from '../engine/types.ts';
import { type Aim, type Check, type Outcome, spread } from './checks/check.ts';
import type { Fault } from './faults.ts';
import { type ApiCall, isUnheard, type Observation, type Recording } from './recording.ts';

/** A run of the command with a fault. */
export interface Job {
  readonly check: Check;
  /** The check, the site and the number of the attempt: the same in every run of the judge. */
  readonly name: string;
  /** Multiplies the time limit, for a command that may only be slow. */
  readonly patience: number;
  readonly fault: () => Fault;
  readonly aimed: readonly string[];
  /** It confirms a failure, so nothing else may run at the same time. */
  readonly isSole: boolean;
  /** Whether the run would show nothing new. */
  readonly isIdle: () => boolean;
}

export interface Run {
  readonly recording: Recording;
  /** Number of the run. */
  readonly n: number;
}

/** The result of one check. */
export interface CheckResult {
  readonly check: Check;
  readonly verdict: Judged;
  /** Why it was not judged, or which part was left out; null if neither applies. */
  readonly why: string | null;
  readonly concluded: readonly Conclusion[];
}

/** After this many failing sites the others are skipped. */
const enoughFailures = 3;
/** The maximum number of initial runs of a check; a client may have a thousand writes. */
const maxRuns = 12;

export type CheckPlay = ReturnType<typeof checkPlay>;

/** `run` makes one run; null if the judge was interrupted, or the job was idle. */
export function checkPlay(check: Check, seen: Observation, run: (job: Job) => Promise<Run | null>) {
  const isHabit = check.aimsPerRun === 0;
  const all = check.aims(seen);
  // Trying every site of a client with a thousand writes would take too long.
  const aims = spread(all, maxRuns * Math.max(1, check.aimsPerRun));
  const playedOf = new Map<Aim, Played[]>();
  const concludedOf = new Map<Aim, Conclusion>();
  let again = 0;
  const failures = () => [...concludedOf.values()].filter(isFailure);

  /** null: play it again, alone; a fault: play this fault instead of the check's own. */
  const concludeAim = (aim: Aim): 'concluded' | Fault | null => {
    if (concludedOf.has(aim)) return 'concluded';
    const played = playedOf.get(aim) ?? [];
    const kinds = new Set(failures().map(({ outcome }) => outcome.kind));
    const concluded = conclude(aim, played, kinds);
    if (concluded === null) return null;
    const isTried = played.some(({ instead }) => instead);
    if (isFailure(concluded) && !isTried) {
      const instead = check.instead?.(concluded.outcome) ?? null;
      if (instead !== null) return instead;
    }
    concludedOf.set(aim, explained(concluded, played));
    return 'concluded';
  };

  const playOnce = async (own: readonly Aim[], instead: Fault | null): Promise<boolean> => {
    const turn = again;
    const before = own.map((aim) => playedOf.get(aim) ?? []);
    const times = Math.max(...before.map(({ length }) => length));
    const alone = own.length === 1;
    const last = before[0]?.at(-1);
    const places = own.map(({ id }) => id).join(',');
    const found = await run({
      check,
      name: `${check.id} ${places} ${turn}.${times}${instead === null ? '' : ' instead'}`,
      patience: before.flat().some(({ recording }) => recording.ending.killed) ? 2 : 1,
      fault: () => instead ?? check.fault(own[0]!, turn),
      aimed: own.flatMap(({ site }) => site?.id ?? []),
      // It failed alone, so nothing else runs while the failure is confirmed.
      isSole: alone && last?.alone === true && isFailure(last),
      isIdle: () => {
        // Another site may have confirmed the failure in the meantime.
        const isDone = own.every((aim) => concludeAim(aim) === 'concluded');
        return isDone || failures().length >= enoughFailures;
      },
    });
    if (found === null) return false;
    const { recording, n } = found;
    for (const aim of own) {
      const outcome = check.judge(recording, aim, seen);
      const spoiled = isSpoiled(recording, outcome, aim.site?.id, seen.first);
      const played = { outcome, recording, run: n, alone, instead: instead !== null, spoiled };
      playedOf.set(aim, [...(playedOf.get(aim) ?? []), played]);
    }
    return true;
  };

  /** Plays these aims together, then each one alone until it is concluded. */
  const settle = async (own: readonly Aim[]): Promise<void> => {
    if (!(await playOnce(own, null))) return;
    await Promise.all(
      own.map(async (aim) => {
        let next = concludeAim(aim);
        while (next !== 'concluded' && (await playOnce([aim], next))) next = concludeAim(aim);
      }),
    );
  };

  return {
    /** Judges a run without faults. */
    judgeHabit({ recording, n }: Run): void {
      if (!isHabit) return;
      for (const aim of aims) {
        const outcome = check.judge(recording, aim, seen);
        const before = concludedOf.get(aim);
        if (before !== undefined && rank(before.outcome) <= rank(outcome)) continue;
        concludedOf.set(aim, { aim, outcome, recording, run: n, seen: 1, plays: 1 });
      }
    },

    /** The first runs each have several sites that do not affect each other. */
    async play(): Promise<void> {
      const [first] = aims;
      if (isHabit || first === undefined) return;
      const count = Math.ceil(aims.length / check.aimsPerRun);
      // Equal parts, so that the runs have similar lengths.
      const size = Math.ceil(aims.length / count);
      const parts = Array.from({ length: count }, (_, n) => aims.slice(n * size, (n + 1) * size));
      await Promise.all(parts.filter(({ length }) => length > 0).map(settle));
      // A pass may be chance: then one site is played again, slightly differently.
      const hasPassed = (aim: Aim) => concludedOf.get(aim)?.outcome.verdict === 'passed';
      if (check.twice !== true || !aims.every(hasPassed)) return;
      again = 1;
      concludedOf.delete(first);
      playedOf.delete(first);
      await settle([first]);
    },

    result(unplayed: string | null): CheckResult {
      const concluded = aims.flatMap((aim) => concludedOf.get(aim) ?? []);
      const left = all.length - concluded.length;
      if (all.length === 0 && (unplayed === null || isHabit)) {
        const why = 'the command does nothing of the kind';
        return { check, concluded, verdict: 'not_tested', why };
      }
      if (concluded.length === 0) {
        return { check, concluded, verdict: 'inconclusive', why: unplayed };
      }
      const why = left === 0 ? null : `${left} of ${all.length} places were not tried`;
      return { check, concluded, verdict: verdictOf(concluded), why };
    },
  };
}

const WORST_FIRST: readonly Judged[] = [
  ...(['deviates', 'inconclusive', 'advisory', 'passed', 'not_tested'] as const),
];

function rank({ verdict }: Outcome): number {
  return WORST_FIRST.indexOf(verdict);
}

/** Sites that a run did not reach do not weaken the results of other sites. */
function verdictOf(concluded: readonly Conclusion[]): Judged {
  const telling = concluded.filter(({ outcome }) => outcome.kind !== 'fault-not-met');
  const shown = telling.length > 0 ? telling : concluded;
  const ranks = shown.map(({ outcome }) => rank(outcome));
  return WORST_FIRST[Math.min(...ranks)] ?? 'inconclusive';
}

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

export interface Conclusion extends Pick<Played, 'outcome' | 'recording' | 'run'> {
  readonly aim: Aim;
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
export function isSpoiled(
  recording: Recording,
  { verdict }: Outcome,
  ownSite: string | undefined,
  first: Recording,
): boolean {
  // A client that never reads complete responses also does so without faults.
  const habit = first.calls.filter(isUnheard).length * 2 > first.calls.length;
  if (habit) return false;
  const isOwn = ({ site }: ApiCall) => ownSite === undefined || site === ownSite;
  const unheard = recording.calls.filter(isUnheard);
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

const isFailure = ({ outcome }: Pick<Played, 'outcome'>) => outcome.verdict === 'deviates';

/**
 * A failure with another reason is only advice. If the other fault fails too, its run is the evidence:
 * the fix is about that fault.
 */
export function explained(concluded: Conclusion, played: readonly Played[]): Conclusion {
  const other = played.find(({ instead }) => instead);
  const { outcome } = concluded;
  if (other?.outcome.verdict === 'passed') {
    const actual = `${outcome.actual}; if the first try is answered so, it ${other.outcome.actual}`;
    return { ...concluded, outcome: { ...outcome, verdict: 'advisory', actual } };
  }
  if (other?.outcome.verdict !== 'deviates') return concluded;
  const { recording, run } = other;
  return { ...concluded, recording, run, outcome: { ...other.outcome, kind: outcome.kind } };
}
