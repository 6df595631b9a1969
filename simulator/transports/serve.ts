// Everything that one port serves: the API, the control plane, the OpenAPI document and the dashboard.
import type { RequestListener } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { controlPrefix } from '../control/row.ts';
import { Guard } from './access-guard.ts';
import { type ControlPlane, sendReply, serveControl } from './control.ts';
import { createHttp, type HttpOptions, type HttpServer } from './http.ts';

export interface ServeOptions extends Pick<HttpOptions, 'sandbox' | 'guard' | 'arrivalMs'> {
  readonly plane: ControlPlane;
  readonly version: string;
  /** Folder of the built dashboard; without it no dashboard is served. */
  readonly dashboard?: string | undefined;
}

export function serve(options: ServeOptions): HttpServer {
  const { sandbox, guard = new Guard() } = options;
  const ids = (sandbox.options.deviations ?? []).map(({ id }) => id);
  let loading: Promise<FastifyInstance> | null = null;
  return createHttp({
    ...options,
    guard,
    ...(ids.length === 0 ? {} : { headers: { 'x-sandbox-deviations': ids.join(', ') } }),
    besideApi: (request, response, takeCall) => {
      // Loaded with the first such request, so that a sandbox starts sooner.
      loading ??= createPages(options, guard, takeCall);
      void loading.then(({ routing }) => {
        if (!request.socket.destroyed) routing(request, response);
      });
    },
  });
}

/** Placeholder in the document for the address of the request. */
const anyBase = 'http://address-of-this-sandbox.invalid';

/** The dashboard loads only its own files, and untrusted text cannot change that. */
const guards = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const compile = () => {
  throw new Error('a route has a schema, and nothing here compiles schemas');
};

/** Serves the control plane, the OpenAPI document and the dashboard; every other request is a call of the API. */
async function createPages(
  { sandbox: { settings }, plane, version, dashboard }: ServeOptions,
  guard: Guard,
  takeCall: RequestListener,
): Promise<FastifyInstance> {
  const { default: Fastify } = await import('fastify');
  /** Takes the request over from fastify, which has not read its body yet. */
  const handOver = (request: FastifyRequest, reply: FastifyReply, take: RequestListener) => {
    reply.hijack();
    take(request.raw, reply.raw);
  };
  const app = Fastify({
    // Fastify's schema compilers are not in the package: no route here has a schema.
    schemaController: { compilersFactory: { buildValidator: compile, buildSerializer: compile } },
    // Core refuses a path that the router cannot read.
    frameworkErrors: (_error, request, reply) => handOver(request, reply, takeCall),
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) handOver(request, reply, takeCall);
    else done();
  });
  app.setNotFoundHandler((request, reply) => handOver(request, reply, takeCall));
  const onRequest = (request: FastifyRequest, reply: FastifyReply) =>
    handOver(request, reply, (incoming, response) => {
      const refused = guard.refusePage(incoming.headers);
      if (refused === null) void serveControl(plane, incoming, response);
      else sendReply(response, refused);
    });
  for (const path of [controlPrefix, `${controlPrefix}/*`]) {
    app.all(path, { onRequest }, () => undefined);
  }
  // Built once, when it is first requested.
  let document: string | undefined;
  app.get('/openapi.json', async ({ host }, reply) => {
    const { openapiDocument } = await import('../../fixtures/openapi.ts');
    document ??= JSON.stringify(openapiDocument({ baseUrl: anyBase, version, settings }));
    reply.type('application/json; charset=utf-8');
    return document.replaceAll(anyBase, `http://${host}`);
  });
  if (dashboard !== undefined) {
    const { default: serveStatic } = await import('@fastify/static');
    // A route for each file, so that no path leads outside the folder.
    app.register(serveStatic, {
      root: dashboard,
      wildcard: false,
      setHeaders: (response) => {
        for (const [name, value] of Object.entries(guards)) response.setHeader(name, value);
      },
    });
  }
  await app.ready();
  return app;
}
