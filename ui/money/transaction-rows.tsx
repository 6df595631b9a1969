// Transactions as rows of a table.

import type { TransactionShown } from '../api-client/answers.ts';
import { Badge } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import type { Tone } from '../live/timeline-rows.ts';

export type Status = TransactionShown['status'];

export const transactionHead = [
  'Id',
  'Status',
  'Type',
  'Amount',
  'Account',
  'Reference',
  'Created',
] as const;

const tones: Readonly<Record<Status, Tone>> = {
  pending: 'quiet',
  approved: 'warn',
  settled: 'good',
  rejected: 'bad',
  cancelled: 'bad',
};

export function StatusBadge({ status }: { status: Status }) {
  return <Badge tone={tones[status]}>{status}</Badge>;
}

export interface TransactionRowsProps {
  readonly of: readonly TransactionShown[];
  readonly href: (...path: readonly (string | number)[]) => string;
}

/** The newest first; a plain list, so that a table knows when it is empty. */
export function TransactionRows({ of, href }: TransactionRowsProps) {
  return of.toReversed().map((each) => (
    <tr key={each.id}>
      <td>
        <a href={href('transactions', each.id)}>{each.id}</a>
      </td>
      <td>
        <StatusBadge status={each.status} />
      </td>
      <td>
        {each.transaction_type}
        {each.is_ftd ? ' (first deposit)' : ''}
      </td>
      <td class="number">
        {each.amount} {each.currency}
      </td>
      <td>
        <a href={href('accounts', each.account_id)}>{each.account_id}</a>
      </td>
      <td class="wrap">{each.client_reference_id}</td>
      <td>{fullTime(each.created_at)}</td>
    </tr>
  ));
}
