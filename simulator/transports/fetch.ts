// Calls without a socket: input as for `fetch`, output as a standard Response, through the same
// core as HTTP.
import { Readable } from 'node:stream';
import { type Call, replyHeaders } from '../core/call.ts';
import type { BodyFault } from '../core/pipeline/find-fault.ts';
import { emptyBody } from '../host/bodies/read-body.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { Answer } from '../host/world/world-host.ts';
import { rejectOnAbort, retain, signalOf } from './abort-signals.ts';
import { arrivesWhole, piecesUnder } from './request-batcher.ts';

/**
 * Answers one request of the API, with the parameters of `fetch`. A call that a fault cuts rejects
 * with a TypeError, as `fetch` does when a connection is lost; an aborted call rejects with the
 * signal's reason.
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
    const aborted = (): void => {
      host.forget(answered);
      reject(signal?.reason);
    };
    const answered = (answer: Answer): void => {
      waiting = false;
      signal?.removeEventListener('abort', aborted);
      if (answer.kind === 'answer') resolve(responseOf(answer, call, signal));
      // `fetch` reports a connection that ends early in this way.
      else reject(new TypeError('fetch failed: the connection was reset'));
    };
    const host = sandbox.call(call, answered);
    if (!waiting || signal === null) return;
    if (input instanceof Request) retain(answered, input);
    signal.addEventListener('abort', aborted, { once: true });
  });
}

function responseOf(
  { reply, requestId, bodyFault }: Extract<Answer, { readonly kind: 'answer' }>,
  { method }: Call,
  signal: AbortSignal | null,
): Response {
  const headers = replyHeaders(reply, requestId);
  const bodiless = reply.status === 204 || method === 'HEAD';
  const body =
    bodyFault === undefined ? reply.body : streamFrom(bodyUnder(bodyFault, reply.body, signal));
  return new Response(bodiless ? null : body, { status: reply.status, headers });
}

const streamFrom = (pieces: AsyncIterable<Uint8Array>) =>
  Readable.toWeb(Readable.from(pieces)) as ReadableStream<Uint8Array>;

async function* bodyUnder(fault: BodyFault, body: string, signal: AbortSignal | null) {
  for await (const piece of piecesUnder(fault, body)) {
    signal?.throwIfAborted();
    yield piece;
  }
  if (!arrivesWhole(fault, body)) throw new TypeError('terminated');
}

/** The request that `fetch` would make; a path alone is resolved against the sandbox. */
export function standardRequest(input: string | URL | Request, init?: RequestInit): Request {
  if (!(input instanceof Request)) return new Request(new URL(input, 'http://sandbox'), init);
  const request = new Request(input, init);
  retain(request, input);
  return request;
}

/** The bytes of a request, as a socket would deliver them. */
async function callOf(request: Request): Promise<Call> {
  const url = new URL(request.url);
  return {
    method: request.method,
    target: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? emptyBody : new Uint8Array(await request.arrayBuffer()),
  };
}

const plainMethods = new Set(['POST', 'PATCH', 'PUT']);
const plainMembers = new Set(['method', 'headers', 'body', 'signal']);
const encoder = new TextEncoder();

/**
 * The call for a URL with JSON text, without a Request and its stream, which cost more than the
 * call itself; null for anything else, which needs a Request.
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
