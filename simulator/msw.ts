// The public door for Mock Service Worker: handlers that answer from a sandbox, without a socket.
import { http } from 'msw';

/** What the handlers need of a sandbox: {@link createSandbox} makes one. */
export interface AnsweringSandbox {
  readonly fetch: (request: Request) => Promise<Response>;
}

export interface HandlerOptions {
  /** Where your client believes the API to be. */
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
 */
export function sandboxHandlers(sandbox: AnsweringSandbox, { baseUrl }: HandlerOptions) {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new TypeError(`baseUrl: "${baseUrl}" is not an http or https URL`);
  }
  const base = baseUrl.replace(/\/+$/, '');
  const prefix = new URL(base).pathname.replace(/\/$/, '');
  return [
    http.all(`${base}/*`, ({ request }) => {
      const url = new URL(request.url);
      const target = url.href.slice(url.origin.length).slice(prefix.length);
      return sandbox.fetch(new Request(`http://sandbox${target}`, request));
    }),
  ];
}
