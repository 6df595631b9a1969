// All checks of receivers, and how many deliveries they send.
import { EVERYTHING, isSelected, type Selection } from '../engine/run/select.ts';
import type { Check, Group } from './check.ts';
import { acceptChecks } from './checks/accept.ts';
import { adviceChecks, laxChecks } from './checks/advice.ts';
import { effectChecks, mannerChecks } from './checks/behaviour.ts';
import { refuseChecks } from './checks/refuse.ts';

/** Ages of signatures around the five minutes of EVT-5b, in seconds; negative is in the future. */
export const AGES_S = [290, 298, 302, 310, -290, -302, -330];

/** The groups that are played; a valid delivery follows each. */
export const groupsInOrder: readonly Group[] = ['accept', 'refuse', 'advice'];

export const receiverChecks: readonly Check[] = [
  ...acceptChecks,
  ...refuseChecks,
  ...adviceChecks,
  ...laxChecks,
];

/** Also those that are judged over many deliveries, and those that need a probe of side effects. */
export const allChecks: readonly Check[] = [...receiverChecks, ...mannerChecks, ...effectChecks];

/** The checks of a run; side effects are judged only if a probe counts them. */
export function checksOf(effects: boolean, selection: Selection = EVERYTHING): readonly Check[] {
  const checks = effects ? allChecks : [...receiverChecks, ...mannerChecks];
  return checks.filter(({ id }) => isSelected(id, selection));
}

/** The most deliveries that a run sends to a receiver that responds to all of them. */
export function mostDeliveries(effects: boolean, selection: Selection = EVERYTHING): number {
  const names = { signature: 'signature', subscription: 'subscription' };
  const signing = { secret: 'none', previousSecret: null, names, mark: 'none' };
  const sent = checksOf(effects, selection).filter(
    (check) => !mannerChecks.some(({ id }) => id === check.id),
  );
  const probes = sent.reduce((sum, check) => sum + check.probes(signing).length, 0);
  const groups = groupsInOrder.filter((group) => sent.some((check) => check.group === group));
  const measured = isWhole(selection) ? AGES_S.length : 0;
  return probes + 1 + groups.length + measured;
}

/** The time window is measured only in a run of all checks. */
export function isWhole({ only, skip }: Selection): boolean {
  return only.length + skip.length === 0;
}
