// Every way in which a world can change, as data. Decisions name changes; `evolve` applies them.
import type { JournalEntry } from './journal.ts';
import type { EventRecord } from './records.ts';
import type { TimerKind } from './timers.ts';
import { type Counters, type KeyOf, type RecordOf, type TableName, tables } from './world.ts';

/** How a person is looked up: the index (of a brand or a firm) and the keys in it. */
export interface PersonKeys {
  readonly index: string;
  readonly reference: string;
  /** The index in which email and phone are unique: always the brand's (ACC-10). */
  readonly people: string;
  readonly email: string;
  readonly phone: string | null;
}

/** The indexes of a new record, in addition to its id. */
interface IndexKeys {
  readonly accounts: PersonKeys;
  /** The key of the reference. */
  readonly transactions: string;
}

/** A record is stored in a table under its key. */
export interface PutOf<T extends TableName> {
  readonly type: 'put';
  readonly table: T;
  readonly key: KeyOf<T>;
  readonly record: RecordOf<T>;
  /** Only for a new record that has an index besides its id. */
  readonly found?: T extends keyof IndexKeys ? IndexKeys[T] : never;
}

/** The content of an event, before it has a sequence number and a time. */
export type EventDraft = Omit<EventRecord, 'seq' | 'occurred_at'>;

export type Change =
  | { readonly [T in TableName]: PutOf<T> }[TableName]
  | { readonly type: 'remove'; readonly table: TableName; readonly key: string }
  | { readonly type: 'event'; readonly draft: EventDraft }
  | {
      readonly type: 'timer';
      readonly dueAtMs: number;
      readonly kind: TimerKind;
      readonly ref: string;
    }
  | { readonly type: 'counter'; readonly counter: keyof Counters; readonly to: number }
  | { readonly type: 'journal'; readonly entry: JournalEntry };

/** The change that stores a record in its table, under the key in the record. */
export function put<T extends TableName>(
  table: T,
  record: RecordOf<T>,
  found?: PutOf<T>['found'],
): PutOf<T> & Change {
  const name = tables[table].key as keyof RecordOf<T>;
  return putAt(table, record[name] as KeyOf<T>, record, found);
}

/** The same for a table whose records do not carry their key. */
export function putAt<T extends TableName>(
  table: T,
  key: KeyOf<T>,
  record: RecordOf<T>,
  found?: PutOf<T>['found'],
): PutOf<T> & Change {
  return { type: 'put', table, key, record, found } as unknown as PutOf<T> & Change;
}

export const remove = (table: TableName, key: string): Change => ({ type: 'remove', table, key });

/** The changes that store a record in this table. */
export function putsInto<T extends TableName>(
  changes: readonly Change[],
  table: T,
): readonly (PutOf<T> & Change)[] {
  return changes.filter(
    (change): change is PutOf<T> & Change => change.type === 'put' && change.table === table,
  );
}
