// What becomes of a difference: shown again from fresh, and shrunk to the shortest sequence that
// still shows it.
import { type Difference, signatureOf } from '../compare/difference.ts';
import type { Duel } from '../play/duel.ts';
import { callsOf, type Sequence } from '../sequence.ts';
import { shrink } from './shrink.ts';

export interface Found {
  readonly sequence: Sequence;
  readonly difference: Difference;
  /** The last play of the shrunk sequence. */
  readonly duel: Duel;
  readonly reproduced: string;
  readonly calls: number;
  readonly shrunkFrom: number;
  /** How often it was met, and as what. */
  times: number;
  readonly metAs: Set<string>;
}

const AGAIN = 2;

export type Play = (sequence: Sequence) => Promise<Duel>;

/** Null when it does not show again. */
export async function investigate(
  sequence: Sequence,
  first: Difference,
  play: Play,
): Promise<Found | null> {
  const wanted = signatureOf(first);
  const shows = async (each: Sequence): Promise<Duel | null> => {
    const played = await play(each);
    const { difference } = played;
    return difference !== undefined && signatureOf(difference) === wanted ? played : null;
  };
  const cut = upTo(sequence, first.n);
  const shrunk = await shrink(cut, first.n, shows);
  let reproduced = 0;
  let last: Duel | null = null;
  for (let time = 0; time < AGAIN; time += 1) {
    const shown = await shows(shrunk);
    if (shown === null) continue;
    reproduced += 1;
    last = shown;
  }
  if (last?.difference === undefined) return null;
  return {
    sequence: shrunk,
    difference: last.difference,
    duel: last,
    reproduced: `${reproduced} of ${AGAIN}`,
    calls: callsOf(shrunk.steps).length,
    shrunkFrom: callsOf(sequence.steps).length,
    times: 1,
    metAs: new Set([wanted]),
  };
}

/** Nothing after the step that shows it is needed. */
export function upTo({ steps }: Sequence, n: number): Sequence {
  const at = steps.findIndex(
    (step) => step.n === n || callsOf([step]).some((each) => each.n === n),
  );
  return { steps: steps.slice(0, at + 1) };
}
