// Every scenario of the idempotency rules, in the order of the catalogue.
import { replayMatrices } from '../../cases/replays.ts';
import type { Scenario } from '../../engine/types.ts';
import { concurrencyScenarios } from './at-once.ts';
import { credentialScenarios } from './credentials.ts';
import { effectScenarios } from './effects.ts';
import { keyScenarios } from './keys.ts';
import { lifetimeScenarios } from './lifetime.ts';
import { repeatScenarios } from './repeats.ts';

export const idempotencyScenarios: readonly Scenario[] = [
  ...keyScenarios,
  ...replayMatrices,
  ...repeatScenarios,
  ...effectScenarios,
  ...lifetimeScenarios,
  ...credentialScenarios,
  ...concurrencyScenarios,
];
