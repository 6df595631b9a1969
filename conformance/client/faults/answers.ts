// Answers that stand in for the platform's, in the forms that the specification gives them.
import type { ApiResponse } from '../call.ts';

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

const refusals = {
  forbidden: { status: 403, title: 'Forbidden', detail: 'The scope for this is missing.' },
  not_found: { status: 404, title: 'Not found', detail: 'There is no such record.' },
  invalid_state: {
    status: 409,
    title: 'Invalid state',
    detail: 'The state of the record refuses this.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    detail: 'The request is not valid as it is.',
  },
  not_implemented: {
    status: 501,
    title: 'Not implemented',
    detail: 'This is done in the back office. It never succeeds here.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'In flight',
    detail: 'An earlier attempt with this key is still running. Repeat the identical request soon.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    detail: 'Wait as Retry-After says, with some jitter.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail: 'Something broke. Repeat the request with the same key.',
  },
  write_contention: {
    status: 503,
    title: 'Write contention',
    detail: 'Others write the same record. Repeat the request with the same key.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

export type RefusalCode = keyof typeof refusals;

export function statusOf(code: RefusalCode): number {
  return refusals[code].status;
}

/** ERR-1: the refusal of that code as problem+json. `n` makes its request id. */
export function problem(
  code: RefusalCode,
  n: number,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  const { status, title, detail } = refusals[code];
  const requestId = `req_judge${String(n).padStart(6, '0')}`;
  const type = `https://docs.trading-platform.example/errors/${code}`;
  const body = { type, title, status, code, detail, request_id: requestId, errors: [] };
  return {
    status,
    headers: [
      ['content-type', 'application/problem+json; charset=utf-8'],
      ['x-request-id', requestId],
      ...Object.entries(headers),
    ],
    body: JSON.stringify(body),
  };
}

/** LIM-6: limited, for so many seconds. */
export function limited(n: number, seconds: number, perSecond: number): ApiResponse {
  return problem('rate_limited', n, {
    'retry-after': String(seconds),
    'x-ratelimit-limit': String(perSecond),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(seconds),
  });
}
