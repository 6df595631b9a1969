// The refusals of the error table, in the judge's own literals, separate from the simulator's.

export type Refusal = readonly [status: number, code: string];

export const KEY_REQUIRED: Refusal = [400, 'idempotency_key_required'];
export const FORBIDDEN: Refusal = [403, 'forbidden'];
export const READ_ONLY: Refusal = [403, 'read_only_credential'];
export const NOT_FOUND: Refusal = [404, 'not_found'];
export const IN_FLIGHT: Refusal = [409, 'idempotency_in_flight'];
export const INVALID_STATE: Refusal = [409, 'invalid_state'];
export const STALE: Refusal = [412, 'revision_conflict'];
export const TOO_WIDE: Refusal = [413, 'scope_too_wide'];
export const INVALID: Refusal = [422, 'validation_failed'];
export const NOT_IMPLEMENTED: Refusal = [501, 'not_implemented'];

/** Each status with its codes. */
export const ERROR_TABLE: Readonly<Record<number, readonly string[]>> = {
  400: ['idempotency_key_required'],
  403: ['forbidden', 'read_only_credential'],
  404: ['not_found'],
  409: ['idempotency_in_flight', 'invalid_state'],
  412: ['revision_conflict'],
  413: ['scope_too_wide'],
  422: ['validation_failed'],
  429: ['rate_limited'],
  500: ['internal_error'],
  501: ['not_implemented'],
  503: ['write_contention'],
};
