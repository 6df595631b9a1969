// Faults ordered by an operator: which calls or deliveries they strike, and what happens to those.
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
import type { World } from '../world.ts';
import type { RequestContext } from './request-context.ts';

const matchSchema = record({
  'operation?': operation,
  'method?': text,
  /** Exact path without query, or a prefix when it ends in `*`. */
  'path?': text,
  'client_id?': text,
  /** true: any webhook delivery; a decimal string: those of one subscription. */
  'webhook?': ofType<boolean | string>({ type: ['boolean', 'string'] }),
});
export type FaultMatch = ValueOf<typeof matchSchema>;

/** In the API's own form (429, 500, 503), or as a gateway in front of it answers (502, 504). */
export const faultStatuses = [429, 500, 502, 503, 504] as const;

/** The codes of the specification, and the two refusals that have none there (NS-14, NS-16). */
export const faultRefusals = [
  ...(Object.keys(refusalTable) as RefusalCode[]),
  'unauthorized',
  'unreadable',
] as const;
export type FaultRefusal = (typeof faultRefusals)[number];

const status = ofType<(typeof faultStatuses)[number]>({ type: 'integer', enum: faultStatuses });
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
type EffectKind = keyof typeof callEffects | keyof typeof deliveryEffects;
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
  /** Matching calls so far; counted only if `nth` or `probability` asks for it. */
  'matches?': count,
});
export type Fault = ValueOf<typeof faultSchema>;

/** It has struck as often as it was ordered to. */
export function isSpent({ times, hits }: Fault): boolean {
  return times !== null && hits >= times;
}

/** What a call or an attempt does to faults: the one that strikes it, and those it counts in. */
interface FaultSearch {
  readonly found: Fault | null;
  /** With the new counts, the one that strikes among them. */
  readonly changed: readonly Fault[];
}

/** The faults of a phase that concern this call; the oldest of those that are due strikes. */
export function searchCallFaults(
  { world, operation, call, path, credential }: RequestContext,
  phase: Fault['phase'],
): FaultSearch {
  return search(world, ({ match, phase: own }) => {
    if (own !== phase || match.webhook !== undefined) return false;
    if (match.operation !== undefined && match.operation !== operation) return false;
    if (match.method !== undefined && match.method.toUpperCase() !== call.method) return false;
    if (match.client_id !== undefined && match.client_id !== credential?.client_id) return false;
    if (match.path === undefined) return true;
    return match.path.endsWith('*')
      ? path.startsWith(match.path.slice(0, -1))
      : path === match.path;
  });
}

/** The same for an attempt to deliver to a subscription. */
export function searchDeliveryFaults(world: World, subscriptionId: number): FaultSearch {
  return search(
    world,
    ({ match: { webhook } }) => webhook === true || webhook === String(subscriptionId),
  );
}

const nothingFound: FaultSearch = { found: null, changed: [] };

function search({ faults, seed }: World, concerns: (fault: Fault) => boolean): FaultSearch {
  if (faults.size === 0) return nothingFound;
  let found: Fault | null = null;
  const changed: Fault[] = [];
  for (const fault of faults.values()) {
    if (isSpent(fault) || !concerns(fault)) continue;
    const { nth, probability } = fault;
    const isCounted = nth !== undefined || probability !== undefined;
    const counted = isCounted ? { ...fault, matches: (fault.matches ?? 0) + 1 } : fault;
    if (found === null && isDue(counted, seed)) {
      found = { ...counted, hits: fault.hits + 1 };
      changed.push(found);
    } else if (isCounted) changed.push(counted);
  }
  return { found, changed };
}

const drawnDigits = 12;

function isDue({ id, nth, probability, matches = 0 }: Fault, seed: string): boolean {
  if (nth !== undefined && matches < nth) return false;
  if (probability === undefined) return true;
  // A number from 0 to 1 (exclusive) that depends on nothing but the seed and this label.
  const digits = hmacSha256Hex(seed, `fault ${id}, ${matches}`).slice(0, drawnDigits);
  return Number.parseInt(digits, 16) / 16 ** drawnDigits < probability;
}
