// A transaction: its fields, its states, and the moves an operator may make.
import { useState } from 'preact/hooks';
import type { CredentialShown, TransactionShown } from '../api-client/answers.ts';
import { callApi, findCredential } from '../api-client/api.ts';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { Button, DescriptionList, Field, Panel, Problem } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useCommand, useHref, useInfo, useLive, useRead } from '../live/use-world.ts';
import { StateDiagram } from './state-diagram.tsx';
import { StatusBadge } from './transaction-rows.tsx';
import { movesOf, type Trigger } from './transitions.ts';

export function TransactionDetail({ id }: { id: string }) {
  const href = useHref();
  const { value, problem } = useRead<TransactionShown>(`transactions/${encodeURIComponent(id)}`);
  return (
    <div class="columns">
      <p class="wide">
        <a href={href('transactions')}>All transactions</a>
      </p>
      <Problem words={problem} />
      {value === null ? null : (
        <>
          <Moves transaction={value} />
          <TransactionFacts of={value} />
        </>
      )}
    </div>
  );
}

function TransactionFacts({ of }: { of: TransactionShown }) {
  const href = useHref();
  return (
    <Panel title="Fields">
      <DescriptionList
        of={[
          ['Type', `${of.transaction_type}, method ${of.method}`],
          ['Amount', `${of.amount} ${of.currency}`],
          ['Reference', of.client_reference_id],
          [
            'Account',
            <a key="account" href={href('accounts', of.account_id)}>
              {of.account_id}
            </a>,
          ],
          ['Trading account', of.trading_account_id],
          ['First deposit', of.is_ftd ? 'yes: is_ftd is true' : 'no'],
          ['Reason', of.reason === null ? null : `${of.reason} (the API never shows it)`],
          ['Done by', of.operator],
          ['Brand, firm', `${of.brand_id}, ${of.firm_id}`],
          ['Created', fullTime(of.created_at)],
        ]}
      />
    </Panel>
  );
}

const looks = { approve: 'main', settle: 'main', reject: 'bad', cancel: 'bad' } as const;
const verbs = {
  approve: 'Approve',
  settle: 'Settle',
  reject: 'Reject',
  cancel: 'Cancel',
} as const;

function Moves({ transaction }: { transaction: TransactionShown }) {
  const live = useLive();
  const command = useCommand();
  const [reason, setReason] = useState('decided in the dashboard');
  const moves = movesOf(useInfo());
  const legal = moves.filter(({ from }) => from === transaction.status);
  const wantsReason = legal.some(({ trigger }) => trigger === 'reject' || trigger === 'cancel');
  const move = (trigger: Trigger) =>
    command.run(async () => {
      if (trigger === 'settle') {
        await live.plane.send('POST', `transactions/${transaction.id}/settle`);
        return;
      }
      const body = trigger === 'approve' ? {} : { body: { reason } };
      const query = `account_id=${encodeURIComponent(transaction.account_id)}`;
      const path = `transactions/${transaction.id}/${trigger}?${query}`;
      await callApi({ token: await tokenFor(), method: 'POST', path, ...body });
    });
  const tokenFor = async () => {
    const { credentials } = await live.plane.get<{ credentials: CredentialShown[] }>('credentials');
    const scopes = ['transactions:write'];
    const found =
      findCredential(credentials, transaction, [...scopes, 'transactions:amend']) ??
      findCredential(credentials, transaction, scopes);
    if (found?.token) return found.token;
    throw new ControlPlaneError(403, 'No credential with a lasting token may do this; make one.');
  };
  return (
    <Panel
      title={`Transaction ${transaction.id}`}
      side={<StatusBadge status={transaction.status} />}
    >
      <StateDiagram at={transaction.status} moves={moves} />
      {wantsReason ? (
        <div class="form">
          <Field label="Reason, for reject and cancel" value={reason} onInput={setReason} />
        </div>
      ) : null}
      <div class="bar">
        {legal.map(({ trigger }) => (
          <Button
            key={trigger}
            onClick={() => void move(trigger)}
            disabled={command.busy}
            look={looks[trigger]}
          >
            {verbs[trigger]}
          </Button>
        ))}
        {legal.length === 0 ? <p class="note">Nothing moves it any more.</p> : null}
        <Problem words={command.problem} />
      </div>
      <p class="note">
        Settling is the operator’s, over the control plane. Approve, reject and cancel are calls of
        the API under a credential of its firm, and show in the timeline.
      </p>
    </Panel>
  );
}
