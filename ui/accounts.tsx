// Accounts with their money: find one, see what happened to it, create accounts and transactions.
import { useState } from 'preact/hooks';
import type {
  AccountShown,
  FirmShown,
  LedgerShown,
  TradingAccountShown,
} from '../simulator/control/schemas/records.ts';
import type { ViewProps } from './app.tsx';
import { fullTime, matchesWords, plural } from './format.ts';
import { Badge, type Column, Facts, Field, Form, Panel, Problem, Table } from './kit.tsx';
import { callApi, tokenFor } from './plane.ts';
import { everything, filterRows, type TimelineRow } from './timeline-rows.ts';
import { TransactionDetail, Transactions } from './transactions.tsx';
import { type Href, useHref, useLive, useRead, useVersion } from './world.ts';

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

const accountColumns = (href: Href): readonly Column<AccountShown>[] => [
  ['Id', ({ id }) => <a href={href('accounts', id)}>{id}</a>],
  ['Reference', (account) => account.client_reference_id, 'wrap'],
  ['Name', nameOf, 'wrap'],
  ['Email', ({ email }) => email, 'wrap'],
  ['Status', ({ status }) => status],
  ['Brand', (account) => account.brand_id],
  ['Created', (account) => fullTime(account.created_at)],
];

function AccountList() {
  const href = useHref();
  const [search, setSearch] = useState('');
  const { value, problem } = useRead<{ accounts: AccountShown[] }>('accounts?limit=10000');
  const found = (value?.accounts ?? []).filter((account) =>
    matchesWords(Object.values(account).join(' '), search),
  );
  return (
    <Panel title="Accounts" wide side={<span class="note">{plural(found.length, 'account')}</span>}>
      <Field
        label="Find an account"
        type="search"
        value={search}
        placeholder="id, reference, name, email, status…"
        onInput={setSearch}
      />
      <Problem words={problem} />
      <Table
        caption="Accounts"
        columns={accountColumns(href)}
        rows={found.toReversed()}
        keyOf={({ id }) => id}
        empty="No account matches."
        first={20}
      />
    </Panel>
  );
}

const nameOf = ({ first_name, last_name }: AccountShown) =>
  [first_name, last_name].filter(Boolean).join(' ');

function CreateAccount() {
  const { plane } = useLive();
  const href = useHref();
  const { value } = useRead<{ firms: FirmShown[] }>('firms');
  const brands = (value?.firms ?? []).flatMap(({ id, brands: own }) =>
    own.map((brand) => ({ ...brand, firm_id: id })),
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
          const body = Object.fromEntries(Object.entries(values).filter(([, text]) => text !== ''));
          const path = '/api/v1/accounts';
          const created = (await callApi({ token, method: 'POST', path, body })) as { id: string };
          location.hash = href('accounts', created.id);
        }}
      />
    </Panel>
  );
}

function AccountDetail({ id }: { id: string }) {
  const href = useHref();
  const key = encodeURIComponent(id);
  const { value: account, problem } = useRead<AccountShown>(`accounts/${key}`);
  return (
    <div class="columns">
      <p class="wide">
        <a href={href('accounts')}>All accounts</a>
      </p>
      <Problem words={problem} />
      {account === null ? null : (
        <>
          <AccountFacts account={account} />
          <TradingAccounts accountId={id} />
          <History accountId={id} />
          <Transactions query={`&account_id=${key}`} />
        </>
      )}
    </div>
  );
}

function AccountFacts({ account }: { account: AccountShown }) {
  const href = useHref();
  const { first_deposit_id, email, created_at, revision, ...others } = account;
  const titled = Object.entries(others).map(([name, value]) => {
    const words = name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
    return [words, value === null ? null : String(value)] as const;
  });
  return (
    <Panel title={`Account ${account.id}`}>
      <Facts
        of={[
          ...titled,
          ['Email', `${email} (the API never shows it)`],
          ['Revision', `${revision}, ETag "${revision}"`],
          ['Created', fullTime(created_at)],
          [
            'First deposit',
            first_deposit_id && (
              <a href={href('accounts', 'transactions', first_deposit_id)}>{first_deposit_id}</a>
            ),
          ],
        ]}
      />
    </Panel>
  );
}

function History({ accountId }: { accountId: string }) {
  const live = useLive();
  const href = useHref();
  useVersion();
  const columns: readonly Column<TimelineRow>[] = [
    ['When', ({ atMs }) => fullTime(atMs)],
    ['Outcome', ({ tone, badge }) => <Badge tone={tone}>{badge}</Badge>],
    ['What', ({ path, title }) => (path === null ? title : <a href={href(...path)}>{title}</a>)],
    ['About', ({ note }) => note, 'words'],
  ];
  return (
    <Panel
      title="What happened"
      side={<a href={href('timeline', 'account', accountId)}>Whole timeline</a>}
      note="Requests, events and deliveries, newest first."
      wide
    >
      <Table
        caption="What happened"
        columns={columns}
        rows={filterRows(live.rows(), { ...everything, account: accountId }).slice(0, 20)}
        keyOf={({ key }) => key}
        empty="Nothing that is still kept."
      />
    </Panel>
  );
}

function TradingAccounts({ accountId }: { accountId: string }) {
  const live = useLive();
  const key = encodeURIComponent(accountId);
  const { value } = useRead<{ trading_accounts: TradingAccountShown[] }>(
    `trading-accounts?account_id=${key}`,
  );
  const all = value?.trading_accounts ?? [];
  return (
    <Panel title="Trading accounts">
      {all.map((each) => (
        <Ledger key={each.id} of={each} />
      ))}
      {value !== null && all.length === 0 ? <p class="empty">None yet.</p> : null}
      <Form
        fields={[
          { name: 'currency', label: 'Currency', value: 'USD' },
          { name: 'payouts', label: 'provider payouts', check: true },
        ]}
        submit="Create a trading account"
        look="plain"
        run={({ currency, payouts }) =>
          live.plane.send('POST', `accounts/${key}/trading-accounts`, {
            currency,
            provider_payouts: payouts === 'yes',
          })
        }
      />
    </Panel>
  );
}

function Ledger({ of }: { of: TradingAccountShown }) {
  const href = useHref();
  const [open, setOpen] = useState(false);
  const { value } = useRead<LedgerShown>(open ? `trading-accounts/${of.id}` : null);
  const columns: readonly Column<LedgerShown['entries'][number]>[] = [
    ['When', ({ at_ms }) => fullTime(at_ms)],
    ['Amount', ({ amount }) => amount, 'number'],
    ['Kind', ({ kind }) => kind],
    [
      'Transaction',
      ({ transaction_id: id }) =>
        id === null ? 'opening' : <a href={href('accounts', 'transactions', id)}>{id}</a>,
    ],
  ];
  return (
    <details class="ledger" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{of.id}</strong> {of.balance} {of.currency}
        {of.provider_payouts ? ', pays out through a provider' : ''}
      </summary>
      <Table
        caption={`Entries of ${of.id}`}
        columns={columns}
        rows={value?.entries ?? []}
        keyOf={({ transaction_id, kind, at_ms, amount }) =>
          `${transaction_id} ${kind} ${at_ms} ${amount}`
        }
        empty="No entries."
      />
    </details>
  );
}
