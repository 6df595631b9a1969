// The stream of a world for one reader: events are queued, and serialized when they are read.
import { Readable } from 'node:stream';
import { findEntry } from '../core/journal.ts';
import { findEvent } from '../core/world.ts';
import type { Notice, WorldHost } from '../host/world/world-host.ts';
import { viewRequest } from './journal.ts';
import type { Plane } from './plane.ts';
import { viewClock, viewDelivery } from './records.ts';

export interface StreamItem {
  readonly kind: string;
  /** Returns the item as an object or as JSON text; undefined if nothing is left to show. */
  readonly show: () => object | string | undefined;
}

/** Begins to follow, and returns how to stop. */
type Follow = (add: (item: StreamItem) => void, end: () => void) => () => void;

const maxWaiting = 1000;
const heartbeatMs = 15_000;
/** Items serialized into one chunk, so that a reader that keeps up needs few writes. */
const printedAtOnce = 50;

/**
 * Server-sent events in pieces. A reader that is too slow loses the oldest items and gets their
 * number; the queue is bounded.
 */
export function streamItems(follow: Follow): Readable {
  let items: StreamItem[] = [];
  let lost = 0;
  let id = 0;
  let isWanted = false;
  let isEnded = false;
  // Compact JSON has no line breaks, so one data line is enough.
  const frame = (kind: string, content: object | string) => {
    id += 1;
    const json = typeof content === 'string' ? content : JSON.stringify(content);
    return `id: ${id}\nevent: ${kind}\ndata: ${json}\n\n`;
  };
  const print = () => {
    let text = lost === 0 ? '' : frame('lost', { count: lost });
    lost = 0;
    do {
      for (const { kind, show } of items.splice(0, printedAtOnce)) {
        const content = show();
        if (content !== undefined) text += frame(kind, content);
      }
    } while (text === '' && items.length > 0);
    return text;
  };
  const give = (idle = '') => {
    if (!isWanted) return;
    const text = print() || idle;
    isWanted = text === '';
    if (text !== '') stream.push(text);
    else if (isEnded) stream.push(null);
  };
  const stream = new Readable({
    highWaterMark: 1,
    read: () => {
      isWanted = true;
      give();
    },
    destroy: (error, done) => {
      clearInterval(heartbeat);
      stop();
      done(error);
    },
  });
  const heartbeat = setInterval(() => give(': still here\n\n'), heartbeatMs).unref();
  const add = (item: StreamItem) => {
    if (items.length === maxWaiting) {
      items = items.slice(maxWaiting / 2);
      lost += maxWaiting / 2;
    }
    items.push(item);
    give();
  };
  const stop = follow(add, () => {
    isEnded = true;
    stop();
    give();
  });
  return stream;
}

/** Follows a world; created and dropped worlds are reported to all followers. */
export function followWorld(plane: Plane, host: WorldHost, name: string): Readable {
  return streamItems((add, end) => {
    const stops = [
      host.listen((notice) => {
        const item = itemOf(host, name, notice);
        if (item !== null) add(item);
      }),
      plane.sandbox.watchWorlds((other, created) => {
        if (other === name && created === null) end();
        else add(worldItem(other, created === null ? 'dropped' : 'made'));
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
  const { kind } = notice;
  switch (kind) {
    case 'request': {
      const show = () => {
        const entry = findEntry(host.world.journal, notice.n);
        return entry && viewRequest(host, entry);
      };
      return { kind, show };
    }
    case 'event': {
      const show = () => {
        const event = findEvent(host.world, notice.seq);
        return event && host.behaviour.serialize.envelope(event, host.world);
      };
      return { kind, show };
    }
    case 'delivery': {
      const show = () => {
        const delivery = host.world.deliveries.get(notice.id);
        return delivery && viewDelivery(host, delivery);
      };
      return { kind, show };
    }
    case 'command':
      return { kind: 'change', show: () => ({ command: notice.name }) };
    case 'snapshots':
      return { kind: 'change', show: () => ({ command: 'snapshot' }) };
    case 'clock':
      return { kind, show: () => viewClock(host) };
    case 'world':
      return worldItem(name, 'replaced');
    case 'closed':
      return null;
  }
}

function worldItem(name: string, what: 'made' | 'dropped' | 'replaced'): StreamItem {
  return { kind: 'world', show: () => ({ name, what }) };
}
