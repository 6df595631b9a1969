// An account: its fields, its trading accounts with their balances, its transactions.
import { useState } from 'preact/hooks';
import type {
  AccountShown,
  LedgerShown,
  TradingAccountShown,
  TransactionShown,
} from '../api-client/answers.ts';
import {
  Badge,
  Button,
  Checkbox,
  DescriptionList,
  Field,
  Panel,
  Problem,
  Table,
} from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useCommand, useHref, useLive, useRead, useVersion } from '../live/use-world.ts';
import { everything, filterRows } from '../timeline/filter.ts';
import { TransactionRows, transactionHead } from './transaction-rows.tsx';

export function AccountDetail({ id }: { id: string }) {
  const href = useHref();
  const key = encodeURIComponent(id);
  const { value: account, problem } = useRead<AccountShown>(`accounts/${key}`);
  const transactions = useRead<{ transactions: TransactionShown[] }>(
    account === null ? null : `transactions?account_id=${key}&limit=1000`,
  );
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
          <div class="wide">
            <Panel title="Transactions">
              <Table caption="Transactions" head={transactionHead} empty="None yet.">
                {TransactionRows({ of: transactions.value?.transactions ?? [], href })}
              </Table>
            </Panel>
          </div>
        </>
      )}
    </div>
  );
}

function AccountFacts({ account }: { account: AccountShown }) {
  const href = useHref();
  const { first_deposit_id } = account;
  return (
    <Panel title={`Account ${account.id}`}>
      <DescriptionList
        of={[
          ['Reference', account.client_reference_id],
          ['Status', account.status],
          ['First name', account.first_name],
          ['Last name', account.last_name],
          ['Email', `${account.email} (the API never shows it)`],
          ['Phone', account.phone],
          ['Country', account.country],
          ['Language', account.language],
          ['Brand, firm', `${account.brand_id}, ${account.firm_id}`],
          ['Owner', account.owner],
          ['Revision', `${account.revision}, ETag "${account.revision}"`],
          ['Created', fullTime(account.created_at)],
          [
            'First deposit',
            first_deposit_id === null ? null : (
              <a key="first" href={href('transactions', first_deposit_id)}>
                {first_deposit_id}
              </a>
            ),
          ],
        ]}
      />
    </Panel>
  );
}

/** Of these many rows the newest are shown beside the account; the timeline has the rest. */
const shownOfHistory = 20;

function History({ accountId }: { accountId: string }) {
  const live = useLive();
  const href = useHref();
  useVersion(live);
  const rows = filterRows(live.rows(), { ...everything, account: accountId });
  const timeline = <a href={href('timeline', 'account', accountId)}>Whole timeline</a>;
  return (
    <div class="wide">
      <Panel
        title="What happened"
        side={timeline}
        note="Calls, events and deliveries, newest first."
      >
        <Table
          caption="What happened"
          head={['When', 'Outcome', 'What', 'About']}
          empty="Nothing that is kept."
        >
          {rows.slice(0, shownOfHistory).map((row) => (
            <tr key={row.key}>
              <td>{fullTime(row.atMs)}</td>
              <td>
                <Badge tone={row.tone}>{row.badge}</Badge>
              </td>
              <td class="wrap">
                {row.path === null ? row.title : <a href={href(...row.path)}>{row.title}</a>}
              </td>
              <td>{row.note}</td>
            </tr>
          ))}
        </Table>
      </Panel>
    </div>
  );
}

function TradingAccounts({ accountId }: { accountId: string }) {
  const { value } = useRead<{ trading_accounts: TradingAccountShown[] }>(
    `trading-accounts?account_id=${encodeURIComponent(accountId)}`,
  );
  const all = value?.trading_accounts ?? [];
  return (
    <Panel title="Trading accounts">
      {all.map((each) => (
        <Ledger key={each.id} of={each} />
      ))}
      {value !== null && all.length === 0 ? <p class="empty">None yet.</p> : null}
      <MakeTradingAccount accountId={accountId} />
    </Panel>
  );
}

function Ledger({ of }: { of: TradingAccountShown }) {
  const href = useHref();
  const [open, setOpen] = useState(false);
  const { value } = useRead<LedgerShown>(open ? `trading-accounts/${of.id}` : null);
  return (
    <details class="ledger" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{of.id}</strong>{' '}
        <span class="amount">
          {of.balance} {of.currency}
        </span>{' '}
        {of.provider_payouts ? 'pays out through a provider' : ''}
      </summary>
      <Table
        caption={`Entries of ${of.id}`}
        head={['When', 'Amount', 'Kind', 'Transaction']}
        empty="No entries."
      >
        {(value?.entries ?? []).map(({ transaction_id, amount, kind, at_ms }) => (
          <tr key={`${transaction_id} ${kind} ${at_ms} ${amount}`}>
            <td>{fullTime(at_ms)}</td>
            <td class="number">{amount}</td>
            <td>{kind}</td>
            <td>
              {transaction_id === null ? (
                'opening'
              ) : (
                <a href={href('transactions', transaction_id)}>{transaction_id}</a>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

function MakeTradingAccount({ accountId }: { accountId: string }) {
  const live = useLive();
  const command = useCommand();
  const [currency, setCurrency] = useState('USD');
  const [payouts, setPayouts] = useState(false);
  const make = () =>
    command.run(() =>
      live.plane.send('POST', `accounts/${encodeURIComponent(accountId)}/trading-accounts`, {
        currency,
        provider_payouts: payouts,
      }),
    );
  return (
    <div class="form">
      <Field label="Currency" value={currency} onInput={setCurrency} />
      <Checkbox label="provider payouts" checked={payouts} onChange={setPayouts} />
      <Button onClick={() => void make()} disabled={command.busy}>
        Make a trading account
      </Button>
      <Problem words={command.problem} />
    </div>
  );
}
