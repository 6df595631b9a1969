// The end of a serving program: requests in flight are finished, held ones are cut, all in time.
import type { Server } from 'node:http';

export interface ShutDown {
  readonly server: Server;
  /** Cuts what is held back and may never be answered. */
  readonly cutHeld: () => void;
  /** Saves and closes the rest, when no request is left. */
  readonly close: () => Promise<void>;
}

const patienceMs = 1200;

/** Resolves when everything has been closed; connections that take longer are cut. */
export async function shutDown({ server, cutHeld, close }: ShutDown, busy: Busy): Promise<void> {
  server.close();
  server.closeIdleConnections();
  cutHeld();
  await busy.idleWithin(patienceMs);
  server.closeAllConnections();
  await close();
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
