// The transitions of transactions and subscriptions by name, and which of them a call has met.
import type { JournalEntry } from '../journal.ts';
import { transitionTable } from '../tables/transitions.ts';

const nameOf = (from: string, trigger: string, to: string): string => `${from} ${trigger} → ${to}`;

/** Settling comes by itself, or by the operator. */
export const settledTransition = nameOf('approved', 'settle', 'settled');
/** EVT-11. */
export const targetTransition = nameOf('enabled', 'target no longer public', 'disabled');
const disabled = nameOf('enabled', 'disable', 'disabled');
const created = nameOf('none', 'create', 'pending');
const payoutRefused = nameOf('pending', 'approve', '501');
const amendRefused = nameOf('settled', 'cancel', '403');

/** Every transition that the specification names, refused ones included. */
export const transitionNames: readonly string[] = [
  created,
  ...Object.entries(transitionTable).flatMap(([from, moves]) =>
    Object.entries(moves).flatMap(([trigger, move]) => {
      if (trigger === 'settle') return [];
      const to = move.kind === 'move' ? move.to : move.kind === 'unchanged' ? from : '409';
      return [nameOf(from, trigger, to)];
    }),
  ),
  payoutRefused,
  amendRefused,
  settledTransition,
  disabled,
  targetTransition,
];

/** The one that an executed call has met; null: none. */
export function transitionOf(entry: JournalEntry): string | null {
  const { operation, cites, reply } = entry;
  switch (operation) {
    case 'createTransaction':
      return cites.includes('TXN-1') ? created : null;
    case 'disableWebhook':
      return disabled;
    case 'approveTransaction':
    case 'rejectTransaction':
    case 'cancelTransaction':
      break;
    default:
      return null;
  }
  const trigger = operation.slice(0, -'Transaction'.length);
  if (cites.includes('TXS-3')) return payoutRefused;
  if (cites.includes('TXS-11')) return amendRefused;
  if (reply === null || reply.status === 200) {
    const move = moves.find(([cite]) => cites.includes(cite));
    if (move !== undefined) return nameOf(move[1], trigger, move[2]);
    const status = /"status":"(\w+)"/.exec(reply?.body ?? '')?.[1];
    return status === undefined ? null : nameOf(status, trigger, status);
  }
  if (reply.status !== 409) return null;
  const from = /is (\w+); \w+ is not possible/.exec(reply.body)?.[1];
  return from === undefined ? null : nameOf(from, trigger, '409');
}

/** A move is told by the rule it rests on. */
const moves = [
  ['TXS-1', 'pending', 'approved'],
  ['TXS-6', 'pending', 'rejected'],
  ['TXS-8', 'pending', 'cancelled'],
  ['TXS-10', 'settled', 'cancelled'],
] as const;
