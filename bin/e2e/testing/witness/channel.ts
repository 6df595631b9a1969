// The events channel: what came after a number, and then what happens (EVT-10b, NS-12).
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { mayHear } from './delivering.ts';
import type { EventRecord } from './records.ts';
import type { World } from './types.ts';
import { print } from './values.ts';

export function attachChannel(
  server: Server,
  path: string,
  worldOf: (token: string | undefined) => World | undefined,
): void {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://channel');
    const header = request.headers.authorization?.replace(/^bearer\s+/i, '');
    const token = header ?? url.searchParams.get('access_token') ?? undefined;
    const world = worldOf(token);
    if (url.pathname !== path || world === undefined) {
      socket.end(`HTTP/1.1 ${world === undefined ? '401 Unauthorized' : '404 Not Found'}\r\n\r\n`);
      return;
    }
    const afterSeq = url.searchParams.get('after_seq');
    sockets.handleUpgrade(request, socket, head, (channel) => {
      follow(channel, world, token!, afterSeq === null ? null : Number(afterSeq));
    });
  });
}

function follow(channel: WebSocket, world: World, token: string, afterSeq: number | null): void {
  const { store, style, delivering, listeners } = world;
  const credential = store.credential(store.token(token)!.client_id)!;
  const show = (event: EventRecord) => {
    channel.send(print(style.channelMessage(style.envelope(event))));
  };
  const listener = (event: EventRecord) => {
    if (mayHear(credential, event)) show(event);
  };
  if (afterSeq !== null) delivering.since(credential, afterSeq).forEach(show);
  listeners.add(listener);
  channel.on('close', () => listeners.delete(listener));
}
