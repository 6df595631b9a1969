// Bends of deliveries that several families share.
import type { Behaviour, DeliveryPolicy } from '../../core/behaviour.ts';
import { type Bend, policy } from '../bend.ts';

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

export const delivery = (
  change: (own: DeliveryPolicy, behaviour: Behaviour) => Partial<DeliveryPolicy>,
): Bend => policy('delivery', change);
