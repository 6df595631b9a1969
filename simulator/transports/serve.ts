// Everything one port serves: the API, the control plane, the API's description, and the dashboard.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentOptions } from '../../fixtures/openapi.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { ControlPlane } from './control/control-plane.ts';
import { mountControl } from './control/mount.ts';
import type { Door } from './door.ts';
import { createHttp, type HttpServer } from './http.ts';

export interface ServeOptions {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  readonly version: string;
  /** Who may come in; by the names of this machine when left out. */
  readonly door?: Door;
  /** Milliseconds that a request may take to arrive, its body included. */
  readonly arrivalMs?: number;
  /** Folder of the built dashboard; left out: none is served. */
  readonly dashboard?: string;
}

type DescribeApi = (options: DocumentOptions) => Readonly<Record<string, unknown>>;

export function serve(options: ServeOptions): HttpServer {
  const { sandbox, plane, version, dashboard } = options;
  const ids = (sandbox.options.deviations ?? []).map(({ id }) => id);
  return createHttp({
    ...options,
    ...(ids.length === 0 ? {} : { headers: { 'x-sandbox-deviations': ids.join(', ') } }),
    mount: (mounted, guarded) => {
      mountControl(mounted, plane, guarded);
      const { settings } = sandbox;
      const describe = (path: string, load: () => Promise<DescribeApi>) =>
        mounted.get(path, async ({ host }, reply) => {
          const document = (await load())({ baseUrl: `http://${host}`, version, settings });
          return reply.type('application/json; charset=utf-8').send(JSON.stringify(document));
        });
      describe('/openapi.json', async () =>
        (await import('../../fixtures/openapi.ts')).openapiDocument);
      describe('/asyncapi.json', async () =>
        (await import('../../fixtures/asyncapi.ts')).asyncapiDocument);
      if (dashboard !== undefined) mountDashboard(mounted, dashboard);
    },
  });
}

/** Nothing but our own files, and nothing that a stranger's text could switch on. */
const guards = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** One route per file, so that no path leads outside the folder. */
function mountDashboard(app: FastifyInstance, root: string): void {
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const type = mediaTypes[extname(file)];
    if (type === undefined) continue;
    const send = async (_: FastifyRequest, reply: FastifyReply) =>
      reply
        .headers(guards)
        .type(type)
        .send(await readFile(join(root, file)));
    const urls = file === 'index.html' ? ['/', '/index.html'] : [`/${file.replaceAll('\\', '/')}`];
    for (const url of urls) app.route({ method: ['GET', 'HEAD'], url, handler: send });
  }
}
