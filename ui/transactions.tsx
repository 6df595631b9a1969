// Transactions: find a transaction, show its history, and change its state as an operator can.
import { useState } from 'preact/hooks';
import type { TransactionShown } from '../simulator/control/records.ts';
import { fullTime, matchesWords, plural } from './format.ts';
import { Action, Badge, Field, Link, Panel, Problem, placeOf, type Tone } from './kit.tsx';
import { callApi, tokenFor } from './plane.ts';
import { type Column, Facts, factsOf, TablePanel, titleOf } from './table.tsx';
import type { TimelineRow } from './timeline-rows.ts';
import { useInfo, useLive, useRead, useVersion } from './world.ts';

type Status = TransactionShown['status'];
type Trigger = 'approve' | 'reject' | 'cancel' | 'settle';

/** Each status with its tone and its place in the diagram. */
const states: Readonly<Record<Status, { tone: Tone; x: number; y: number }>> = {
  pending: { tone: 'quiet', x: 60, y: 40 },
  approved: { tone: 'warn', x: 220, y: 40 },
  settled: { tone: 'good', x: 380, y: 40 },
  rejected: { tone: 'bad', x: 140, y: 130 },
  cancelled: { tone: 'bad', x: 300, y: 130 },
};
const statuses = Object.keys(states) as Status[];

const StatusBadge = ({ of }: { of: Status }) => <Badge tone={states[of].tone}>{of}</Badge>;

const columns: readonly Column<TransactionShown>[] = [
  ['ID', ({ id }) => <Link to={placeOf.transaction(id)}>{id}</Link>],
  ['Status', ({ status }) => <StatusBadge of={status} />],
  ['Type', (each) => `${each.transaction_type}${each.is_ftd ? ' (first deposit)' : ''}`],
  ['Amount', ({ amount, currency }) => `${amount} ${currency}`],
  'account_id',
  'client_reference_id',
  'created_at',
];

/** The transactions of one account, or all of them. */
export function Transactions({ query }: { query: string }) {
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState('');
  const wanted = status === '' ? '' : `&status=${status}`;
  const { value, problem } = useRead<{ transactions: TransactionShown[] }>(
    `transactions?limit=10000${query}${wanted}`,
  );
  const found = (value?.transactions ?? []).filter((each) =>
    matchesWords(Object.values(each).join(' '), search),
  );
  return (
    <TablePanel
      title="Transactions"
      side={<span class="note">{plural(found.length, 'transaction')}</span>}
      columns={columns}
      rows={found.toReversed()}
      keyOf={({ id }) => id}
      empty={search + status === '' ? 'None yet.' : 'No transaction matches.'}
      first={20}
    >
      <div class="form">
        <Field
          label="Find a transaction"
          type="search"
          value={search}
          placeholder="id, reference, account, amount…"
          onInput={setSearch}
        />
        <Field
          label="Status"
          value={status}
          options={[['', 'Any status'], ...statuses]}
          onInput={setStatus}
        />
      </div>
      <Problem words={problem} />
    </TablePanel>
  );
}

export function TransactionDetail({ id }: { id: string }) {
  const { value, problem } = useRead<TransactionShown>(`transactions/${encodeURIComponent(id)}`);
  return (
    <div class="columns">
      <p class="wide">
        <Link to={['accounts']}>All accounts and transactions</Link>
      </p>
      <Problem words={problem} />
      {value === null ? null : (
        <>
          <Moves of={value} />
          <Panel title="Fields">
            <Facts
              of={factsOf(value, {
                reason: value.reason && `${value.reason} (the API never shows it)`,
              })}
            />
          </Panel>
          <History of={value} />
        </>
      )}
    </div>
  );
}

/** With the setting that allows it, if it is not always possible (NS-4). */
type Move = readonly [trigger: Trigger, from: Status, to: Status, setting?: string];

/** TXS-1 to TXS-13, NS-3 and NS-4. */
const moves: readonly Move[] = [
  ['approve', 'pending', 'approved'],
  ['reject', 'pending', 'rejected'],
  ['cancel', 'pending', 'cancelled'],
  ['settle', 'approved', 'settled'],
  ['cancel', 'settled', 'cancelled'],
  ['reject', 'approved', 'rejected', 'reject_from_approved'],
  ['reject', 'settled', 'rejected', 'reject_from_settled'],
  ['cancel', 'approved', 'cancelled', 'cancel_from_approved'],
];

function useMoves(): readonly Move[] {
  const settings = (useInfo()?.settings ?? {}) as Readonly<Record<string, unknown>>;
  return moves.filter(
    ([, , , setting]) => setting === undefined || (settings[setting] ?? 'refused') !== 'refused',
  );
}

/** The changes of a transaction that the timeline still has, oldest first. */
function useHistory({ id }: TransactionShown): readonly TimelineRow[] {
  const live = useLive();
  useVersion();
  return live
    .rows()
    .filter(
      ({ kind, title, text }) =>
        kind === 'event' && title.startsWith('transaction.') && text.includes(`"id":"${id}"`),
    );
}

const statusOf = ({ title }: TimelineRow) =>
  statuses.find((status) => title.endsWith(`.${status}`)) ?? 'pending';

const historyColumns: readonly Column<TimelineRow>[] = [
  ['When', ({ atMs }) => fullTime(atMs)],
  ['Became', (row) => <StatusBadge of={statusOf(row)} />],
  ['Event', ({ path, title }) => <Link to={path}>{title}</Link>],
  [
    'By',
    ({ isTied, request, credential }) =>
      isTied ? (
        <Link to={placeOf.request(request)}>
          request {request} of {credential}
        </Link>
      ) : (
        'time, the control plane, or the starting world'
      ),
  ],
];

function History({ of }: { of: TransactionShown }) {
  return (
    <TablePanel
      title="History"
      columns={historyColumns}
      rows={useHistory(of)}
      keyOf={({ key }) => key}
      empty="It is older than the events that are kept."
    />
  );
}

const looks = { approve: 'main', settle: 'main', reject: 'bad', cancel: 'bad' } as const;

function Moves({ of }: { of: TransactionShown }) {
  const { plane } = useLive();
  const [reason, setReason] = useState('decided in the dashboard');
  const all = useMoves();
  const path = useHistory(of).map(statusOf);
  const legal = all.flatMap(([trigger, from]) => (from === of.status ? [trigger] : []));
  const needsReason = legal.some((trigger) => trigger === 'reject' || trigger === 'cancel');
  const run = async (trigger: Trigger) => {
    if (trigger === 'settle') return plane.send('POST', `transactions/${of.id}/settle`);
    const amends = of.status === 'settled' ? ['transactions:amend'] : [];
    return callApi({
      token: await tokenFor(plane, of, 'transactions:write', ...amends),
      method: 'POST',
      path: `/api/v1/transactions/${of.id}/${trigger}?account_id=${of.account_id}`,
      ...(trigger === 'approve' ? {} : { body: { reason } }),
    });
  };
  return (
    <Panel
      title={`Transaction ${of.id}`}
      side={<StatusBadge of={of.status} />}
      note="Settle calls the control plane. Approve, reject and cancel call the API, and show in the timeline."
    >
      <StateDiagram at={of.status} path={path} moves={all} />
      {needsReason ? (
        <Field label="Reason, for reject and cancel" value={reason} onInput={setReason} />
      ) : null}
      <div class="bar">
        {legal.map((trigger) => (
          <Action key={trigger} run={() => run(trigger)} look={looks[trigger]}>
            {titleOf(trigger)}
          </Action>
        ))}
        {legal.length === 0 ? <p class="note">No move is left.</p> : null}
      </div>
    </Panel>
  );
}

const halfWidth = 48;
const halfHeight = 16;

interface StateDiagramProps {
  readonly at: Status;
  readonly path: readonly Status[];
  readonly moves: readonly Move[];
}

/** The states: the path taken is solid, the moves that are possible now are dashed and coloured. */
function StateDiagram({ at, path, moves: all }: StateDiagramProps) {
  const legal = all.filter(([, from]) => from === at);
  const words = legal.map(([trigger, , to]) => `${trigger} to ${to}`).join(', ');
  const label = `It is ${at}. Legal moves: ${words || 'none'}.`;
  const kindOf = ([, from, to]: Move) => {
    const isTaken = path.some((status, index) => status === to && path[index - 1] === from);
    return isTaken ? 'taken' : from === at ? 'legal' : '';
  };
  return (
    <svg class="diagram" viewBox="0 0 440 166" role="img" aria-label={label}>
      <title>{label}</title>
      <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" orient="auto">
        <path d="M0 0L8 4L0 8z" />
      </marker>
      {all.map((move) => (
        <Arrow key={`${move[1]} ${move[2]}`} move={move} kind={kindOf(move)} />
      ))}
      {statuses.map((status) => {
        const { x, y } = states[status];
        const [width, height] = [2 * halfWidth, 2 * halfHeight];
        return (
          <g key={status} class={`place ${status === at ? 'here' : ''}`}>
            <rect x={x - halfWidth} y={y - halfHeight} width={width} height={height} rx="8" />
            <text x={x} y={y + 4}>
              {status}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function Arrow({ move: [trigger, ...ends], kind }: { move: Move; kind: string }) {
  const [from, to] = [states[ends[0]], states[ends[1]]];
  const isLevel = from.y === to.y;
  // Level arrows run from side to side, others from the lower edge to the upper one.
  const dx = isLevel ? halfWidth : Math.sign(to.x - from.x) * 18;
  const dy = isLevel ? 0 : halfHeight;
  const [x1, y1, x2, y2] = [from.x + dx, from.y + dy, to.x - dx, to.y - dy];
  return (
    <g class={`arrow ${kind}`}>
      <line x1={x1} y1={y1} x2={x2} y2={y2} marker-end="url(#tip)" />
      <text x={(x1 + x2) / 2 + (isLevel ? 0 : 4)} y={(y1 + y2) / 2 - (isLevel ? 6 : 0)}>
        {trigger}
      </text>
    </g>
  );
}
