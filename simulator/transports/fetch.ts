// Calls without a socket: a standard Request in, a standard Response out, through the same core as
// HTTP.
import type { Call } from '../core/call.ts';
import { replyHeaders } from '../host/reading.ts';
import type { Sandbox } from '../host/sandbox.ts';
import type { Answer } from '../host/world-host.ts';

/**
 * Answers one request of the API. A call that a fault cuts off rejects with a TypeError, as `fetch`
 * does when a connection is lost; so does one whose signal is aborted.
 */
export async function fetchCall(
  sandbox: Sandbox,
  request: Request,
  extra: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const call = await callOf(request);
  return new Promise<Response>((resolve, reject) => {
    const answered = (answer: Answer): void => {
      if (answer.kind === 'reset') {
        reject(new TypeError('fetch failed: the connection was reset'));
        return;
      }
      const { reply, requestId } = answer;
      const headers = { ...replyHeaders(reply, requestId), ...extra };
      const bodiless = reply.status === 204 || call.method === 'HEAD';
      resolve(new Response(bodiless ? null : reply.body, { status: reply.status, headers }));
    };
    const host = sandbox.call(call, answered);
    request.signal.addEventListener('abort', () => {
      host.forget(answered);
      reject(request.signal.reason);
    });
  });
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
