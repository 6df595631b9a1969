// Faults ordered by an operator: which calls or deliveries they hit, and what happens to those.

import type { OperationName } from '../../../fixtures/operations.ts';
import { type RefusalCode, refusalTable } from '../../../fixtures/operations.ts';
import {
  count,
  id,
  number,
  ofType,
  oneOf,
  operation,
  orNull,
  record,
  text,
  time,
  type ValueOf,
} from '../record-kit.ts';
import { hmacSha256Hex } from '../values/digest.ts';

const matchSchema = record({
  'operation?': operation,
  'method?': text,
  /** Exact path without query, or a prefix when it ends in `*`. */
  'path?': text,
  'client_id?': text,
  /** true: any webhook delivery; a number or decimal string: those of one subscription. */
  'webhook?': ofType<boolean | string>({ type: ['boolean', 'string'] }),
});
export type FaultMatch = ValueOf<typeof matchSchema>;

/** In the API's own form (429, 500, 503), or as a gateway in front of it answers (502, 504). */
export const faultStatuses = [429, 500, 502, 503, 504] as const;
export type FaultStatus = (typeof faultStatuses)[number];

/** The codes of the specification, and the two refusals that have none there (NS-14, NS-16). */
export const faultRefusals = [
  ...(Object.keys(refusalTable) as RefusalCode[]),
  'unauthorized',
  'unreadable',
] as const;
export type FaultRefusal = (typeof faultRefusals)[number];

const status = ofType<FaultStatus>({ type: 'integer', enum: faultStatuses });
const code = oneOf(...faultRefusals);

/** The kinds of effect on a call, each with what it says besides. */
export const callEffects = {
  status: { status },
  refuse: { code },
  delay: { ms: time },
  hang: {},
  reset: {},
  /** The connection ends after so many bytes of the answer's body. */
  truncate: { bytes: count },
  /** The answer's body comes in pieces over this time. */
  slow_body: { ms: time },
} as const;

/** The same of a delivery. */
export const deliveryEffects = {
  drop: {},
  duplicate: {},
  bad_signature: {},
  stale_timestamp: {},
  delay: { ms: time },
} as const;

type EffectOf<E> = {
  [K in keyof E]: { readonly kind: K } & { readonly [P in keyof E[K]]: ValueOf<E[K][P]> };
}[keyof E];
export type CallEffect = EffectOf<typeof callEffects>;
export type DeliveryEffect = EffectOf<typeof deliveryEffects>;
export type EffectKind = keyof typeof callEffects | keyof typeof deliveryEffects;
export type EffectPart = 'status' | 'code' | 'ms' | 'bytes';

const effects: Readonly<Record<EffectKind, Readonly<Partial<Record<EffectPart, unknown>>>>> = {
  ...callEffects,
  ...deliveryEffects,
};
export const effectKinds = Object.keys(effects) as EffectKind[];

/** What an effect of this kind says besides its kind. */
export const effectPart = (kind: EffectKind) =>
  Object.keys(effects[kind])[0] as EffectPart | undefined;

export const faultSchema = record({
  id,
  match: matchSchema,
  /** `before`: nothing has run. `after`: it has run and only the answer suffers. */
  phase: oneOf('before', 'after'),
  effect: ofType<CallEffect | DeliveryEffect>(
    record({
      kind: oneOf(...effectKinds),
      'status?': status,
      'code?': code,
      'ms?': time,
      'bytes?': count,
    }),
  ),
  /** How often it strikes; null: until it is removed. */
  times: orNull(count),
  hits: count,
  /** It strikes from this matching call on. */
  'nth?': count,
  /** How likely it strikes a matching call, from 0 to 1. */
  'probability?': number,
  /** Matching calls so far; counted only where `nth` or `probability` asks for it. */
  'matches?': count,
});
export type Fault = ValueOf<typeof faultSchema>;

/** What a fault is matched against. */
export interface FaultSubject {
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
  readonly clientId: string | null;
}

/** It has struck as often as it was ordered to. */
export function isSpent({ times, hits }: Fault): boolean {
  return times !== null && hits >= times;
}

function pathMatches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function matchesCall({ match }: Fault, subject: FaultSubject): boolean {
  if (match.webhook !== undefined) return false;
  if (match.operation !== undefined && match.operation !== subject.operation) return false;
  if (match.method !== undefined && match.method.toUpperCase() !== subject.method) return false;
  if (match.path !== undefined && !pathMatches(match.path, subject.path)) return false;
  return match.client_id === undefined || match.client_id === subject.clientId;
}

function matchesDelivery({ match: { webhook } }: Fault, subscriptionId: number): boolean {
  return webhook === true || webhook === String(subscriptionId);
}

/** What a call or an attempt does to faults: the one that strikes it, and those it counts in. */
export interface FaultSearch {
  readonly found: Fault | null;
  /** With the new counts, the one that strikes among them. */
  readonly changed: readonly Fault[];
}

/** Faults with the seed of the world they are in, from which `probability` draws. */
export interface FaultsOfWorld {
  readonly faults: ReadonlyMap<string, Fault>;
  readonly seed: string;
}

/** The faults of a phase that concern this call; the oldest of those that are due strikes. */
export function searchCallFaults(
  world: FaultsOfWorld,
  phase: 'before' | 'after',
  subject: FaultSubject,
): FaultSearch {
  return search(world, (fault) => fault.phase === phase && matchesCall(fault, subject));
}

/** The same for an attempt to deliver to a subscription. */
export function searchDeliveryFaults(world: FaultsOfWorld, subscriptionId: number): FaultSearch {
  return search(world, (fault) => matchesDelivery(fault, subscriptionId));
}

const nothingFound: FaultSearch = { found: null, changed: [] };

function search({ faults, seed }: FaultsOfWorld, concerns: (fault: Fault) => boolean): FaultSearch {
  if (faults.size === 0) return nothingFound;
  let found: Fault | null = null;
  const changed: Fault[] = [];
  for (const fault of faults.values()) {
    if (isSpent(fault) || !concerns(fault)) continue;
    const counted = countMatch(fault);
    if (found === null && isDue(counted, seed)) {
      found = { ...counted, hits: fault.hits + 1 };
      changed.push(found);
    } else if (counted !== fault) changed.push(counted);
  }
  return { found, changed };
}

function countMatch(fault: Fault): Fault {
  if (fault.nth === undefined && fault.probability === undefined) return fault;
  return { ...fault, matches: (fault.matches ?? 0) + 1 };
}

function isDue({ id, nth, probability, matches = 0 }: Fault, seed: string): boolean {
  if (nth !== undefined && matches < nth) return false;
  return probability === undefined || draw(seed, `fault ${id}, ${matches}`) < probability;
}

const drawnDigits = 12;

/** A number from 0 to 1 (exclusive) that depends on nothing but seed and label. */
function draw(seed: string, label: string): number {
  return Number.parseInt(hmacSha256Hex(seed, label).slice(0, drawnDigits), 16) / 16 ** drawnDigits;
}
