// HTTP: the API's bytes go to core as they come; fastify serves what stands beside the API, and has
// no answers of its own.
import { maxHeaderSize } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Sandbox } from '../host/world/sandbox.ts';
import { answerBrokenHttp, callTaker, createApiServer } from './api-server.ts';
import { Door } from './door.ts';
import { mountEventsChannel } from './events-channel.ts';
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

/**
 * A server whose API leads into core. Everything else is fastify's: what it has no route for is
 * core's to refuse as well.
 */
export function createHttp(options: HttpOptions): FastifyInstance {
  const { sandbox, headers = {}, door = new Door(), mount } = options;
  const batcher = new RequestBatcher(sandbox, headers);
  const takeCall = callTaker(sandbox.settings, batcher);
  const take = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    takeCall(request.raw, reply.raw);
  };
  const app = Fastify({
    logger: false,
    serverFactory: (beside) => createApiServer({ ...options, door, batcher, takeCall, beside }),
    // No route has a schema: bodies are core's to read, or the control plane's.
    schemaController: { compilersFactory: { buildValidator: none, buildSerializer: none } },
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
    // A bad percent-encoding is core's to refuse.
    frameworkErrors: (_error, request, reply) => take(request, reply),
    clientErrorHandler: answerBrokenHttp,
    forceCloseConnections: true,
  });
  app.removeAllContentTypeParsers();
  // Before fastify looks for a body; what its router cannot even read comes past this hook.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) take(request, reply);
    else done();
  });
  app.setNotFoundHandler(take);
  mountEventsChannel(app, { sandbox, door, headers, batcher });
  mount?.(app, door);
  return app;
}

function none(): never {
  throw new Error('a route has a schema, and nothing here compiles schemas');
}
