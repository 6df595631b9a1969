// HTTP: the API's bytes go to core as they come; fastify serves what stands beside the API, and has
// no answers of its own.

import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Sandbox } from '../host/world/sandbox.ts';
import { ApiMessage, mountEventsChannel } from './events-channel.ts';
import { RequestBatcher } from './request-batcher.ts';

export interface HttpOptions {
  readonly sandbox: Sandbox;
  /** Headers put on every answer of the API, such as the deviations in force. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Adds what is served beside the API: the control plane, the document, the dashboard. */
  readonly mount?: (app: FastifyInstance) => void;
}

const empty = new Uint8Array(0);

/**
 * A server whose API leads into core. Everything else is fastify's: what it has no route for is
 * core's to refuse as well.
 */
export function createHttp({ sandbox, headers = {}, mount }: HttpOptions): FastifyInstance {
  const limit = Math.max(sandbox.settings.max_body_bytes, sandbox.settings.max_bulk_body_bytes);
  const turns = new RequestBatcher(sandbox, headers);
  const serve = (raw: IncomingMessage, response: ServerResponse) => {
    const take = turns.begin({ socket: raw.socket, response });
    readBody(raw, limit, (body, oversize) => {
      const { method = 'GET', url: target = '/', headers: sent } = raw;
      const call = { method, target, headers: keysApart(raw, sent), body };
      take(oversize ? { ...call, oversize } : call);
    });
  };
  const take = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    serve(request.raw, reply.raw);
  };
  const app = Fastify({
    logger: false,
    http: { IncomingMessage: ApiMessage },
    bodyLimit: Number.MAX_SAFE_INTEGER,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
    // A bad percent-encoding is core's to refuse.
    frameworkErrors: (_error, request, reply) => take(request, reply),
    clientErrorHandler: answerBrokenHttp,
    forceCloseConnections: true,
    requestTimeout: 0,
  });
  takeApi(app.server, turns, serve);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  // Before fastify looks for a body; what its router cannot even read comes past this hook.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) take(request, reply);
    else done();
  });
  app.setNotFoundHandler(take);
  mountEventsChannel(app, { sandbox, headers, turns });
  mount?.(app);
  return app;
}

/**
 * The API is taken before fastify looks at it: its routing and its objects cost as much as a call
 * itself, and its parsing of bodies more. What is fastify's waits for the calls that came before.
 */
function takeApi(server: Server, turns: RequestBatcher, serve: RequestListener): void {
  const [routing] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (raw, response) => {
    const { url = '/' } = raw;
    if (url.startsWith('/api/') || url === '/api') {
      serve(raw, response);
      return;
    }
    setImmediate(() => {
      turns.flush();
      routing?.(raw, response);
    });
  });
  // Who says that no more will come still hears the answer to what came.
  server.on('connection', (socket) => socket.prependListener('end', () => turns.flush()));
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
 * Reads a body in full; beyond the limit it is read on without being kept. An upload that breaks
 * off is no call.
 */
function readBody(
  raw: IncomingMessage,
  limit: number,
  done: (body: Uint8Array, oversize: boolean) => void,
): void {
  const { headers } = raw;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    done(empty, false);
    return;
  }
  let chunks: Buffer[] = [];
  let size = 0;
  raw.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= limit) chunks.push(chunk);
    else chunks = [];
  });
  raw.on('end', () => {
    if (size > limit) done(empty, true);
    else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), false);
  });
}

/**
 * What is no HTTP at all never becomes a request: a short word in plain text, and the connection
 * ends.
 */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = tooLong
    ? 'The request line and headers are too long.\n'
    : 'This is not a valid HTTP request.\n';
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
