// HTTP: the API's bytes go to core as they come, a WebSocket to the events channel, and everything
// else to what stands beside them.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Sandbox } from '../host/world/sandbox.ts';
import { callTaker, createApiServer } from './api-server.ts';
import { Door } from './door.ts';
import { serveEventsChannel } from './events-channel.ts';
import { RequestBatcher } from './request-batcher.ts';

export interface HttpOptions {
  readonly sandbox: Sandbox;
  /** Who may come in; by the names of this machine when left out. */
  readonly door?: Door;
  /** Headers put on every answer of the API, such as the deviations in force. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that a request may take to arrive, its body included. */
  readonly arrivalMs?: number;
  /** Adds what is served beside the API: the control plane, the document, the dashboard. */
  readonly mount?: (app: FastifyInstance, door: Door) => void;
}

export interface HttpServer {
  readonly server: Server;
  /** Rejects with the system's error. */
  readonly listen: (where: { readonly port: number; readonly host: string }) => Promise<void>;
  /** Cuts every connection that there still is. */
  readonly close: () => Promise<void>;
}

/** A server whose API leads into core; what nothing stands for is core's to refuse as well. */
export function createHttp(options: HttpOptions): HttpServer {
  const { sandbox, headers = {}, door = new Door(), mount } = options;
  const batcher = new RequestBatcher(sandbox, headers);
  const takeCall = callTaker(sandbox.settings, batcher);
  let loading: Promise<FastifyInstance> | null = null;
  const load = async () => {
    const { createFastifyApp } = await import('./fastify-app.ts');
    return createFastifyApp({ takeCall, mount: (app) => mount?.(app, door) });
  };
  const beside: RequestListener = (request, response) => {
    loading ??= load();
    void loading.then((app) => {
      // Whoever left in the meantime has nothing to be told, and would never be seen to leave.
      if (!response.destroyed) app.routing(request, response);
    });
  };
  const server = createApiServer({ ...options, door, batcher, takeCall, beside });
  const channel = serveEventsChannel(server, { sandbox, door, headers, batcher });
  return {
    server,
    listen: async (where) => {
      server.listen(where);
      await once(server, 'listening');
    },
    close: async () => {
      channel.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await (await loading)?.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
