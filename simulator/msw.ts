// The public entry point for Mock Service Worker: handlers that answer without a socket.

import { HttpResponse, http } from 'msw';
import { parseUrl } from '../fixtures/parse-url.ts';
import { retain } from './transports/abort-signals.ts';

/** The part of a sandbox that the handlers need: {@link createSandbox} creates one. */
export interface AnsweringSandbox {
  readonly fetch: (request: Request) => Promise<Response>;
}

export interface HandlerOptions {
  /** The base URL that your client uses for the API. */
  readonly baseUrl: string;
}

/**
 * Handlers for `setupServer` or `setupWorker` (msw 2 and 3) under which `fetch` to `baseUrl` is
 * answered by the sandbox. Throws a TypeError when `baseUrl` is not an http or https URL.
 *
 * @example
 * import { setupServer } from 'msw/node';
 * import { createSandbox } from 'trading-platform-sandbox';
 * import { sandboxHandlers } from 'trading-platform-sandbox/msw';
 *
 * const sandbox = await createSandbox();
 * const server = setupServer(...sandboxHandlers(sandbox, { baseUrl: 'https://api.example.com' }));
 * server.listen();
 *
 * const { token } = sandbox.credential('firm');
 * const response = await fetch('https://api.example.com/api/v1/accounts', {
 *   headers: { authorization: `Bearer ${token}` },
 * });
 * console.log(response.status); // 200
 *
 * server.close();
 * await sandbox.close();
 */
export function sandboxHandlers(sandbox: AnsweringSandbox, options: HandlerOptions) {
  const { baseUrl } = (options as Partial<HandlerOptions> | undefined) ?? {};
  if (typeof (sandbox as AnsweringSandbox | undefined)?.fetch !== 'function') {
    const isPromise = typeof (sandbox as { then?: unknown } | undefined)?.then === 'function';
    const remedy = isPromise
      ? 'await createSandbox() first'
      : 'pass what createSandbox() resolves to';
    throw new TypeError(`sandboxHandlers: the first argument is not a sandbox: ${remedy}`);
  }
  const unknown = Object.keys(options ?? {}).find((name) => name !== 'baseUrl');
  if (unknown !== undefined) {
    throw new TypeError(`sandboxHandlers: there is no option "${unknown}", only baseUrl`);
  }
  if (typeof baseUrl !== 'string') {
    throw new TypeError(
      "sandboxHandlers: say where your client believes the API to be, as in sandboxHandlers(sandbox, { baseUrl: 'https://api.example.com' })",
    );
  }
  if (parseUrl(baseUrl) === null || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new TypeError(`baseUrl: "${baseUrl}" is not an http or https URL`);
  }
  const { origin, pathname } = new URL(baseUrl);
  if (/\/api\/v1\/*$/.test(pathname)) {
    const without = `${origin}${pathname.replace(/\/api\/v1\/*$/, '')}`;
    throw new TypeError(
      `baseUrl: leave /api/v1 out: the API's paths begin with it. Use "${without}"`,
    );
  }
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  // Not a pattern with parameters: those are decoded, and refusing bad percent-encoding is up to
  // the API.
  const literal = `${origin}${prefix}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [
    http.all(new RegExp(`^${literal}(?:[/?]|$)`), ({ request }) => {
      const url = new URL(request.url);
      const target = url.href.slice(url.origin.length).slice(prefix.length);
      const call = new Request(`http://sandbox${target}`, request);
      retain(call, request);
      return sandbox.fetch(call).catch((error: unknown) => answerCut(error, request.signal));
    }),
  ];
}

/**
 * A connection cut by a fault is a failed request here too, without a status. So is a request that
 * the client aborted, which would otherwise be reported as an error of the handler.
 */
function answerCut(error: unknown, signal: AbortSignal): Response {
  const cut = error instanceof TypeError && error.message.startsWith('fetch failed');
  if (cut || signal.aborted) return HttpResponse.error();
  throw error;
}
