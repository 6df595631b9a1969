// NS-3: by a clock that runs, or in more than an hour, a transaction settles some time after its
// approval, and nobody is told when. What the target answers later may show that it had settled by
// then.
import type { Comparing } from '../compare/values.ts';
import { settlesUnseen } from './ground.ts';
import { isSetupFailure, type Sides, type StepVerdict, unsettledIn } from './judge-step.ts';
import type { Player } from './player.ts';

/** Transactions of the target that had settled before a call, by the label of the call. */
export type Settled = ReadonlyMap<number, readonly string[]>;

export const NOTHING_SETTLED: Settled = new Map();

/** By its own clock, and not where an operator alone does. */
const maySettle = (target: Player): boolean =>
  !target.ground.target.offers.has('settle') || settlesUnseen(target);

/** What would be settled before the call that differs; undefined where nothing may have been. */
export function settledMeanwhile(
  { difference, case: own }: StepVerdict,
  { target, model }: Sides,
  { match }: Comparing,
  known: Settled,
): Settled | undefined {
  if (difference === undefined || own === undefined || !maySettle(target)) return undefined;
  const { sent, body } = own.target;
  const shown = new Set(`${sent.target} ${Buffer.from(body).toString()}`.match(/\d+/g));
  const before = known.get(difference.n) ?? [];
  const more = [...unsettledIn(model)].flatMap((id) => {
    const named = match.targetOf('transaction', id);
    return named !== undefined && shown.has(named) && !before.includes(named) ? [named] : [];
  });
  return more.length === 0 ? undefined : new Map(known).set(difference.n, [...before, ...more]);
}

/** On the model what the target's clock has done by itself. */
export async function settleBefore(
  n: number,
  settled: Settled,
  { ground, settled: done }: Player,
  { match }: Comparing,
): Promise<void> {
  for (const named of settled.get(n) ?? []) {
    const id = match.modelOf('transaction', named);
    if (id === undefined) continue;
    try {
      await ground.target.operator.settle(id);
      done.push(id);
    } catch (error) {
      // It was decided otherwise by then.
      if (!isSetupFailure(error)) throw error;
    }
  }
}
