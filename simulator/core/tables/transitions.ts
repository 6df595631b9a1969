// The state machine of a transaction as a complete table: each status and each trigger, with the
// rule behind each cell.
import type { Cite } from '../call.ts';
import type { TransactionStatus } from '../records.ts';

export type Trigger = 'approve' | 'reject' | 'cancel' | 'settle';

export type Transition =
  | {
      readonly kind: 'move';
      readonly to: TransactionStatus;
      readonly cites: readonly Cite[];
      /** The caller must also hold this scope (TXS-11). */
      readonly scope?: string;
      /** Refused with 501 if the payout goes through a payment provider (TXS-3). */
      readonly refusesProviderPayout?: true;
      /** Books a compensating entry that reverses the movement (TXS-10). */
      readonly compensates?: true;
      /** Books the movement on the balance. */
      readonly books?: true;
    }
  | { readonly kind: 'unchanged'; readonly cites: readonly Cite[] }
  | { readonly kind: 'refused'; readonly cites: readonly Cite[] };

export type TransitionTable = Readonly<
  Record<TransactionStatus, Readonly<Record<Trigger, Transition>>>
>;

const refused = (...cites: Cite[]): Transition => ({ kind: 'refused', cites });
const unchanged = (...cites: Cite[]): Transition => ({ kind: 'unchanged', cites });

export const transitionTable = {
  pending: {
    approve: {
      kind: 'move',
      to: 'approved',
      cites: ['TXS-1', 'TXS-18'],
      refusesProviderPayout: true,
    },
    reject: { kind: 'move', to: 'rejected', cites: ['TXS-6'] },
    cancel: { kind: 'move', to: 'cancelled', cites: ['TXS-8'] },
    settle: refused('TXS-12'),
  },
  approved: {
    approve: unchanged('TXS-4'),
    reject: refused('TXS-12', 'NS-4'),
    cancel: refused('TXS-12', 'NS-4'),
    settle: { kind: 'move', to: 'settled', cites: ['NS-3'], books: true },
  },
  settled: {
    approve: unchanged('NS-4'),
    reject: refused('TXS-12', 'NS-4'),
    cancel: {
      kind: 'move',
      to: 'cancelled',
      cites: ['TXS-10', 'TXS-13'],
      scope: 'transactions:amend',
      compensates: true,
    },
    settle: unchanged('NS-3'),
  },
  rejected: {
    approve: refused('TXS-5'),
    reject: unchanged('TXS-7'),
    cancel: refused('TXS-12'),
    settle: refused('TXS-12'),
  },
  cancelled: {
    approve: refused('TXS-5'),
    reject: refused('TXS-12'),
    cancel: unchanged('TXS-9'),
    settle: refused('TXS-12'),
  },
} as const satisfies Record<TransactionStatus, Record<Trigger, Transition>>;
