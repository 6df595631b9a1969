// What may be looked up in a world from outside: reading alone, without a step and without a
// change.
export { replyHeaders } from '../../core/call.ts';
export { describeHints, hintRegister } from '../../core/explain/hints.ts';
export { nextDueMs } from '../../core/fire-timer.ts';
export { findEntry, newestEntries } from '../../core/journal.ts';
export { countKeys } from '../../core/keys.ts';
export {
  effectKinds,
  effectPart,
  faultRefusals,
  faultStatuses,
  isSpent,
} from '../../core/pipeline/find-fault.ts';
export { StartingWorldError } from '../../core/seed/start-world.ts';
export { eventId } from '../../core/serialize/ids.ts';
export { StateError } from '../../core/state/snapshot.ts';
export { operationNames, scopeNames } from '../../core/tables/operations.ts';
export { findEvent } from '../../core/world.ts';
