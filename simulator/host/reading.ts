// What may be looked up in a world from outside: reading alone, without a step and without a
// change.
export { replyHeaders } from '../core/call.ts';
export { nextDueMs } from '../core/fire.ts';
export { findEntry, newestEntries } from '../core/journal.ts';
export { eventId } from '../core/print.ts';
export { StartingWorldError } from '../core/starting-world.ts';
export { StateError } from '../core/state.ts';
export { operationNames, scopeNames } from '../core/tables/operations.ts';
export { findEvent } from '../core/world.ts';
