// Plays one check on all its aims, and decides which runs it needs and what the verdict is.
import type { Judged } from '../engine/types.ts';
import { type Aim, type Check, type Outcome, spread } from './checks/check.ts';
import { type Conclusion, conclude, explained, isSpoiled, type Played } from './conclude.ts';
import type { Fault } from './faults.ts';
import type { Observation, Recording } from './recording.ts';

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
  const failures = () =>
    [...concludedOf.values()].filter(({ outcome }) => outcome.verdict === 'deviates');

  /** null: play it again, alone; a fault: play this fault instead of the check's own. */
  const concludeAim = (aim: Aim): 'concluded' | Fault | null => {
    if (concludedOf.has(aim)) return 'concluded';
    const played = playedOf.get(aim) ?? [];
    const kinds = new Set(failures().map(({ outcome }) => outcome.kind));
    const concluded = conclude(aim, played, kinds);
    if (concluded === null) return null;
    const isTried = played.some(({ instead }) => instead);
    if (concluded.outcome.verdict === 'deviates' && !isTried) {
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
      isSole: alone && last?.alone === true && last.outcome.verdict === 'deviates',
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
      const spoiled = isSpoiled(recording, { outcome, aim }, seen.first);
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
