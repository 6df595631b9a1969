// How the platform behaves, as one value: tables and small policies. The conforming platform is one
// such value; a deviation is a function from one Behaviour to another. Core reads all its policies
// from here, so one wrong policy is one wrong behaviour.
import type { conformingBehaviour } from './policies/conforming.ts';

export type Behaviour = ReturnType<typeof conformingBehaviour>;
export type LimitPolicy = Behaviour['limits'];
export type DeliveryPolicy = Behaviour['delivery'];

/** A bucket that a call draws from. */
export interface Demand {
  readonly bucket: string;
  /** Requests a second. */
  readonly rate: number;
}
