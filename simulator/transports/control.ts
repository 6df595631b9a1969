// The control plane in process and on a server. A request is judged by its head before its body is
// read, and only as much of the body is read as its row takes.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admitted, ControlPlaneOptions, Plane } from '../control/plane.ts';
import { ControlReply, problem, type TextStream } from '../control/reply.ts';
import { controlPrefix } from '../control/row.ts';
import { readBody } from '../host/bodies/read-body.ts';
import { rejectOnAbort, retain } from './abort-signals.ts';
import type { Door } from './door.ts';

export interface ControlPlane {
  /** Loads the rows, which a sandbox that nobody controls does without: it starts sooner. */
  readonly load: () => Promise<Plane>;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the streams, so that a server need not wait for their readers. */
  readonly close: () => void;
}

export function controlPlane(options: ControlPlaneOptions): ControlPlane {
  let loading: Promise<Plane> | null = null;
  const load = (): Promise<Plane> => {
    loading ??= import('../control/plane.ts').then(({ Plane: Rows }) => new Rows(options));
    return loading;
  };
  return {
    load,
    fetch: async (request) => fetchControl(await load(), request),
    close: () => {
      void loading?.then((plane) => plane.close());
    },
  };
}

/**
 * Answers a standard Request without a socket; the host in its URL does not matter. Rejects with the
 * reason when its signal is aborted.
 */
export async function fetchControl(plane: Plane, request: Request): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const { status, headers, body } = await rejectOnAbort(signal, replyTo(plane, request));
  if (typeof body === 'string') {
    return new Response(status === 204 ? null : body, { status, headers });
  }
  // The source of the stream stays for as long as the stream may need it.
  retain(body, request);
  return new Response(streamOf(body, signal), { status, headers });
}

const empty = new Uint8Array(0);

/** Keeps the request until its reply is there, and gives up a stream that has no reader. */
async function replyTo(plane: Plane, request: Request): Promise<ControlReply> {
  const { method, headers, signal } = request;
  const { origin, pathname, search } = new URL(request.url);
  const admitted = plane.admit({
    method,
    target: `${pathname}${search}`,
    headers: Object.fromEntries(headers),
    inProcess: origin,
  });
  if (admitted instanceof ControlReply) return admitted;
  const body = request.body === null ? empty : new Uint8Array(await request.arrayBuffer());
  const reply = await admitted.answer(body.byteLength > admitted.mostBytes ? null : body, signal);
  if (typeof reply.body !== 'string' && signal.aborted) await reply.body.return?.();
  return reply;
}

function streamOf(pieces: TextStream, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stopListening: () => void = () => undefined;
  return new ReadableStream({
    start: (controller) => {
      const abort = () => {
        void pieces.return?.();
        controller.error(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      stopListening = () => signal.removeEventListener('abort', abort);
    },
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      // An aborted stream has its error and takes no more.
      if (signal.aborted) return;
      if (!done) {
        controller.enqueue(encoder.encode(value));
        return;
      }
      stopListening();
      controller.close();
    },
    cancel: async () => {
      stopListening();
      await pieces.return?.();
    },
  });
}

/** Mounts the plane in a context of its own, with its own parsing of bodies. */
export function mountControl(app: FastifyInstance, plane: ControlPlane, door: Door): void {
  const admissions = new WeakMap<FastifyRequest, Admitted>();
  app.register((own, _options, done) => {
    own.addContentTypeParser('*', (request, payload, parsed) => {
      readBody(payload as Readable, admissions.get(request)?.mostBytes ?? 0, (body) =>
        parsed(null, body),
      );
    });
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      const { method, originalUrl: target, headers } = request;
      const judged =
        door.refusePage(headers) ?? (await plane.load()).admit({ method, target, headers });
      if (judged instanceof ControlReply) return send(reply, judged);
      admissions.set(request, judged);
    };
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { body = empty } = request as { body?: Uint8Array | null };
      const { answer } = admissions.get(request) as Admitted;
      const left = new AbortController();
      reply.raw.once('close', () => left.abort());
      return send(reply, await answer(body, left.signal));
    };
    own.all(controlPrefix, { onRequest }, handler);
    own.all(`${controlPrefix}/*`, { onRequest }, handler);
    // What fastify finds wrong with a body before the parser gets it.
    own.setErrorHandler((error, _request, reply) => send(reply, refusalOf(error as Error)));
    done();
  });
}

function refusalOf(error: Error & { readonly statusCode?: number }): ControlReply {
  const { statusCode = 500 } = error;
  if (statusCode < 500) return problem(statusCode, `${error.message}.`);
  process.stderr.write(`control plane failure: ${error.stack}\n`);
  return problem(500, 'The simulator itself failed here; please report this.');
}

function send(reply: FastifyReply, { status, headers, body }: ControlReply): FastifyReply {
  reply.code(status).headers(headers);
  if (status === 204) return reply.send();
  if (typeof body === 'string') return reply.send(body);
  // Read as fast as the client takes it, and given up when the client leaves.
  return reply.send(Readable.from({ [Symbol.asyncIterator]: () => body }, { objectMode: false }));
}
