// The sandbox for the judge of clients: a separate world for each run, with the same environment
// variables that `sandbox exec` sets.
import type { OpenWorld, SandboxWorld } from '../../../conformance/client/play.ts';
import type { WorldFixture } from '../../../fixtures/worlds.ts';
import { createSandbox } from '../../../simulator/index.ts';
import { findVariables } from '../command-variables.ts';

export interface ClientSandboxOptions {
  readonly fixture: WorldFixture;
  readonly plan: 'sandbox' | 'standard' | 'pro';
}

export function openWorlds({ fixture, plan }: ClientSandboxOptions): OpenWorld {
  return async (seed): Promise<SandboxWorld> => {
    const sandbox = await createSandbox({ world: fixture, plan, seed });
    const { credentials } = await sandbox.control.listCredentials();
    const [own] = credentials;
    let served: Promise<{ base_url: string }> | null = null;
    return {
      fetch: (request) => sandbox.fetch(request),
      listen: async () => {
        served ??= sandbox.listen();
        const { hostname: host, port } = new URL((await served).base_url);
        return { host, port: Number(port) };
      },
      variables: await findVariables(sandbox.control),
      secrets: credentials.flatMap(({ client_id: clientId, token, client_secret: secret }) =>
        [token, secret].filter((value) => value !== null).map((value) => ({ value, clientId })),
      ),
      otherToken: own?.token ?? '',
      close: () => sandbox.close(),
    };
  };
}
