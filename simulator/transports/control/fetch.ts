// The plane without a socket: a standard Request in, a standard Response out.

import type { Plane } from '../../control/plane.ts';
import type { ControlReply, TextStream } from '../../control/reply.ts';
import { rejectOnAbort, retain } from '../abort-signals.ts';

/**
 * Answers a request of this very program; the host in its URL does not matter. Rejects with the
 * reason when its signal is aborted.
 */
export async function fetchControl(plane: Plane, request: Request): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const reply = await rejectOnAbort(signal, replyTo(plane, request));
  const { status, headers } = reply;
  if (typeof reply.body !== 'string') {
    // The stream's source is there for as long as something can still come of it.
    retain(reply.body, request);
    return new Response(streamOf(reply.body, signal), { status, headers });
  }
  return new Response(status === 204 ? null : reply.body, { status, headers });
}

const empty = new Uint8Array(0);

/** Holds the request until its reply is there, and gives up a stream that nobody waits for. */
async function replyTo(plane: Plane, request: Request): Promise<ControlReply> {
  const url = new URL(request.url);
  const admitted = plane.admit({
    method: request.method,
    target: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(request.headers),
    inProcess: url.origin,
  });
  if ('status' in admitted) return admitted;
  const body = request.body === null ? empty : new Uint8Array(await request.arrayBuffer());
  const reply = await admitted.answer(
    body.byteLength > admitted.mostBytes ? null : body,
    request.signal,
  );
  if (typeof reply.body !== 'string' && request.signal.aborted) await reply.body.return?.();
  return reply;
}

function streamOf(pieces: TextStream, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let deafen: () => void = () => undefined;
  return new ReadableStream({
    start: (controller) => {
      const stop = () => {
        void pieces.return?.();
        controller.error(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      deafen = () => signal.removeEventListener('abort', stop);
    },
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      // Aborted meanwhile: the stream has its error already and takes no more.
      if (signal.aborted) return;
      if (!done) {
        controller.enqueue(encoder.encode(value));
        return;
      }
      deafen();
      controller.close();
    },
    cancel: async () => {
      deafen();
      await pieces.return?.();
    },
  });
}
