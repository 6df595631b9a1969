// Notes what a scenario does as an operator, so that a report tells the whole story and not the calls
// alone.
import type { Operator } from '../providers/target.ts';

export type Noting = (verb: string, given: readonly unknown[], result: unknown) => void;

/** The same powers; each use that succeeds is noted. Looking at the clock changes nothing. */
export function witnessed(operator: Operator, note: Noting): Operator {
  return new Proxy(operator, {
    get(powers, verb) {
      const power: unknown = Reflect.get(powers, verb);
      if (typeof power !== 'function' || verb === 'nowMs') return power;
      return async (...given: unknown[]) => {
        const result: unknown = await Reflect.apply(power, powers, given);
        note(String(verb), given, result);
        return result;
      };
    },
  });
}
