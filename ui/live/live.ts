// A world as this page follows it: history first, then what happens as it happens.
import type {
  ClockShown,
  DeliveriesPage,
  DeliveryShown,
  EnvelopeShown,
  EventsPage,
  FaultNotice,
  FaultShown,
  InfoShown,
  RequestShown,
  RequestsPage,
} from '../api-client/answers.ts';
import { type ControlPlane, ControlPlaneError } from '../api-client/control-plane.ts';
import { type Connection, followStream, type StreamItem } from '../api-client/stream.ts';
import {
  attemptRows,
  clockRow,
  eventRow,
  faultRow,
  type Now,
  type Origin,
  requestRow,
  type TimelineRow,
} from './timeline-rows.ts';
import { TimelineStore } from './timeline-store.ts';

/** What fills a screen, read before anything else. */
const glance = 40;
/** What a first look needs; the rest follows in pages. */
const firstPage = 200;
const page = 1000;
/** Listeners hear at most this often, so that a flood of items stays smooth. */
const restMs = 80;

export class Live {
  readonly plane: ControlPlane;
  info: InfoShown | null = null;
  clock: ClockShown | null = null;
  /** When the clock was heard of, by this page's own clock. */
  clockHeardMs = 0;
  readonly faults = new Map<string, FaultShown>();
  connection: Connection = { state: 'connecting' };
  /** Grows with everything that happens in the world. */
  version = 0;
  readonly #timeline = new TimelineStore();
  readonly #origins = new Map<number, Origin>();
  readonly #listeners = new Set<() => void>();
  #newestCall = 0;
  #seen = 0;
  #loading = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stop: (() => void) | null = null;

  constructor(plane: ControlPlane) {
    this.plane = plane;
  }

  /** Those that may still strike. */
  get faultsOn(): number {
    return [...this.faults.values()].filter(({ spent }) => !spent).length;
  }

  start(): void {
    this.#stop?.();
    void this.#glance();
    this.#stop = followStream(this.plane, {
      onItem: (item) => this.#take(item),
      onConnection: (connection) => {
        this.connection = connection;
        // What was missed while nobody answered is read over.
        if (connection.state === 'live') void this.load();
        this.touch();
      },
    });
  }

  end(): void {
    this.#stop?.();
    this.#loading += 1;
    this.#listeners.clear();
  }

  rows(): readonly TimelineRow[] {
    return this.#timeline.rows();
  }

  /** The simulated time as far as this page can tell. */
  nowMs(): number {
    if (this.clock === null) return Date.now();
    if (this.clock.mode === 'frozen') return this.clock.now_ms;
    return this.clock.now_ms + (performance.now() - this.clockHeardMs) * this.clock.speed;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the listeners that something changed. */
  touch(): void {
    this.version += 1;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      for (const listener of [...this.#listeners]) listener();
    }, restMs);
  }

  /** Something to see while the stream is still being opened. */
  async #glance(): Promise<void> {
    const mine = this.#loading;
    try {
      const { requests } = await this.plane.get<RequestsPage>(`requests?limit=${glance}`);
      if (mine !== this.#loading) return;
      for (const request of requests) this.#addRequest(request);
      this.touch();
    } catch (error) {
      // The stream tells why nobody answers, in words for the person.
      if (!(error instanceof ControlPlaneError)) throw error;
    }
  }

  /** Reads what is there: the newest calls first, so that they can be seen at once. */
  async load(): Promise<void> {
    this.#loading += 1;
    const mine = this.#loading;
    try {
      await this.#readAll(() => mine === this.#loading);
    } catch (error) {
      // The stream tells that nobody answers, and loads again when somebody does.
      if (!(error instanceof ControlPlaneError)) throw error;
    }
  }

  async #readAll(current: () => boolean): Promise<void> {
    const { plane } = this;
    const [info, newest, faults] = await Promise.all([
      plane.get<InfoShown>('info'),
      plane.get<RequestsPage>(`requests?limit=${firstPage}`),
      plane.get<{ faults: FaultShown[] }>('faults'),
    ]);
    if (!current()) return;
    // Another process, or a world begun anew: nothing of before counts.
    if (this.info !== null && this.info.pid !== info.pid) this.#forget();
    this.info = info;
    this.#hearClock(info.clock, false);
    this.faults.clear();
    for (const fault of faults.faults) this.faults.set(fault.id, fault);
    for (const request of newest.requests) this.#addRequest(request);
    this.touch();
    const from = Math.max(0, info.counts.last_seq - page);
    const [events, deliveries] = await Promise.all([
      plane.get<EventsPage>(`events?after_seq=${from}`),
      plane.get<DeliveriesPage>(`deliveries?limit=${page}`),
    ]);
    if (!current()) return;
    for (const event of events.events) this.#addEvent(event);
    for (const delivery of deliveries.deliveries) this.#addDelivery(delivery);
    this.touch();
    await this.#readOlder(newest.requests, current);
  }

  async #readOlder(known: readonly RequestShown[], current: () => boolean): Promise<void> {
    let oldest = Number(known[known.length - 1]?.id ?? 1);
    while (oldest > 1 && current()) {
      const after = Math.max(0, oldest - 1 - page);
      const { requests } = await this.plane.get<RequestsPage>(
        `requests?after=${after}&limit=${page}`,
      );
      const older = requests.filter(({ id }) => Number(id) < oldest);
      if (!current() || older.length === 0) return;
      for (const request of older) this.#addRequest(request);
      oldest = Number(older[0]?.id);
      this.touch();
    }
  }

  #forget(): void {
    this.#timeline.clear();
    this.#origins.clear();
    this.#newestCall = 0;
  }

  #take({ kind, value }: StreamItem): void {
    if (kind === 'request') this.#addRequest(value as RequestShown);
    else if (kind === 'event') this.#addEvent(value as EnvelopeShown);
    else if (kind === 'delivery') this.#addDelivery(value as DeliveryShown);
    else if (kind === 'clock') this.#hearClock(value as ClockShown, true);
    else if (kind === 'fault') this.#hearFault(value as FaultNotice);
    else if (kind === 'lost') void this.load();
    else if (kind === 'world') this.#hearWorld(value as { name: string; what: string });
    this.touch();
  }

  #hearWorld({ name, what }: { name: string; what: string }): void {
    if (what !== 'replaced' || name !== this.plane.world) return;
    this.#forget();
    void this.load();
  }

  #hearClock(clock: ClockShown, live: boolean): void {
    const before = this.clock;
    this.clock = clock;
    this.clockHeardMs = performance.now();
    if (!live || before === null) return;
    const moved = clock.mode === 'frozen' && clock.now_ms > before.now_ms;
    if (moved || clock.mode !== before.mode) {
      this.#timeline.add(clockRow(clock, before, this.#now(clock.now_ms)));
    }
  }

  #hearFault(fault: FaultNotice): void {
    if ('removed' in fault) this.faults.delete(fault.id);
    else this.faults.set(fault.id, fault);
    this.#timeline.add(faultRow(fault, this.#now(this.nowMs())));
  }

  #now(atMs: number): Now {
    this.#seen += 1;
    return { atMs, call: this.#newestCall, n: this.#seen };
  }

  #addRequest(request: RequestShown): void {
    const call = Number(request.id);
    this.#newestCall = Math.max(this.#newestCall, call);
    for (const seq of request.event_seqs) {
      const account = this.#origins.get(seq)?.account ?? null;
      this.#origins.set(seq, { call, credential: request.client_name, made: true, account });
    }
    this.#timeline.add(requestRow(request));
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

  /** What no call made comes after the newest call there was then. */
  #originOf(seq: number): Origin {
    const known = this.#origins.get(seq);
    if (known !== undefined) return known;
    const before = this.#origins.get(seq - 1)?.call ?? 0;
    const origin = { call: before, credential: null, made: false, account: null };
    this.#origins.set(seq, origin);
    return origin;
  }
}
