// Calls without a socket: what `fetch` takes in, a standard Response out, through the same core as
// HTTP.
import type { Call, Reply } from '../core/call.ts';
import { replyHeaders } from '../core/call.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { Answer } from '../host/world/world-host.ts';
import { rejectOnAbort, retain, signalOf } from './abort-signals.ts';

/**
 * Answers one request of the API; takes what `fetch` takes. A call that a fault cuts off rejects
 * with a TypeError, as `fetch` does when a connection is lost; one whose signal is aborted rejects
 * with the signal's reason.
 */
export async function fetchCall(
  sandbox: Pick<Sandbox, 'call'>,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const plain = plainCall(input, init);
  const request = plain === null ? standardRequest(input, init) : null;
  const signal = signalOf(input, init);
  signal?.throwIfAborted();
  const call = plain ?? (await rejectOnAbort(signal, callOf(request as Request)));
  return new Promise<Response>((resolve, reject) => {
    let waiting = true;
    let body: ReturnType<typeof bodyInPieces> | null = null;
    const fail = (reason: unknown) => {
      if (body === null) reject(reason);
      else body.finish((controller) => controller.error(reason));
    };
    const aborted = (): void => {
      host.forget(answered);
      fail(signal?.reason);
    };
    const answered = (answer: Answer): void => {
      if (answer.kind === 'piece') {
        body?.add(answer.bytes);
        return;
      }
      if (answer.kind === 'begin') {
        body = bodyInPieces(() => host.forget(answered));
        resolve(responseOf(answer, call, body.stream));
        return;
      }
      waiting = false;
      signal?.removeEventListener('abort', aborted);
      if (answer.kind === 'answer') resolve(responseOf(answer, call, answer.reply.body));
      else if (answer.kind === 'end' && answer.isWhole) {
        body?.finish((controller) => controller.close());
      } else {
        // As `fetch` says it of a connection that ends too early.
        fail(
          new TypeError(body === null ? 'fetch failed: the connection was reset' : 'terminated'),
        );
      }
    };
    const host = sandbox.call(call, answered);
    if (!waiting || signal === null) return;
    if (input instanceof Request) retain(answered, input);
    signal.addEventListener('abort', aborted, { once: true });
  });
}

function responseOf(
  { reply, requestId }: { readonly reply: Reply; readonly requestId: string },
  { method }: Call,
  body: string | ReadableStream<Uint8Array>,
): Response {
  const headers = replyHeaders(reply, requestId);
  const bodiless = reply.status === 204 || method === 'HEAD';
  return new Response(bodiless ? null : body, { status: reply.status, headers });
}

/** A body that comes in pieces, and may break off once they have been read. */
function bodyInPieces(cancel: () => void) {
  const pieces: Uint8Array[] = [];
  let finish: ((controller: ReadableStreamDefaultController) => void) | null = null;
  let wake: () => void = () => undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    while (pieces.length === 0 && finish === null) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const piece = pieces.shift();
    if (piece === undefined) finish?.(controller);
    else controller.enqueue(piece);
  };
  return {
    stream: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }),
    add: (bytes: Uint8Array) => {
      // A stream does not accept an empty chunk.
      if (bytes.byteLength > 0) pieces.push(bytes);
      wake();
    },
    finish: (how: (controller: ReadableStreamDefaultController) => void) => {
      finish = how;
      wake();
    },
  };
}

/** The request that `fetch` would make; a path alone is resolved against the sandbox. */
export function standardRequest(input: string | URL | Request, init?: RequestInit): Request {
  if (!(input instanceof Request)) return new Request(new URL(input, 'http://sandbox'), init);
  const request = new Request(input, init);
  retain(request, input);
  return request;
}

/** The bytes of a request, as a socket would have brought them. */
async function callOf(request: Request): Promise<Call> {
  const url = new URL(request.url);
  return {
    method: request.method,
    target: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? new Uint8Array(0) : new Uint8Array(await request.arrayBuffer()),
  };
}

const plainMethods = new Set(['POST', 'PATCH', 'PUT']);
const plainMembers = new Set(['method', 'headers', 'body', 'signal']);
const encoder = new TextEncoder();

/**
 * The call of a url with a JSON text, without a Request and its stream, which cost more than the
 * call itself; null where something else is asked, which a Request has to read.
 */
function plainCall(input: string | URL | Request, init: RequestInit | undefined): Call | null {
  if (input instanceof Request || typeof init?.body !== 'string') return null;
  if (!plainMethods.has(init.method ?? 'GET')) return null;
  for (const member in init) if (!plainMembers.has(member)) return null;
  const url = new URL(input, 'http://sandbox');
  if (url.username !== '' || url.password !== '') return null;
  const headers = Object.fromEntries(new Headers(init.headers));
  headers['content-type'] ??= 'text/plain;charset=UTF-8';
  return {
    method: init.method as string,
    target: `${url.pathname}${url.search}`,
    headers,
    body: encoder.encode(init.body),
  };
}
