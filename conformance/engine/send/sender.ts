// The interface for sending requests, and its two implementations: sockets with undici, along proxies
// and trusted authorities, or a fetch-like function.

import { EventEmitter, setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { Unreachable } from '../scenario-errors.ts';
import { type HeaderLine, linesOfRaw } from './headers.ts';
import { readBody } from './read-body.ts';
import { speaksTls, unreachable } from './unreachable.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
  /** Sent instead of the body, without a length. */
  readonly chunks?: AsyncIterable<Uint8Array>;
  readonly timeoutMs: number;
  /** The longest answer that is read; 1 MiB by default. */
  readonly limitBytes?: number;
  /** Read only the beginning of a longer answer. */
  readonly isCut?: boolean;
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
  /** The route of its requests, for a WebSocket to use as well. */
  readonly dispatcher?: Dispatcher;
  /** Header lines that it adds to each request to a URL. */
  readonly addedHeaders?: (url: string) => readonly HeaderLine[];
}

/** The most concurrent requests. */
export const CONNECTIONS = 256;

export interface Route {
  /** Certificates in PEM form that are trusted in addition to the usual ones. */
  readonly ca?: readonly string[];
  readonly proxies?: {
    readonly http: string | undefined;
    readonly https: string | undefined;
    /** Hosts that are reached directly, in the format of NO_PROXY. */
    readonly direct: string | undefined;
  };
}

/** Requests to this machine never go through a proxy. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** `isProxied` if a proxy's agent takes the header lines, which only accepts them grouped by name. */
async function openRoute({ ca = [], proxies }: Route) {
  // The default export, because it is the only one that remains in a bundle.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  const options = { connections: CONNECTIONS, keepAliveTimeout: 4_000, pipelining: 1 };
  const tls = ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] };
  const { http, https, direct } = proxies ?? {};
  if (http === undefined && https === undefined) {
    return { dispatcher: new Agent({ ...options, connect: tls }), isProxied: false };
  }
  const dispatcher = new EnvHttpProxyAgent({
    ...options,
    // Passed even if it is empty: undici reads a missing option from the environment.
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: direct === '*' ? direct : `${direct ?? ''},${LOOPBACK.join()}`,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    // Like other clients: many proxies only tunnel TLS.
    proxyTunnel: false,
  });
  return { dispatcher, isProxied: true };
}

/** Sends over sockets with undici: raw header lines in both directions, one timeout for each request. */
export async function socketSender(route: Route = {}): Promise<Sender> {
  // The default export, because it is the only one that remains in a bundle.
  const { request } = (await import('undici')).default;
  const { dispatcher, isProxied } = await openRoute(route);
  const answered = new Set<string>();
  return {
    dispatcher,
    async send(wire) {
      // undici also takes an emitter, which costs a tenth of an AbortSignal.
      const signal = new EventEmitter();
      const limit = new Limit(wire, () => signal.emit('abort'));
      const url = new URL(wire.url);
      try {
        wire.signal?.throwIfAborted();
        const answer = await request(url, {
          dispatcher,
          method: wire.method as 'GET',
          headers: isProxied ? byName(wire.headers) : wire.headers.flat(),
          body: wire.chunks === undefined ? (wire.body ?? null) : Readable.from(wire.chunks),
          signal,
          headersTimeout: 0,
          bodyTimeout: 0,
          responseHeaders: 'raw',
        });
        const raw = answer.headers as unknown as (Uint8Array | string)[];
        const body = await readBody(answer.body, wire);
        answered.add(url.origin);
        return { status: answer.statusCode, headers: linesOfRaw(raw), body };
      } catch (error) {
        const known = unreachable(error, limit.isOver, wire.timeoutMs);
        if (answered.has(url.origin)) throw known;
        throw await explained(known, url, isProxied);
      } finally {
        limit.end();
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** If nothing has answered at this origin yet, the route is the more likely cause. */
async function explained(known: Unreachable, url: URL, isProxied: boolean): Promise<Unreachable> {
  const { reason, message } = known;
  const isCut = reason === 'reset' || reason === 'protocol';
  if (isCut && url.protocol === 'http:' && (await speaksTls(url))) {
    const advice = `give the url with https:// (${url.origin.replace('http:', 'https:')})`;
    return new Unreachable('tls', `this port speaks TLS: ${advice}`);
  }
  if (!isProxied || LOOPBACK.includes(url.hostname) || message.startsWith('the proxy'))
    return known;
  const note = 'a proxy is named by HTTPS_PROXY or HTTP_PROXY; NO_PROXY goes past it';
  return new Unreachable(reason, `${message} (${note})`);
}

/** Lines grouped by name, as a proxy's agent requires. */
function byName(lines: readonly HeaderLine[]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of lines) {
    const before = all[name];
    all[name] = before === undefined ? value : [before, value].flat();
  }
  return all;
}

/**
 * Adds header lines to each request to one of these origins, below the level at which requests are
 * recorded: a gateway's key is not judged, and appears in no report.
 */
export function withHeaders(
  sender: Sender,
  lines: readonly HeaderLine[],
  origins: readonly string[],
): Sender {
  if (lines.length === 0) return sender;
  const added = (url: string) => (origins.includes(new URL(url).origin) ? lines : []);
  return {
    ...sender,
    addedHeaders: added,
    send: (wire) => sender.send({ ...wire, headers: [...wire.headers, ...added(wire.url)] }),
  };
}

/** Sends through a function with the signature of fetch, in process: no socket. */
export function fetchSender(fetch: (request: Request) => Promise<Response>): Sender {
  return {
    async send(wire) {
      const headers = wire.headers as [string, string][];
      const init: RequestInit = { method: wire.method, headers, redirect: 'manual' };
      if (wire.body !== undefined) init.body = wire.body as Uint8Array<ArrayBuffer>;
      let stop = () => {};
      const stopped = new Promise<never>((_, reject) => {
        stop = () => reject(new DOMException('given up', 'AbortError'));
      });
      const limit = new Limit(wire, stop);
      try {
        wire.signal?.throwIfAborted();
        const answer = await Promise.race([fetch(new Request(wire.url, init)), stopped]);
        const body = new Uint8Array(await answer.arrayBuffer());
        // As with a socket, code after an answer runs in a later turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
        return { status: answer.status, headers: [...answer.headers], body };
      } catch (error) {
        throw unreachable(error, limit.isOver, wire.timeoutMs);
      } finally {
        limit.end();
      }
    },
    close: async () => {},
  };
}

/** Calls `stop` when the time of a request is over, or its signal aborts; keeps no process alive. */
class Limit {
  isOver = false;
  readonly end: () => void;

  constructor({ timeoutMs, signal }: WireRequest, stop: () => void) {
    const timer = setTimeout(() => {
      this.isOver = true;
      stop();
    }, timeoutMs).unref();
    // The requests of a scenario share one signal.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', stop, { once: true });
    this.end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
  }
}

/**
 * Aborts after this many milliseconds, or with the given signal. Node 20 may collect an
 * `AbortSignal.timeout` that only `AbortSignal.any` references, so that it never aborts. The event
 * loop references this timer.
 */
export function withLimit(stop: AbortSignal, limitMs: number): AbortSignal {
  const over = new AbortController();
  setTimeout(() => over.abort(), limitMs).unref();
  return AbortSignal.any([stop, over.signal]);
}
