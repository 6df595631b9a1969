// What an idea takes of the requests, known before its turn has come.
import { Random } from '../../../../fixtures/random.ts';
import type { Capability } from '../../../engine/capabilities.ts';
import { countCalls } from '../../sequence.ts';
import type { Drawing, Idea } from '../idea.ts';
import { Scene } from '../scene.ts';

/** What builds on records that are there needs a few calls that make them. */
const ON_WHAT_IS_THERE = 8;
/** Less than so many is filled up with what goes with it. */
const LEAST = 4;

/** Where an exploration draws. */
export interface Place {
  readonly main: string;
  readonly disposable: boolean;
  readonly offers: ReadonlySet<Capability>;
}

/** How many calls it comes to, drawn of nothing; where chance decides, as it is drawn once. */
export function costOf(idea: Idea, { main, disposable, offers }: Place): number {
  const scene = new Scene(main);
  if (idea.when?.(scene) === false) return ON_WHAT_IS_THERE;
  let stems = 0;
  const d: Drawing = {
    ...{ scene, main, disposable, offers },
    random: new Random(1),
    crowd: 8,
    most: Number.MAX_SAFE_INTEGER,
    stem: () => {
      stems += 1;
      return String(stems);
    },
  };
  return Math.max(LEAST, countCalls(idea.draw(d)));
}
