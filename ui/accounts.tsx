// Accounts with their money: find an account, show its history, create accounts and transactions.
import { useState } from 'preact/hooks';
import type {
  AccountShown,
  FirmShown,
  LedgerShown,
  TradingAccountShown,
} from '../simulator/control/records.ts';
import type { ViewProps } from './app.tsx';
import { fullTime, matchesWords, plural } from './format.ts';
import { Badge, Field, Form, givenOf, Link, Panel, Problem } from './kit.tsx';
import { callApi, tokenFor } from './plane.ts';
import { RowForm } from './row-form.tsx';
import { type Column, Facts, factsOf, Table, TablePanel } from './table.tsx';
import { everything, filterRows, type TimelineRow } from './timeline-rows.ts';
import { TransactionDetail, Transactions } from './transactions.tsx';
import { useHref, useLive, useRead, useVersion } from './world.ts';

export function AccountsView({ path: [first, second] }: ViewProps) {
  if (first === 'transactions' && second !== undefined) return <TransactionDetail id={second} />;
  if (first !== undefined) return <AccountDetail id={first} />;
  return (
    <div class="columns">
      <AccountList />
      <CreateAccount />
      <Transactions query="" />
    </div>
  );
}

const accountColumns: readonly Column<AccountShown>[] = [
  ['ID', ({ id }) => <Link to={['accounts', id]}>{id}</Link>],
  'client_reference_id',
  ['Name', (each) => [each.first_name, each.last_name].filter(Boolean).join(' '), 'wrap'],
  'email',
  'status',
  'brand_id',
  'created_at',
];

function AccountList() {
  const [search, setSearch] = useState('');
  const { value, problem } = useRead<{ accounts: AccountShown[] }>('accounts?limit=10000');
  const found = (value?.accounts ?? []).filter((account) =>
    matchesWords(Object.values(account).join(' '), search),
  );
  return (
    <TablePanel
      title="Accounts"
      side={<span class="note">{plural(found.length, 'account')}</span>}
      columns={accountColumns}
      rows={found.toReversed()}
      keyOf={({ id }) => id}
      empty={search === '' ? 'None yet.' : 'No account matches.'}
      first={20}
    >
      <Field
        label="Find an account"
        type="search"
        value={search}
        placeholder="id, reference, name, email, status…"
        onInput={setSearch}
      />
      <Problem words={problem} />
    </TablePanel>
  );
}

function CreateAccount() {
  const { plane } = useLive();
  const href = useHref();
  const { value } = useRead<{ firms: FirmShown[] }>('firms');
  const brands = (value?.firms ?? []).flatMap((firm) =>
    firm.brands.map(({ id, name }) => ({ id, name, firm_id: firm.id })),
  );
  return (
    <Panel title="Create an account" note="Calls the API, so it shows in the timeline." wide>
      <Form
        fields={[
          { name: 'email', label: 'Email' },
          { name: 'client_reference_id', label: 'Reference' },
          { name: 'first_name', label: 'First name (optional)' },
          { name: 'last_name', label: 'Last name (optional)' },
          {
            name: 'brand_id',
            label: 'Brand',
            options: brands.map(({ id, name }) => [id, `${id}, ${name}`]),
          },
        ]}
        submit="Create the account"
        run={async (values) => {
          const brand = brands.find(({ id }) => id === values.brand_id);
          const reach = { firm_id: brand?.firm_id ?? '', brand_id: brand?.id ?? null };
          const token = await tokenFor(plane, reach, 'accounts:write');
          const body = givenOf(values);
          const path = '/api/v1/accounts';
          const created = await callApi<{ id: string }>({ token, method: 'POST', path, body });
          location.hash = href('accounts', created.id);
        }}
      />
    </Panel>
  );
}

function AccountDetail({ id }: { id: string }) {
  const key = encodeURIComponent(id);
  const { value: account, problem } = useRead<AccountShown>(`accounts/${key}`);
  return (
    <div class="columns">
      <p class="wide">
        <Link to={['accounts']}>All accounts</Link>
      </p>
      <Problem words={problem} />
      {account === null ? null : (
        <>
          <Panel title={`Account ${id}`}>
            <Facts
              of={factsOf(account, {
                email: `${account.email} (the API never shows it)`,
                revision: `${account.revision}, ETag "${account.revision}"`,
              })}
            />
          </Panel>
          <TradingAccounts accountId={id} />
          <History accountId={id} />
          <Transactions query={`&account_id=${key}`} />
        </>
      )}
    </div>
  );
}

const historyColumns: readonly Column<TimelineRow>[] = [
  ['When', ({ atMs }) => fullTime(atMs)],
  ['Outcome', ({ tone, badge }) => <Badge tone={tone}>{badge}</Badge>],
  ['What', ({ path, title }) => <Link to={path}>{title}</Link>],
  ['About', ({ note }) => note, 'wrap'],
];

function History({ accountId }: { accountId: string }) {
  const live = useLive();
  useVersion();
  return (
    <TablePanel
      title="What happened"
      side={<Link to={['timeline', 'account', accountId]}>Whole timeline</Link>}
      note="Requests, events and deliveries, newest first."
      columns={historyColumns}
      rows={filterRows(live.rows(), { ...everything, account: accountId }).slice(0, 20)}
      keyOf={({ key }) => key}
      empty="Nothing that is still kept."
    />
  );
}

function TradingAccounts({ accountId }: { accountId: string }) {
  const key = encodeURIComponent(accountId);
  const { value } = useRead<{ trading_accounts: TradingAccountShown[] }>(
    `trading-accounts?account_id=${key}`,
  );
  return (
    <Panel title="Trading accounts">
      {value?.trading_accounts.map((each) => (
        <Ledger key={each.id} of={each} />
      ))}
      {value?.trading_accounts.length === 0 ? <p class="empty">None yet.</p> : null}
      <RowForm
        row="POST /accounts/{id}/trading-accounts"
        path={`accounts/${key}/trading-accounts`}
        submit="Create a trading account"
        look="plain"
      />
    </Panel>
  );
}

function Ledger({ of }: { of: TradingAccountShown }) {
  const [open, setOpen] = useState(false);
  const { value } = useRead<LedgerShown>(open ? `trading-accounts/${of.id}` : null);
  return (
    <details class="ledger" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{of.id}</strong> {of.balance} {of.currency}
        {of.provider_payouts ? ', pays out through a provider' : ''}
      </summary>
      <Table
        caption={`Entries of ${of.id}`}
        columns={['at_ms', 'amount', 'kind', 'transaction_id']}
        rows={value?.entries ?? []}
        keyOf={(entry) => Object.values(entry).join(' ')}
        empty="No entries."
      />
    </details>
  );
}
