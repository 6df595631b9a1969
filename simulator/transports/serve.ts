// Everything that one port serves: the API, the control plane, the documents and the dashboard.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { DocumentOptions } from '../../fixtures/openapi.ts';
import { type ControlReply, problem } from '../control/reply.ts';
import { controlPrefix } from '../control/row.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { type ControlPlane, sendReply, serveControl } from './control.ts';
import { Door } from './door.ts';
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

/** Answers GET and HEAD under one path. `host` is the name by which the client calls this server. */
type Page = (host: string) => Promise<ControlReply>;

export function serve(options: ServeOptions): HttpServer {
  const { sandbox, plane, dashboard, door = new Door() } = options;
  const ids = (sandbox.options.deviations ?? []).map(({ id }) => id);
  const files = dashboard === undefined ? [] : filesIn(dashboard);
  const pages = new Map([...documentsOf(options), ...files]);
  return createHttp({
    ...options,
    door,
    ...(ids.length === 0 ? {} : { headers: { 'x-sandbox-deviations': ids.join(', ') } }),
    beside: (request, response) => {
      const { method = 'GET', url = '/', headers } = request;
      const [path = '/'] = url.split('?');
      if (path === controlPrefix || path.startsWith(`${controlPrefix}/`)) {
        const refused = door.refusePage(headers);
        if (refused === null) void serveControl(plane, request, response);
        else sendReply(response, refused);
        return true;
      }
      const page = method === 'GET' || method === 'HEAD' ? pages.get(path) : undefined;
      void page?.(String(headers.host))
        .catch((error: Error) => problem(500, `This cannot be read: ${error.message}`))
        .then((reply) => sendReply(response, reply));
      return page !== undefined;
    },
  });
}

type Describe = (options: DocumentOptions) => Readonly<Record<string, unknown>>;

const documents: Readonly<Record<string, () => Promise<Describe>>> = {
  '/openapi.json': async () => (await import('../../fixtures/openapi.ts')).openapiDocument,
  '/asyncapi.json': async () => (await import('../../fixtures/asyncapi.ts')).asyncapiDocument,
};
/** Stands in the text of a document for the address under which it is requested. */
const anyBase = 'http://address-of-this-sandbox.invalid';

/** Each document is built once, when it is first requested. */
function documentsOf({ sandbox: { settings }, version }: ServeOptions): [string, Page][] {
  return Object.entries(documents).map(([path, load]) => {
    let text: Promise<string> | null = null;
    const build = async () =>
      JSON.stringify((await load())({ baseUrl: anyBase, version, settings }));
    const page: Page = async (host) => {
      text ??= build();
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      return { status: 200, headers, body: (await text).replaceAll(anyBase, `http://${host}`) };
    };
    return [path, page];
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

/** The pages of a folder's files: no path leads outside it. */
function filesIn(root: string): [string, Page][] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return files.flatMap((file): [string, Page][] => {
    const type = mediaTypes[extname(file)];
    if (type === undefined) return [];
    const page: Page = async () => ({
      status: 200,
      headers: { ...guards, 'content-type': type },
      body: await readFile(join(root, file), 'utf8'),
    });
    const path = `/${file.replaceAll('\\', '/')}`;
    return path === '/index.html'
      ? [
          ['/', page],
          [path, page],
        ]
      : [[path, page]];
  });
}
