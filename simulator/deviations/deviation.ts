// What a deliberate deviation is: a named wrong behaviour, as a function that bends the conforming
// one.
import type { RuleId } from '../../fixtures/rules.ts';
import type { Behaviour } from '../core/behaviour.ts';

export interface Deviation {
  /** Words joined by hyphens that say what is wrong, such as `replay-reprints-body`. */
  readonly id: string;
  /** The rules it breaks: exactly their scenarios must notice. */
  readonly breaks: readonly RuleId[];
  /** How a real team comes to do this. */
  readonly story: string;
  /** Further rules that cannot help noticing, each with the reason. */
  readonly alsoSeenAs?: Readonly<Partial<Record<RuleId, string>>>;
  /** Which of them notice is a matter of chance, so that in one run some may not. */
  readonly byChance?: true;
  readonly bend: (behaviour: Behaviour) => Behaviour;
}
