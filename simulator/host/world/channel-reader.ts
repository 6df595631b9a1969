// One reader of the events channel: when notified, it continues from its position, without gaps or
// duplicates.
import type { Call } from '../../core/call.ts';
import {
  type ChannelCursor,
  type ChannelEnd,
  type ChannelPage,
  openCursor,
  readChannel,
} from '../../core/delivery/events-channel.ts';
import type { WorldHost } from './world-host.ts';

export { closeCodes } from '../../core/delivery/events-channel.ts';

/** The WebSocket codes for a server that restarts, and one that ends. */
const restarts = 1012;
const goesAway = 1001;

export class ChannelReader {
  readonly #host: WorldHost;
  readonly #stop: () => void;
  #reader: ChannelCursor;
  #ended: ChannelEnd | null = null;

  /** `onNews` is called whenever there may be something to read. */
  constructor(host: WorldHost, call: Call, onNews: () => void) {
    this.#host = host;
    this.#reader = openCursor(host.world, host.behaviour, call);
    this.#stop = host.listen(({ kind }) => {
      if (kind === 'world') {
        this.#ended = { code: restarts, reason: 'The world was replaced: connect again.' };
      } else if (kind === 'closed') {
        this.#ended = { code: goesAway, reason: 'The world is gone.' };
      } else if (kind !== 'event' && kind !== 'clock') return;
      onNews();
    });
  }

  /** Returns the next page; an end is the last result. */
  read(): ChannelPage | ChannelEnd {
    if (this.#ended !== null) return this.#ended;
    const { world, behaviour, nowMs } = this.#host;
    const next = readChannel(world, behaviour, this.#reader, nowMs);
    if ('code' in next) this.#ended = next;
    else this.#reader = { ...this.#reader, nextSeq: next.nextSeq };
    return next;
  }

  close(): void {
    this.#stop();
  }
}
