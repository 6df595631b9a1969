// What a check of a receiver is: what it sends, what the receiver must answer, why, and how to mend
// one that fails.
import type { Delivery, SigningOptions } from './delivery.ts';

export type Group = 'accept' | 'refuse' | 'advice' | 'behaviour';

/** One delivery of a check. */
export interface Probe {
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
  readonly probes: (signing: SigningOptions) => readonly Probe[];
  /** Sent concurrently, instead of one after the other. */
  readonly together?: true;
}

export const groupWords: Readonly<Record<Group, string>> = {
  accept: 'Must accept',
  refuse: 'Must refuse',
  advice: 'Advice',
  behaviour: 'Behaviour',
};

/** Advice to accept, instead of to refuse. */
export function isTolerance({ id }: Check): boolean {
  return id.startsWith('RCV-tolerates-');
}

/** What a receiver that passes answers. */
export function expectedOf(check: Check): string {
  if (check.group === 'accept') return 'a 2xx answer';
  if (check.group === 'refuse') return 'an answer other than 2xx';
  if (check.group === 'behaviour') return check.title;
  return isTolerance(check)
    ? 'a 2xx answer, to be safe with later versions'
    : 'an answer other than 2xx, to be exact';
}
