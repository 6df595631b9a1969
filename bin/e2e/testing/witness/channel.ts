// The events channel: the events after a sequence number, then new ones (EVT-10b, NS-12).
import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';
import { type EventRecord, isSeen } from './records.ts';
import { print } from './values.ts';
import type { World } from './world.ts';

export function attachChannel(
  server: Server,
  path: string,
  worldOf: (token: string) => World | undefined,
): void {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://channel');
    const header = request.headers.authorization?.replace(/^bearer\s+/i, '');
    const token = header ?? query.get('access_token') ?? '';
    const world = worldOf(token);
    if (pathname !== path || world === undefined) {
      socket.end(`HTTP/1.1 ${world === undefined ? '401 Unauthorized' : '404 Not Found'}\r\n\r\n`);
      return;
    }
    const { store, style, delivering, listeners } = world;
    const credential = store.credential(store.token(token)!.client_id)!;
    sockets.handleUpgrade(request, socket, head, (channel) => {
      const show = (event: EventRecord) =>
        channel.send(print(style.channelMessage(style.envelope(event))));
      const listener = (event: EventRecord) => {
        if (isSeen(credential, event)) show(event);
      };
      const afterSeq = query.get('after_seq');
      if (afterSeq !== null) delivering.since(credential, Number(afterSeq)).forEach(show);
      listeners.add(listener);
      channel.on('close', () => listeners.delete(listener));
    });
  });
}
