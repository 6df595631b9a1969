// Moves a transaction of a starting world through the same table as the API does.
import type { TransactionStep } from '../../../fixtures/worlds/fixture.ts';
import { moveChanges } from '../operations/move-changes.ts';
import type { Move, Trigger } from '../tables/moves.ts';
import type { PlayContext } from './chronicle.ts';

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Answers why the step cannot be, or null. Nothing of it settles by itself later (NS-3). */
export function playStep(context: PlayContext, id: string, step: TransactionStep): string | null {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(id);
  if (transaction === undefined) return 'it is older than its transaction';
  const trigger = triggers[step.to];
  const move: Move = behaviour.transactions.moves[transaction.status][trigger];
  if (move.kind !== 'move') return `a ${transaction.status} transaction does not become ${step.to}`;
  const { reason = null, operator = null } = step;
  const isSaid = step.to === 'rejected' || step.to === 'cancelled';
  const before = isSaid ? { ...transaction, reason, operator } : transaction;
  const { changes } = moveChanges(context, before, move, trigger);
  context.apply(changes.filter((change) => change.type !== 'timer-set'));
  return null;
}
