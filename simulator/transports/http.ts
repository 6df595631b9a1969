// The HTTP server: calls of the API go to core as bytes, WebSockets to the events channel.
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Call } from '../core/call.ts';
import { emptyBody, readBody } from '../host/bodies/read-body.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { Guard } from './access-guard.ts';
import { sendReply } from './control.ts';
import { ApiMessage, endSocket, serveEventsChannel } from './events-channel.ts';
import { RequestBatcher } from './request-batcher.ts';

export interface HttpOptions {
  readonly sandbox: Sandbox;
  /** Decides which callers are served; by default those that use a name of this machine. */
  readonly guard?: Guard;
  /** Headers of every response of the API, such as the deviations in force. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that a request may take to arrive, its body included. */
  readonly arrivalMs?: number;
  /** Answers requests outside `/api`, or handles them as calls of the API. */
  readonly besideApi?: (
    request: IncomingMessage,
    response: ServerResponse,
    takeCall: RequestListener,
  ) => void;
}

export interface HttpServer {
  readonly server: Server;
  /** Rejects with the system's error. */
  readonly listen: (where: { readonly port: number; readonly host: string }) => Promise<void>;
  /** Accepts no new connections, answers requests in flight, and cuts those that take longer. */
  readonly close: () => Promise<void>;
}

const keepAliveMs = 72_000;
const defaultArrivalMs = 30_000;
/** Time for requests in flight to finish when the server closes. */
const closeWithinMs = 1200;
/** Unanswered requests outside the API on one connection before it is no longer read. */
const maxWaiting = 100;

export function createHttp(options: HttpOptions): HttpServer {
  const { sandbox, headers = {}, guard = new Guard(), arrivalMs = defaultArrivalMs } = options;
  const batcher = new RequestBatcher(sandbox, headers);
  const takeCall = callTaker(sandbox, batcher);
  const besideApi = inTurn((request, response) => {
    batcher.flush();
    if (options.besideApi === undefined) takeCall(request, response);
    else options.besideApi(request, response, takeCall);
  });
  const server = createServer(
    {
      IncomingMessage: ApiMessage,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: arrivalMs / 2,
      requestTimeout: arrivalMs,
      connectionsCheckingInterval: arrivalMs / 6,
    },
    (request, response) => {
      const refused = guard.refuseHost(request.headers, request.rawHeaders);
      const { url = '/' } = request;
      if (refused !== null) sendReply(response, refused);
      else if (url.startsWith('/api/') || url === '/api') takeCall(request, response);
      else besideApi(request, response);
    },
  );
  // Node drops headers after the first 2000, but access checks need all; their bytes are limited.
  server.maxHeadersCount = 0;
  server.on('clientError', answerBrokenHttp);
  // A client that half-closes its connection still gets its responses.
  server.on('connection', (socket) => socket.prependListener('end', () => batcher.flush()));
  const untilIdle = watchRequests(server);
  const endChannel = serveEventsChannel(server, { sandbox, guard, headers, batcher });
  return {
    server,
    listen: async (where) => {
      server.listen(where);
      await once(server, 'listening');
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await untilIdle(closeWithinMs);
      endChannel();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Returns a function that resolves when no request is left, or after the time. It counts requests,
 * because a set of the open responses costs a tenth of the throughput.
 */
function watchRequests(server: Server): (withinMs: number) => Promise<void> {
  let count = 0;
  let onIdle: () => void = () => undefined;
  server.on('request', (_request, response: ServerResponse) => {
    count += 1;
    response.once('close', () => {
      count -= 1;
      if (count === 0) onIdle();
    });
  });
  return async (withinMs) => {
    if (count === 0) return;
    await new Promise<void>((resolve) => {
      onIdle = resolve;
      setTimeout(resolve, withinMs).unref();
    });
  };
}

/**
 * Answers the requests of a connection one after another. A client that sends many without reading
 * costs no more than its first one, and nothing once it has disconnected.
 */
function inTurn(answer: RequestListener): RequestListener {
  const waiting = new WeakMap<Duplex, [IncomingMessage, ServerResponse][]>();
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    response.once('close', () => {
      const rest = waiting.get(socket) ?? [];
      const next = rest.shift();
      if (next === undefined) waiting.delete(socket);
      else begin(...next);
      // Node itself resumes reading after each response.
      if (rest.length < maxWaiting / 2) socket.resume();
      else socket.pause();
    });
    // Calls of the API that arrived before it in this turn are handled first.
    setImmediate(() => socket.destroyed || answer(request, response));
  };
  return (request, response) => {
    const { socket } = request;
    const before = waiting.get(socket);
    if (before === undefined) {
      waiting.set(socket, []);
      begin(request, response);
    } else if (before.push([request, response]) >= maxWaiting) socket.pause();
  };
}

/** Turns requests into calls, in the order in which the requests begin. */
function callTaker({ settings }: Sandbox, batcher: RequestBatcher): RequestListener {
  const limit = Math.max(settings.max_body_bytes, settings.max_bulk_body_bytes);
  return (request, response) => {
    const order = batcher.begin();
    const { socket } = request;
    const take = (call: Call) => batcher.take({ order, call, socket, response });
    const { method = 'GET', url: target = '/' } = request;
    const headers = separateKeys(request, request.headers);
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
      take({ method, target, headers, body: emptyBody });
      return;
    }
    readBody(request, limit, (body) => {
      if (body === null) take({ method, target, headers, body: emptyBody, oversize: true });
      else take({ method, target, headers, body });
    });
  };
}

/**
 * NS-58: Node joins two key headers with a comma, which a single key may contain too, so they are
 * read again from the raw headers.
 */
function separateKeys(request: IncomingMessage, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const joined = headers['idempotency-key'];
  if (typeof joined !== 'string' || !joined.includes(',')) return headers;
  const keys = request.headersDistinct['idempotency-key'] ?? [];
  // Its type allows only one text, as Node would join it.
  return keys.length > 1 ? { ...headers, 'idempotency-key': keys as never } : headers;
}

/** Bytes that are not HTTP never become a request: a plain-text sentence, then the end. */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, body] = brokenAnswers[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is not a valid HTTP request.\n',
  ];
  endSocket(
    socket,
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const brokenAnswers: Readonly<Record<string, readonly [status: string, body: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request line and headers are too long.\n',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'The rest of the request did not come in time.\n',
  ],
};
