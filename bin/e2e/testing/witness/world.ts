// One world of the witness: its clock, its store, what falls due in it, and what is wrapped there.
import { randomUUID } from 'node:crypto';
import { enqueue, honestDelivering } from './delivering.ts';
import type { EventRecord, Fault, Firm } from './records.ts';
import { send } from './send.ts';
import { settleDue } from './settlement.ts';
import { honestStore } from './store.ts';
import { plain, type Style } from './styles.ts';
import type {
  About,
  Clock,
  Context,
  Delivering,
  Seams,
  Sending,
  Store,
  Timer,
  World,
} from './types.ts';
import type { Json, JsonObject } from './values.ts';

export interface WorldOptions {
  readonly style?: Style | undefined;
  readonly seams?: readonly Seams[] | undefined;
  /** A time to stand still at; without it the wall's time goes on. */
  readonly frozenAtMs?: number | undefined;
}

interface InFlight {
  readonly sending: Sending;
  readonly startedMs: number;
  readonly over: Promise<void>;
  readonly giveUp: (error: string) => void;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TICK_MS = 40;

/** EVT-8a */
const RETRY_WAITS_MS = [
  ...[30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS],
];

export class WitnessWorld implements World {
  readonly style: Style;
  readonly seams: readonly Seams[];
  readonly mark: string = randomUUID().slice(0, 8);
  readonly clock: Clock;
  readonly store: Store;
  readonly delivering: Delivering;
  readonly underway = new Set<Context>();
  readonly givenUp = new Set<string>();
  readonly listeners = new Set<(event: EventRecord) => void>();
  readonly names = new Map<string, readonly string[]>();
  readonly resolved = new Map<string, readonly string[]>();
  readonly forwards = new Map<string, string>();
  readonly memo = new Map<string, unknown>();
  faults: Fault[] = [];
  tokenRequests: { clientId: string; atMs: number }[] = [];
  #firms: readonly Firm[] = [
    { id: '1', brands: ['10', '11'], plan: 'sandbox', rate_per_second: null, permissions: {} },
    { id: '2', brands: ['20'], plan: 'sandbox', rate_per_second: null, permissions: {} },
  ];
  readonly #counts = new Map<string, number>();
  readonly #held = new Set<{ readonly untilMs: number | null; readonly wake: () => void }>();
  readonly #inFlight = new Set<InFlight>();
  readonly #timer: NodeJS.Timeout;
  #fired: JsonObject[] = [];
  #advancing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #frozenAtMs: number | null;
  #aheadMs = 0;

  constructor({ style = plain, seams = [], frozenAtMs }: WorldOptions = {}) {
    this.style = style;
    this.seams = seams;
    this.#frozenAtMs = frozenAtMs ?? null;
    this.clock = this.#honestClock();
    this.store = honestStore(this);
    this.delivering = honestDelivering(this);
    // Each wrapper gets the functions as they were before it.
    for (const { clock, store, delivery } of seams) {
      Object.assign(this.clock, clock?.({ ...this.clock }, this));
      Object.assign(this.store, store?.({ ...this.store }, this));
      Object.assign(this.delivering, delivery?.({ ...this.delivering }, this));
    }
    this.#timer = setInterval(() => {
      if (!this.isFrozen()) this.tick();
    }, TICK_MS).unref();
  }

  #honestClock(): Clock {
    const { style } = this;
    const durations: Record<Exclude<Timer, 'retry'>, number | null> = {
      key: DAY_MS,
      attempt: style.abandonedAfterMs,
      settlement: style.settlesAfterMs,
      'answer of a receiver': 15 * SECOND_MS,
      rotation: style.rotationMs,
      token: style.token.seconds * SECOND_MS,
      'token window': MINUTE_MS,
      channel: 7 * DAY_MS,
    };
    return {
      now: () => this.#frozenAtMs ?? Date.now() + this.#aheadMs,
      lasts: (timer, about) =>
        timer === 'retry' ? (RETRY_WAITS_MS[Number(about) - 1] ?? null) : durations[timer],
      tick: () => {},
    };
  }

  isFrozen(): boolean {
    return this.#frozenAtMs !== null;
  }

  freeze(atMs: number | null): void {
    const nowMs = this.clock.now();
    this.#frozenAtMs = atMs === null ? null : Math.max(atMs, nowMs);
    if (atMs === null) this.#aheadMs = nowMs - Date.now();
  }

  #moveTo(atMs: number): void {
    const byMs = Math.max(0, atMs - this.clock.now());
    if (this.#frozenAtMs === null) this.#aheadMs += byMs;
    else this.#frozenAtMs += byMs;
  }

  count(name: string): number {
    const next = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, next);
    return next;
  }

  firm(id: string): Firm {
    return this.#firms.find((each) => each.id === id)!;
  }

  firmOfBrand(brandId: string): Firm | undefined {
    return this.#firms.find((each) => each.brands.includes(brandId));
  }

  changeFirm(id: string, change: Partial<Firm>): Firm {
    this.#firms = this.#firms.map((each) => (each.id === id ? { ...each, ...change } : each));
    return this.firm(id);
  }

  emit(category: string, kind: string, about: About, content: Json): EventRecord {
    const seq = this.store.events().length + 1;
    const event: EventRecord = {
      ...about,
      id: `evt_${this.mark}_${seq}`,
      seq,
      category,
      kind: this.style.kindOf(kind),
      atMs: this.clock.now(),
      content,
    };
    this.store.saveEvent(event);
    enqueue(this, event);
    for (const listener of this.listeners) listener(event);
    return event;
  }

  hold(ms: number | null): Promise<boolean> {
    const untilMs = ms === null ? null : this.clock.now() + ms;
    return new Promise((resolve) => {
      this.#held.add({ untilMs, wake: () => resolve(!this.#isClosed) });
    });
  }

  /** Does everything that is due by now. */
  tick(): void {
    this.clock.tick();
    settleDue(this);
    const nowMs = this.clock.now();
    for (const each of this.#held) {
      if (each.untilMs === null || each.untilMs > nowMs) continue;
      this.#held.delete(each);
      each.wake();
    }
    for (const each of [...this.#inFlight]) {
      if (nowMs >= this.#patienceEndsMs(each)) each.giveUp('no answer in time');
    }
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
    const { delivering, store } = this;
    const delivery = store.delivery(deliveryId)!;
    const subscription = store.subscription(delivery.subscriptionId)!;
    // EVT-11: checked again before each attempt.
    const problem = delivering.targetProblem(subscription.url, false);
    if (problem !== null) {
      delivering.disable(subscription, `the target is not valid any more: ${problem}`);
      return;
    }
    const sending = delivering.sending(delivery);
    store.saveDelivery({
      ...delivery,
      inFlight: true,
      attempts: [...delivery.attempts, sending.attempt],
    });
    let giveUp: InFlight['giveUp'] = () => {};
    const over = new Promise<void>((resolve) => {
      let isOver = false;
      const end = (status: number | null, error: string | null) => {
        if (isOver) return;
        isOver = true;
        abort();
        this.#inFlight.delete(inFlight);
        delivering.ended(sending, status, error);
        const outcome = error ?? String(status);
        this.#fired.push({ at_ms: this.clock.now(), kind: 'delivery', ref: deliveryId, outcome });
        resolve();
        this.pump();
      };
      giveUp = (error) => end(null, error);
      const abort = send(sending, end);
    });
    const inFlight: InFlight = { sending, startedMs: this.clock.now(), over, giveUp };
    this.#inFlight.add(inFlight);
  }

  #patienceEndsMs({ startedMs, sending }: InFlight): number {
    return startedMs + this.clock.lasts('answer of a receiver', sending)!;
  }

  /** When the next thing falls due by itself. */
  #nextDueMs(): number | null {
    const dues: number[] = [];
    for (const each of this.store.transactions()) {
      if (each.settles_ms !== null) dues.push(each.settles_ms);
    }
    for (const each of this.#held) if (each.untilMs !== null) dues.push(each.untilMs);
    for (const each of this.#inFlight) dues.push(this.#patienceEndsMs(each));
    for (const queue of this.store.pending()) {
      for (const each of queue.values()) {
        if (this.delivering.isWaiting(each)) dues.push(each.dueAtMs);
        if (this.style.holdsBack) break;
      }
    }
    return dues.length === 0 ? null : dues.reduce((one, two) => Math.min(one, two));
  }

  /** Moves time on; what falls due on the way has happened, and been answered, when it is over. */
  advance(move: {
    readonly toMs: number | undefined;
    readonly byMs: number | undefined;
  }): Promise<JsonObject[]> {
    const next = this.#advancing.then(() => {
      const nowMs = this.clock.now();
      const byMs = move.byMs === undefined ? undefined : nowMs + move.byMs;
      return this.#advanceTo(move.toMs ?? byMs ?? this.#nextDueMs() ?? nowMs);
    });
    this.#advancing = next.catch(() => {});
    return next;
  }

  async #advanceTo(toMs: number): Promise<JsonObject[]> {
    this.#fired = [];
    const before = new Set(this.#inFlight);
    for (;;) {
      this.tick();
      await resumed();
      this.pump();
      const own = [...this.#inFlight].filter((each) => !before.has(each));
      if (own.length > 0) {
        await Promise.all(own.map((each) => each.over));
        continue;
      }
      const nextMs = this.#nextDueMs();
      if (nextMs === null || nextMs > toMs) break;
      this.#moveTo(nextMs);
    }
    this.#moveTo(toMs);
    this.tick();
    await Promise.all([...this.#inFlight].map((each) => each.over));
    await resumed();
    return this.#fired;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const each of this.#held) each.wake();
    for (const each of [...this.#inFlight]) each.giveUp('the platform is closed');
  }
}

/** Requests that were woken go on before time does. */
async function resumed(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((each) => setImmediate(each));
}
