// What every command of an operator answers: a value, or why it cannot be done.
import type { Behaviour } from '../behaviour.ts';
import type { Effect } from '../step.ts';
import type { World } from '../world.ts';

export interface CommandContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly atMs: number;
}

export type CommandOutcome =
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

// Each command has arguments of its own; the table only holds them.
// biome-ignore lint/suspicious/noExplicitAny: see above.
type AnyCommand = (context: CommandContext, args: any) => CommandOutcome;

export type CommandTable = Readonly<Record<string, AnyCommand>>;

export function done(value: unknown, effects?: readonly Effect[]): CommandOutcome {
  return effects === undefined ? { value } : { value, effects };
}

export function refused(
  field: string,
  message: string,
  status: 404 | 409 | 422 = 422,
): CommandOutcome {
  return { refused: { status, field, message } };
}
