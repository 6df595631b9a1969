// All the checks of receivers, and how many deliveries they come to.

import type { Check, Group } from './check.ts';
import { acceptChecks } from './checks/accept.ts';
import { adviceChecks, laxChecks } from './checks/advice.ts';
import { effectChecks, mannerChecks } from './checks/behaviour.ts';
import { refuseChecks } from './checks/refuse.ts';
import { agesMs } from './timestamp-tolerance.ts';

/** The groups that are played, each followed by a control. */
export const groupsInOrder: readonly Group[] = ['accept', 'refuse', 'advice'];

export const receiverChecks: readonly Check[] = [
  ...acceptChecks,
  ...refuseChecks,
  ...adviceChecks,
  ...laxChecks,
];

/** Those that are judged over many deliveries too, and those that take a probe of the effects. */
export const allChecks: readonly Check[] = [...receiverChecks, ...mannerChecks, ...effectChecks];

/** What a run judges; only a probe of the effects shows all. */
export function checksOf(effects: boolean): readonly Check[] {
  return effects ? allChecks : [...receiverChecks, ...mannerChecks];
}

/**
 * The most deliveries that a run can send to a receiver that goes on, to be said before it starts.
 */
export function mostDeliveries(effects: boolean): number {
  const names = { signature: 'signature', subscription: 'subscription' };
  const signing = { secret: 'none', previousSecret: null, names, mark: 'none' };
  const checks = effects ? [...receiverChecks, ...effectChecks] : receiverChecks;
  const probes = checks.reduce((sum, check) => sum + check.probes(signing).length, 0);
  // Where the first control fails there are guesses in place of checks, and they are fewer.
  const controls = 1 + groupsInOrder.length;
  return probes + controls + agesMs.length;
}
