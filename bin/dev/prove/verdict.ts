// What the judge's verdicts on a deviation prove: caught by its rules, survived,
// blamed on others, or too much for the judge.
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import type { JudgedDeviation } from './judge-deviation.ts';

export interface Proof {
  readonly id: string;
  readonly outcome: 'caught' | 'survived' | 'partly' | 'blames others' | 'fails the judge';
  /** Rules that it breaks and that no one noticed. */
  readonly unnoticed: readonly string[];
  /** Rules that deviate although the deviation neither breaks nor explains them. */
  readonly blamed: readonly string[];
  /** Scenarios in which it made the judge itself fail, with the reason. */
  readonly failed: readonly string[];
  /** Explanations that nothing needed. */
  readonly idle: readonly string[];
}

/** `whole`: every scenario was played, so an explanation that nothing needed can be seen. */
export function prove(
  deviation: Deviation,
  tried: Pick<JudgedDeviation, 'deviates'> & Partial<Pick<JudgedDeviation, 'failed'>>,
  whole: boolean,
): Proof {
  const seen = Object.keys(tried.deviates);
  const explained = Object.keys(deviation.alsoSeenAs ?? {});
  const breaks: readonly string[] = deviation.breaks;
  const unnoticed = breaks.filter((rule) => !seen.includes(rule));
  const blamed = seen.filter((rule) => !breaks.includes(rule) && !explained.includes(rule));
  const idle =
    whole && deviation.byChance !== true ? explained.filter((rule) => !seen.includes(rule)) : [];
  const failed = Object.entries(tried.failed ?? {}).map(([id, why]) => `${id} (${why})`);
  const outcome =
    unnoticed.length === deviation.breaks.length
      ? 'survived'
      : unnoticed.length > 0
        ? 'partly'
        : blamed.length > 0
          ? 'blames others'
          : failed.length > 0
            ? 'fails the judge'
            : 'caught';
  return { id: deviation.id, outcome, unnoticed, blamed, failed, idle };
}

/** The conforming service must pass everything that is played. */
export function proveConforming({
  deviates,
  ungraded,
  failed,
}: JudgedDeviation): readonly string[] {
  return [
    ...Object.entries(deviates).map(([rule, by]) => `${rule} deviates (${by.join(', ')})`),
    ...Object.entries(ungraded).map(([rule, verdict]) => `${rule} is ${verdict}`),
    ...Object.entries(failed).map(([scenario, why]) => `the judge failed in ${scenario} (${why})`),
  ];
}
