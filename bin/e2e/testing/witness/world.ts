// One world of the witness: its clock, store and timers, and the overrides of traits and defects.
import { randomUUID } from 'node:crypto';
import type { Context, Operation } from './context.ts';
import { type Delivering, enqueue, honestDelivering, type Sending, send } from './delivery.ts';
import { operationsOf } from './operations.ts';
import type { About, EventRecord, Fault, Firm, Reply } from './records.ts';
import { honestStore, type Store } from './store.ts';
import type { Style } from './styles.ts';
import { settle } from './transactions.ts';
import { DAY_MS, HOUR_MS, type Json, MINUTE_MS } from './values.ts';

/** The functions that a trait or a defect overrides. */
export interface Seams {
  /** Called for each request; a result replaces the reply. */
  readonly before?: (context: Context) => Reply | undefined | Promise<Reply | undefined>;
  /** Called before the operation runs; it may refuse the request. */
  readonly check?: (context: Context) => void;
  /** Called after the operation is decided and before the reply is stored under its key. */
  readonly after?: (context: Context, reply: Reply) => Reply;
  /** Called when the reply is sent; null closes the connection. */
  readonly reply?: (context: Context, reply: Reply) => Reply | null;
  readonly store?: (store: Store, world: World) => Partial<Store>;
  readonly clock?: (clock: Clock, world: World) => Partial<Clock>;
  readonly delivery?: (delivering: Delivering, world: World) => Partial<Delivering>;
}

const SECOND_MS = 1000;
const TICK_MS = 40;

/** EVT-8a */
const RETRY_WAITS_MS = [
  ...[30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS],
];

export type Timer = keyof ReturnType<typeof durationsOf> | 'retry';

const durationsOf = (style: Style) => ({
  key: DAY_MS,
  attempt: style.abandonedAfterMs,
  settlement: style.settlesAfterMs,
  'answer of a receiver': 15 * SECOND_MS,
  rotation: style.rotationMs,
  token: style.token.seconds * SECOND_MS,
  'token window': MINUTE_MS,
  channel: 7 * DAY_MS,
});

export interface Clock {
  now(): number;
  /** How long a timer runs in ms; null: it never ends, or its event never happens. */
  lasts(timer: Timer, about?: unknown): number | null;
  /** Called when something may be due. */
  tick(): void;
}

export class World {
  readonly style: Style;
  readonly operations: readonly Operation[];
  readonly seams: readonly Seams[];
  /** Distinguishes its tokens and requests from those of other worlds. */
  readonly mark: string = randomUUID().slice(0, 8);
  readonly clock: Clock;
  readonly store: Store;
  readonly delivering: Delivering;
  readonly underway = new Set<Context>();
  /** Requests whose attempt was given up (IDEM-14b). */
  readonly givenUp = new Set<string>();
  readonly listeners = new Set<(event: EventRecord) => void>();
  /** DNS results: set by an operator, or found by the resolver. */
  readonly names = new Map<string, readonly string[]>();
  readonly resolved = new Map<string, readonly string[]>();
  /** Origins of receivers, and the addresses that their deliveries are forwarded to. */
  readonly forwards = new Map<string, string>();
  /** The state of a trait or a defect. */
  readonly memo = new Map<string, unknown>();
  readonly tokenRequests: { readonly clientId: string; readonly atMs: number }[] = [];
  faults: readonly Fault[] = [];
  #firms: readonly Firm[] = [
    { id: '1', brands: ['10', '11'], plan: 'sandbox', rate_per_second: null, permissions: {} },
    { id: '2', brands: ['20'], plan: 'sandbox', rate_per_second: null, permissions: {} },
  ];
  readonly #counts = new Map<string, number>();
  readonly #held = new Set<{ readonly untilMs: number | null; readonly wake: () => void }>();
  readonly #inFlight = new Set<{ endsMs: number; over: Promise<void>; giveUp: () => void }>();
  readonly #timer: NodeJS.Timeout;
  #advancing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  readonly #isFrozen: boolean;
  /** The time of a frozen clock; for a running one its offset from the wall clock. */
  #shiftMs: number;

  /** Frozen at a time, or running with the wall clock. */
  constructor(style: Style, seams: readonly Seams[], frozenAtMs: number | null) {
    this.style = style;
    this.operations = operationsOf(style);
    this.seams = seams;
    this.#isFrozen = frozenAtMs !== null;
    this.#shiftMs = frozenAtMs ?? 0;
    const durations = durationsOf(style);
    this.clock = {
      now: () => this.#shiftMs + (this.#isFrozen ? 0 : Date.now()),
      lasts: (timer, about) =>
        timer === 'retry' ? (RETRY_WAITS_MS[Number(about) - 1] ?? null) : durations[timer],
      tick: () => {},
    };
    this.store = honestStore(this);
    this.delivering = honestDelivering(this);
    // Each wrapper gets the functions of the one before it.
    for (const { clock, store, delivery } of seams) {
      Object.assign(this.clock, clock?.({ ...this.clock }, this));
      Object.assign(this.store, store?.({ ...this.store }, this));
      Object.assign(this.delivering, delivery?.({ ...this.delivering }, this));
    }
    this.#timer = setInterval(() => {
      if (!this.#isFrozen) this.tick();
    }, TICK_MS).unref();
  }

  count(name: string): number {
    const next = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, next);
    return next;
  }

  firm(id: string): Firm {
    return this.#firms.find((each) => each.id === id)!;
  }

  firmOfBrand(brandId: string | null): Firm | undefined {
    return this.#firms.find(({ brands }) => brands.some((each) => each === brandId));
  }

  changeFirm(id: string, change: Partial<Firm>): Firm {
    this.#firms = this.#firms.map((each) => (each.id === id ? { ...each, ...change } : each));
    return this.firm(id);
  }

  emit(category: string, kind: string, about: About, content: Json): EventRecord {
    const seq = this.store.events().length + 1;
    const id = `evt_${this.mark}_${seq}`;
    const named = { ...about, id, seq, category, kind: this.style.kindOf(kind), content };
    const event = { ...named, atMs: this.clock.now() };
    this.store.saveEvent(event);
    enqueue(this, event);
    for (const listener of this.listeners) listener(event);
    return event;
  }

  /** Waits on this world's clock, without end if null; false: the world was closed in the meantime. */
  hold(ms: number | null): Promise<boolean> {
    const untilMs = ms === null ? null : this.clock.now() + ms;
    return new Promise((resolve) => {
      this.#held.add({ untilMs, wake: () => resolve(!this.#isClosed) });
    });
  }

  /** Runs everything that is due. */
  tick(): void {
    this.clock.tick();
    const nowMs = this.clock.now();
    // NS-3
    for (const each of this.store.transactions()) {
      if (each.settles_ms !== null && each.settles_ms <= nowMs) settle(this, each);
    }
    for (const each of this.#held) {
      if (each.untilMs === null || each.untilMs > nowMs) continue;
      this.#held.delete(each);
      each.wake();
    }
    for (const each of this.#inFlight) if (nowMs >= each.endsMs) each.giveUp();
    this.pump();
  }

  /** Starts every delivery that is due. */
  pump(): void {
    if (this.#isClosed) return;
    for (const queue of this.store.pending()) {
      for (const delivery of [...queue.values()]) {
        const isDue = delivery.dueAtMs <= this.clock.now();
        if (isDue && this.delivering.isWaiting(delivery)) this.#start(delivery.id);
        else if (this.style.holdsBack) break;
      }
    }
  }

  #start(deliveryId: string): void {
    const { delivering, store, clock } = this;
    const delivery = store.delivery(deliveryId)!;
    const subscription = store.subscription(delivery.subscriptionId)!;
    // EVT-11: checked again before each attempt.
    const problem = delivering.targetProblem(subscription.url, false);
    if (problem !== null) {
      delivering.disable(subscription, `the target is not valid any more: ${problem}`);
      return;
    }
    const sending: Sending = delivering.sending(delivery);
    store.saveDelivery({ ...delivery, inFlight: true, attempts: sending.n });
    let resolve = () => {};
    const over = new Promise<void>((done) => {
      resolve = done;
    });
    const end = (status: number | null) => {
      if (!this.#inFlight.delete(inFlight)) return;
      abort();
      delivering.ended(sending, status);
      resolve();
      this.pump();
    };
    const endsMs = clock.now() + clock.lasts('answer of a receiver', sending)!;
    const inFlight = { endsMs, over, giveUp: () => end(null) };
    this.#inFlight.add(inFlight);
    const abort = send(sending, end);
  }

  /** The next time at which something is due; infinity: never. */
  #nextDueMs(): number {
    const dues = [...this.#inFlight].map(({ endsMs }) => endsMs);
    for (const { settles_ms: atMs } of this.store.transactions())
      if (atMs !== null) dues.push(atMs);
    for (const { untilMs } of this.#held) if (untilMs !== null) dues.push(untilMs);
    for (const queue of this.store.pending()) {
      for (const each of queue.values()) {
        if (this.delivering.isWaiting(each)) dues.push(each.dueAtMs);
        if (this.style.holdsBack) break;
      }
    }
    return dues.reduce((one, two) => Math.min(one, two), Number.POSITIVE_INFINITY);
  }

  /** Advances time; resolves when everything due in it has happened and has been answered. */
  advance(byMs: number): Promise<void> {
    const next = this.#advancing.then(() => this.#advanceTo(this.clock.now() + byMs));
    this.#advancing = next.catch(() => {});
    return next;
  }

  async #advanceTo(toMs: number): Promise<void> {
    const before = new Set(this.#inFlight);
    for (;;) {
      this.tick();
      await resumed();
      this.pump();
      const own = [...this.#inFlight].filter((each) => !before.has(each));
      await Promise.all(own.map((each) => each.over));
      if (own.length > 0) continue;
      const nextMs = this.#nextDueMs();
      this.#shiftMs += Math.max(0, Math.min(nextMs, toMs) - this.clock.now());
      if (nextMs > toMs) break;
    }
    this.tick();
    await Promise.all([...this.#inFlight].map((each) => each.over));
    await resumed();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const each of this.#held) each.wake();
    for (const each of this.#inFlight) each.giveUp();
  }
}

/** Lets requests that were woken continue before time advances. */
async function resumed(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((each) => setImmediate(each));
}
