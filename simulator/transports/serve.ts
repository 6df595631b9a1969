// Everything one port serves: the API, the control plane, the API's description, and the dashboard.
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { ControlPlane } from './control/control-plane.ts';
import { mountControl } from './control/mount.ts';
import { createHttp } from './http.ts';

export interface ServeOptions {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  readonly version: string;
  /** Folder of the built dashboard; left out: none is served. */
  readonly dashboard?: string;
}

export function serve({ sandbox, plane, version, dashboard }: ServeOptions): FastifyInstance {
  const ids = (sandbox.options.deviations ?? []).map(({ id }) => id);
  const app = createHttp({
    sandbox,
    ...(ids.length === 0 ? {} : { headers: { 'x-sandbox-deviations': ids.join(', ') } }),
    mount: (mounted) => {
      mountControl(mounted, plane);
      mounted.get('/openapi.json', async (request, reply) => {
        const { openapiDocument } = await import('../../fixtures/openapi.ts');
        const { settings } = sandbox;
        const document = openapiDocument({ baseUrl: `http://${request.host}`, version, settings });
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(document));
      });
    },
  });
  if (dashboard !== undefined) mountDashboard(app, dashboard);
  return app;
}

/** Nothing but our own files, and nothing that a stranger's text could switch on. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The dashboard's files, found at once and served by a server that is made for the first look. */
function mountDashboard(app: FastifyInstance, root: string): void {
  let files: ReturnType<typeof dashboardFiles> | null = null;
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    files ??= dashboardFiles(root);
    const { routing } = await files;
    reply.hijack();
    routing(request.raw, reply.raw);
  };
  const found = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = found.flatMap((entry) => {
    const path = relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/');
    return entry.isFile() ? [`/${path}`] : [];
  });
  for (const url of ['/', ...paths]) app.route({ method: ['GET', 'HEAD'], url, handler });
  app.addHook('onClose', async () => (await files)?.close());
}

async function dashboardFiles(root: string) {
  const { default: files } = await import('@fastify/static');
  const app = Fastify({ logger: false, forceCloseConnections: true });
  app.register(files, {
    root,
    wildcard: false,
    cacheControl: true,
    maxAge: 0,
    setHeaders: (reply) => {
      reply.setHeader('content-security-policy', policy);
      reply.setHeader('x-content-type-options', 'nosniff');
      reply.setHeader('referrer-policy', 'no-referrer');
    },
  });
  await app.ready();
  return { routing: app.routing, close: () => app.close() };
}
