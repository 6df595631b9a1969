// The port through which every request leaves, and its two ways out: sockets by undici, or a
// fetch-like function.

import { Unreachable } from '../scenario-errors.ts';
import { type HeaderLine, linesOfRaw } from './headers.ts';
import { readWhole, TooLong } from './read-body.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** The longest answer that is read; 1 MiB when left out. */
  readonly limitBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
}

/** Sends one request and reads the whole answer; redirects are answers. Throws Unreachable. */
export interface Sender {
  send(wire: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

export type FetchLike = (request: Request) => Promise<Response>;

/** So many requests are under way at once at most. */
export const CONNECTIONS = 256;

/** Sends over sockets with undici: raw header lines both ways, one whole time limit a request. */
export async function socketSender(): Promise<Sender> {
  // Its default export: a bundle knows the package by no other.
  const { Agent, request } = (await import('undici')).default;
  const agent = new Agent({ connections: CONNECTIONS, keepAliveTimeout: 4_000, pipelining: 1 });
  return {
    async send(wire) {
      const limit = AbortSignal.timeout(wire.timeoutMs);
      const signal = wire.signal === undefined ? limit : AbortSignal.any([limit, wire.signal]);
      try {
        const answer = await request(wire.url, {
          dispatcher: agent,
          method: wire.method as 'GET',
          headers: wire.headers.flat(),
          body: wire.body ?? null,
          signal,
          headersTimeout: 0,
          bodyTimeout: 0,
          responseHeaders: 'raw',
        });
        const raw = answer.headers as unknown as (Uint8Array | string)[];
        const body = await readWhole(answer.body, wire.limitBytes);
        return { status: answer.statusCode, headers: linesOfRaw(raw), body };
      } catch (error) {
        throw unreachable(error, limit.aborted, wire.timeoutMs);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Sends through a function with the shape of fetch, in process: no socket. */
export function fetchSender(fetch: FetchLike): Sender {
  return {
    async send(wire) {
      const headers = new globalThis.Headers();
      for (const [name, value] of wire.headers) headers.append(name, value);
      const limit = AbortSignal.timeout(wire.timeoutMs);
      const signal = wire.signal === undefined ? limit : AbortSignal.any([limit, wire.signal]);
      const init: RequestInit = { method: wire.method, headers, signal, redirect: 'manual' };
      if (wire.body !== undefined) init.body = wire.body as Uint8Array<ArrayBuffer>;
      try {
        const answer = await Promise.race([
          fetch(new Request(wire.url, init)),
          whenAborted(signal),
        ]);
        const body = new Uint8Array(await answer.arrayBuffer());
        // As over a socket, what follows on an answer is a turn of its own, never the same moment.
        await new Promise((resolve) => setImmediate(resolve));
        return { status: answer.status, headers: [...answer.headers], body };
      } catch (error) {
        throw unreachable(error, limit.aborted, wire.timeoutMs);
      }
    },
    close: async () => {},
  };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function unreachable(error: unknown, timedOut: boolean, timeoutMs: number): Unreachable {
  if (timedOut) return new Unreachable('timeout', `no whole answer within ${timeoutMs / 1000} s`);
  if (error instanceof TooLong) return new Unreachable('protocol', error.message);
  const { name, message, code, cause } = error as Error & { code?: string };
  const deeper = cause as { code?: string; message?: string } | undefined;
  const sign = code ?? deeper?.code ?? name;
  const words = deeper?.message ?? message;
  if (name === 'AbortError' || name === 'TimeoutError') {
    return new Unreachable('aborted', 'given up before an answer came');
  }
  if (sign === 'ECONNREFUSED') return new Unreachable('refused', 'the connection was refused');
  if (sign === 'ENOTFOUND' || sign === 'EAI_AGAIN') return new Unreachable('name', words);
  if (sign?.startsWith('HPE_') || name === 'HTTPParserError')
    return new Unreachable('protocol', `not HTTP: ${words}`);
  return new Unreachable('reset', `the connection ended: ${words}`);
}
