// The stream: calls, events, deliveries, faults and the clock of a world, as they happen.

import type { Notice } from '../../../host/world/notice.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { findEntry, findEvent } from '../../../host/world/world-reads.ts';
import { Follower, type StreamItem } from '../../follower.ts';
import type { Plane } from '../../plane.ts';
import { row } from '../../row.ts';
import { viewRequest } from '../../views/journal.ts';
import { viewClock, viewDelivery } from '../../views/records.ts';
import { viewFault } from './faults.ts';

type Add = (item: StreamItem) => void;

/** What a notice of a world shows; the same JSON as the rows of the lists. */
function itemOf(host: WorldHost, notice: Notice): StreamItem | null {
  switch (notice.kind) {
    case 'request':
      return item('request', () => {
        const entry = findEntry(host.world.journal, notice.n);
        return entry === undefined ? null : JSON.stringify(viewRequest(host, entry));
      });
    case 'event':
      return item('event', () => {
        const event = findEvent(host.world, notice.seq);
        return event === undefined ? null : host.behaviour.serialize.envelope(event, host.world);
      });
    case 'delivery':
      return item('delivery', () => {
        const delivery = host.world.deliveries.get(notice.id);
        return delivery === undefined ? null : JSON.stringify(viewDelivery(host, delivery));
      });
    case 'command':
      return item('change', () => JSON.stringify({ command: notice.name }));
    case 'snapshots':
      return item('change', () => JSON.stringify({ command: 'snapshot' }));
    case 'clock':
      return item('clock', () => JSON.stringify(viewClock(host)));
    default:
      return null;
  }
}

function item(kind: string, print: () => string | null): StreamItem {
  return { kind, serialize: print };
}

/** Tells of faults that were made, that struck, and that went. */
class FaultWatch {
  readonly #host: WorldHost;
  readonly #add: Add;
  readonly #hits = new Map<string, number>();

  constructor(host: WorldHost, add: Add) {
    this.#host = host;
    this.#add = add;
    for (const { id, hits } of host.world.faults.values()) this.#hits.set(id, hits);
  }

  look(): void {
    const { faults } = this.#host.world;
    if (faults.size === 0 && this.#hits.size === 0) return;
    for (const fault of faults.values()) {
      if (this.#hits.get(fault.id) === fault.hits) continue;
      this.#hits.set(fault.id, fault.hits);
      this.#add(item('fault', () => JSON.stringify(viewFault(fault))));
    }
    for (const id of [...this.#hits.keys()]) {
      if (faults.has(id)) continue;
      this.#hits.delete(id);
      this.#add(item('fault', () => JSON.stringify({ id, removed: true })));
    }
  }
}

/** Begins to follow a world; worlds that come and go are reported to all followers. */
function follow(plane: Plane, host: WorldHost, name: string, add: Add, end: () => void) {
  const faults = new FaultWatch(host, add);
  const stops = [
    host.listen((notice) => {
      faults.look();
      const shown = notice.kind === 'world' ? worldItem(name, 'replaced') : itemOf(host, notice);
      if (shown !== null) add(shown);
    }),
    plane.sandbox.watchWorlds((other, made) => {
      if (other === name && made === null) end();
      else add(worldItem(other, made === null ? 'dropped' : 'made'));
    }),
    plane.onClose(end),
  ];
  add(item('clock', () => JSON.stringify(viewClock(host))));
  return () => {
    for (const stop of stops) stop();
  };
}

function worldItem(name: string, what: 'made' | 'dropped' | 'replaced'): StreamItem {
  return item('world', () => JSON.stringify({ name, what }));
}

export const streamRows = [
  row({
    name: 'followStream',
    method: 'GET',
    path: 'stream',
    tag: 'Sandbox',
    summary: 'What happens, as it happens',
    description:
      'Server-sent events: `request`, `event`, `delivery`, `fault` and `clock` with the same JSON as the rows of the lists, `change` with `{command}` when the control plane changed anything else, and `world` with `{name, what}` when a world was made, dropped or replaced. `id` is a running number. Who reads too slowly gets `lost` with a `count` in place of the oldest.',
    answer: { status: 200, words: 'An endless stream.', type: 'text/event-stream' },
    run: ({ plane, host, worldName }) => ({
      status: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
      body: new Follower((add, end) => follow(plane, host, worldName, add, end)),
    }),
  }),
];
