// The stream of a world for one reader: what happens is queued, and printed when it is read.
import { findEntry } from '../core/journal.ts';
import { findEvent } from '../core/world.ts';
import type { Notice } from '../host/world/notice.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import type { Plane } from './plane.ts';
import type { TextStream } from './reply.ts';
import { viewRequest } from './views/journal.ts';
import { viewClock, viewDelivery } from './views/records.ts';

export interface StreamItem {
  readonly kind: string;
  /** Makes what is shown, as an object or as JSON text; null if nothing is left to show. */
  readonly show: () => object | string | null;
}

const mostWaiting = 1000;
const heartbeatMs = 15_000;
/** Items printed into one piece, so that a reader that keeps up costs few writes. */
const printedAtOnce = 50;

/**
 * Server-sent events in pieces. A reader that is too slow loses the oldest items and gets their
 * number; the queue is bounded.
 */
export class Follower implements TextStream {
  #items: StreamItem[] = [];
  #lost = 0;
  #id = 0;
  #ended = false;
  #wake: (() => void) | null = null;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #stop: () => void;
  #beat = false;

  /** `follow` begins to follow and returns how to stop. */
  constructor(follow: (add: (item: StreamItem) => void, end: () => void) => () => void) {
    this.#heartbeat = setInterval(() => {
      this.#beat = true;
      this.#wakeUp();
    }, heartbeatMs);
    this.#heartbeat.unref();
    this.#stop = follow(
      (item) => this.#add(item),
      () => this.#end(),
    );
  }

  #add(item: StreamItem): void {
    if (this.#items.length === mostWaiting) {
      this.#items = this.#items.slice(mostWaiting / 2);
      this.#lost += mostWaiting / 2;
    }
    this.#items.push(item);
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeat);
    this.#stop();
    this.#wakeUp();
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    for (;;) {
      const text = this.#print();
      if (text !== '') return { done: false, value: text };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#items = [];
    this.#end();
    return { done: true, value: undefined };
  }

  #print(): string {
    let text = this.#beat ? ': still here\n\n' : '';
    this.#beat = false;
    if (this.#lost > 0) {
      text += this.#frame('lost', JSON.stringify({ count: this.#lost }));
      this.#lost = 0;
    }
    for (const { kind, show } of this.#items.splice(0, printedAtOnce)) {
      const shown = show();
      if (shown === null) continue;
      text += this.#frame(kind, typeof shown === 'string' ? shown : JSON.stringify(shown));
    }
    return text;
  }

  /** JSON has no line breaks of its own, so one data line holds it. */
  #frame(kind: string, json: string): string {
    this.#id += 1;
    return `id: ${this.#id}\nevent: ${kind}\ndata: ${json}\n\n`;
  }
}

/** Follows a world; worlds that come and go are reported to all followers. */
export function followWorld(plane: Plane, host: WorldHost, name: string): Follower {
  return new Follower((add, end) => {
    const stops = [
      host.listen((notice) => {
        const item = itemOf(host, name, notice);
        if (item !== null) add(item);
      }),
      plane.sandbox.watchWorlds((other, made) => {
        if (other === name && made === null) end();
        else add(worldItem(other, made === null ? 'dropped' : 'made'));
      }),
      plane.onClose(end),
    ];
    add({ kind: 'clock', show: () => viewClock(host) });
    return () => {
      for (const stop of stops) stop();
    };
  });
}

/** The item of a notice, with the same JSON as the rows of the lists. */
function itemOf(host: WorldHost, name: string, notice: Notice): StreamItem | null {
  switch (notice.kind) {
    case 'request': {
      const show = () => {
        const entry = findEntry(host.world.journal, notice.n);
        return entry === undefined ? null : viewRequest(host, entry);
      };
      return { kind: 'request', show };
    }
    case 'event': {
      const show = () => {
        const event = findEvent(host.world, notice.seq);
        return event === undefined ? null : host.behaviour.serialize.envelope(event, host.world);
      };
      return { kind: 'event', show };
    }
    case 'delivery': {
      const show = () => {
        const delivery = host.world.deliveries.get(notice.id);
        return delivery === undefined ? null : viewDelivery(host, delivery);
      };
      return { kind: 'delivery', show };
    }
    case 'command':
      return { kind: 'change', show: () => ({ command: notice.name }) };
    case 'snapshots':
      return { kind: 'change', show: () => ({ command: 'snapshot' }) };
    case 'clock':
      return { kind: 'clock', show: () => viewClock(host) };
    case 'world':
      return worldItem(name, 'replaced');
    case 'closed':
      return null;
  }
}

function worldItem(name: string, what: 'made' | 'dropped' | 'replaced'): StreamItem {
  return { kind: 'world', show: () => ({ name, what }) };
}
