// What a check of a receiver is: what it sends, what must come of it, why, and how to mend a
// receiver that fails.
import type { Delivery, Terms } from './delivery.ts';

export type Group = 'accept' | 'refuse' | 'advice' | 'behaviour';

/**
 * One delivery of a check; the body under test and what the right signature of it would have been.
 */
export interface Shot {
  readonly delivery: Delivery;
  /** Hex of the signature that an answer must not give away. */
  readonly expectedMac?: string;
}

export interface Check {
  /** `RCV-` and words; never changes once released. */
  readonly id: string;
  readonly group: Group;
  /** What is sent, in one sentence. */
  readonly title: string;
  readonly why: string;
  /** What an attacker, or an accident, gains from a receiver that fails it. */
  readonly gains: string;
  readonly fix: string;
  readonly shots: (terms: Terms) => readonly Shot[];
}

export const groupWords: Readonly<Record<Group, string>> = {
  accept: 'Must accept',
  refuse: 'Must refuse',
  advice: 'Advice',
  behaviour: 'Behaviour',
};
