// The world that made-up inputs are thrown at: the default one, with hardly a limit.
import { defaultSettings } from '../../../fixtures/settings.ts';
import { worlds } from '../../../fixtures/worlds.ts';
import { conformingBehaviour } from '../policies/conforming.ts';
import { seedWorld } from '../seed/start-world.ts';
import { step } from '../step.ts';
import type { World } from '../world.ts';

export const behaviour = conformingBehaviour(defaultSettings);
const startMs = Date.UTC(2026, 2, 2, 12);

export function beginWorld(): World {
  const world = seedWorld(worlds.default, behaviour, {
    name: 'default',
    seed: '1',
    startMs,
    plan: 'pro',
    options: { allowLocalWebhooks: false },
  });
  // Most calls are to come further than the limits; some commands bring these back.
  for (const clientId of world.credentials.keys()) {
    const args = { client_id: clientId, rate_per_second: 100_000 };
    step(world, behaviour, { kind: 'command', atMs: startMs, name: 'changeCredential', args });
  }
  const args = { id: '1', rate_per_second: 1_000_000 };
  step(world, behaviour, { kind: 'command', atMs: startMs, name: 'changeFirm', args });
  return world;
}
