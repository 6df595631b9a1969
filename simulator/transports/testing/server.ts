// A sandbox on a free port for tests of the bytes: generous limits, a clock that stands.
import type { AddressInfo } from 'node:net';
import { createTestSandbox, tokenOf } from '../../host/testing/sandbox.ts';
import type { Sandbox } from '../../host/world/sandbox.ts';
import { createHttp } from '../http.ts';

export interface TestServer {
  readonly sandbox: Sandbox;
  readonly port: number;
  /** Token of the firm-wide credential with every scope. */
  readonly token: string;
  readonly close: () => Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const sandbox = await createTestSandbox();
  const app = createHttp({ sandbox });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    sandbox,
    port: (app.server.address() as AddressInfo).port,
    token: tokenOf(sandbox, 'firm'),
    close: async () => {
      await app.close();
      await sandbox.close();
    },
  };
}
