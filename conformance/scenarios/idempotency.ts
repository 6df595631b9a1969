// IDEM: the idempotency of all nine write operations, gathered from its parts.
import type { Scenario } from '../engine/types.ts';
import { apartScenarios } from './idempotency-apart.ts';
import { batchScenarios } from './idempotency-batches.ts';
import { crowdScenarios } from './idempotency-crowds.ts';
import { eventScenarios } from './idempotency-events.ts';
import { inFlightScenarios } from './idempotency-in-flight.ts';
import { keyScenarios } from './idempotency-keys.ts';
import { lifetimeScenarios } from './idempotency-lifetime.ts';
import { referenceScenarios } from './idempotency-references.ts';
import { refusalScenarios } from './idempotency-refusals.ts';
import { replayScenarios } from './idempotency-replays.ts';
import { subjectScenarios } from './idempotency-subjects.ts';

export const idempotencyScenarios: readonly Scenario[] = [
  ...keyScenarios,
  ...subjectScenarios,
  ...apartScenarios,
  ...replayScenarios,
  ...eventScenarios,
  ...refusalScenarios,
  ...referenceScenarios,
  ...batchScenarios,
  ...lifetimeScenarios,
  ...inFlightScenarios,
  ...crowdScenarios,
];
