// The refusals of the error table, in the judge's own literals: on purpose not the simulator's.

export type Refusal = readonly [status: number, code: string];

export const KEY_REQUIRED: Refusal = [400, 'idempotency_key_required'];
export const FORBIDDEN: Refusal = [403, 'forbidden'];
export const NOT_FOUND: Refusal = [404, 'not_found'];
export const IN_FLIGHT: Refusal = [409, 'idempotency_in_flight'];
export const INVALID_STATE: Refusal = [409, 'invalid_state'];
export const STALE: Refusal = [412, 'revision_conflict'];
export const TOO_WIDE: Refusal = [413, 'scope_too_wide'];
export const INVALID: Refusal = [422, 'validation_failed'];
export const NOT_IMPLEMENTED: Refusal = [501, 'not_implemented'];
