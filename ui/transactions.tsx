// Transactions: find one, see the path it took, and move it as an operator can.
import { useState } from 'preact/hooks';
import type { TransactionShown } from '../simulator/control/schemas/records.ts';
import { fullTime, matchesWords, plural } from './format.ts';
import type { Tone } from './kit.tsx';
import { Action, Badge, type Column, Facts, Field, Panel, Problem, Table } from './kit.tsx';
import { callApi, tokenFor } from './plane.ts';
import type { TimelineRow } from './timeline-rows.ts';
import { type Href, useHref, useInfo, useLive, useRead, useVersion } from './world.ts';

type Status = TransactionShown['status'];
type Trigger = 'approve' | 'reject' | 'cancel' | 'settle';

const tones: Readonly<Record<Status, Tone>> = {
  pending: 'quiet',
  approved: 'warn',
  settled: 'good',
  rejected: 'bad',
  cancelled: 'bad',
};
const statuses = Object.keys(tones) as Status[];

const columns = (href: Href): readonly Column<TransactionShown>[] => [
  ['Id', ({ id }) => <a href={href('accounts', 'transactions', id)}>{id}</a>],
  ['Status', ({ status }) => <Badge tone={tones[status]}>{status}</Badge>],
  ['Type', (each) => `${each.transaction_type}${each.is_ftd ? ' (first deposit)' : ''}`],
  ['Amount', ({ amount, currency }) => `${amount} ${currency}`, 'number'],
  ['Account', (each) => <a href={href('accounts', each.account_id)}>{each.account_id}</a>],
  ['Reference', (each) => each.client_reference_id, 'wrap'],
  ['Created', (each) => fullTime(each.created_at)],
];

/** The transactions of one account, or all of them. */
export function Transactions({ query }: { query: string }) {
  const href = useHref();
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
    <Panel
      title="Transactions"
      wide
      side={<span class="note">{plural(found.length, 'transaction')}</span>}
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
      <Table
        caption="Transactions"
        columns={columns(href)}
        rows={found.toReversed()}
        keyOf={({ id }) => id}
        empty="No transaction matches."
        first={20}
      />
    </Panel>
  );
}

export function TransactionDetail({ id }: { id: string }) {
  const href = useHref();
  const { value, problem } = useRead<TransactionShown>(`transactions/${encodeURIComponent(id)}`);
  return (
    <div class="columns">
      <p class="wide">
        <a href={href('accounts')}>All accounts and transactions</a>
      </p>
      <Problem words={problem} />
      {value === null ? null : (
        <>
          <Moves of={value} />
          <Panel title="Fields">
            <Facts
              of={[
                ['Type', `${value.transaction_type}, method ${value.method}`],
                ['Amount', `${value.amount} ${value.currency}`],
                ['Reference', value.client_reference_id],
                ['Account', <a href={href('accounts', value.account_id)}>{value.account_id}</a>],
                ['Trading account', value.trading_account_id],
                ['First deposit', value.is_ftd ? 'yes: is_ftd is true' : 'no'],
                ['Reason', value.reason && `${value.reason} (the API never shows it)`],
                ['Decided by', value.operator],
                ['Brand, firm', `${value.brand_id}, ${value.firm_id}`],
                ['Created', fullTime(value.created_at)],
              ]}
            />
          </Panel>
          <History of={value} />
        </>
      )}
    </div>
  );
}

interface Move {
  readonly trigger: Trigger;
  readonly from: Status;
  readonly to: Status;
}

/** TXS-1 to TXS-13, and NS-3. */
const moves: readonly Move[] = [
  { trigger: 'approve', from: 'pending', to: 'approved' },
  { trigger: 'reject', from: 'pending', to: 'rejected' },
  { trigger: 'cancel', from: 'pending', to: 'cancelled' },
  { trigger: 'settle', from: 'approved', to: 'settled' },
  { trigger: 'cancel', from: 'settled', to: 'cancelled' },
];

/** NS-4: moves that a setting allows. */
const movesBySetting: Readonly<Record<string, Move>> = {
  reject_from_approved: { trigger: 'reject', from: 'approved', to: 'rejected' },
  reject_from_settled: { trigger: 'reject', from: 'settled', to: 'rejected' },
  cancel_from_approved: { trigger: 'cancel', from: 'approved', to: 'cancelled' },
};

function useMoves(): readonly Move[] {
  const settings = (useInfo()?.settings ?? {}) as Readonly<Record<string, unknown>>;
  const more = Object.entries(movesBySetting).filter(
    ([key]) => settings[key] !== undefined && settings[key] !== 'refused',
  );
  return [...moves, ...more.map(([, move]) => move)];
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

const statusOf = ({ title }: TimelineRow) => {
  const word = title.split('.')[1] ?? '';
  return statuses.find((status) => status === word) ?? 'pending';
};

function History({ of }: { of: TransactionShown }) {
  const href = useHref();
  const rows = useHistory(of);
  const historyColumns: readonly Column<TimelineRow>[] = [
    ['When', ({ atMs }) => fullTime(atMs)],
    ['Became', (row) => <Badge tone={tones[statusOf(row)]}>{statusOf(row)}</Badge>],
    ['Event', ({ path, title }) => <a href={href(...(path ?? []))}>{title}</a>],
    [
      'By',
      ({ isTied, request, credential }) =>
        isTied ? (
          <a href={href('timeline', 'requests', request)}>
            request {request} of {credential}
          </a>
        ) : (
          'time, or the control plane'
        ),
    ],
  ];
  return (
    <Panel title="History" wide>
      <Table
        caption="History"
        columns={historyColumns}
        rows={rows}
        keyOf={({ key }) => key}
        empty="It is older than the events that are kept."
      />
    </Panel>
  );
}

const looks = { approve: 'main', settle: 'main', reject: 'bad', cancel: 'bad' } as const;

function Moves({ of }: { of: TransactionShown }) {
  const { plane } = useLive();
  const [reason, setReason] = useState('decided in the dashboard');
  const all = useMoves();
  const path = useHistory(of).map(statusOf);
  const legal = all.filter(({ from }) => from === of.status);
  const needsReason = legal.some(({ trigger }) => trigger === 'reject' || trigger === 'cancel');
  const run = async (trigger: Trigger) => {
    if (trigger === 'settle') return plane.send('POST', `transactions/${of.id}/settle`);
    const scopes = [
      'transactions:write',
      ...(of.status === 'settled' ? ['transactions:amend'] : []),
    ];
    return callApi({
      token: await tokenFor(plane, of, ...scopes),
      method: 'POST',
      path: `/api/v1/transactions/${of.id}/${trigger}?account_id=${of.account_id}`,
      ...(trigger === 'approve' ? {} : { body: { reason } }),
    });
  };
  return (
    <Panel
      title={`Transaction ${of.id}`}
      side={<Badge tone={tones[of.status]}>{of.status}</Badge>}
      note="Settle calls the control plane. Approve, reject and cancel call the API, and show in the timeline."
    >
      <StateDiagram at={of.status} path={path} moves={all} />
      {needsReason ? (
        <Field label="Reason, for reject and cancel" value={reason} onInput={setReason} />
      ) : null}
      <div class="bar">
        {legal.map(({ trigger }) => (
          <Action key={trigger} run={() => run(trigger)} look={looks[trigger]}>
            {trigger.replace(/^./, (letter) => letter.toUpperCase())}
          </Action>
        ))}
        {legal.length === 0 ? <p class="note">No move is left.</p> : null}
      </div>
    </Panel>
  );
}

const places: Readonly<Record<Status, readonly [x: number, y: number]>> = {
  pending: [60, 40],
  approved: [220, 40],
  settled: [380, 40],
  rejected: [140, 130],
  cancelled: [300, 130],
};
const halfWidth = 48;
const halfHeight = 16;

interface StateDiagramProps {
  readonly at: Status;
  readonly path: readonly Status[];
  readonly moves: readonly Move[];
}

/** The states: the path taken is solid, the moves that are possible now are dashed and coloured. */
function StateDiagram({ at, path, moves: all }: StateDiagramProps) {
  const legal = all.filter(({ from }) => from === at);
  const words = legal.map(({ trigger, to }) => `${trigger} to ${to}`).join(', ');
  const label = `It is ${at}. Legal moves: ${words === '' ? 'none' : words}.`;
  const isTaken = ({ from, to }: Move) =>
    path.some((status, index) => status === to && path[index - 1] === from);
  return (
    <svg class="diagram" viewBox="0 0 440 166" role="img" aria-label={label}>
      <title>{label}</title>
      <defs>
        {['', ' legal', ' taken'].map((kind) => (
          <marker
            key={kind}
            id={`tip${kind.trim()}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path class={`tip${kind}`} d="M0 0L8 4L0 8z" />
          </marker>
        ))}
      </defs>
      {all.map((move) => (
        <Arrow
          key={`${move.from} ${move.to}`}
          move={move}
          kind={isTaken(move) ? 'taken' : move.from === at ? 'legal' : ''}
        />
      ))}
      {statuses.map((status) => {
        const [x, y] = places[status];
        return (
          <g key={status} class={`place ${status === at ? 'here' : ''}`}>
            <rect
              x={x - halfWidth}
              y={y - halfHeight}
              width={2 * halfWidth}
              height={2 * halfHeight}
              rx="8"
            />
            <text x={x} y={y + 4}>
              {status}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function Arrow({ move, kind }: { move: Move; kind: '' | 'legal' | 'taken' }) {
  const [fromX, fromY] = places[move.from];
  const [toX, toY] = places[move.to];
  const isLevel = fromY === toY;
  const side = Math.sign(toX - fromX) * 18;
  const [startX, startY] = isLevel
    ? [fromX + halfWidth, fromY]
    : [fromX + side, fromY + halfHeight];
  const [endX, endY] = isLevel ? [toX - halfWidth, toY] : [toX - side, toY - halfHeight];
  return (
    <g class={`arrow ${kind}`}>
      <line x1={startX} y1={startY} x2={endX} y2={endY} marker-end={`url(#tip${kind})`} />
      <text x={(startX + endX) / 2 + (isLevel ? 0 : 4)} y={(startY + endY) / 2 - (isLevel ? 6 : 0)}>
        {move.trigger}
      </text>
    </g>
  );
}
