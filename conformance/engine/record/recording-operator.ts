// Notes what a scenario does as an operator, so that a report tells the whole story and not the
// calls alone.
import type { Operator } from '../../providers/target.ts';

/** `startedAt` is when the power was used, by `performance.now()`. */
export type OperatorCallListener = (call: {
  readonly verb: string;
  readonly given: readonly unknown[];
  readonly result: unknown;
  readonly startedAt: number;
}) => void;

type Fault = Awaited<ReturnType<Operator['fault']>>;

/** Taking a fault away changes as much as setting it. */
function recordingFault(fault: Fault, note: OperatorCallListener): Fault {
  return {
    hits: () => fault.hits(),
    async remove() {
      const startedAt = performance.now();
      await fault.remove();
      note({ verb: 'removeFault', given: [], result: null, startedAt });
    },
  };
}

/** The same powers; each use that succeeds is noted. Looking at the clock changes nothing. */
export function recordingOperator(operator: Operator, note: OperatorCallListener): Operator {
  return new Proxy(operator, {
    get(powers, verb) {
      const power: unknown = Reflect.get(powers, verb);
      if (typeof power !== 'function' || verb === 'nowMs') return power;
      return async (...given: unknown[]) => {
        const startedAt = performance.now();
        const result: unknown = await Reflect.apply(power, powers, given);
        note({ verb: String(verb), given, result, startedAt });
        return verb === 'fault' ? recordingFault(result as Fault, note) : result;
      };
    },
  });
}
