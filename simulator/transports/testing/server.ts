// A sandbox on a free port for tests of raw bytes: generous limits, a frozen clock.
import type { AddressInfo } from 'node:net';
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
