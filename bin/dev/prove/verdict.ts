// What the judge's verdicts on a deviation prove: caught by its rules, survived, or blamed on
// others.
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import type { JudgedDeviation } from './judge-deviation.ts';

export interface Proof {
  readonly id: string;
  readonly outcome: 'caught' | 'survived' | 'partly' | 'blames others';
  /** Rules that it breaks and that nobody noticed. */
  readonly unnoticed: readonly string[];
  /** Rules that deviate although the deviation neither breaks nor explains them. */
  readonly blamed: readonly string[];
  /** Explanations that nothing needed. */
  readonly idle: readonly string[];
}

/** `whole`: every scenario was played, so an explanation that nothing needed can be seen. */
export function prove(
  deviation: Deviation,
  tried: Pick<JudgedDeviation, 'deviates'>,
  whole: boolean,
): Proof {
  const seen = Object.keys(tried.deviates);
  const explained = Object.keys(deviation.alsoSeenAs ?? {});
  const breaks: readonly string[] = deviation.breaks;
  const unnoticed = breaks.filter((rule) => !seen.includes(rule));
  const blamed = seen.filter((rule) => !breaks.includes(rule) && !explained.includes(rule));
  const idle =
    whole && deviation.byChance !== true ? explained.filter((rule) => !seen.includes(rule)) : [];
  const outcome =
    unnoticed.length === deviation.breaks.length
      ? 'survived'
      : unnoticed.length > 0
        ? 'partly'
        : blamed.length > 0
          ? 'blames others'
          : 'caught';
  return { id: deviation.id, outcome, unnoticed, blamed, idle };
}

/** The conforming service must pass everything that is played. */
export function proveConforming({ deviates, ungraded }: JudgedDeviation): readonly string[] {
  return [
    ...Object.entries(deviates).map(([rule, by]) => `${rule} deviates (${by.join(', ')})`),
    ...Object.entries(ungraded).map(([rule, verdict]) => `${rule} is ${verdict}`),
  ];
}
