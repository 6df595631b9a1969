// What the control plane answers, where its types leave the shape of a list or an envelope open.

import type { FaultShown } from '../../simulator/control/rows/sandbox/faults.ts';
import type { RequestShown } from '../../simulator/control/schemas/journal.ts';
import type { DeliveryShown } from '../../simulator/control/schemas/records.ts';

export type { InfoShown } from '../../simulator/control/rows/sandbox/about.ts';
export type { FaultShown } from '../../simulator/control/rows/sandbox/faults.ts';
export type { RequestShown, RequestStory } from '../../simulator/control/schemas/journal.ts';
export type {
  AccountShown,
  BucketShown,
  ClockShown,
  CredentialShown,
  DeliveryShown,
  FirmShown,
  KeyShown,
  LedgerShown,
  SubscriptionShown,
  TradingAccountShown,
  TransactionShown,
  WorldShown,
} from '../../simulator/control/schemas/records.ts';

/** An event as it is delivered. */
export interface EnvelopeShown {
  readonly id: string;
  readonly category: string;
  readonly kind: string;
  readonly occurred_at: number;
  readonly firm_id: string;
  readonly brand_id: string | null;
  readonly account_id: string | null;
  readonly data: unknown;
  /** The sequence number, under whatever name the settings give it (NS-9). */
  readonly [name: string]: unknown;
}

export interface EventsPage {
  readonly events: readonly EnvelopeShown[];
  readonly next_after_seq: number | null;
  readonly last_seq: number;
}

export interface RequestsPage {
  readonly requests: readonly RequestShown[];
  readonly next_after: number | null;
}

export interface DeliveriesPage {
  readonly deliveries: readonly DeliveryShown[];
  readonly next_after: number | null;
}

export type FaultNotice = FaultShown | { readonly id: string; readonly removed: true };

/** What an advance of the clock let happen. */
export interface Advanced {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly fired: readonly {
    readonly at_ms: number;
    readonly kind: string;
    readonly ref: string;
    readonly outcome: string;
  }[];
}

/** A check of a receiver, and what was found. */
export interface JudgedCheck {
  readonly id: string;
  /** Its group and what is sent. */
  readonly words: string;
  readonly verdict: string;
  readonly findings: readonly {
    readonly expected: string;
    readonly actual: string;
    readonly exchanges: readonly number[];
    readonly advice?: { readonly why: string; readonly at_stake: string; readonly mend: string };
    readonly replay: string;
  }[];
}

/** What the judge of receivers reports. */
export interface ReceiverReport {
  readonly verdict: 'conformant' | 'deviates' | 'incomplete' | 'invalid';
  readonly requests: number;
  readonly duration_ms: number;
  readonly notes: readonly string[];
  readonly rules: readonly JudgedCheck[];
  readonly scenarios: readonly {
    readonly id: string;
    readonly exchanges: readonly {
      readonly n: number;
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly headers: readonly (readonly [string, string])[];
        readonly body: string | null;
      };
      readonly response: { readonly status: number } | null;
      readonly failure: string | null;
    }[];
  }[];
}
