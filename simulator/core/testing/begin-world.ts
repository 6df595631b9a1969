// Worlds for tests: the default world or another, and a world with almost no limits for generated
// inputs.
import { defaultSettings } from '../../../fixtures/settings.ts';
import { type WorldFixture, worlds } from '../../../fixtures/worlds.ts';
import { conformingBehaviour } from '../behaviour.ts';
import { seedInSlices } from '../seed/start-world.ts';
import { step } from '../step.ts';
import type { World } from '../world.ts';

export const behaviour = conformingBehaviour(defaultSettings);
export const startMs = Date.UTC(2026, 2, 2, 12);

export function seedWorld(fixture: WorldFixture = worlds.default): World {
  const slices = seedInSlices(fixture, behaviour, {
    name: 'default',
    seed: '1',
    startMs,
    plan: 'pro',
    options: { allowLocalWebhooks: false },
  });
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

export function beginWorld(): World {
  const world = seedWorld();
  // Most calls must get past the limits; some commands bring the limits back.
  for (const clientId of world.credentials.keys()) {
    const args = { client_id: clientId, rate_per_second: 100_000 };
    step(world, behaviour, { kind: 'command', atMs: startMs, name: 'changeCredential', args });
  }
  const args = { id: '1', rate_per_second: 1_000_000 };
  step(world, behaviour, { kind: 'command', atMs: startMs, name: 'changeFirm', args });
  return world;
}
