// A sandbox for tests: generous limits, a frozen clock, deliveries that all succeed.

import { defaultWorld } from '../../../fixtures/worlds/built-in.ts';
import { Sandbox, type SandboxHostOptions } from '../world/sandbox.ts';

const standsAtMs = Date.UTC(2026, 2, 2, 12);

/** A sandbox whose limits no test reaches, and whose deliveries all succeed. */
export async function createTestSandbox(
  options: Partial<SandboxHostOptions> = {},
): Promise<Sandbox> {
  const sandbox = await Sandbox.create({
    worldName: 'default',
    fixture: defaultWorld,
    seed: '1',
    clock: { mode: 'frozen', nowMs: standsAtMs },
    plan: 'pro',
    deliverer: {
      deliver: async () => ({ status: 204, error: null }),
      resolve: async () => ['93.184.216.34'],
      close: async () => undefined,
    },
    ...options,
  });
  const { first } = sandbox;
  for (const client_id of first.world.credentials.keys()) {
    first.execute('changeCredential', { client_id, rate_per_second: 1_000_000 });
  }
  first.execute('changeFirm', { id: '1', rate_per_second: 10_000_000 });
  return sandbox;
}

/** The token of a credential of the first world. */
export function tokenOf(sandbox: Sandbox, name: string): string {
  const { tokens, credentials } = sandbox.first.world;
  for (const { token, client_id: clientId } of tokens.values()) {
    if (credentials.get(clientId)?.name === name) return token;
  }
  throw new Error(`there is no credential ${name}`);
}
