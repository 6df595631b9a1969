// The second mind: the whole platform written once more from its specification alone, plain and
// slow on purpose. Everything is an array, and everything is found by a loop.
import { randomUUID } from 'node:crypto';
import type { DefectId } from './defects.ts';
import { wakeDisabled } from './events.ts';
import { settleDue } from './operations/money-moves.ts';
import { handleCall, type Outcome } from './pipeline.ts';
import type { RequestContext } from './request-context.ts';
import type {
  Account,
  Bucket,
  Call,
  Credential,
  Delivery,
  EventRecord,
  Fault,
  Firm,
  KeyRecord,
  Position,
  Subscription,
  Token,
  TradingAccount,
  Transaction,
} from './values/records.ts';
import type { Order, Style } from './values/style.ts';
import { plain } from './values/style-plain.ts';

export interface MindOptions {
  readonly style?: Style;
  readonly defects?: readonly DefectId[];
  /** A time to stand still at; the wall's time goes on when left out. */
  readonly frozenAtMs?: number;
}

export class SecondMind {
  readonly style: Style;
  readonly defects: readonly DefectId[];
  readonly mark: string = randomUUID().slice(0, 8);
  readonly firms: Firm[] = [
    { id: '1', brands: ['10', '11'], plan: 'sandbox', ratePerSecond: null, permissions: {} },
    { id: '2', brands: ['20'], plan: 'sandbox', ratePerSecond: null, permissions: {} },
  ];
  readonly credentials: Credential[] = [];
  readonly tokens: Token[] = [];
  readonly accounts: Account[] = [];
  readonly tradingAccounts: TradingAccount[] = [];
  readonly transactions: Transaction[] = [];
  readonly positions: Position[] = [];
  readonly orders: Order[] = [];
  readonly subscriptions: Subscription[] = [];
  readonly events: EventRecord[] = [];
  readonly deliveries: Delivery[] = [];
  readonly keys: KeyRecord[] = [];
  readonly buckets: Bucket[] = [];
  readonly faults: Fault[] = [];
  readonly underway: RequestContext[] = [];
  readonly refusedEmails: string[] = [];
  readonly lastCalls: { clientId: string; atMs: number }[] = [];
  /** Kept for a defect alone. */
  readonly served: { clientId: string; atMs: number }[] = [];
  readonly tokenRequests: { clientId: string; atMs: number }[] = [];
  names: { host: string; addresses: readonly string[] }[] = [];
  /** What the host's resolver found, under what an operator has set. */
  resolved: { host: string; addresses: readonly string[] }[] = [];
  forwards: { from: string; to: string }[] = [];
  /** How many calls, and other things that defects count. */
  readonly counts: Record<string, number> = {};
  readonly listeners: ((event: EventRecord) => void)[] = [];
  #frozenAtMs: number | null;
  #aheadMs = 0;
  #lastId: number;
  #lastCall = 0;

  constructor({ style = plain, defects = [], frozenAtMs }: MindOptions = {}) {
    this.style = style;
    this.defects = defects;
    this.#frozenAtMs = frozenAtMs ?? null;
    this.#lastId = style.firstId - 1;
  }

  /** Whether it is broken in this way. */
  has(defect: DefectId): boolean {
    return this.defects.includes(defect);
  }

  now(): number {
    return this.#frozenAtMs ?? Date.now() + this.#aheadMs;
  }

  isFrozen(): boolean {
    return this.#frozenAtMs !== null;
  }

  /** Goes on to a time, never back. What falls due on the way is the caller's to do. */
  moveTo(atMs: number): void {
    const byMs = Math.max(0, atMs - this.now());
    if (this.#frozenAtMs === null) this.#aheadMs += byMs;
    else this.#frozenAtMs += byMs;
  }

  freeze(atMs: number | null): void {
    const nowMs = this.now();
    this.#frozenAtMs = atMs === null ? null : Math.max(atMs, nowMs);
    if (atMs === null) this.#aheadMs = nowMs - Date.now();
  }

  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  nextRequestId(): string {
    if (!(this.has('race-call-ids') && this.underway.length > 0)) this.#lastCall += 1;
    const n = this.has('size-call-ids-64') ? this.#lastCall % 64 : this.#lastCall;
    return this.style.requestId(n, this.mark);
  }

  count(name: string): number {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    return this.counts[name];
  }

  handle(call: Call): Outcome {
    settleDue(this);
    wakeDisabled(this);
    return handleCall(this, call);
  }
}
