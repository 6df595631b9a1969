// The refusals of the specification: each code under its status, with its title (ERR-3).

export interface RefusalRow {
  readonly status: number;
  readonly title: string;
}

export const refusalTable = {
  idempotency_key_required: { status: 400, title: 'Idempotency key required' },
  forbidden: { status: 403, title: 'Forbidden' },
  read_only_credential: { status: 403, title: 'Read-only credential' },
  not_found: { status: 404, title: 'Not found' },
  idempotency_in_flight: { status: 409, title: 'An attempt with this key is still running' },
  invalid_state: { status: 409, title: 'The state of the record refuses this' },
  revision_conflict: { status: 412, title: 'The record has changed' },
  scope_too_wide: { status: 413, title: 'Too many rows' },
  validation_failed: { status: 422, title: 'Validation failed' },
  rate_limited: { status: 429, title: 'Rate limit exceeded' },
  internal_error: { status: 500, title: 'Internal error' },
  not_implemented: { status: 501, title: 'Not implemented' },
  write_contention: { status: 503, title: 'Concurrent activity on the same record' },
} as const satisfies Record<string, RefusalRow>;

export type RefusalCode = keyof typeof refusalTable;
export type RefusalTable = Readonly<Record<RefusalCode, RefusalRow>>;
