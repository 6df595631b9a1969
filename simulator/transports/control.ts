// The control plane in process and on a server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ControlPlaneOptions, Plane } from '../control/plane.ts';
import type { ControlReply } from '../control/reply.ts';
import { emptyBody, readBody } from '../host/bodies/read-body.ts';
import { rejectOnAbort, retain } from './abort-signals.ts';

export type ControlPlane = ReturnType<typeof controlPlane>;

export function controlPlane(options: ControlPlaneOptions) {
  let loading: Promise<Plane> | null = null;
  /** Loads the rows lazily, so that a sandbox without control requests starts sooner. */
  const load = (): Promise<Plane> => {
    loading ??= import('../control/plane.ts').then(({ Plane: Rows }) => new Rows(options));
    return loading;
  };
  return {
    load,
    fetch: async (request: Request) => fetchControl(await load(), request),
    /** Ends the streams, so that a server need not wait for their readers. */
    close: () => void loading?.then((plane) => plane.close()),
  };
}

/**
 * Answers a standard Request without a socket; the host in its URL does not matter. Rejects with
 * the reason when its signal is aborted.
 */
export async function fetchControl(plane: Plane, request: Request): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const { status, headers, body } = await rejectOnAbort(signal, replyTo(plane, request));
  if (typeof body === 'string') {
    return new Response(status === 204 ? null : body, { status, headers });
  }
  // Keeps the request alive as long as its body, so that an abort still ends the stream.
  retain(body, request);
  return new Response(streamOf(body, signal), { status, headers });
}

/** Keeps the request until its reply is there, and ends a stream without a reader. */
async function replyTo(plane: Plane, request: Request): Promise<ControlReply> {
  const { method, headers, signal } = request;
  const { origin, pathname, search } = new URL(request.url);
  const reply = await plane.handle({
    method,
    target: `${pathname}${search}`,
    headers: Object.fromEntries(headers),
    base: origin,
    read: async () =>
      request.body === null ? emptyBody : new Uint8Array(await request.arrayBuffer()),
  });
  if (typeof reply.body !== 'string' && signal.aborted) reply.body.destroy();
  return reply;
}

function streamOf(body: Readable, signal: AbortSignal): ReadableStream<Uint8Array> {
  const abort = () => body.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  body.once('close', () => signal.removeEventListener('abort', abort));
  return Readable.toWeb(body) as ReadableStream<Uint8Array>;
}

/** Answers a request of the plane that came over a socket. */
export async function serveControl(
  plane: ControlPlane,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: target = '/', headers } = request;
  const loaded = await plane.load();
  const reply = await loaded.handle({
    method,
    target,
    headers,
    base: `http://${headers.host}`,
    // An interrupted upload is not a request, and is never answered.
    read: (maxBytes) => new Promise((done) => readBody(request, maxBytes, done)),
  });
  sendReply(response, reply);
}

/** Sends a stream as fast as the client reads it, and ends it when the client leaves. */
export function sendReply(response: ServerResponse, { status, headers, body }: ControlReply): void {
  if (typeof body === 'string') {
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, { ...headers, ...length }).end(body);
    return;
  }
  response.writeHead(status, headers);
  pipeline(body, response, () => undefined);
}
