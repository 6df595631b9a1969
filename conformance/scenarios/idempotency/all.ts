// IDEM: the idempotency of all nine write operations, gathered from its parts.
import type { Scenario } from '../../engine/types.ts';
import { batchScenarios } from './batches.ts';
import { crowdScenarios } from './concurrent-duplicates.ts';
import { effectScenarios } from './effects.ts';
import { eventScenarios } from './events.ts';
import { keptScenarios } from './every-write-kept.ts';
import { inFlightScenarios } from './in-flight.ts';
import { apartScenarios } from './key-isolation.ts';
import { keyScenarios } from './keys.ts';
import { referenceScenarios } from './references.ts';
import { refusalScenarios } from './refusals.ts';
import { replayScenarios } from './replays.ts';
import { lifetimeScenarios } from './retention.ts';
import { subjectScenarios } from './subjects.ts';

export const idempotencyScenarios: readonly Scenario[] = [
  ...keyScenarios,
  ...subjectScenarios,
  ...apartScenarios,
  ...replayScenarios,
  ...eventScenarios,
  ...effectScenarios,
  ...refusalScenarios,
  ...referenceScenarios,
  ...batchScenarios,
  ...lifetimeScenarios,
  ...keptScenarios,
  ...inFlightScenarios,
  ...crowdScenarios,
];
