// Makes the envelope of an event that never happened, to try a receiver with.
import { categoryOf, type EventCategory, eventKinds } from '../../../fixtures/event-kinds.ts';

/** NS-9, under its default names. */
export interface SampleEnvelope {
  readonly id: string;
  readonly seq: number;
  readonly category: EventCategory;
  readonly kind: string;
  /** Unix epoch milliseconds. */
  readonly occurred_at: number;
  readonly firm_id: string;
  readonly brand_id: string | null;
  readonly account_id: string | null;
  readonly data: unknown;
}

export interface SampleEventOptions {
  readonly category?: EventCategory | undefined;
  readonly kind?: string | undefined;
  /** Instead of a sample record of the category. */
  readonly data?: unknown;
  /** A new one each time if left out, so that the receiver does not take it for a repeat. */
  readonly id?: string | undefined;
  readonly seq?: number | undefined;
}

/** An event as wished, and else as ordinary as can be: `transaction.created` of account 1001. */
export function sampleEvent(options: SampleEventOptions, nowMs: number): SampleEnvelope {
  const named = options.kind === undefined ? null : categoryOf(options.kind);
  const category = options.category ?? named ?? 'transaction';
  const kind = options.kind ?? eventKinds.find((each) => categoryOf(each) === category) ?? category;
  return {
    id: options.id ?? `evt_${crypto.randomUUID().replaceAll('-', '')}`,
    seq: options.seq ?? 1,
    category,
    kind,
    occurred_at: nowMs,
    firm_id: '1',
    brand_id: '10',
    account_id: '1001',
    data: options.data === undefined ? sampleRecords[category](kind, nowMs) : options.data,
  };
}

const deal = { trading_account_id: '5001', instrument: 'EURUSD', side: 'buy', volume: '0.10' };

const sampleRecords: Record<EventCategory, (kind: string, nowMs: number) => unknown> = {
  account: () => ({
    id: '1001',
    revision: 1,
    client_reference_id: 'crm-1001',
    first_name: 'Zoë',
    last_name: 'Sample',
    phone: '+442079460958',
    country: 'GB',
    language: 'en',
    status: 'New',
    brand_id: '10',
    firm_id: '1',
  }),
  order: (_, nowMs) => ({
    id: '7001',
    position_id: '6001',
    ...deal,
    price: '1.08450',
    status: 'filled',
    created_at: nowMs,
  }),
  position: (kind, nowMs) => ({
    id: '6001',
    ...deal,
    volume: kind === 'position.closed' ? '0' : deal.volume,
    open_price: '1.08450',
    status: kind === 'position.closed' ? 'closed' : 'open',
    opened_at: nowMs,
    closed_at: kind === 'position.closed' ? nowMs : null,
  }),
  transaction: (kind, nowMs) => ({
    id: '9001',
    account_id: '1001',
    trading_account_id: '5001',
    currency: 'EUR',
    amount: '250.00',
    method: 'Deposit',
    transaction_type: 'Deposit',
    status: kind === 'transaction.created' ? 'pending' : kind.replace('transaction.', ''),
    is_ftd: kind === 'transaction.approved',
    created_at: nowMs,
  }),
};
