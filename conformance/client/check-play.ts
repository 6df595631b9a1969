// One check from its aims to its verdict: which runs it needs, and how they are judged.
import { type Aim, type Check, type CheckVerdict, type Outcome, spread } from './checks/check.ts';
import { type Conclusion, conclude, explained, isSpoiled, type Played } from './conclude.ts';
import type { Fault } from './faults.ts';
import type { Observation, Recording } from './recording.ts';

/** A run of the command with something that goes wrong. */
export interface Job {
  readonly check: Check;
  /** The check, the place and the number of the try: the same in every run of the judge. */
  readonly name: string;
  /** Multiplies the time limit, for a command that may only be slow. */
  readonly patience: number;
  readonly fault: () => Fault;
  readonly aimed: readonly string[];
  /** It confirms a failure, so nothing else may run beside it. */
  readonly isSole: boolean;
  /** Whether it would show nothing more. */
  readonly isIdle: () => boolean;
}

export interface Run {
  readonly recording: Recording;
  /** The number of the run. */
  readonly n: number;
}

/** The result of one check. */
export interface CheckResult {
  readonly check: Check;
  readonly verdict: CheckVerdict;
  /** Why it was not judged, or what was left out; null where there is nothing to say. */
  readonly why: string | null;
  readonly concluded: readonly Conclusion[];
}

/** After so many failing places the others are not tried. */
const enoughFailures = 3;
/** Runs that a check begins with, at most; a client may have a thousand writes. */
const mostRuns = 12;

export class CheckPlay {
  readonly check: Check;
  readonly #seen: Observation;
  /** Makes one run; null if the judge was interrupted, or the job was idle. */
  readonly #run: (job: Job) => Promise<Run | null>;
  readonly #aims: readonly Aim[];
  /** Places that are left out, because trying them all would take too long. */
  readonly #untried: number;
  readonly #played = new Map<Aim, Played[]>();
  readonly #concluded = new Map<Aim, Conclusion>();
  #again = 0;

  constructor(check: Check, seen: Observation, run: (job: Job) => Promise<Run | null>) {
    this.check = check;
    this.#seen = seen;
    this.#run = run;
    const aims = check.aims(seen);
    this.#aims = spread(aims, mostRuns * Math.max(1, check.atOnce));
    this.#untried = aims.length - this.#aims.length;
  }

  get #isHabit(): boolean {
    return this.check.atOnce === 0;
  }

  /** Judges a run in which nothing goes wrong. */
  judgeHabit({ recording, n }: Run): void {
    if (!this.#isHabit) return;
    for (const aim of this.#aims) {
      const outcome = this.check.judge(recording, aim, this.#seen);
      const before = this.#concluded.get(aim);
      if (before !== undefined && rank(before.outcome) <= rank(outcome)) continue;
      this.#concluded.set(aim, { aim, outcome, recording, run: n, seen: 1, plays: 1 });
    }
  }

  /** Makes all runs, the first of them each with several places that do not affect each other. */
  async play(): Promise<void> {
    if (this.#isHabit || this.#aims.length === 0) return;
    const count = Math.ceil(this.#aims.length / this.check.atOnce);
    // Equal parts, so that no run is much longer than the others.
    const size = Math.ceil(this.#aims.length / count);
    const parts = Array.from({ length: count }, (_, n) =>
      this.#aims.slice(n * size, (n + 1) * size),
    );
    await Promise.all(parts.filter(({ length }) => length > 0).map((part) => this.#settle(part)));
    // After a pass that chance could explain, one place is played again, a little differently.
    const hasPassed = (aim: Aim) => this.#concluded.get(aim)?.outcome.verdict === 'passed';
    const [first] = this.#aims;
    if (this.check.twice !== true || first === undefined || !this.#aims.every(hasPassed)) return;
    this.#again = 1;
    this.#concluded.delete(first);
    this.#played.delete(first);
    await this.#settle([first]);
  }

  /** Plays these aims together, and then each alone until it is concluded. */
  async #settle(aims: readonly Aim[]): Promise<void> {
    if (!(await this.#playOnce(aims, null))) return;
    await Promise.all(
      aims.map(async (aim) => {
        let next = this.#conclude(aim);
        while (next !== 'concluded' && (await this.#playOnce([aim], next))) {
          next = this.#conclude(aim);
        }
      }),
    );
  }

  async #playOnce(aims: readonly Aim[], instead: Fault | null): Promise<boolean> {
    const { check } = this;
    const again = this.#again;
    const before = aims.map((aim) => this.#played.get(aim) ?? []);
    const times = Math.max(...before.map(({ length }) => length));
    const alone = aims.length === 1;
    const last = before[0]?.at(-1);
    const places = aims.map(({ id }) => id).join(',');
    const found = await this.#run({
      check,
      name: `${check.id} ${places} ${again}.${times}${instead === null ? '' : ' instead'}`,
      patience: before.flat().some(({ recording }) => recording.ending.killed) ? 2 : 1,
      fault: () => instead ?? check.fault(aims[0]!, again),
      aimed: aims.flatMap(({ site }) => site?.id ?? []),
      // It failed alone, so it is confirmed while nothing else runs.
      isSole: alone && last?.alone === true && last.outcome.verdict === 'fails',
      isIdle: () => {
        // Another place may have confirmed the failure in the meantime.
        const isDone = aims.every((aim) => this.#conclude(aim) === 'concluded');
        return isDone || this.#failures.length >= enoughFailures;
      },
    });
    if (found === null) return false;
    const { recording, n: run } = found;
    for (const aim of aims) {
      const outcome = check.judge(recording, aim, this.#seen);
      const spoiled = isSpoiled(recording, { outcome, aim }, this.#seen.first);
      const played = { outcome, recording, run, alone, instead: instead !== null, spoiled };
      this.#played.set(aim, [...(this.#played.get(aim) ?? []), played]);
    }
    return true;
  }

  /** null: play it again, alone; a fault: play that instead of the check's own. */
  #conclude(aim: Aim): 'concluded' | Fault | null {
    if (this.#concluded.has(aim)) return 'concluded';
    const played = this.#played.get(aim) ?? [];
    const kinds = new Set(this.#failures.map(({ outcome }) => outcome.kind));
    const concluded = conclude(aim, played, kinds);
    if (concluded === null) return null;
    const isTried = played.some(({ instead }) => instead);
    if (concluded.outcome.verdict === 'fails' && !isTried) {
      const instead = this.check.instead?.(concluded.outcome) ?? null;
      if (instead !== null) return instead;
    }
    this.#concluded.set(aim, explained(concluded, played));
    return 'concluded';
  }

  get #failures(): Conclusion[] {
    return [...this.#concluded.values()].filter(({ outcome }) => outcome.verdict === 'fails');
  }

  result(unplayed: string | null): CheckResult {
    const { check } = this;
    const concluded = this.#aims.flatMap((aim) => this.#concluded.get(aim) ?? []);
    const of = this.#untried + this.#aims.length;
    if (of === 0 && (unplayed === null || this.#isHabit)) {
      return { check, concluded, verdict: 'not_met', why: 'the command does nothing of the kind' };
    }
    if (concluded.length === 0) return { check, concluded, verdict: 'inconclusive', why: unplayed };
    const left = of - concluded.length;
    const why = left === 0 ? null : `${left} of ${of} places were not tried`;
    return { check, concluded, verdict: verdictOf(concluded), why };
  }
}

const worstFirst: readonly CheckVerdict[] = [
  'fails',
  'inconclusive',
  'advisory',
  'passed',
  'not_met',
];

function rank({ verdict }: Outcome): number {
  return worstFirst.indexOf(verdict);
}

/** Places that a run did not reach take nothing from what other places showed. */
function verdictOf(concluded: readonly Conclusion[]): CheckVerdict {
  const telling = concluded.filter(({ outcome }) => outcome.kind !== 'fault-not-met');
  const shown = telling.length > 0 ? telling : concluded;
  const ranks = shown.map(({ outcome }) => rank(outcome));
  return worstFirst[Math.min(...ranks)] ?? 'inconclusive';
}
