// Plays one sequence on the target and on the model, and stops at the first difference.
import { compareDeliveries } from '../compare/deliveries.ts';
import type { Comparing } from '../compare/values.ts';
import type { Excuse } from '../open/case.ts';
import type { Sequence, Step } from '../sequence.ts';
import { beginComparing, type Duel, follow, type ModelArena, nowOf } from './arena.ts';
import { untilArrived, untilQuiet } from './await-arrivals.ts';
import { explain, inHindsight } from './explain.ts';
import { NOTHING_SETTLED, settledMeanwhile } from './hindsight.ts';
import {
  ALIKE,
  isSetupFailure,
  judgeStep,
  pairCredentials,
  type Sides,
  type StepVerdict,
} from './judge-step.ts';
import type { Outcome } from './outcome.ts';
import { Player } from './player.ts';

export async function duel(sequence: Sequence, arena: ModelArena, target: Player): Promise<Duel> {
  target.startMs = await nowOf(target.ground);
  target.nowMs = target.startMs;
  if (sequence.steps.some((step) => step.do === 'burst')) {
    return duelWithBursts(sequence, arena, target);
  }
  const model = new Player(await arena.openModel(), target.nonce);
  let sides = { target, model };
  let comparing = await beginComparing(arena, sides);
  let settled = NOTHING_SETTLED;
  const excused: Excuse[] = [];
  for (const [at, step] of sequence.steps.entries()) {
    let verdict = await playBoth(step, sides, comparing);
    if (settledMeanwhile(verdict, sides, comparing, settled) !== undefined) {
      const before = { steps: sequence.steps.slice(0, at + 1) };
      const played = { sequence: before, target, arena, searches: new Map(), isBeginning: true };
      const found = await inHindsight({ ...played, settled });
      if (found.attempt.verdict === null) {
        settled = found.settled;
        sides = { target, model: found.attempt.model };
        comparing = found.attempt.comparing;
        verdict = found.attempt.isParted
          ? { isParted: true }
          : await deliveriesOf(step, sides, comparing);
      }
    }
    excused.push(...(verdict.excused ?? []));
    if (verdict.difference !== undefined || verdict.why !== undefined) {
      const kind = verdict.why === undefined ? 'differs' : 'inconclusive';
      return { ...verdict, verdict: kind, excused, ...sides };
    }
    if (verdict.isParted) break;
  }
  return { verdict: 'agrees', excused, ...sides };
}

/** In which order the calls of a burst came shows only in what follows: it is played to the end. */
async function duelWithBursts(
  sequence: Sequence,
  arena: ModelArena,
  target: Player,
): Promise<Duel> {
  try {
    for (const step of sequence.steps) await target.play(step);
    await untilQuiet(target);
  } catch (error) {
    if (!isSetupFailure(error)) throw error;
    const model = new Player(await arena.openModel(), target.nonce);
    return { verdict: 'inconclusive', why: error.message, excused: [], target, model };
  }
  return explain(sequence, target, arena);
}

async function playBoth(step: Step, sides: Sides, comparing: Comparing): Promise<StepVerdict> {
  let own: Outcome | undefined;
  let other: Outcome | undefined;
  try {
    [own] = await sides.target.play(step);
    await follow(sides, own);
    [other] = await sides.model.play(step);
  } catch (error) {
    if (isSetupFailure(error)) return { why: `step ${step.n}: ${error.message}` };
    throw error;
  }
  pairCredentials(sides, comparing.match);
  const verdict = judgeStep(step, own, other, sides, comparing);
  return verdict === ALIKE ? deliveriesOf(step, sides, comparing) : verdict;
}

async function deliveriesOf(step: Step, sides: Sides, comparing: Comparing): Promise<StepVerdict> {
  if (sides.target.hooks.size === 0) return ALIKE;
  if (!(await untilArrived(sides))) return { why: `step ${step.n}: a delivery is not there yet` };
  const difference = compareDeliveries(step.n, sides.target, sides.model, comparing);
  return difference === null ? ALIKE : { difference };
}
