// The parts of a check of a client: its fault and where it occurs, what a correct client does, and how
// to fix one that does not.
import type { RuleId } from '../../../fixtures/rules.ts';
import type { Judged } from '../../engine/types.ts';
import type { Fault } from '../faults.ts';
import type { ApiCall, Observation, Recording, Site } from '../recording.ts';

/** The result of one run for one check; `not_tested` if the client never does this. */
export interface Outcome {
  readonly verdict: Judged;
  /** The kind of mistake in a word or two: the same mistake elsewhere has the same kind. */
  readonly kind: string;
  /** What the client did, in one sentence. */
  readonly actual: string;
  /** Numbers of the calls that show it. */
  readonly calls: readonly number[];
  /** Two records now exist although one was intended. */
  readonly doubled?: true;
}

/** Where a check injects its fault. */
export interface Aim {
  /** Distinguishes the aims of a check. */
  readonly id: string;
  readonly site: Site | null;
  /** Which of several faults is injected there. */
  readonly variant: string | null;
  readonly words: string;
}

export interface Check {
  readonly id: `CLT-${string}`;
  /** The fault, in a few words. */
  readonly title: string;
  /** What the fault does to the client, and where. */
  readonly orders: string;
  /** What a correct client does. */
  readonly expected: string;
  /** For readers who have never heard of idempotency. */
  readonly atStake: string;
  readonly mend: string;
  readonly rules: readonly RuleId[];
  /** Empty if the client never does this. */
  readonly aims: (seen: Observation) => readonly Aim[];
  /** How many aims one run may have; 0: the check is judged on runs without faults. */
  readonly aimsPerRun: number;
  /** Injected at the sites of the run's aims; `aim` is the first of them. */
  readonly fault: (aim: Aim, again: number) => Fault;
  readonly judge: (recording: Recording, aim: Aim, seen: Observation) => Outcome;
  /** How long a client waits because of the fault: long runs begin first. */
  readonly waitS?: number;
  /** A wrong client may pass by chance: it is played again, a little differently. */
  readonly twice?: true;
  /** The fault to play if a failure could have another reason; null: the failure counts. */
  readonly instead?: (outcome: Outcome) => Fault | null;
}

type HabitParts = 'id' | 'title' | 'expected' | 'atStake' | 'mend' | 'rules' | 'judge';

/** A check that is judged on runs without faults, if the first run shows the behaviour. */
export function habit({
  isMet,
  ...parts
}: Pick<Check, HabitParts> & { readonly isMet: (seen: Observation) => boolean }): Check {
  const aims = (seen: Observation) => (isMet(seen) ? [everywhere] : []);
  return { ...parts, orders: 'Nothing goes wrong.', aims, aimsPerRun: 0, fault: () => ({}) };
}

/** One aim at each of these sites. */
export function aimsAt(sites: readonly Site[]): Aim[] {
  return sites.map((site) => ({ id: site.id, site, variant: null, words: site.words }));
}

/** At most this many of them: the first and the last of each operation, and others at even intervals. */
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

const outcome =
  (verdict: Judged) =>
  (kind: string, actual: string, calls: readonly ApiCall[] = []): Outcome => {
    const numbers = [...new Set(calls.map(({ n }) => n))].sort((a, b) => a - b);
    return { verdict, kind, actual, calls: numbers };
  };

export const fail = outcome('deviates');
export const advise = outcome('advisory');
export const unclear = outcome('inconclusive');

export function pass(actual: string, calls: readonly ApiCall[] = []): Outcome {
  return outcome('passed')('passed', actual, calls);
}

export function notMet(actual: string): Outcome {
  return outcome('not_tested')('not-met', actual);
}

/** The command did not reach the site of the fault. */
export function missed({ words }: Aim): Outcome {
  return unclear('fault-not-met', `the fault did not happen: the run did not reach ${words}`);
}

/** A second, minus the usual delay between sending a call and noticing it. */
const secondMs = 950;

/**
 * The verdict on more than `most` calls within a second, or null. It is inconclusive if the judge
 * may have noticed the first of them late.
 */
export function judgeCrowd(
  calls: readonly ApiCall[],
  most: number,
  lagMs: number,
  wordsOf: (crowd: readonly ApiCall[], withinMs: number) => string,
): Outcome | null {
  const spans = calls.slice(most).map((last, at) => last.atMs - (calls[at]?.atMs ?? 0));
  const withinMs = Math.min(...spans);
  if (!(withinMs < secondMs)) return null;
  const at = spans.indexOf(withinMs);
  const crowd = calls.slice(at, at + most + 1);
  const words = wordsOf(crowd, withinMs);
  if (withinMs + lagMs <= secondMs + 50) return fail('hammers', words, crowd);
  const why = 'this machine was too busy to be sure that they came so fast';
  return unclear('too-busy', `${words}; but ${why}`, crowd);
}

/** `0.35 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9_950 ? 2 : 0)} s`;
}
