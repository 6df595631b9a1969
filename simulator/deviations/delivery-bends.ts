// Bends of deliveries that several families share, and what cannot be seen of those without a
// match.
import type { Behaviour, DeliveryPolicy } from '../core/behaviour.ts';
import { type Bend, policy } from './bend.ts';

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

export const delivery = (
  change: (own: DeliveryPolicy, behaviour: Behaviour) => Partial<DeliveryPolicy>,
): Bend => policy('delivery', change);

/** Rules that tell secrets apart by the signatures that match under them. */
export const unsigned = {
  'EVT-7': 'no signature of a rotation matches',
  'HOOK-4': 'the new secret signs nothing that matches',
};
