// Transactions: find one, see where it stands, and move it as an operator may.
import { useState } from 'preact/hooks';
import type { TransactionShown } from '../api-client/answers.ts';
import { Field, Panel, Problem, Select, Table } from '../components/components.tsx';
import { plural } from '../format.ts';
import { useHref, useRead } from '../live/use-world.ts';
import type { ViewProps } from '../views.ts';
import { TransactionDetail } from './transaction-detail.tsx';
import { TransactionRows, transactionHead } from './transaction-rows.tsx';

const mostListed = 200;

const statuses = [
  ['', 'Any status'],
  ['pending', 'pending'],
  ['approved', 'approved'],
  ['settled', 'settled'],
  ['rejected', 'rejected'],
  ['cancelled', 'cancelled'],
] as const;

export function TransactionsView({ path }: ViewProps) {
  const [id] = path;
  return id === undefined ? <TransactionList /> : <TransactionDetail id={id} />;
}

function TransactionList() {
  const href = useHref();
  const [text, setText] = useState('');
  const [status, setStatus] = useState('');
  const wanted = status === '' ? '' : `&status=${status}`;
  const { value, problem } = useRead<{ transactions: TransactionShown[] }>(
    `transactions?limit=10000${wanted}`,
  );
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (value?.transactions ?? []).filter((each) =>
    words.every((word) => textOf(each).includes(word)),
  );
  return (
    <Panel
      title="Transactions"
      side={<span class="note">{plural(found.length, 'transaction')}</span>}
    >
      <div class="form">
        <Field
          label="Find"
          type="search"
          value={text}
          placeholder="id, reference, account, amount…"
          onInput={setText}
        />
        <Select label="Status" value={status} options={statuses} onChange={setStatus} />
      </div>
      <Problem words={problem} />
      <Table caption="Transactions" head={transactionHead} empty="No transaction fits.">
        {TransactionRows({ of: found.slice(-mostListed), href })}
      </Table>
      {found.length > mostListed ? (
        <p class="note">The newest {mostListed} are shown; search for the others.</p>
      ) : null}
    </Panel>
  );
}

function textOf(each: TransactionShown): string {
  return [
    ...[each.id, each.client_reference_id, each.account_id, each.trading_account_id],
    ...[each.amount, each.currency, each.transaction_type, each.method, each.status],
  ]
    .join(' ')
    .toLowerCase();
}
