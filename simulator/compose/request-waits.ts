// Waits for API requests: those that match operation, status, credential and so on.

import { type OperationName, operationNames } from '../../fixtures/operations.ts';
import { object, oneOf, orNull, whole } from '../../fixtures/schemas/kit.ts';
import type { RequestShown } from '../control/schemas/journal.ts';
import { viewRequest } from '../control/views/journal.ts';
import { findEntry } from '../core/journal.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { describePending } from './pending.ts';
import { type Source, type Waits, waitsOf } from './waits.ts';

/** Every member that is given must be equal. */
export interface RequestMatch {
  readonly operation?: OperationName;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status?: number;
  /** Name of a credential. */
  readonly credential?: string;
  readonly idempotency?: 'first' | 'replayed' | 'converged' | 'in_flight';
  /** Only requests with a greater number (`id`) than this. */
  readonly after?: number;
}

export type RequestWaits = Waits<RequestShown, RequestMatch>;

export const requestWaits = (host: WorldHost): RequestWaits =>
  waitsOf((match) => {
    // Where to begin; the other members are compared.
    const { after = 0 } = typeof match === 'function' ? {} : ((match as RequestMatch | null) ?? {});
    return requestsOf(host, Number(after));
  });

function requestsOf(host: WorldHost, after: number): Source<RequestShown> {
  const items = () => {
    const { journal } = host.world;
    const shown: RequestShown[] = [];
    for (let n = Math.max(journal.oldest, after + 1); n <= journal.newest; n += 1) {
      const entry = findEntry(journal, n);
      if (entry !== undefined) shown.push(viewRequest(host, entry, { whole: true }));
    }
    return shown;
  };
  return {
    nouns: ['request', 'requests'],
    items,
    schema: () => matchSchema(host),
    members: (request) => ({
      operation: request.operation,
      method: request.request.method,
      status: request.response?.status,
      credential: request.client_name,
      idempotency: request.idempotency,
      after,
    }),
    describe: ({ id, request, response, reset, operation, client_name: name }) => {
      const outcome = response?.status ?? (reset ? 'connection cut' : 'no response yet');
      const by = `${operation ?? 'no operation'}, ${name ?? 'no credential'}`;
      return `${id} ${request.method} ${request.target} ${outcome} (${by})`;
    },
    pending: () => describePending(host),
    listen: (look, closed) =>
      host.listen(({ kind }) => {
        if (kind === 'closed') closed();
        else if (kind === 'request' || kind === 'world') look();
      }),
  };
}

function matchSchema({ world }: WorldHost) {
  const credentials = [...world.credentials.values()].map(({ name }) => name);
  return object('What a request must have.', {
    'operation?': oneOf('Name of the operation.', operationNames),
    'method?': oneOf('Method.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    'status?': whole('Status of the response.', 100, 599),
    'credential?': oneOf('Name of a credential.', credentials),
    'idempotency?': orNull(
      oneOf('What the key did.', ['first', 'replayed', 'converged', 'in_flight']),
    ),
    'after?': whole('Number of a request.', 0, Number.MAX_SAFE_INTEGER),
  });
}
