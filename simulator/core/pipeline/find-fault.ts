// Faults ordered by an operator: which calls or deliveries they apply to, and their effects.
import { operationNames, type RefusalCode, refusalTable } from '../../../fixtures/operations.ts';
import {
  centuryMs,
  object,
  ofType,
  oneOf,
  orNull,
  type Schema,
  text,
  type ValueOf,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import { count, id, record } from '../record-kit.ts';

export const faultMatch = object('What it applies to: every member that is present must fit.', {
  'operation?': oneOf('An operation of the API.', operationNames),
  'method?': { ...text('An HTTP method.'), maxLength: 16 },
  'path?': {
    ...text('A path from its first /, without its query; a * at the end matches any rest.'),
    pattern: '^/',
  },
  'client_id?': text('The caller.'),
  'webhook?': {
    type: ['boolean', 'string', 'integer'],
    pattern: '^[0-9]{1,15}$',
    description: 'true for any webhook delivery, or the id of a subscription.',
  },
});
export type FaultMatch = ValueOf<typeof faultMatch>;

/** In the API's own form (429, 500, 503), or as a gateway in front of it answers (502, 504). */
const faultStatuses = [429, 500, 502, 503, 504] as const;

/** The codes of the specification, and the two refusals that have no code in it (NS-14, NS-16). */
const faultRefusals = [
  ...(Object.keys(refusalTable) as RefusalCode[]),
  'unauthorized',
  'unreadable',
] as const;
export type FaultRefusal = (typeof faultRefusals)[number];

const status = {
  type: 'integer',
  enum: faultStatuses,
  description:
    'With kind status: 429, 500 and 503 are problems of the API; 502 and 504 are those of a gateway, in HTML and without any header of the API.',
} as const;
const code = oneOf(
  'With kind refuse: the code of the refusal, which is recorded for repeats like any other.',
  faultRefusals,
);
const ms = whole(
  'Milliseconds: with delay on the sandbox’s clock, with slow_body in real time.',
  0,
  centuryMs,
);
const bytes = whole('With kind truncate: how many bytes of the body arrive.', 0, 1e9);

/** The kinds of effects on a call, each with its members. */
export const callEffects = {
  status: { status },
  refuse: { code },
  delay: { ms },
  hang: {},
  reset: {},
  /** The connection ends after this many bytes of the answer's body. */
  truncate: { bytes },
  /** The answer's body is sent in pieces over this time, in real time. */
  slow_body: { ms },
} as const;

/** The kinds of effects on a delivery. */
export const deliveryEffects = {
  drop: {},
  duplicate: {},
  bad_signature: {},
  stale_timestamp: {},
  delay: { ms },
} as const;

type EffectOf<E> = {
  [K in keyof E]: { readonly kind: K } & { readonly [P in keyof E[K]]: ValueOf<E[K][P]> };
}[keyof E];
export type CallEffect = EffectOf<typeof callEffects>;
/** An effect on how the body of a complete answer is sent. */
export type BodyFault = Extract<CallEffect, { readonly kind: 'truncate' | 'slow_body' }>;
export type DeliveryEffect = EffectOf<typeof deliveryEffects>;

const effects = { ...callEffects, ...deliveryEffects };

/** By kind, an effect with exactly its members. */
const effectSchemas = new Map<string, Schema>(
  Object.entries(effects).map(([kind, members]) => [kind, object('', { kind: {}, ...members })]),
);

/** What is wrong with the members of an effect, which depend on its kind. */
export function findEffectProblem(effect: Fault['effect'], field: string) {
  const schema = effectSchemas.get(effect.kind) as Schema;
  const [problem = null] = validate(schema, effect, field, field);
  return problem;
}

export const faultEffect = object('What happens instead.', {
  kind: oneOf(
    'For requests: status, refuse, delay, hang, reset, truncate, slow_body; for deliveries: delay and the others.',
    Object.keys(effects) as (keyof typeof effects)[],
  ),
  'status?': status,
  'code?': code,
  'ms?': ms,
  'bytes?': bytes,
});

/** When and how often it applies. */
export const faultTerms = {
  phase: oneOf('Before it runs, or after: then only the response is lost, late or replaced.', [
    'before',
    'after',
  ]),
  times: orNull(whole('How often it applies. Default: until it is removed.', 1, 1e9)),
  nth: orNull(whole('The first matching call that it applies to, such as 3.', 1, 1e9)),
  probability: orNull({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description:
      'How likely it applies to a matching call, from 0 to 1; drawn from the seed of the world.',
  }),
} as const;

/** A fault as an operator orders it. */
export const newFaultSchema = object('What, when, how often.', {
  match: faultMatch,
  'phase?': faultTerms.phase,
  effect: faultEffect,
  'times?': faultTerms.times,
  'nth?': faultTerms.nth,
  'probability?': faultTerms.probability,
});
export type NewFault = ValueOf<typeof newFaultSchema>;

export const faultSchema = record({
  id,
  match: faultMatch,
  phase: faultTerms.phase,
  effect: ofType<CallEffect | DeliveryEffect>(faultEffect),
  times: faultTerms.times,
  hits: count,
  'nth?': ofType<number>(faultTerms.nth),
  'probability?': ofType<number>(faultTerms.probability),
  /** Matching calls so far; counted only for faults with `nth` or `probability`. */
  'matches?': count,
});
export type Fault = ValueOf<typeof faultSchema>;

/** Whether the fault has been applied as often as ordered. */
export function isSpent({ times, hits }: Fault): boolean {
  return times !== null && hits >= times;
}

/** Whether a fault is for deliveries, and not for calls. */
export const concernsWebhooks = ({ webhook = false }: FaultMatch): boolean => webhook !== false;
