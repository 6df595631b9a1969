// The events channel: what came after a number, and then what happens (EVT-10b, NS-12).
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { eventsAfter, mayHear } from '../events.ts';
import type { EventRecord } from '../values/records.ts';
import type { Style } from '../values/style.ts';
import type { WorldHost } from './world-host.ts';

export function attachChannel(
  server: Server,
  style: Style,
  hostOfToken: (token: string | undefined) => WorldHost | undefined,
): void {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://channel');
    const token =
      request.headers.authorization?.replace(/^bearer\s+/i, '') ??
      url.searchParams.get('access_token') ??
      undefined;
    const host = hostOfToken(token);
    if (url.pathname !== style.channelPath || host === undefined) {
      socket.end(`HTTP/1.1 ${host === undefined ? '401 Unauthorized' : '404 Not Found'}\r\n\r\n`);
      return;
    }
    const afterSeq = Number(url.searchParams.get('after_seq') ?? Number.NaN);
    sockets.handleUpgrade(request, socket, head, (channel) => {
      follow(channel, host, token!, afterSeq);
    });
  });
}

function follow(channel: WebSocket, { mind }: WorldHost, token: string, afterSeq: number): void {
  const issued = mind.tokens.find((each) => each.value === token);
  const credential = mind.credentials.find((each) => each.clientId === issued?.clientId)!;
  const tell = (event: EventRecord) => {
    if (!mayHear(credential, event)) return;
    channel.send(JSON.stringify(mind.style.channelMessage(mind.style.envelope(event))));
  };
  if (Number.isFinite(afterSeq)) eventsAfter(mind, credential, afterSeq).forEach(tell);
  mind.listeners.push(tell);
  channel.on('close', () => {
    const at = mind.listeners.indexOf(tell);
    if (at >= 0) mind.listeners.splice(at, 1);
  });
}
