// The number of requests and records of a run, and its duration at the given pace, from the measured
// costs of each scenario on the simulator (`tsx bin/dev/costs.ts`).
import { laneOf } from '../capabilities.ts';
import { CAUTION } from '../pace/pacer.ts';
import { WIDTH } from '../run/run.ts';
import type { SelectedScenario } from '../run/select.ts';
import type { Scenario } from '../types.ts';
import costs from './costs.json' with { type: 'json' };
import { KINDS, type Kind } from './inventory.ts';

/** With a control plane a scenario checks more, in worlds of its own. */
export type Mode = 'profile' | 'control';

/** The rates of the main credential at which rows with `at_rate` were measured. */
export const MEASURED_RATES = [5, 15, 50, 200];

/**
 * `other_calls` use other credentials than the main one. `at_rate` are all requests, unpaced, of a
 * scenario that sends more the higher the rate is.
 */
type CostRow = {
  readonly [name in Kind | 'calls' | 'other_calls' | 'wait_ms']?: number;
} & { readonly at_rate?: readonly number[] };

export interface Pace {
  readonly mode: Mode;
  /** The rates of the main credential and of its firm; both Infinity if nothing is metered. */
  readonly perSecond: number;
  readonly firmPerSecond: number;
}

export interface RunPlan {
  readonly scenarios: number;
  readonly requests: number;
  readonly made: Readonly<Record<Kind, number>>;
  readonly ms: number;
}

/** The assumed cost of a scenario that has not been measured. */
const UNMEASURED: CostRow = { calls: 10, accounts: 2 };

const ROUND_TRIP_MS = 15;

function costOf({ id }: Scenario, mode: Mode): CostRow {
  const known = costs as Readonly<Record<string, { readonly [mode in Mode]?: CostRow }>>;
  return known[id]?.[mode] ?? known[id]?.control ?? UNMEASURED;
}

export function planRun(chosen: readonly SelectedScenario[], pace: Pace): RunPlan {
  const { mode, perSecond, firmPerSecond } = pace;
  const rows = chosen.map(({ scenario }) => costOf(scenario, mode));
  const total = (name: Exclude<keyof CostRow, 'at_rate'>) => sum(rows.map((row) => row[name] ?? 0));
  const made = Object.fromEntries(KINDS.map((kind) => [kind, total(kind)])) as RunPlan['made'];
  const atOnce = sum(rows.map(({ at_rate: counts }) => (counts ? countAt(perSecond, counts) : 0)));
  const paced = total('calls') + total('other_calls');
  // LIM-1, LIM-2: the rate of the main credential limits its own calls; the firm's rate limits all.
  const pacedMs = Math.max(total('calls') / perSecond, paced / firmPerSecond) * (1000 / CAUTION);
  const busyMs = ((paced + atOnce) * ROUND_TRIP_MS) / WIDTH[mode];
  // Scenarios that share the target wait concurrently, the others one after another.
  const waits = chosen.map(({ scenario }, at) => {
    const isConcurrent = mode === 'control' || laneOf(scenario) === 'shared';
    return { isConcurrent, ms: rows[at]!.wait_ms ?? 0 };
  });
  const alone = sum(waits.filter(({ isConcurrent }) => !isConcurrent).map(({ ms }) => ms));
  const concurrent = waits.filter(({ isConcurrent }) => isConcurrent).map(({ ms }) => ms);
  return {
    scenarios: rows.length,
    requests: Math.round(paced + atOnce),
    made,
    ms: Math.round(Math.max(pacedMs + busyMs, ...concurrent) + alone),
  };
}

/** The count changes evenly between two measured rates, and goes on so below and above them. */
function countAt(perSecond: number, counts: readonly number[]): number {
  const above = MEASURED_RATES.findIndex((rate) => rate > perSecond);
  const next = Math.max(1, above === -1 ? MEASURED_RATES.length - 1 : above);
  const [low = 0, high = 0] = MEASURED_RATES.slice(next - 1);
  const [few = 0, many = 0] = counts.slice(next - 1);
  return Math.max(0, few + ((perSecond - low) / (high - low)) * (many - few));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
