// Ends a connection that is refused before it became what was asked for.
import type { Duplex } from 'node:stream';

/** Time to take the last word; who has not hung up by then is cut off. */
const lingerMs = 500;

/**
 * Says the last word and hangs up. What the other side has still to say is thrown away: its bytes
 * would keep the connection open for ever, and cutting it at once would take the last word away.
 */
export function endSocket(socket: Duplex, lastWord: string): void {
  socket.end(lastWord);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}
