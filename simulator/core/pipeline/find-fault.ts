// Faults ordered by an operator: which calls or deliveries they hit, and what happens to those.
import type { OperationName } from '../tables/operations.ts';

export interface FaultMatch {
  readonly operation?: OperationName;
  readonly method?: string;
  /** Exact path without query, or a prefix when it ends in `*`. */
  readonly path?: string;
  readonly client_id?: string;
  /** true: any webhook delivery; a number or decimal string: those of one subscription. */
  readonly webhook?: boolean | string;
}

export type CallEffect =
  | { readonly kind: 'status'; readonly status: 429 | 500 | 503 }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' };

export type DeliveryEffect =
  | { readonly kind: 'drop' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'bad_signature' }
  | { readonly kind: 'stale_timestamp' }
  | { readonly kind: 'delay'; readonly ms: number };

export interface Fault {
  readonly id: string;
  readonly match: FaultMatch;
  /** `before`: nothing has run. `after`: it has run and only the answer suffers. */
  readonly phase: 'before' | 'after';
  readonly effect: CallEffect | DeliveryEffect;
  /** How often it strikes; null: until it is removed. */
  readonly times: number | null;
  readonly hits: number;
}

/** What a fault is matched against. */
export interface FaultSubject {
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
  readonly clientId: string | null;
}

function live(fault: Fault): boolean {
  return fault.times === null || fault.hits < fault.times;
}

function pathMatches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** The first live fault of a phase that concerns this call, in the order they were made. */
export function findCallFault(
  faults: Iterable<Fault>,
  phase: 'before' | 'after',
  subject: FaultSubject,
): Fault | null {
  for (const fault of faults) {
    const { match } = fault;
    if (match.webhook !== undefined || fault.phase !== phase || !live(fault)) continue;
    if (match.operation !== undefined && match.operation !== subject.operation) continue;
    if (match.method !== undefined && match.method.toUpperCase() !== subject.method) continue;
    if (match.path !== undefined && !pathMatches(match.path, subject.path)) continue;
    if (match.client_id !== undefined && match.client_id !== subject.clientId) continue;
    return fault;
  }
  return null;
}

/** The first live fault that concerns deliveries of a subscription. */
export function findDeliveryFault(faults: Iterable<Fault>, subscriptionId: number): Fault | null {
  for (const fault of faults) {
    const { webhook } = fault.match;
    if (webhook === undefined || webhook === false || !live(fault)) continue;
    if (webhook === true || webhook === String(subscriptionId)) return fault;
  }
  return null;
}
