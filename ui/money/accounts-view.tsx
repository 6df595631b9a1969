// Accounts: find one, look at it, see its money.
import { useState } from 'preact/hooks';
import type { AccountShown } from '../api-client/answers.ts';
import { Field, Panel, Problem, Table } from '../components/components.tsx';
import { fullTime, plural } from '../format.ts';
import { useHref, useRead } from '../live/use-world.ts';
import type { ViewProps } from '../views.ts';
import { AccountDetail } from './account-detail.tsx';

/** More are found by searching. */
const mostListed = 200;

export function AccountsView({ path }: ViewProps) {
  const [id] = path;
  return id === undefined ? <AccountList /> : <AccountDetail id={id} />;
}

function AccountList() {
  const href = useHref();
  const [text, setText] = useState('');
  const { value, problem } = useRead<{ accounts: AccountShown[] }>('accounts?limit=10000');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (value?.accounts ?? [])
    .filter((account) => words.every((word) => textOf(account).includes(word)))
    .reverse();
  return (
    <Panel title="Accounts" side={<span class="note">{plural(found.length, 'account')}</span>}>
      <div class="form">
        <Field
          label="Find"
          type="search"
          value={text}
          placeholder="id, reference, name, email, status…"
          onInput={setText}
        />
      </div>
      <Problem words={problem} />
      <Table
        caption="Accounts"
        head={['Id', 'Reference', 'Name', 'Email', 'Status', 'Brand', 'Created']}
        empty="No account fits."
      >
        {found.slice(0, mostListed).map((account) => (
          <tr key={account.id}>
            <td>
              <a href={href('accounts', account.id)}>{account.id}</a>
            </td>
            <td class="wrap">{account.client_reference_id}</td>
            <td class="wrap">{nameOf(account)}</td>
            <td class="wrap">{account.email}</td>
            <td>{account.status}</td>
            <td>{account.brand_id}</td>
            <td>{fullTime(account.created_at)}</td>
          </tr>
        ))}
      </Table>
      {found.length > mostListed ? (
        <p class="note">The newest {mostListed} are shown; search for the others.</p>
      ) : null}
    </Panel>
  );
}

function nameOf({ first_name, last_name }: AccountShown): string {
  return [first_name, last_name].filter(Boolean).join(' ');
}

function textOf(account: AccountShown): string {
  return [
    ...[account.id, account.client_reference_id, account.email, account.phone],
    ...[nameOf(account), account.status, account.country, account.brand_id],
  ]
    .join(' ')
    .toLowerCase();
}
