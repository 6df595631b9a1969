// Whose turn it is to begin a sequence.

import type { Random } from '../../../../fixtures/random.ts';
import type { Idea } from '../idea.ts';
import { costOf, type Place } from './costs.ts';
import type { Coverage } from './coverage.ts';
import { hasTheme } from './themes.ts';

/** One call by itself comes in the sequences of others anyway. */
const ALONE = 0.001;
/** A grid holds most, and what comes with no theme would hardly be drawn otherwise. */
const favourOf = (idea: Idea): number => {
  if (idea.isGrid === true) return 10;
  if (idea.isMixture !== true) return ALONE;
  return hasTheme(idea) ? 1 : 8;
};

/** A dear one comes later, but not last: what several cheap ones show it does not show. */
const dearnessOf = (cost: number): number => cost ** DEARNESS;
const DEARNESS = 0.7;

interface TurnParts extends Place {
  readonly ideas: readonly Idea[];
  readonly random: Random;
  readonly coverage: Coverage;
}

/**
 * Every idea leads once before any leads again: what makes several calls first, and of it sooner
 * what takes few requests, in an order of the seed's, so that other seeds lead with what this one
 * has no requests for.
 */
export class Turns {
  readonly #coverage: Coverage;
  readonly #place: ReadonlyMap<Idea, number>;

  constructor({ ideas, random, coverage, ...place }: TurnParts) {
    this.#coverage = coverage;
    this.#place = new Map(
      ideas.map((idea) => {
        const worth = Math.sqrt(idea.weight ?? 1) * favourOf(idea);
        const weight = worth / dearnessOf(costOf(idea, place));
        return [idea, -Math.log(1 - random.next()) / weight];
      }),
    );
  }

  /** Of these the one that was drawn least, and of such the first in order. */
  next(among: readonly Idea[]): Idea | undefined {
    const times = ({ id }: Idea) => this.#coverage.ideas.get(id) ?? 0;
    const place = (idea: Idea) => this.#place.get(idea) ?? 0;
    const [first] = [...among].sort((one, other) => {
      return times(one) - times(other) || place(one) - place(other);
    });
    return first;
  }
}
