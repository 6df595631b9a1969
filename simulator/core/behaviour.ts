// How the platform behaves, as one value: tables and small policies. The conforming service is one
// such value; a deviation is a function that makes another out of it. Core decides by nothing else,
// so that one wrong policy is one wrong behaviour.
import type { conformingBehaviour } from './policies/conforming.ts';

export type Behaviour = ReturnType<typeof conformingBehaviour>;
export type LimitPolicy = Behaviour['limits'];
export type DeliveryPolicy = Behaviour['delivery'];

/** One bucket a call draws from. */
export interface Demand {
  readonly bucket: string;
  /** Requests a second. */
  readonly rate: number;
}
