// A server from its first request to its last: at the end those in flight are finished, all in
// time.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpServer } from '../transports/http.ts';
import type { ServeOptions } from '../transports/serve.ts';
import type { ReadListenOptions } from './options.ts';

export interface Served {
  readonly address: AddressInfo;
  /** Answers what is in flight and stops; what is held back has to be cut off before. */
  readonly close: () => Promise<void>;
}

const patienceMs = 1200;

/** A server that listens; when it cannot, nothing of it is left. */
export async function serveOn(
  options: ServeOptions,
  { port, host }: ReadListenOptions,
): Promise<Served> {
  const { serve } = await import('../transports/serve.ts');
  const http = serve(options);
  const busy = new Busy(http.server);
  try {
    // A name has several addresses: this one every client finds.
    await http.listen({ port, host: host === 'localhost' ? '127.0.0.1' : host });
  } catch (error) {
    await http.close();
    throw error;
  }
  return { address: http.server.address() as AddressInfo, close: () => shutDown(http, busy) };
}

/** Resolves when everything has been closed; connections that take longer are cut. */
async function shutDown(http: HttpServer, busy: Busy): Promise<void> {
  http.server.close();
  http.server.closeIdleConnections();
  await busy.idleWithin(patienceMs);
  await http.close();
}

/** Counts the requests that a server is at. */
export class Busy {
  #count = 0;
  #idle: (() => void) | undefined;

  constructor(server: Server) {
    const ended = () => {
      this.#count -= 1;
      if (this.#count === 0) this.#idle?.();
    };
    server.on('request', (_request, response) => {
      this.#count += 1;
      response.on('close', ended);
    });
  }

  /** Resolves when no request is left, or after the time. */
  idleWithin(limitMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
