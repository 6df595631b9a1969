// Every way in which a world can change, as data. Decisions name changes; `evolve` applies them.

import type { EventCategory } from '../../fixtures/event-kinds.ts';
import type { JournalEntry } from './journal.ts';
import type { Fault } from './pipeline/find-fault.ts';
import type {
  Account,
  Brand,
  Credential,
  Delivery,
  Entry,
  Firm,
  KeyRecord,
  Order,
  Position,
  Subscription,
  Token,
  TradingAccount,
  Transaction,
} from './records.ts';
import type { TimerKind } from './timers.ts';
import type { Counters, SuspendedCall } from './world.ts';

/** Where a person is found again: the index (a brand or a firm) and the keys in it. */
export interface PersonKeys {
  readonly index: string;
  readonly reference: string;
  /** The index in which email and phone are unique: always the brand's (ACC-10). */
  readonly people: string;
  readonly email: string;
  readonly phone: string | null;
}

/** What an event says, before it has a sequence number. */
export interface EventDraft {
  readonly category: EventCategory;
  readonly kind: string;
  readonly firm_id: string;
  readonly brand_id: string | null;
  readonly account_id: string | null;
  readonly body: string;
}

export type Change =
  | { readonly type: 'firm-set'; readonly firm: Firm }
  | { readonly type: 'brand-set'; readonly brand: Brand }
  | { readonly type: 'credential-set'; readonly credential: Credential }
  | { readonly type: 'token-issued'; readonly token: Token }
  | { readonly type: 'token-request'; readonly clientId: string; readonly times: readonly number[] }
  | { readonly type: 'account-created'; readonly account: Account; readonly keys: PersonKeys }
  | { readonly type: 'account-changed'; readonly account: Account }
  | { readonly type: 'trading-account-set'; readonly tradingAccount: TradingAccount }
  | {
      readonly type: 'entry-booked';
      readonly tradingAccountId: string;
      readonly entry: Entry;
      readonly balance: string;
    }
  | {
      readonly type: 'transaction-created';
      readonly transaction: Transaction;
      readonly referenceKey: string;
    }
  | { readonly type: 'transaction-changed'; readonly transaction: Transaction }
  | { readonly type: 'position-set'; readonly position: Position }
  | { readonly type: 'order-set'; readonly order: Order }
  | { readonly type: 'subscription-set'; readonly subscription: Subscription }
  | { readonly type: 'delivery-set'; readonly delivery: Delivery }
  | { readonly type: 'event-recorded'; readonly draft: EventDraft }
  | {
      readonly type: 'bucket-drawn';
      readonly name: string;
      readonly units: number;
      readonly atMs: number;
    }
  | { readonly type: 'key-recorded'; readonly keyId: string; readonly record: KeyRecord }
  | { readonly type: 'key-forgotten'; readonly keyId: string }
  | {
      readonly type: 'timer-set';
      readonly dueAtMs: number;
      readonly kind: TimerKind;
      readonly ref: string;
    }
  | { readonly type: 'suspended-set'; readonly suspended: SuspendedCall }
  | { readonly type: 'suspended-removed'; readonly id: string }
  | { readonly type: 'fault-set'; readonly fault: Fault }
  | { readonly type: 'fault-removed'; readonly id: string }
  | {
      readonly type: 'name-set';
      readonly hostname: string;
      readonly addresses: readonly string[] | null;
    }
  | { readonly type: 'forward-set'; readonly from: string; readonly to: string | null }
  | { readonly type: 'counted'; readonly counter: keyof Counters; readonly to: number }
  | { readonly type: 'journalled'; readonly entry: JournalEntry };

export type ChangeOf<T extends Change['type']> = Extract<Change, { readonly type: T }>;
