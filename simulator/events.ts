// The events as types: an envelope for each kind, so that a program narrows `data` by `kind`.
import type { EventCategory, EventKind } from '../fixtures/event-kinds.ts';
import type { ValueOf } from '../fixtures/schemas/kit.ts';
import type {
  accountSchema,
  orderSchema,
  positionSchema,
  transactionSchema,
} from '../fixtures/schemas/responses.ts';

export type { EventCategory, EventKind };

type Flat<T> = { readonly [K in keyof T]: T[K] };

/** An account as responses and events show it. */
export type EventAccount = Flat<ValueOf<typeof accountSchema>>;
/** An order as responses and events show it. */
export type EventOrder = Flat<ValueOf<typeof orderSchema>>;
/** A position as events show it. */
export type EventPosition = Flat<ValueOf<typeof positionSchema>>;
/** A transaction as responses and events show it. */
export type EventTransaction = Flat<ValueOf<typeof transactionSchema>>;

interface DataByCategory {
  readonly account: EventAccount;
  readonly order: EventOrder;
  readonly position: EventPosition;
  readonly transaction: EventTransaction;
}

type CategoryOf<K extends EventKind> = K extends `${infer C extends EventCategory}.${string}`
  ? C
  : never;

/** The envelope of one kind of event (EVT-2a, NS-9). */
export interface EnvelopeOf<K extends EventKind> {
  /** Key side effects on it: an event may arrive twice. */
  readonly id: string;
  /** Sequence number; the setting `envelope_seq_name` can give it another name. */
  readonly seq: number;
  readonly category: CategoryOf<K>;
  readonly kind: K;
  /** Milliseconds since 1970. */
  readonly occurred_at: number;
  readonly firm_id: string;
  readonly brand_id: string | null;
  readonly account_id: string | null;
  /** The record after the change. */
  readonly data: DataByCategory[CategoryOf<K>];
}

/** Any event as it is delivered and sent on the events channel; `kind` decides what `data` is. */
export type Envelope = { readonly [K in EventKind]: EnvelopeOf<K> }[EventKind];
