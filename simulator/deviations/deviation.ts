// A deviation: a named wrong behaviour, as a function that overrides parts of the conforming one.
import type { RuleId } from '../../fixtures/rules.ts';
import type { Behaviour } from '../core/behaviour.ts';

export interface Deviation {
  /** Hyphenated words that describe the error, such as `replay-answers-200`. */
  readonly id: string;
  /** The rules it breaks: their scenarios must report it, and no others may. */
  readonly breaks: readonly RuleId[];
  /** How a real implementation ends up like this. */
  readonly story: string;
  /** Further rules that cannot avoid reporting it, each with the reason. */
  readonly alsoSeenAs?: Readonly<Partial<Record<RuleId, string>>>;
  /** Which rules report it depends on chance, so in a single run some may not. */
  readonly byChance?: true;
  readonly override: (behaviour: Behaviour) => Behaviour;
}

/** The deviations of one family by id. */
export type DeviationFamily = Readonly<Record<string, Omit<Deviation, 'id'>>>;
