// Moves a transaction of a starting world through the same table as the API does.
import type { TransactionStep } from '../../../fixtures/worlds/world-fixture.ts';
import { transitionChanges } from '../operations/transition-changes.ts';
import type { Transition, Trigger } from '../tables/transitions.ts';
import type { SeedContext } from './seeder.ts';

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Answers why the step cannot be, or null. Nothing of it settles by itself later (NS-3). */
export function seedStep(context: SeedContext, id: string, step: TransactionStep): string | null {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(id);
  if (transaction === undefined) return 'it is older than its transaction';
  const trigger = triggers[step.to];
  const move: Transition = behaviour.transactions.transitions[transaction.status][trigger];
  if (move.kind !== 'move') return `a ${transaction.status} transaction does not become ${step.to}`;
  const { reason = null, operator = null } = step;
  const isSaid = step.to === 'rejected' || step.to === 'cancelled';
  const before = isSaid ? { ...transaction, reason, operator } : transaction;
  const { changes } = transitionChanges(context, before, move, trigger);
  context.apply(changes.filter((change) => change.type !== 'timer-set'));
  return null;
}
