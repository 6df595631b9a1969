// The states of a transaction as a drawing: where it is, and where it may go from there.

import type { Status } from './transaction-rows.tsx';
import type { Move } from './transitions.ts';

const places: Readonly<Record<Status, readonly [x: number, y: number]>> = {
  pending: [60, 40],
  approved: [220, 40],
  settled: [380, 40],
  rejected: [140, 130],
  cancelled: [300, 130],
};
const statuses = Object.keys(places) as Status[];
const halfWidth = 48;
const halfHeight = 16;

export function StateDiagram({ at, moves }: { at: Status; moves: readonly Move[] }) {
  const legal = moves.filter(({ from }) => from === at);
  const words = legal.map(({ trigger, to }) => `${trigger} to ${to}`).join(', ');
  const label = `It is ${at}. Legal moves: ${words === '' ? 'none' : words}.`;
  return (
    <svg class="diagram" viewBox="0 0 440 166" role="img" aria-label={label}>
      <title>{label}</title>
      <defs>
        <marker
          id="tip"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path class="tip" d="M0 0L8 4L0 8z" />
        </marker>
        <marker
          id="tip-legal"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path class="tip legal" d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {moves.map((move) => (
        <Arrow key={`${move.from} ${move.to}`} move={move} legal={move.from === at} />
      ))}
      {statuses.map((status) => (
        <Place key={status} status={status} here={status === at} />
      ))}
    </svg>
  );
}

function Place({ status, here }: { status: Status; here: boolean }) {
  const [x, y] = places[status];
  return (
    <g class={`place ${here ? 'here' : ''}`}>
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
}

function Arrow({ move, legal }: { move: Move; legal: boolean }) {
  const [fromX, fromY] = places[move.from];
  const [toX, toY] = places[move.to];
  const level = fromY === toY;
  const startX = level ? fromX + halfWidth : fromX + Math.sign(toX - fromX) * 18;
  const endX = level ? toX - halfWidth : toX - Math.sign(toX - fromX) * 18;
  const startY = level ? fromY : fromY + halfHeight;
  const endY = level ? toY : toY - halfHeight;
  return (
    <g class={`arrow ${legal ? 'legal' : ''}`}>
      <line
        x1={startX}
        y1={startY}
        x2={endX}
        y2={endY}
        marker-end={legal ? 'url(#tip-legal)' : 'url(#tip)'}
      />
      <text x={(startX + endX) / 2 + (level ? 0 : 4)} y={(startY + endY) / 2 - (level ? 6 : 0)}>
        {move.trigger}
      </text>
    </g>
  );
}
