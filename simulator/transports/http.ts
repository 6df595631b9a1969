// HTTP through fastify, which only carries bytes: no parsing, no validation, no answers of its own.

import type { IncomingMessage } from 'node:http';
import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Call } from '../core/call.ts';
import { replyHeaders } from '../host/reading.ts';
import type { Sandbox } from '../host/sandbox.ts';
import type { Answer } from '../host/world-host.ts';
import { ApiMessage, mountEventsChannel } from './events-channel.ts';

export interface HttpOptions {
  readonly sandbox: Sandbox;
  /** Headers put on every answer of the API, such as the deviations in force. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Adds what is served beside the API: the control plane, the document, the dashboard. */
  readonly mount?: (app: FastifyInstance) => void;
}

const empty = new Uint8Array(0);
const apiPrefix = '/api';

/** A fastify server whose API routes all lead into core. */
export function createHttp({ sandbox, headers = {}, mount }: HttpOptions): FastifyInstance {
  const limit = Math.max(sandbox.settings.max_body_bytes, sandbox.settings.max_bulk_body_bytes);
  const app = Fastify({
    logger: false,
    http: { IncomingMessage: ApiMessage },
    bodyLimit: Number.MAX_SAFE_INTEGER,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
    // A bad percent-encoding is core's to refuse, so the router never sees the target as it was
    // sent.
    rewriteUrl: (request) => routed(request.url ?? '/'),
    clientErrorHandler: answerBrokenHttp,
    forceCloseConnections: true,
    requestTimeout: 0,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  // Core's calls are taken before fastify looks for a body: its parsing binds a resource for each
  // request, which on Node 20 costs more than all the rest of a call.
  app.addHook('onRequest', (request, reply, done) => {
    const isCores = request.is404 || request.routeOptions.url === apiPrefix;
    if (isCores) serve(sandbox, limit, headers, request, reply);
    else done();
  });
  const taken = (): never => {
    throw new Error('the hook has taken this call');
  };
  app.all(apiPrefix, taken);
  mountEventsChannel(app, { sandbox, headers });
  mount?.(app);
  app.setNotFoundHandler(taken);
  return app;
}

/**
 * Everything under /api is one route, whatever it is called; the rest is routed by its own name.
 */
function routed(target: string): string {
  if (target.startsWith('/api/') || target === apiPrefix) return apiPrefix;
  return /%(?![0-9a-f]{2})/i.test(target) ? apiPrefix : target;
}

function serve(
  sandbox: Sandbox,
  limit: number,
  extra: Readonly<Record<string, string>>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.hijack();
  const { raw } = request;
  readBody(raw, limit, (body, oversize) => {
    const call: Call = {
      method: raw.method ?? 'GET',
      target: request.originalUrl,
      headers: raw.headers,
      body,
      ...(oversize ? { oversize } : {}),
    };
    answerCall(sandbox, call, extra, reply);
  });
  return reply;
}

function answerCall(
  sandbox: Sandbox,
  call: Call,
  extra: Readonly<Record<string, string>>,
  reply: FastifyReply,
): void {
  const { raw } = reply;
  const answered = (answer: Answer): void => {
    if (answer.kind === 'reset') {
      cutOff(raw.socket);
      return;
    }
    const headers = replyHeaders(answer.reply, answer.requestId);
    Object.assign(headers, extra);
    // An answer that names the connection itself would keep open what the caller wants closed.
    if (headers.connection !== undefined && !raw.shouldKeepAlive) headers.connection += ', close';
    if (answer.reply.status !== 204) {
      headers['content-length'] = String(Buffer.byteLength(answer.reply.body));
    }
    raw.writeHead(answer.reply.status, headers);
    raw.end(call.method === 'HEAD' ? undefined : answer.reply.body);
  };
  const host = sandbox.call(call, answered);
  if (!raw.writableEnded) raw.once('close', () => host.forget(answered));
}

/**
 * Ends a connection as one that breaks. Where its end is under way already nobody is there to see
 * it; Node 20 would wait for that end for ever, even when its program is over.
 */
function cutOff(socket: Socket | null): void {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
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
  raw.once('end', () => {
    if (size > limit) done(empty, true);
    else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), false);
  });
  raw.once('error', () => {
    chunks = [];
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
