// The server of one port: the API has a way in of its own, beside that of everything else.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Settings } from '../../fixtures/settings.ts';
import { readBody } from '../host/bodies/read-body.ts';
import type { Door } from './door.ts';
import { endSocket } from './end-socket.ts';
import { ApiMessage } from './events-channel.ts';
import type { RequestBatcher } from './request-batcher.ts';

export interface ApiServerOptions {
  readonly door: Door;
  readonly batcher: RequestBatcher;
  /** Makes a call of a request, and answers it. */
  readonly takeCall: RequestListener;
  /** Answers what is not the API's. */
  readonly beside: RequestListener;
  readonly arrivalMs?: number;
}

const noBody = new Uint8Array(0);
const keepAliveMs = 72_000;
/** A request has so long to arrive, its body included; an answer may take as long as it likes. */
const defaultArrivalMs = 30_000;

/**
 * Fastify's routing and its objects cost as much as a call itself, and its parsing of bodies more.
 * What stands beside the API waits for the calls that came before it.
 */
export function createApiServer(given: ApiServerOptions): Server {
  const { door, batcher, takeCall, beside, arrivalMs = defaultArrivalMs } = given;
  const options = {
    IncomingMessage: ApiMessage,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: arrivalMs / 2,
    requestTimeout: arrivalMs,
    connectionsCheckingInterval: arrivalMs / 6,
  };
  const server = createServer(options, (raw, response) => {
    const stranger = door.refuseHost(raw.headers, raw.rawHeaders);
    if (stranger !== null) {
      const body = String(stranger.body);
      const length = { 'content-length': Buffer.byteLength(body) };
      response.writeHead(stranger.status, { ...stranger.headers, ...length }).end(body);
      return;
    }
    const { url = '/' } = raw;
    if (url.startsWith('/api/') || url === '/api') {
      takeCall(raw, response);
      return;
    }
    setImmediate(() => {
      batcher.flush();
      beside(raw, response);
    });
  });
  // Node leaves out what comes after the first 2000, on which a guard may rest; bytes have a limit.
  server.maxHeadersCount = 0;
  server.on('clientError', answerBrokenHttp);
  // Who says that no more will come still hears the answer to what came.
  server.on('connection', (socket) => socket.prependListener('end', () => batcher.flush()));
  return server;
}

/** Makes calls of requests, in the order in which they begin. */
export function callTaker(settings: Settings, batcher: RequestBatcher) {
  const limit = Math.max(settings.max_body_bytes, settings.max_bulk_body_bytes);
  return (raw: IncomingMessage, response: ServerResponse): void => {
    const take = batcher.begin({ socket: raw.socket, response });
    const { method = 'GET', url: target = '/' } = raw;
    const headers = keysApart(raw, raw.headers);
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
      take({ method, target, headers, body: noBody });
      return;
    }
    readBody(raw, limit, (body) => {
      if (body === null) take({ method, target, headers, body: noBody, oversize: true });
      else take({ method, target, headers, body });
    });
  };
}

/**
 * NS-58: node joins two key headers with a comma, which a key may have too, so they are told apart
 * by what came over the wire.
 */
function keysApart(raw: IncomingMessage, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const joined = headers['idempotency-key'];
  if (typeof joined !== 'string' || !joined.includes(',')) return headers;
  const keys = raw.headersDistinct['idempotency-key'] ?? [];
  // Its type has a text only, as node would join it.
  return keys.length > 1 ? { ...headers, 'idempotency-key': keys as never } : headers;
}

/**
 * What is no HTTP at all never becomes a request: a short word in plain text, and the connection
 * ends.
 */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, body] = brokenAnswers[error.code ?? ''] ?? notHttp;
  endSocket(
    socket,
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

type BrokenAnswer = readonly [status: string, body: string];

const notHttp: BrokenAnswer = ['400 Bad Request', 'This is not a valid HTTP request.\n'];
const brokenAnswers: Readonly<Record<string, BrokenAnswer>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request line and headers are too long.\n',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'The rest of the request did not come in time.\n',
  ],
};
