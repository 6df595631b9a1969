// What a check of a client is: what it lets go wrong and where, what a right client does, and how
// one that does otherwise is mended.
import type { RuleId } from '../../../fixtures/rules.ts';
import type { ApiCall, Recording } from '../call.ts';
import type { Fault } from '../faults/fault.ts';
import type { Observation, Site } from '../observation.ts';

export type CheckVerdict = 'passed' | 'fails' | 'advisory' | 'not_met' | 'inconclusive';

/** What one run shows of one check. */
export interface Outcome {
  readonly verdict: CheckVerdict;
  /** The kind of mistake in a word or two: the same mistake elsewhere has the same. */
  readonly kind: string;
  /** What the client did, in one sentence. */
  readonly actual: string;
  /** Numbers of the calls that show it. */
  readonly calls: readonly number[];
  /** Two records exist now although one was wanted. */
  readonly doubled?: true;
}

/** Where a check lets something go wrong. */
export interface Aim {
  /** Distinguishes the aims of a check. */
  readonly id: string;
  readonly site: Site | null;
  /** Which of several things goes wrong there. */
  readonly variant: string | null;
  readonly words: string;
}

export interface Mending {
  readonly words: string;
  /** A short exchange in HTTP. */
  readonly example: string;
}

export interface Check {
  readonly id: `CLT-${string}`;
  /** What goes wrong, in a few words. */
  readonly title: string;
  /** What it does to the client, and where. */
  readonly orders: string;
  /** What a right client does. */
  readonly expected: string;
  /** Written for a reader who has never heard of idempotency. */
  readonly atStake: string;
  readonly mend: Mending;
  readonly rules: readonly RuleId[];
  /** None: the client does nothing of the kind. */
  readonly aims: (seen: Observation) => readonly Aim[];
  /** How many aims one run may have; 0: it is judged on runs in which nothing goes wrong. */
  readonly atOnce: number;
  readonly fault: (aims: readonly Aim[], again: number) => Fault;
  readonly judge: (recording: Recording, aim: Aim, seen: Observation) => Outcome;
  /** Chance may let a wrong client pass: it is played again, a little differently. */
  readonly twice?: true;
  /** What is played where a failure could have another reason; null: it stands. */
  readonly instead?: (outcome: Outcome, aims: readonly Aim[]) => Fault | null;
}

/** Each of these sites, one thing going wrong there. */
export function aimsAt(sites: readonly Site[]): Aim[] {
  return sites.map((site) => ({ id: site.id, site, variant: null, words: site.words }));
}

/** At most so many of them: the first and the last of each operation, and others at even steps. */
export function spread(aims: readonly Aim[], most: number): readonly Aim[] {
  if (aims.length <= most) return aims;
  const operationOf = ({ site }: Aim) => site?.operation;
  const last = new Map(aims.map((aim) => [operationOf(aim), aim]));
  const first = new Map(aims.toReversed().map((aim) => [operationOf(aim), aim]));
  const chosen = new Set([...first.values(), ...last.values()]);
  const more = Math.max(0, most - chosen.size);
  const step = aims.length / Math.max(1, more);
  for (let n = 0; n < more; n += 1) chosen.add(aims[Math.floor(n * step)]!);
  return aims.filter((aim) => chosen.has(aim));
}

export const everywhere: Aim = { id: 'all', site: null, variant: null, words: 'the whole run' };

export function siteIds(aims: readonly Aim[]): Set<string> {
  return new Set(aims.flatMap(({ site }) => site?.id ?? []));
}

export function pass(actual: string, calls: readonly ApiCall[] = []): Outcome {
  return { verdict: 'passed', kind: 'passed', actual, calls: numbers(calls) };
}

export function fail(kind: string, actual: string, calls: readonly ApiCall[] = []): Outcome {
  return { verdict: 'fails', kind, actual, calls: numbers(calls) };
}

export function advise(kind: string, actual: string, calls: readonly ApiCall[] = []): Outcome {
  return { verdict: 'advisory', kind, actual, calls: numbers(calls) };
}

export function unclear(kind: string, actual: string, calls: readonly ApiCall[] = []): Outcome {
  return { verdict: 'inconclusive', kind, actual, calls: numbers(calls) };
}

/** What was seen could come from the judge being late to look. */
export function tooBusy(actual: string, calls: readonly ApiCall[]): Outcome {
  const why = 'this machine was too busy to be sure that they came so fast';
  return unclear('too-busy', `${actual}; but ${why}`, calls);
}

export function notMet(actual: string): Outcome {
  return { verdict: 'not_met', kind: 'not-met', actual, calls: [] };
}

/** The command never came to where the fault was waiting for it. */
export function missed({ words }: Aim): Outcome {
  return unclear('fault-not-met', `the fault did not happen: the run did not reach ${words}`);
}

function numbers(calls: readonly ApiCall[]): number[] {
  return [...new Set(calls.map(({ n }) => n))].sort((a, b) => a - b);
}

/** `0.35 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9_950 ? 2 : 0)} s`;
}
