// Lets a history happen person by person, and brings its events into the one order in which they
// happened.
import type { Behaviour } from '../behaviour.ts';
import { type Change, type EventDraft, putsInto } from '../change.ts';
import type { CommandContext } from '../commands/commands.ts';
import { evolve, keepPast } from '../evolve.ts';
import type { EventRecord } from '../records.ts';
import type { World } from '../world.ts';

export class Seeder implements CommandContext {
  readonly world: World;
  /** Prints no records: events are printed when they are read. */
  readonly behaviour: Behaviour;
  atMs = 0;
  readonly #print: Behaviour['serialize'];
  readonly #sinceMs: number;
  readonly #events: PastEvent[] = [];
  #forgotten = 0;

  /** Events before `sinceMs` are only counted: they are too old to be asked for. */
  constructor(world: World, behaviour: Behaviour, sinceMs: number) {
    this.world = world;
    this.#print = behaviour.serialize;
    this.#sinceMs = sinceMs;
    const account = () => '';
    const unread = { account, order: account, position: account, transaction: account };
    this.behaviour = { ...behaviour, serialize: { ...behaviour.serialize, ...unread } };
  }

  moveTo(atMs: number): void {
    this.atMs = atMs;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type !== 'event') evolve(this.world, [change]);
      else if (this.atMs < this.#sinceMs) this.#forgotten += 1;
      else {
        const { category } = change.draft;
        // The record that an event is about is put beside it, as it became (EVT-2a).
        const [about] = putsInto(changes, `${category}s`);
        const print = this.#print[category] as (record: unknown) => string;
        this.#events.push(new PastEvent(this.atMs, change.draft, about?.record, print));
      }
    }
  }

  /** Numbers the events and puts them into the world; those of one time stay in order. */
  writeEvents(): void {
    const ordered = inOrder(this.#events);
    let seq = this.#forgotten;
    for (const event of ordered) event.seq = ++seq;
    keepPast(this.world, ordered, this.#forgotten);
  }
}

/**
 * Oldest first. Time and place are sorted as one number: comparing the events themselves takes ten
 * times as long, and there may be millions. Spans are whole seconds, so a number holds both.
 */
function inOrder(events: readonly PastEvent[]): PastEvent[] {
  const firstMs = events.reduce(
    (first, { occurred_at: atMs }) => Math.min(first, atMs),
    Number.MAX_VALUE,
  );
  const keys = new Float64Array(events.length);
  for (const [index, { occurred_at: atMs }] of events.entries()) {
    keys[index] = ((atMs - firstMs) / 1000) * events.length + index;
  }
  return Array.from(keys.sort(), (key) => events[key % events.length] as PastEvent);
}

/** An event that is printed when it is read: most events of a large world never are. */
class PastEvent implements EventRecord {
  seq = 0;
  readonly category: EventRecord['category'];
  readonly kind: string;
  readonly occurred_at: number;
  readonly firm_id: string;
  readonly brand_id: string | null;
  readonly account_id: string | null;
  readonly #record: unknown;
  readonly #print: (record: unknown) => string;

  constructor(
    atMs: number,
    draft: EventDraft,
    record: unknown,
    print: (record: unknown) => string,
  ) {
    this.category = draft.category;
    this.kind = draft.kind;
    this.occurred_at = atMs;
    this.firm_id = draft.firm_id;
    this.brand_id = draft.brand_id;
    this.account_id = draft.account_id;
    this.#record = record;
    this.#print = print;
  }

  get body(): string {
    return this.#print(this.#record);
  }

  toJSON(): EventRecord {
    return { ...this, body: this.body };
  }
}
