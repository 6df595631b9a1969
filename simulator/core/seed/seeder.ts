// The events of a history that is played person by person, brought into the one order in which they
// happened.

import type { Behaviour, SerializePolicy } from '../behaviour.ts';
import { type Change, type EventDraft, putsInto } from '../change.ts';
import type { CommandContext } from '../commands/commands.ts';
import { evolve, keepPast } from '../evolve.ts';
import { serializePosition } from '../operations/positions.ts';
import type { Account, EventRecord, Order, Position, Transaction } from '../records.ts';
import type { TableName, World } from '../world.ts';

type EventSubject = Account | Order | Position | Transaction;

/** What a play of the past works with; what it changes goes through `apply`. */
export interface SeedContext extends CommandContext {
  readonly apply: (changes: readonly Change[]) => void;
}

export class Seeder implements SeedContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  /** When the play is that is being played. */
  atMs = 0;
  readonly #serialize: SerializePolicy;
  readonly #sinceMs: number;
  readonly #events: PastEvent[] = [];
  #forgotten = 0;

  /** Events before `sinceMs` are only counted: they are too old to be asked for. */
  constructor(world: World, behaviour: Behaviour, sinceMs: number) {
    this.world = world;
    this.#serialize = behaviour.serialize;
    this.#sinceMs = sinceMs;
    // An event of the past is printed when it is read: most events of a large world never are.
    const unread = () => '';
    const print = { ...behaviour.serialize, account: unread, order: unread, transaction: unread };
    this.behaviour = { ...behaviour, serialize: print };
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type !== 'event') evolve(this.world, [change]);
      else if (this.atMs < this.#sinceMs) this.#forgotten += 1;
      else {
        const record = recordOf(change.draft, changes);
        this.#events.push(new PastEvent(this.atMs, change.draft, record, this.#serialize));
      }
    }
  }

  /** Numbers the events and puts them into the world; those of one time stay as played. */
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

const tableOf: Readonly<Record<string, TableName>> = {
  account: 'accounts',
  order: 'orders',
  position: 'positions',
  transaction: 'transactions',
};

/** The record that an event is about is put beside it, as it became (EVT-2a). */
function recordOf({ category, kind }: EventDraft, changes: readonly Change[]): EventSubject {
  const [change] = putsInto(changes, tableOf[category] as TableName);
  if (change === undefined) throw new Error(`no record beside an event ${kind}`);
  return change.record as EventSubject;
}

/** An event that is printed when it is read. */
class PastEvent implements EventRecord {
  seq = 0;
  readonly category: EventRecord['category'];
  readonly kind: string;
  readonly occurred_at: number;
  readonly firm_id: string;
  readonly brand_id: string | null;
  readonly account_id: string | null;
  readonly #record: EventSubject;
  readonly #serialize: SerializePolicy;

  constructor(atMs: number, draft: EventDraft, record: EventSubject, serialize: SerializePolicy) {
    this.category = draft.category;
    this.kind = draft.kind;
    this.occurred_at = atMs;
    this.firm_id = draft.firm_id;
    this.brand_id = draft.brand_id;
    this.account_id = draft.account_id;
    this.#record = record;
    this.#serialize = serialize;
  }

  get body(): string {
    const record = this.#record;
    if (this.category === 'account') return this.#serialize.account(record as Account);
    if (this.category === 'order') return this.#serialize.order(record as Order);
    if (this.category === 'position') return serializePosition(record as Position);
    return this.#serialize.transaction(record as Transaction);
  }

  /** As any other event is kept. */
  toJSON(): EventRecord {
    const {
      seq,
      category,
      kind,
      occurred_at: atMs,
      firm_id: firmId,
      brand_id: brandId,
      account_id: accountId,
      body,
    } = this;
    return {
      seq,
      category,
      kind,
      occurred_at: atMs,
      firm_id: firmId,
      brand_id: brandId,
      account_id: accountId,
      body,
    };
  }
}
