// Everything that one port serves: the API, the control plane, the documents and the dashboard.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentOptions } from '../../fixtures/openapi.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { type ControlPlane, mountControl } from './control.ts';
import type { Door } from './door.ts';
import { createHttp, type HttpServer } from './http.ts';

export interface ServeOptions {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  readonly version: string;
  /** Decides who is served; by default callers that use a name of this machine. */
  readonly door?: Door;
  /** Milliseconds that a request may take to arrive, its body included. */
  readonly arrivalMs?: number;
  /** Folder of the built dashboard; none is served without it. */
  readonly dashboard?: string | undefined;
}

type Describe = (options: DocumentOptions) => Readonly<Record<string, unknown>>;

const documents: Readonly<Record<string, () => Promise<Describe>>> = {
  '/openapi.json': async () => (await import('../../fixtures/openapi.ts')).openapiDocument,
  '/asyncapi.json': async () => (await import('../../fixtures/asyncapi.ts')).asyncapiDocument,
};
/** Stands in the text of a document for the address under which it is requested. */
const anyBase = 'http://address-of-this-sandbox.invalid';

export function serve(options: ServeOptions): HttpServer {
  const { sandbox, plane, version, dashboard } = options;
  const { settings } = sandbox;
  const ids = (sandbox.options.deviations ?? []).map(({ id }) => id);
  return createHttp({
    ...options,
    ...(ids.length === 0 ? {} : { headers: { 'x-sandbox-deviations': ids.join(', ') } }),
    mount: (app, door) => {
      mountControl(app, plane, door);
      for (const [path, load] of Object.entries(documents)) {
        let text: Promise<string> | null = null;
        const build = async () =>
          JSON.stringify((await load())({ baseUrl: anyBase, version, settings }));
        app.get(path, async ({ host }, reply) => {
          text ??= build();
          reply.type('application/json; charset=utf-8');
          return (await text).replaceAll(anyBase, `http://${host}`);
        });
      }
      if (dashboard !== undefined) mountDashboard(app, dashboard);
    },
  });
}

/** Nothing but our own files, and nothing that text from outside could switch on. */
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
    const handler = async (_: FastifyRequest, reply: FastifyReply) =>
      reply
        .headers(guards)
        .type(type)
        .send(await readFile(join(root, file)));
    const urls = file === 'index.html' ? ['/', '/index.html'] : [`/${file.replaceAll('\\', '/')}`];
    for (const url of urls) app.route({ method: ['GET', 'HEAD'], url, handler });
  }
}
