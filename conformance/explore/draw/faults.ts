// Ideas about calls that something happens to: refused for the moment, lost on the way, kept
// waiting.
import { OPERATIONS } from '../../engine/operations.ts';
import type { CallStep, Step } from '../sequence.ts';
import { type Drawing, type Idea, newKey } from './idea.ts';
import type { Scene } from './scene.ts';
import { advance } from './time.ts';

const writes = ({ calls }: Scene) =>
  calls.filter(({ step, status }) => OPERATIONS[step.operation].keyed && status < 300);

type Fault = Extract<Step, { do: 'fault' }>;

/** A call like one that has succeeded, for a record of its own where that can be. */
function another(d: Drawing, step: CallStep): CallStep {
  const body = step.body as { readonly client_reference_id?: unknown } | undefined;
  const renewed =
    body?.client_reference_id === undefined
      ? {}
      : { body: { ...body, ...freshNames(d, step) } as CallStep['body'] & object };
  return { ...step, ...renewed, n: d.scene.label(), key: newKey(d) };
}

function freshNames(d: Drawing, step: CallStep) {
  const stem = `z${d.stem()}`;
  const named = { client_reference_id: { $fresh: stem } };
  if (step.operation !== 'createAccount') return named;
  return { ...named, email: { $join: [{ $fresh: stem }, '@explore.example.com'] } };
}

function struck(
  id: string,
  fault: Pick<Fault, 'phase' | 'effect'>,
  then: (d: Drawing, step: CallStep) => readonly Step[],
  weight = 1,
): Idea {
  return {
    id: `fault/${id}`,
    needs: ['fault'],
    weight,
    when: (scene) => writes(scene).length > 0,
    draw: (d) => {
      const step = another(d, d.random.pick(writes(d.scene)).step);
      const match = { operation: step.operation };
      return [{ do: 'fault', n: d.scene.label(), match, times: 1, ...fault }, ...then(d, step)];
    },
  };
}

const again = (d: Drawing, step: CallStep): CallStep => ({ ...step, n: d.scene.label() });
const twice = (d: Drawing, step: CallStep): readonly Step[] => [
  step,
  again(d, step),
  again(d, step),
];

/** Kept waiting, asked for again on the way, and let go on. */
function held(id: string, delayMs: number, waits: readonly number[], weight = 1): Idea {
  return {
    ...struck(
      id,
      { effect: { kind: 'delay', ms: delayMs } },
      (d, step) => [
        { ...step, pending: true },
        ...waits.flatMap((byMs) => [again(d, step), advance(d, byMs)]),
        { do: 'await', n: d.scene.label(), call: step.n },
        again(d, step),
      ],
      weight,
    ),
    needs: ['fault', 'clock'],
  };
}

export const faultIdeas: readonly Idea[] = [
  struck('503-before', { effect: { kind: 'status', status: 503 } }, twice),
  struck('500-before', { effect: { kind: 'status', status: 500 } }, twice),
  struck('500-after', { phase: 'after', effect: { kind: 'status', status: 500 } }, twice),
  struck('503-after', { phase: 'after', effect: { kind: 'status', status: 503 } }, twice),
  struck('lost-after', { phase: 'after', effect: { kind: 'reset' } }, twice, 1.5),
  held('in-flight', 3_000, [3_000], 1.5),
  held('in-flight-for-long', 29_000, [7_000, 15_000, 7_000]),
];
