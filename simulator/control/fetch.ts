// The plane without a socket: a standard Request in, a standard Response out.
import type { Plane } from './plane.ts';
import type { Pieces } from './reply.ts';

/** Answers a request of this very program; the host in its URL does not matter. */
export async function fetchControl(plane: Plane, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const body =
    request.body === null ? new Uint8Array(0) : new Uint8Array(await request.arrayBuffer());
  const reply = await plane.handle({
    method: request.method,
    target: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(request.headers),
    body,
    inProcess: url.origin,
  });
  const { status, headers } = reply;
  if (typeof reply.body !== 'string') {
    return new Response(streamOf(reply.body, request.signal), { status, headers });
  }
  return new Response(status === 204 ? null : reply.body, { status, headers });
}

function streamOf(pieces: Pieces, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => {
      const stop = () => {
        void pieces.return?.();
        controller.error(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await pieces.return?.();
    },
  });
}
