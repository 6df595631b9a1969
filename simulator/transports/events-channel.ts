// The events channel over WebSocket: the API decides the handshake, and a reader feeds the
// connection.
import { IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ServerOptions, WebSocket, WebSocketServer } from 'ws';
import { type Call, replyHeaders } from '../core/call.ts';
import { emptyBody } from '../host/bodies/read-body.ts';
import { closeCodes, openChannel } from '../host/world/channel-reader.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { Answer, WorldHost } from '../host/world/world-host.ts';
import type { Guard } from './access-guard.ts';
import type { RequestBatcher } from './request-batcher.ts';

/**
 * Only a request for a WebSocket is offered another protocol. Otherwise Node would hand every
 * request with an `Upgrade` header to the channel, and some HTTP clients always send one (`h2c`).
 */
export class ApiMessage extends IncomingMessage {
  declare asksForUpgrade: boolean | null | undefined;

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false;
    return this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? '');
  }

  set upgrade(value: boolean | null) {
    this.asksForUpgrade = value;
  }
}

export interface EventsChannelOptions {
  readonly sandbox: Sandbox;
  /** Decides which origins may follow. */
  readonly guard: Guard;
  /** Answers the calls that arrived before a handshake first. */
  readonly batcher: RequestBatcher;
  /** Headers put on every answer to a handshake. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between two pings; a client that did not answer the last one is disconnected. */
  readonly pingEveryMs?: number;
}

/** Readers have nothing to send; anything they do send is discarded. */
const maxInputBytes = 16 * 1024;
/** A reader with this many unread bytes gets no more until it has read them. */
const maxUnreadBytes = 1024 * 1024;
const defaultPingMs = 20_000;
const closeTimeoutMs = 500;

type End = (code: number, reason: string) => void;

/**
 * Serves the channel on a server made of {@link ApiMessage}s. The returned function ends all
 * connections with a reason, and accepts no new ones.
 */
export function serveEventsChannel(server: Server, options: EventsChannelOptions): () => void {
  const ends = new Set<End>();
  let sockets: Promise<WebSocketServer> | null = null;
  let closing = false;
  const shakeHands = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { sandbox, headers = {} } = options;
    const call: Call = {
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      headers: request.headers,
      body: emptyBody,
      upgrade: true,
    };
    const host = sandbox.hostOf(call);
    const answered = (answer: Answer): void => {
      if (answer.kind === 'reset') {
        socket.destroy();
        return;
      }
      const { reply, requestId } = answer;
      const own = { ...replyHeaders(reply, requestId), ...headers };
      if (reply.status !== 101) {
        refuse(socket, reply.status, own, reply.body);
        return;
      }
      sockets ??= openServer();
      void sockets.then((handshakes) => {
        const addHeaders = (lines: string[]) => void lines.push(...linesOf(own));
        handshakes.once('headers', addHeaders);
        // It answers before it returns: with these headers, or with a refusal of its own.
        handshakes.handleUpgrade(request, socket, head, (webSocket) => {
          const end = feed(webSocket, host, call, options.pingEveryMs ?? defaultPingMs);
          ends.add(end);
          webSocket.once('close', () => ends.delete(end));
        });
        handshakes.off('headers', addHeaders);
      });
    };
    host.call(call, answered);
    socket.once('close', () => host.forget(answered));
  };
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    setImmediate(() => {
      options.batcher.flush();
      if (closing || socket.destroyed) {
        socket.destroy();
        return;
      }
      const { guard } = options;
      const { headers, rawHeaders } = request;
      const refused = guard.refuseHost(headers, rawHeaders) ?? guard.refuseFollower(headers);
      if (refused === null) shakeHands(request, socket, head);
      else refuse(socket, refused.status, refused.headers, String(refused.body));
    });
  });
  return () => {
    closing = true;
    for (const end of ends) end(1001, 'The sandbox is closing.');
  };
}

async function openServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  // The types lack `closeTimeout`: a client that does not finish the close is disconnected.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    closeTimeout: closeTimeoutMs,
    perMessageDeflate: false,
    maxPayload: maxInputBytes,
  };
  return new WebSocketServer(options);
}

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** A refusal in the API's own form, on a connection that never became a WebSocket. */
function refuse(
  socket: Duplex,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const own = { connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  const lines = [`HTTP/1.1 ${status} Refused`, ...linesOf({ ...headers, ...own })];
  endSocket(socket, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Feeds one reader's connection, and returns how to end it. Little is buffered: a slow reader
 * continues later, from the event log.
 */
function feed(socket: WebSocket, host: WorldHost, call: Call, pingEveryMs: number): End {
  let isScheduled = false;
  let isFull = false;
  let isAnswered = true;
  const end: End = (code, reason) => socket.close(code, reason);
  // One page per turn of the event loop, so that a long replay does not delay others.
  const later = () => {
    if (isScheduled || isFull) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (socket.readyState === socket.OPEN) send();
    });
  };
  const sent = () => {
    if (!isFull || socket.bufferedAmount > maxUnreadBytes / 2) return;
    isFull = false;
    later();
  };
  const send = () => {
    const page = channel.read();
    if ('code' in page) {
      end(page.code, page.reason);
      return;
    }
    for (const envelope of page.envelopes) socket.send(envelope, sent);
    isFull = socket.bufferedAmount > maxUnreadBytes;
    if (page.more) later();
  };
  const channel = openChannel(host, call, later);
  const pings = setInterval(() => {
    if (!isAnswered) {
      end(closeCodes.tooSlow, 'The last ping was not answered.');
      return;
    }
    isAnswered = false;
    socket.ping();
    // A token may have expired in the meantime.
    later();
  }, pingEveryMs).unref();
  socket.on('pong', () => {
    isAnswered = true;
  });
  // The library has already answered an invalid frame with a close code.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(pings);
    channel.close();
  });
  later();
  return end;
}

/** Milliseconds in which the other side can read the last bytes before the connection is cut. */
const lingerMs = 500;

/**
 * Sends the last bytes and closes. Whatever the other side still sends is discarded: unread, it
 * would keep the connection open forever, and cutting it immediately would lose the last bytes.
 */
export function endSocket(socket: Duplex, lastBytes: string): void {
  socket.end(lastBytes);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}
