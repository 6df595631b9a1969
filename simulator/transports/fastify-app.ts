// What stands beside the API, on fastify: routed and answered by it, and without answers of its
// own. Most programs that use a sandbox never ask for any of it, so it is loaded when one does.
import { maxHeaderSize, type RequestListener } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

export interface FastifyAppOptions {
  /** Makes a call of the API of what there is no route for. */
  readonly takeCall: RequestListener;
  /** Adds the routes. */
  readonly mount: (app: FastifyInstance) => void;
}

/** Its `routing` takes requests; a server of its own it has only in name. */
export async function createFastifyApp(options: FastifyAppOptions): Promise<FastifyInstance> {
  const take = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    options.takeCall(request.raw, reply.raw);
  };
  const app = Fastify({
    logger: false,
    // No route has a schema: bodies are core's to read, or the control plane's.
    schemaController: { compilersFactory: { buildValidator: none, buildSerializer: none } },
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
    // A bad percent-encoding is core's to refuse.
    frameworkErrors: (_error, request, reply) => take(request, reply),
  });
  app.removeAllContentTypeParsers();
  // Before fastify looks for a body; what its router cannot even read comes past this hook.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) take(request, reply);
    else done();
  });
  app.setNotFoundHandler(take);
  options.mount(app);
  await app.ready();
  return app;
}

function none(): never {
  throw new Error('a route has a schema, and nothing here compiles schemas');
}
