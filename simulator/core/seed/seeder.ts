// Lets a history happen person by person, and brings its events into the one order in which they
// happened.
import type { Behaviour } from '../behaviour.ts';
import type { Change } from '../change.ts';
import type { CommandContext } from '../commands/commands.ts';
import { evolve, keepPast } from '../evolve.ts';
import type { EventRecord } from '../records.ts';
import type { World } from '../world.ts';

/** Something about a starting world that cannot be: the field and what to do. */
export class StartingWorldError extends TypeError {
  override readonly name = 'StartingWorldError';
  readonly field: string;
  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

export class Seeder implements CommandContext {
  readonly world: World;
  atMs = 0;
  readonly #printing: Behaviour;
  readonly #silent: Behaviour;
  readonly #sinceMs: number;
  readonly #events: EventRecord[] = [];
  #forgotten = 0;

  /** Events before `sinceMs` are only counted: they are too old to be asked for. */
  constructor(world: World, behaviour: Behaviour, sinceMs: number) {
    this.world = world;
    this.#sinceMs = sinceMs;
    this.#printing = behaviour;
    const nothing = () => '';
    const silent = { account: nothing, order: nothing, position: nothing, transaction: nothing };
    this.#silent = { ...behaviour, serialize: { ...behaviour.serialize, ...silent } };
  }

  /** Prints records only for events that are kept: of a large world most are not. */
  get behaviour(): Behaviour {
    return this.atMs < this.#sinceMs ? this.#silent : this.#printing;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type !== 'event') evolve(this.world, [change]);
      else if (this.atMs < this.#sinceMs) this.#forgotten += 1;
      else this.#events.push({ seq: 0, ...change.draft, occurred_at: this.atMs });
    }
  }

  /** Numbers the events and puts them into the world; those of one time stay in order. */
  writeEvents(): void {
    const forgotten = this.#forgotten;
    const ordered = this.#events.sort((one, other) => one.occurred_at - other.occurred_at);
    const numbered = ordered.map((event, index) => ({ ...event, seq: forgotten + index + 1 }));
    keepPast(this.world, numbered, forgotten);
  }
}
