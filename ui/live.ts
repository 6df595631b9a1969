// A world as this page follows it: its history first, then what happens as it happens.

import type { RequestShown } from '../simulator/control/schemas/journal.ts';
import type {
  ClockShown,
  DeliveryShown,
  FaultShown,
} from '../simulator/control/schemas/records.ts';
import type { InfoShown } from '../simulator/control/schemas/sandbox.ts';
import {
  type Connection,
  followStream,
  type Plane,
  RefusedError,
  type StreamItem,
} from './plane.ts';
import {
  attemptRows,
  byTime,
  clockRow,
  type EnvelopeShown,
  eventRow,
  type FaultNotice,
  faultRow,
  type Now,
  type Origin,
  requestRow,
  type TimelineRow,
} from './timeline-rows.ts';

/** The first requests to read: they fill a screen. */
const screenful = 40;
const firstPage = 200;
const page = 1000;
/** More rows than the sandbox keeps requests, with what followed from them. */
const mostRows = 40_000;
/** Listeners are called at most this often. */
const restMs = 80;

export interface RequestsPage {
  readonly requests: readonly RequestShown[];
}
export interface EventsPage {
  readonly events: readonly EnvelopeShown[];
}
export interface DeliveriesPage {
  readonly deliveries: readonly DeliveryShown[];
}

export class Live {
  readonly plane: Plane;
  info: InfoShown | null = null;
  clock: ClockShown | null = null;
  readonly faults = new Map<string, FaultShown>();
  connection: Connection = { state: 'connecting' };
  /** Grows with everything that happens in the world. */
  version = 0;
  readonly #timeline = new TimelineStore();
  readonly #origins = new Map<number, Origin>();
  readonly #listeners = new Set<() => void>();
  #clockReadMs = 0;
  #newestRequest = 0;
  #count = 0;
  /** A load that another one has replaced must not add anything. */
  #load = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stop: (() => void) | null = null;

  constructor(plane: Plane) {
    this.plane = plane;
  }

  /** Faults that can still apply. */
  get faultsOn(): number {
    return [...this.faults.values()].filter(({ spent }) => !spent).length;
  }

  start(): void {
    this.#stop?.();
    void this.#loading((isCurrent) => this.#readScreenful(isCurrent));
    this.#stop = followStream(this.plane, {
      onItem: (item) => this.#take(item),
      onConnection: (connection) => {
        this.connection = connection;
        if (connection.state === 'live') this.#reload();
        this.touch();
      },
    });
  }

  end(): void {
    this.#stop?.();
    this.#load += 1;
    this.#listeners.clear();
  }

  rows(): readonly TimelineRow[] {
    return this.#timeline.rows();
  }

  /** The sandbox's time as far as this page can know it. */
  nowMs(): number {
    if (this.clock === null) return Date.now();
    if (this.clock.mode === 'frozen') return this.clock.now_ms;
    return this.clock.now_ms + (performance.now() - this.#clockReadMs) * this.clock.speed;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listeners soon. */
  touch(): void {
    this.version += 1;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      for (const listener of [...this.#listeners]) listener();
    }, restMs);
  }

  #reload(): void {
    void this.#loading((isCurrent) => this.#readAll(isCurrent));
  }

  async #loading(read: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    this.#load += 1;
    const mine = this.#load;
    try {
      await read(() => mine === this.#load);
    } catch (error) {
      // The stream reports that nothing answers, and loads again once something does.
      if (!(error instanceof RefusedError)) throw error;
    }
  }

  /** Something to see while the stream is being opened. */
  async #readScreenful(isCurrent: () => boolean): Promise<void> {
    const { requests } = await this.plane.get<RequestsPage>(`requests?limit=${screenful}`);
    if (isCurrent()) this.#addRequests(requests);
  }

  async #readAll(isCurrent: () => boolean): Promise<void> {
    const { plane } = this;
    const [info, newest, { faults }] = await Promise.all([
      plane.get<InfoShown>('info'),
      plane.get<RequestsPage>(`requests?limit=${firstPage}`),
      plane.get<{ faults: FaultShown[] }>('faults'),
    ]);
    if (!isCurrent()) return;
    // After a restart nothing of the old process counts.
    if (this.info !== null && this.info.pid !== info.pid) this.#forget();
    this.info = info;
    this.#setClock(info.clock, false);
    this.faults.clear();
    for (const fault of faults) this.faults.set(fault.id, fault);
    this.#addRequests(newest.requests);
    const [{ events }, { deliveries }] = await Promise.all([
      plane.get<EventsPage>(`events?after_seq=${Math.max(0, info.counts.last_seq - page)}`),
      plane.get<DeliveriesPage>(`deliveries?limit=${page}`),
    ]);
    if (!isCurrent()) return;
    for (const event of events) this.#addEvent(event);
    for (const delivery of deliveries) this.#addDelivery(delivery);
    this.touch();
    let oldest = Number(newest.requests.at(-1)?.id ?? 1);
    while (oldest > 1 && isCurrent()) {
      const after = Math.max(0, oldest - 1 - page);
      const { requests } = await plane.get<RequestsPage>(`requests?after=${after}&limit=${page}`);
      const older = requests.filter(({ id }) => Number(id) < oldest);
      if (!isCurrent() || older.length === 0) return;
      this.#addRequests(older);
      oldest = Number(older[0]?.id);
    }
  }

  #forget(): void {
    this.#timeline.clear();
    this.#origins.clear();
    this.#newestRequest = 0;
  }

  #take({ kind, value }: StreamItem): void {
    if (kind === 'request') this.#addRequests([value as RequestShown]);
    else if (kind === 'event') this.#addEvent(value as EnvelopeShown);
    else if (kind === 'delivery') this.#addDelivery(value as DeliveryShown);
    else if (kind === 'clock') this.#setClock(value as ClockShown, true);
    else if (kind === 'fault') this.#setFault(value as FaultNotice);
    else if (kind === 'lost') this.#reload();
    else if (kind === 'world') {
      const { name, what } = value as { name: string; what: string };
      if (what === 'replaced' && name === this.plane.world) {
        this.#forget();
        this.#reload();
      }
    }
    this.touch();
  }

  #setClock(clock: ClockShown, isNews: boolean): void {
    const before = this.clock;
    this.clock = clock;
    this.#clockReadMs = performance.now();
    if (!isNews || before === null) return;
    const isMoved = clock.mode === 'frozen' && clock.now_ms > before.now_ms;
    if (isMoved || clock.mode !== before.mode) {
      this.#timeline.add(clockRow(clock, before, this.#now(clock.now_ms)));
    }
  }

  #setFault(fault: FaultNotice): void {
    if ('removed' in fault) this.faults.delete(fault.id);
    else this.faults.set(fault.id, fault);
    this.#timeline.add(faultRow(fault, this.#now(this.nowMs())));
  }

  #now(atMs: number): Now {
    this.#count += 1;
    return { atMs, request: this.#newestRequest, n: this.#count };
  }

  #addRequests(requests: readonly RequestShown[]): void {
    for (const shown of requests) {
      const request = Number(shown.id);
      this.#newestRequest = Math.max(this.#newestRequest, request);
      for (const seq of shown.event_seqs) {
        const account = this.#origins.get(seq)?.account ?? null;
        const credential = shown.client_name;
        this.#origins.set(seq, { request, credential, isItsEvent: true, account });
      }
      this.#timeline.add(requestRow(shown));
    }
    this.touch();
  }

  #addEvent(event: EnvelopeShown): void {
    const seqName = String(this.info?.settings.envelope_seq_name ?? 'seq');
    const seq = Number(event[seqName]);
    const origin = { ...this.#originOf(seq), account: event.account_id };
    this.#origins.set(seq, origin);
    this.#timeline.add(eventRow(event, seq, origin));
  }

  #addDelivery(delivery: DeliveryShown): void {
    for (const row of attemptRows(delivery, this.#originOf(delivery.seq))) this.#timeline.add(row);
  }

  /** An event that no request made comes after the newest request of its time. */
  #originOf(seq: number): Origin {
    const known = this.#origins.get(seq);
    if (known !== undefined) return known;
    const request = this.#origins.get(seq - 1)?.request ?? 0;
    const origin = { request, credential: null, isItsEvent: false, account: null };
    this.#origins.set(seq, origin);
    return origin;
  }
}

/** Keeps rows in order, whether they come one by one or in pages of history. */
class TimelineStore {
  readonly #byKey = new Map<string, TimelineRow>();
  #rows: readonly TimelineRow[] = [];
  #fresh: TimelineRow[] = [];

  add(row: TimelineRow): void {
    this.#fresh.push(row);
  }

  clear(): void {
    this.#byKey.clear();
    this.#rows = [];
    this.#fresh = [];
  }

  /** The oldest first; the same array until something is added. */
  rows(): readonly TimelineRow[] {
    const fresh = this.#fresh;
    if (fresh.length === 0) return this.#rows;
    this.#fresh = [];
    const last = this.#rows.at(-1);
    const isNew = fresh.every(({ key }) => !this.#byKey.has(key));
    for (const row of fresh) this.#byKey.set(row.key, row);
    fresh.sort(byTime);
    const isLater = last === undefined || byTime(last, fresh[0] as TimelineRow) <= 0;
    const isDistinct = new Set(fresh.map(({ key }) => key)).size === fresh.length;
    this.#rows =
      isNew && isLater && isDistinct
        ? [...this.#rows, ...fresh]
        : [...this.#byKey.values()].sort(byTime);
    const excess = this.#rows.length - mostRows;
    if (excess > 0) {
      for (const { key } of this.#rows.slice(0, excess)) this.#byKey.delete(key);
      this.#rows = this.#rows.slice(excess);
    }
    return this.#rows;
  }
}
