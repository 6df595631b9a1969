// A sandbox on a free port for tests of raw bytes: generous limits, a frozen clock.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createTestSandbox, tokenOf } from '../../host/testing/sandbox.ts';
import type { Sandbox } from '../../host/world/sandbox.ts';
import { controlPlane } from '../control.ts';
import type { HttpServer } from '../http.ts';
import { type ServeOptions, serve } from '../serve.ts';

export interface TestServer {
  readonly sandbox: Sandbox;
  readonly app: HttpServer;
  readonly port: number;
  /** Token of the firm-wide credential with every scope. */
  readonly token: string;
  readonly close: () => Promise<void>;
}

export async function startTestServer(options: Partial<ServeOptions> = {}): Promise<TestServer> {
  const sandbox = await createTestSandbox();
  const app = serve({ sandbox, plane: controlPlane({ sandbox }), version: '1', ...options });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    sandbox,
    app,
    port: (app.server.address() as AddressInfo).port,
    token: tokenOf(sandbox, 'firm'),
    close: async () => {
      await app.close();
      await sandbox.close();
    },
  };
}

type Hook = (run: (place: TestServer) => Promise<void>) => void;

/** Gives each test of a suite its own server. */
export function withServer(
  tests: { before: { each: Hook }; after: { each: Hook } },
  options: Partial<ServeOptions> = {},
): void {
  tests.before.each(async (place) => {
    Object.assign(place, await startTestServer(options));
  });
  tests.after.each(({ close }) => close());
}

/**
 * Writes bytes on a connection of their own, and returns what is received until the server closes
 * it, or until a text that is waited for.
 */
export async function exchange(
  port: number,
  chunks: readonly (string | Uint8Array)[],
  until?: RegExp,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (more: string) => {
    text += more;
    if (until?.test(text)) socket.destroy();
  });
  socket.on('error', () => undefined);
  // A server that sends nothing fails the test instead of blocking it.
  let isStuck = false;
  socket.setTimeout(5000, () => {
    isStuck = true;
    socket.destroy();
  });
  for (const chunk of chunks) socket.write(chunk, 'latin1');
  await once(socket, 'close').catch(() => undefined);
  if (isStuck) throw new Error(`the server neither answered nor closed: ${text.slice(0, 300)}`);
  return text;
}
