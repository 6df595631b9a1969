// What every act of an operator answers: a value, or why it cannot be done.
import type { Behaviour } from '../behaviour.ts';
import type { Effect } from '../step.ts';
import type { World } from '../world.ts';

export interface ActContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly atMs: number;
}

export type ActOutcome =
  | {
      readonly value: unknown;
      readonly effects?: readonly Effect[];
    }
  | {
      readonly refused: {
        readonly status: 404 | 409 | 422;
        readonly field: string;
        readonly message: string;
      };
    };

// Each act has arguments of its own; the table only holds them.
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type ActTable = Readonly<Record<string, (context: ActContext, args: any) => ActOutcome>>;

export function done(value: unknown, effects?: readonly Effect[]): ActOutcome {
  return effects === undefined ? { value } : { value, effects };
}

export function refused(field: string, message: string, status: 404 | 409 | 422 = 422): ActOutcome {
  return { refused: { status, field, message } };
}
