// The events channel over WebSocket: the API decides on the handshake, a reader feeds the
// connection.
import { IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ServerOptions, WebSocket, WebSocketServer } from 'ws';
import type { Call } from '../core/call.ts';
import { replyHeaders } from '../core/call.ts';
import { ChannelReader, closeCodes } from '../host/world/channel-reader.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { Answer, WorldHost } from '../host/world/world-host.ts';
import type { Door } from './door.ts';
import type { RequestBatcher } from './request-batcher.ts';

/**
 * Only who asks for a WebSocket is offered another protocol. Without this, Node would take every
 * request with an `Upgrade` header away from the API, and some HTTP clients always send one
 * (`h2c`).
 */
export class ApiMessage extends IncomingMessage {
  declare asksForUpgrade: boolean | null | undefined;

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false;
    return this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? '');
  }

  set upgrade(asked: boolean | null) {
    this.asksForUpgrade = asked;
  }
}

export interface EventsChannelOptions {
  readonly sandbox: Sandbox;
  /** Who may follow. */
  readonly door: Door;
  /** The calls that came before a handshake are answered before it. */
  readonly batcher: RequestBatcher;
  /** Headers put on every answer to a handshake. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between two pings; who has not answered the last one is cut off. */
  readonly pingEveryMs?: number;
}

const emptyBody = new Uint8Array(0);
/** Readers have nothing to say; what they say nevertheless is not kept. */
const mostInputBytes = 16 * 1024;
/** Beyond this much that a reader has not taken, it gets no more until it has. */
const mostUnreadBytes = 1024 * 1024;
const defaultPingMs = 20_000;
const farewellMs = 500;

export interface EventsChannel {
  /** Ends all connections with a reason, and accepts no more. */
  readonly close: () => void;
}

/** Serves the channel on a server made of {@link ApiMessage}s. */
export function serveEventsChannel(server: Server, options: EventsChannelOptions): EventsChannel {
  const connections = new Set<Connection>();
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
      // A refused handshake is short: what is ordered to come slowly or in part comes at once.
      if (answer.kind === 'piece' || answer.kind === 'end') return;
      const { reply, requestId } = answer;
      const own = { ...replyHeaders(reply, requestId), ...headers };
      if (reply.status !== 101) {
        refuse(socket, reply.status, own, reply.body);
        return;
      }
      sockets ??= openServer();
      void sockets.then((handshakes) => {
        extraHeaders.set(request, own);
        handshakes.handleUpgrade(request, socket, head, (webSocket) => {
          const connection = new Connection(webSocket, host, call, options);
          connections.add(connection);
          webSocket.once('close', () => connections.delete(connection));
        });
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
      const { door } = options;
      const { headers, rawHeaders } = request;
      const refused = door.refuseHost(headers, rawHeaders) ?? door.refuseFollower(headers);
      if (refused === null) shakeHands(request, socket, head);
      else refuse(socket, refused.status, refused.headers, String(refused.body));
    });
  });
  const close = () => {
    closing = true;
    for (const connection of connections) connection.end(1001, 'The sandbox is closing.');
  };
  return { close };
}

/** Headers of the answer to a handshake that are ours and not the protocol's. */
const extraHeaders = new WeakMap<IncomingMessage, Readonly<Record<string, string>>>();

async function openServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  // The types do not know `closeTimeout` yet: who does not take its leave is cut off.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    closeTimeout: farewellMs,
    perMessageDeflate: false,
    maxPayload: mostInputBytes,
  };
  const server = new WebSocketServer(options);
  server.on('headers', (lines: string[], request: IncomingMessage) => {
    for (const [name, value] of Object.entries(extraHeaders.get(request) ?? {})) {
      lines.push(`${name}: ${value}`);
    }
  });
  return server;
}

/** A refusal in the API's own words, on a connection that never became a WebSocket. */
function refuse(
  socket: Duplex,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const lines = [`HTTP/1.1 ${status} Refused`];
  const own = { connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  for (const [name, value] of Object.entries({ ...headers, ...own })) {
    lines.push(`${name}: ${value}`);
  }
  endSocket(socket, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** One reader's connection. It buffers little: who reads slowly reads on later, from the log. */
class Connection {
  readonly #socket: WebSocket;
  readonly #channel: ChannelReader;
  readonly #pings: NodeJS.Timeout;
  #scheduled = false;
  #waits = false;
  #answered = true;

  constructor(
    socket: WebSocket,
    host: WorldHost,
    call: Call,
    { pingEveryMs = defaultPingMs }: EventsChannelOptions,
  ) {
    this.#socket = socket;
    this.#channel = new ChannelReader(host, call, () => this.#later());
    this.#pings = setInterval(() => this.#ping(), pingEveryMs);
    this.#pings.unref();
    socket.on('pong', () => {
      this.#answered = true;
    });
    // What is wrong with a frame the library has already answered with a close code.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(this.#pings);
      this.#channel.close();
    });
    this.#later();
  }

  /** One page a turn, so that a long replay does not delay others. */
  #later(): void {
    if (this.#scheduled || this.#waits) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    const page = this.#channel.read();
    if ('code' in page) {
      this.end(page.code, page.reason);
      return;
    }
    for (const envelope of page.envelopes) socket.send(envelope, this.#sent);
    this.#waits = socket.bufferedAmount > mostUnreadBytes;
    if (page.more) this.#later();
  }

  readonly #sent = (): void => {
    if (!this.#waits || this.#socket.bufferedAmount > mostUnreadBytes / 2) return;
    this.#waits = false;
    this.#later();
  };

  #ping(): void {
    if (!this.#answered) {
      this.end(closeCodes.tooSlow, 'The last ping was not answered.');
      return;
    }
    this.#answered = false;
    this.#socket.ping();
    // A token may have run out meanwhile.
    this.#later();
  }

  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}

/** Milliseconds for the other side to take the last bytes before it is cut off. */
const lingerMs = 500;

/**
 * Sends the last bytes and hangs up. What the other side still sends is thrown away: unread, it
 * would keep the connection open for ever, and cutting it at once would lose the last bytes.
 */
export function endSocket(socket: Duplex, lastBytes: string): void {
  socket.end(lastBytes);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}
