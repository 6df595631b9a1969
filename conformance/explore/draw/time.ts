// Ideas about time: how long keys, tokens, rates and rotations last.
import { OPERATIONS } from '../play/operations.ts';
import type { Step } from '../sequence.ts';
import type { Drawing, Idea } from './idea.ts';
import type { Scene } from './scene.ts';

const SECOND = 1000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const PAUSES = [
  1,
  200,
  SECOND,
  1_999,
  2_000,
  29_999,
  30_000,
  60_000,
  HOUR,
  12 * HOUR,
  DAY,
  8 * DAY,
];

export function advance(d: Drawing, byMs: number): Step {
  return { do: 'advance', n: d.scene.label(), byMs };
}

const keyed = ({ calls }: Scene) => calls.filter(({ step }) => isKeyed(step));
const isKeyed = ({ operation, key }: Scene['calls'][number]['step']) =>
  OPERATIONS[operation].keyed && key !== undefined;

/** A call again when time has passed, once or with a repeat on the way. */
function later(id: string, pauses: readonly number[], weight = 1): Idea {
  return {
    id: `time/${id}`,
    needs: ['clock'],
    weight,
    when: (scene) => keyed(scene).length > 0,
    draw: (d) => {
      const { step } = d.random.pick(keyed(d.scene));
      return pauses.flatMap((byMs) => [advance(d, byMs), { ...step, n: d.scene.label() }]);
    },
  };
}

export const timeIdeas: readonly Idea[] = [
  {
    id: 'time/pause',
    needs: ['clock'],
    weight: 3,
    draw: (d) => [advance(d, d.random.pick(PAUSES))],
  },
  later('repeat-after-a-minute', [60_000]),
  later('repeat-after-11-hours', [11 * HOUR]),
  later('repeat-after-13-hours', [13 * HOUR], 1.5),
  later('repeat-before-a-day', [DAY - 1], 1.5),
  later('repeat-after-a-day', [DAY], 2),
  later('repeat-after-a-day-and-an-hour', [DAY + HOUR]),
  later('repeat-after-a-week', [7 * DAY]),
  later('repeat-on-the-way', [13 * HOUR, 13 * HOUR], 2),
];
