// The state of a world on this page: its history first, then live updates.
import type { RequestShown } from '../simulator/control/journal.ts';
import type { ClockShown, DeliveryShown } from '../simulator/control/records.ts';
import type { InfoShown } from '../simulator/control/rows/about.ts';
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
  type EnvelopeShown,
  eventRow,
  type Origin,
  requestRow,
  type TimelineRow,
} from './timeline-rows.ts';

const firstPage = 200;
const page = 1000;
/** More rows than the sandbox stores requests, with their events and deliveries. */
const maxRows = 40_000;
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
  connection: Connection = { state: 'connecting' };
  /** Incremented with every change in the world. */
  version = 0;
  readonly #byKey = new Map<string, TimelineRow>();
  /** The rows in order; null once one was added. */
  #rows: readonly TimelineRow[] | null = [];
  readonly #origins = new Map<number, Origin>();
  readonly #listeners = new Set<() => void>();
  #clockReadMs = 0;
  /** A load that was replaced by a later one must not add anything. */
  #load = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stop: (() => void) | null = null;

  constructor(plane: Plane) {
    this.plane = plane;
  }

  start(): void {
    this.#stop?.();
    this.#stop = followStream(this.plane, {
      onItem: (item) => this.#take(item),
      onConnection: (connection) => {
        this.connection = connection;
        if (connection.state === 'live') void this.#reload();
        this.touch();
      },
    });
  }

  end(): void {
    this.#stop?.();
    this.#load += 1;
    this.#listeners.clear();
  }

  /** Oldest first; the same array until a row is added. */
  rows(): readonly TimelineRow[] {
    if (this.#rows !== null) return this.#rows;
    const sorted = [...this.#byKey.values()].sort(byTime);
    for (const { key } of sorted.slice(0, -maxRows)) this.#byKey.delete(key);
    this.#rows = sorted.slice(-maxRows);
    return this.#rows;
  }

  /** The sandbox's time, as far as this page knows it. */
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

  async #reload(): Promise<void> {
    this.#load += 1;
    const mine = this.#load;
    try {
      await this.#readAll(() => mine === this.#load);
    } catch (error) {
      // The stream reports that there is no response, and loads again once there is one.
      if (!(error instanceof RefusedError)) throw error;
    }
  }

  async #readAll(isCurrent: () => boolean): Promise<void> {
    const { plane } = this;
    const [info, newest] = await Promise.all([
      plane.get<InfoShown>('info'),
      plane.get<RequestsPage>(`requests?limit=${firstPage}`),
    ]);
    if (!isCurrent()) return;
    // After a restart nothing of the old process is valid.
    if (this.info !== null && this.info.pid !== info.pid) this.#forget();
    this.info = info;
    this.#setClock(info.clock);
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
    this.#byKey.clear();
    this.#rows = [];
    this.#origins.clear();
  }

  #take({ kind, value }: StreamItem): void {
    if (kind === 'request') this.#addRequests([value as RequestShown]);
    else if (kind === 'event') this.#addEvent(value as EnvelopeShown);
    else if (kind === 'delivery') this.#addDelivery(value as DeliveryShown);
    else if (kind === 'clock') this.#setClock(value as ClockShown);
    else if (kind === 'lost') void this.#reload();
    else if (kind === 'world') {
      const { name, what } = value as { name: string; what: string };
      if (what === 'replaced' && name === this.plane.world) {
        this.#forget();
        void this.#reload();
      }
    }
    this.touch();
  }

  #setClock(clock: ClockShown): void {
    this.clock = clock;
    this.#clockReadMs = performance.now();
  }

  #add(row: TimelineRow): void {
    this.#byKey.set(row.key, row);
    this.#rows = null;
  }

  #addRequests(requests: readonly RequestShown[]): void {
    for (const each of requests) {
      const origin = { request: Number(each.id), credential: each.client_name, isItsEvent: true };
      for (const seq of each.event_seqs) {
        const account = this.#origins.get(seq)?.account ?? null;
        this.#origins.set(seq, { ...origin, account });
      }
      this.#add(requestRow(each));
    }
    this.touch();
  }

  #addEvent(event: EnvelopeShown): void {
    const seqName = String(this.info?.settings.envelope_seq_name ?? 'seq');
    const seq = Number(event[seqName]);
    const origin = { ...this.#originOf(seq), account: event.account_id };
    this.#origins.set(seq, origin);
    this.#add(eventRow(event, seq, origin));
  }

  #addDelivery(delivery: DeliveryShown): void {
    for (const row of attemptRows(delivery, this.#originOf(delivery.seq))) this.#add(row);
  }

  /** An event without a request is placed after the request of the previous event. */
  #originOf(seq: number): Origin {
    const known = this.#origins.get(seq);
    if (known !== undefined) return known;
    const request = this.#origins.get(seq - 1)?.request ?? 0;
    return { request, credential: null, isItsEvent: false, account: null };
  }
}
