// One reader of the events channel: when notified, it continues from its position, without gaps or
// duplicates.
import type { Call } from '../../core/call.ts';
import {
  type ChannelEnd,
  type ChannelPage,
  channelReader,
} from '../../core/delivery/events-channel.ts';
import type { WorldHost } from './world-host.ts';

export { closeCodes } from '../../core/delivery/events-channel.ts';

/** The WebSocket codes for a server that restarts, and one that ends. */
const restarts = 1012;
const goesAway = 1001;

/** `onNews` is called whenever there may be something to read; an end is the last result. */
export function openChannel(host: WorldHost, call: Call, onNews: () => void) {
  const readNext = channelReader(host.world, host.behaviour, call);
  let end: ChannelEnd | null = null;
  const close = host.listen(({ kind }) => {
    if (kind === 'world') {
      end = { code: restarts, reason: 'The world was replaced: connect again.' };
    } else if (kind === 'closed') {
      end = { code: goesAway, reason: 'The world is gone.' };
    } else if (kind !== 'event' && kind !== 'clock') return;
    onNews();
  });
  /** Returns the next page; an end is returned again. */
  const read = (): ChannelPage | ChannelEnd => {
    const next = end ?? readNext(host.nowMs);
    if ('code' in next) end = next;
    return next;
  };
  return { read, close };
}
