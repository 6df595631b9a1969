// What a run will send and make, and how long it will take at the pace it is held to: from what
// each scenario cost when it was measured on the simulator (`tsx bin/dev/costs.ts`).
import type { SelectedScenario } from '../run/select.ts';
import type { Lane, Scenario } from '../types.ts';
import costs from './costs.json' with { type: 'json' };
import { KINDS, type Kind } from './inventory.ts';

/** With a control plane a scenario looks deeper, and in worlds of its own. */
export type Mode = 'profile' | 'control';

interface Cost {
  readonly calls?: number;
  /** Calls under other credentials than the main one. */
  readonly other_calls?: number;
  /** More calls for each request a second that the plan allows. */
  readonly per_rate?: number;
  readonly wait_ms?: number;
}

type CostRow = Cost & { readonly [kind in Kind]?: number };

export interface Pace {
  readonly mode: Mode;
  /** Of the main credential and of its firm; both without end where nothing is metered. */
  readonly perSecond: number;
  readonly firmPerSecond: number;
}

export interface RunPlan {
  readonly scenarios: number;
  readonly requests: number;
  readonly made: Readonly<Record<Kind, number>>;
  readonly ms: number;
}

/** What a scenario is thought to cost that was never measured. */
const UNMEASURED: CostRow = { calls: 10, accounts: 2 };

/** The pacer stays so far under what is allowed. */
const CAUTION = 0.95;
const ROUND_TRIP_MS = 15;
const WIDTH = { profile: 6, control: 12 } as const;

function costOf({ id }: Scenario, mode: Mode): CostRow {
  const known = costs as Readonly<Record<string, { readonly [mode in Mode]?: CostRow }>>;
  return known[id]?.[mode] ?? known[id]?.control ?? UNMEASURED;
}

export function planRun(chosen: readonly SelectedScenario[], pace: Pace): RunPlan {
  const rows = chosen.map(({ scenario }) => ({
    lane: scenario.lane ?? 'shared',
    cost: costOf(scenario, pace.mode),
  }));
  const made = Object.fromEntries(
    KINDS.map((kind) => [kind, sum(rows.map(({ cost }) => cost[kind] ?? 0))]),
  ) as Record<Kind, number>;
  const requests = sum(rows.map(({ cost }) => callsOf(cost, pace)));
  return { scenarios: rows.length, requests, made, ms: Math.round(msOf(rows, pace)) };
}

interface Row {
  readonly lane: Lane;
  readonly cost: CostRow;
}

function msOf(rows: readonly Row[], pace: Pace): number {
  // Scenarios that share the target go side by side, the others one after another.
  const isBeside = ({ lane }: Row) => pace.mode === 'control' || lane === 'shared';
  const beside = rows.filter(isBeside).map(({ cost }) => cost);
  const alone = rows.filter((row) => !isBeside(row)).map(({ cost }) => soloMs(cost, pace));
  const together = Math.max(
    paceMs(beside, pace),
    ...beside.map(({ wait_ms: waitMs = 0 }) => waitMs),
    sum(beside.map((cost) => soloMs(cost, { ...pace, ...UNMETERED }))) / WIDTH[pace.mode],
  );
  return together + sum(alone);
}

const UNMETERED = { perSecond: Number.POSITIVE_INFINITY, firmPerSecond: Number.POSITIVE_INFINITY };

function soloMs(cost: CostRow, pace: Pace): number {
  return paceMs([cost], pace) + callsOf(cost, pace) * ROUND_TRIP_MS + (cost.wait_ms ?? 0);
}

/** LIM-1, LIM-2: the main credential's rate holds its own calls back, the firm's all of them. */
function paceMs(rows: readonly CostRow[], { perSecond, firmPerSecond }: Pace): number {
  // What exhausts a rate leaves at once.
  const own = sum(rows.map(({ calls = 0 }) => calls));
  const all = own + sum(rows.map(({ other_calls: others = 0 }) => others));
  return Math.max(own / (perSecond * CAUTION), all / (firmPerSecond * CAUTION)) * 1000;
}

function callsOf({ calls = 0, other_calls: others = 0, per_rate: more = 0 }: Cost, pace: Pace) {
  const rate = Number.isFinite(pace.perSecond) ? pace.perSecond : 0;
  return Math.round(calls + others + more * rate);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
