// One check from its aims to its verdict: which runs it needs, and how they are judged.

import { type Aim, type Check, type CheckVerdict, type Outcome, spread } from './checks/check.ts';
import { type Conclusion, conclude, explained, isSpoiled, type Played } from './conclude.ts';
import type { Fault } from './faults.ts';
import type { CheckResult } from './judge.ts';
import type { Observation, Recording } from './recording.ts';

/** One run to be made. */
export interface Task {
  /** The check, the place and the number of the try: the same in every run of the judge. */
  readonly name: string;
  readonly check: Check;
  /** Multiplies the time limit, for a command that may only be slow. */
  readonly patience: number;
  readonly fault: () => Fault;
  /** Returns the runs that have to follow. */
  readonly played: (recording: Recording, run: number) => readonly Task[];
  /** Whether it would show nothing more. */
  readonly isIdle: () => boolean;
  /** It confirms a failure, so nothing else may run beside it. */
  readonly isSole: boolean;
}

/** After so many failing places the others are not tried. */
const enoughFailures = 3;
/** Runs that a check begins with, at most; a client may have a thousand writes. */
const mostRuns = 12;

export class CheckPlay {
  readonly check: Check;
  readonly #seen: Observation;
  readonly #aims: readonly Aim[];
  /** Places that are left out, because trying them all would take too long. */
  readonly #untried: number;
  readonly #played = new Map<Aim, Played[]>();
  readonly #concluded = new Map<Aim, Conclusion>();
  #again = 0;

  constructor(check: Check, seen: Observation) {
    this.check = check;
    this.#seen = seen;
    const aims = check.aims(seen);
    this.#aims = spread(aims, mostRuns * Math.max(1, check.atOnce));
    this.#untried = aims.length - this.#aims.length;
  }

  get #isHabit(): boolean {
    return this.check.atOnce === 0;
  }

  /** Judges a run in which nothing goes wrong. */
  judgeHabit(recording: Recording, run: number): void {
    if (!this.#isHabit) return;
    for (const aim of this.#aims) {
      const outcome = this.check.judge(recording, aim, this.#seen);
      const before = this.#concluded.get(aim);
      if (before !== undefined && rank(before.outcome) <= rank(outcome)) continue;
      this.#concluded.set(aim, { aim, outcome, recording, run, seen: 1, plays: 1 });
    }
  }

  /** The first runs, each with several places that do not affect each other. */
  begin(): Task[] {
    if (this.#isHabit) return [];
    const { atOnce } = this.check;
    const count = Math.ceil(this.#aims.length / atOnce);
    // Equal parts, so that no run is much longer than the others.
    const size = Math.ceil(this.#aims.length / count);
    return Array.from({ length: count }, (_, n) =>
      this.#task(this.#aims.slice(n * size, (n + 1) * size)),
    );
  }

  #task(aims: readonly Aim[], instead: Fault | null = null): Task {
    const again = this.#again;
    const alone = aims.length === 1;
    const places = aims.map(({ id }) => id).join(',');
    const before = aims.map((aim) => this.#played.get(aim) ?? []);
    const times = Math.max(0, ...before.map(({ length }) => length));
    const wasKilled = before.flat().some(({ recording }) => recording.ending.killed);
    return {
      name: `${this.check.id} ${places} ${again}.${times}${instead === null ? '' : ' instead'}`,
      check: this.check,
      patience: wasKilled ? 2 : 1,
      fault: () => instead ?? this.check.fault(aims, again),
      played: (recording, run) => {
        for (const aim of aims) {
          const outcome = this.check.judge(recording, aim, this.#seen);
          const spoiled = isSpoiled(recording, { outcome, aim }, this.#seen.first);
          const played = { outcome, recording, run, alone, instead: instead !== null, spoiled };
          this.#played.set(aim, [...(this.#played.get(aim) ?? []), played]);
        }
        return [...aims.flatMap((aim) => this.#next(aim)), ...this.#secondTime()];
      },
      isIdle: () => {
        // Another place may have confirmed the failure in the meantime.
        for (const aim of aims) this.#conclude(aim);
        const isDone = aims.every((aim) => this.#concluded.has(aim));
        return isDone || this.#failures.length >= enoughFailures;
      },
      isSole: aims.some((aim) => this.#isDoubted(aim)),
    };
  }

  /** It failed alone, so it is confirmed while nothing else runs. */
  #isDoubted(aim: Aim): boolean {
    const last = this.#played.get(aim)?.at(-1);
    return last?.alone === true && last.outcome.verdict === 'fails';
  }

  #next(aim: Aim): Task[] {
    const found = this.#conclude(aim);
    if (found === null) return [this.#task([aim])];
    return found === 'concluded' ? [] : [this.#task([aim], found)];
  }

  /** null: play it again, alone; a fault: play that instead of the check's own. */
  #conclude(aim: Aim): 'concluded' | Fault | null {
    if (this.#concluded.has(aim)) return 'concluded';
    const played = this.#played.get(aim) ?? [];
    const concluded = conclude(aim, played, this.#kinds);
    if (concluded === null) return null;
    const isTried = played.some(({ instead }) => instead);
    if (concluded.outcome.verdict === 'fails' && !isTried) {
      const instead = this.check.instead?.(concluded.outcome, [aim]) ?? null;
      if (instead !== null) return instead;
    }
    this.#concluded.set(aim, explained(concluded, played));
    return 'concluded';
  }

  /** After a pass that chance could explain, one place is played again, a little differently. */
  #secondTime(): Task[] {
    if (this.check.twice !== true || this.#again > 0) return [];
    if (this.#aims.some((aim) => this.#concluded.get(aim)?.outcome.verdict !== 'passed')) return [];
    this.#again = 1;
    const [aim] = this.#aims;
    if (aim === undefined) return [];
    this.#concluded.delete(aim);
    this.#played.delete(aim);
    return [this.#task([aim])];
  }

  get #failures(): Conclusion[] {
    return [...this.#concluded.values()].filter(({ outcome }) => outcome.verdict === 'fails');
  }

  get #kinds(): Set<string> {
    return new Set(this.#failures.map(({ outcome }) => outcome.kind));
  }

  result(unplayed: string | null): CheckResult {
    const { check } = this;
    const concluded = this.#aims.flatMap((aim) => this.#concluded.get(aim) ?? []);
    if (this.#aims.length === 0) {
      const isUnseen = unplayed !== null && !this.#isHabit;
      const why = isUnseen ? unplayed : 'the command does nothing of the kind';
      return { check, concluded, verdict: isUnseen ? 'inconclusive' : 'not_met', why };
    }
    if (concluded.length === 0) return { check, concluded, verdict: 'inconclusive', why: unplayed };
    return { check, concluded, verdict: verdictOf(concluded), why: this.#leftOut(concluded) };
  }

  #leftOut(concluded: readonly Conclusion[]): string | null {
    const count = this.#untried + this.#aims.length - concluded.length;
    if (count === 0) return null;
    return `${count} of ${this.#untried + this.#aims.length} places were not tried`;
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
