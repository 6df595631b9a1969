// Plays one sequence on the target and on the model, and stops at the first difference.
import { compareDeliveries } from '../compare/deliveries.ts';
import type { Difference } from '../compare/difference.ts';
import { Match } from '../compare/match.ts';
import type { Comparing } from '../compare/values.ts';
import type { Case, Excuse } from '../open/excuses.ts';
import type { Sequence, Step } from '../sequence.ts';
import { explain } from './explain.ts';
import type { Ground } from './ground.ts';
import {
  ALIKE,
  isHindrance,
  judgeStep,
  pairCredentials,
  type Sides,
  type StepVerdict,
} from './judge-step.ts';
import type { Outcome } from './outcome.ts';
import { Player } from './player.ts';

export interface Arena {
  readonly target: Ground;
  /** Worlds of the model, each as new as the target's. */
  readonly openModel: () => Promise<Ground>;
  readonly masked: ReadonlySet<string>;
  readonly seqName: string;
}

export interface Duel {
  readonly verdict: 'agrees' | 'differs' | 'inconclusive';
  readonly difference?: Difference;
  readonly case?: Case;
  readonly why?: string;
  /** Differences that open questions explain. */
  readonly excused: readonly Excuse[];
  readonly target: Player;
  readonly model: Player;
}

export async function duel(sequence: Sequence, arena: Arena, nonce: string): Promise<Duel> {
  const target = new Player(arena.target, nonce);
  const startMs = await nowOf(arena.target);
  target.nowMs = startMs;
  if (sequence.steps.some((step) => step.do === 'burst')) {
    return duelWithBursts(sequence, arena, target, startMs);
  }
  const model = new Player(await arena.openModel(), nonce);
  const sides = { target, model };
  const comparing = await beginComparing(arena, sides, startMs);
  const excused: Excuse[] = [];
  for (const step of sequence.steps) {
    const verdict = await playBoth(step, sides, comparing);
    excused.push(...(verdict.excused ?? []));
    if (verdict.difference !== undefined || verdict.why !== undefined) {
      const kind = verdict.why === undefined ? 'differs' : 'inconclusive';
      return { ...verdict, verdict: kind, excused, ...sides };
    }
    if (verdict.isParted) break;
  }
  return { verdict: 'agrees', excused, ...sides };
}

/** Which order the calls of a burst took shows only in what follows, so the target plays to the end. */
async function duelWithBursts(
  sequence: Sequence,
  arena: Arena,
  target: Player,
  startMs: number,
): Promise<Duel> {
  try {
    for (const step of sequence.steps) await target.play(step);
  } catch (error) {
    if (!isHindrance(error)) throw error;
    const model = new Player(await arena.openModel(), target.nonce);
    return { verdict: 'inconclusive', why: error.message, excused: [], target, model };
  }
  return explain(sequence, target, startMs, arena);
}

export async function beginComparing(
  { masked, seqName }: Pick<Arena, 'masked' | 'seqName'>,
  { target, model }: Sides,
  startMs: number,
): Promise<Comparing> {
  const isSteady = target.ground.isSteady;
  return {
    match: new Match(),
    offsetMs: startMs - (await nowOf(model.ground)),
    toleranceMs: isSteady ? 5 : 60_000,
    seqName,
    masked,
  };
}

async function nowOf({ target }: Ground): Promise<number> {
  return target.offers.has('clock') ? target.operator.nowMs() : Date.now();
}

async function playBoth(step: Step, sides: Sides, comparing: Comparing): Promise<StepVerdict> {
  let own: Outcome | undefined;
  let other: Outcome | undefined;
  try {
    [own] = await sides.target.play(step);
    await follow(sides, own);
    [other] = await sides.model.play(step);
  } catch (error) {
    if (isHindrance(error)) return { why: `step ${step.n}: ${error.message}` };
    throw error;
  }
  pairCredentials(sides, comparing.match);
  const verdict = judgeStep(step, own, other, sides, comparing);
  if (verdict !== ALIKE || sides.target.hooks.size === 0) return verdict;
  await untilArrived(sides);
  const difference = compareDeliveries(step.n, sides.target, sides.model, comparing);
  return difference === null ? ALIKE : { difference };
}

/** A delivery that follows on another's answer may still be on its way. */
async function untilArrived({ target, model }: Sides): Promise<void> {
  for (let tries = 0; tries < ARRIVAL_TRIES; tries += 1) {
    const late = [...target.hooks].some(
      ([n, { deliveries }]) => deliveries.length < (model.hooks.get(n)?.deliveries.length ?? 0),
    );
    if (!late) return;
    await new Promise((resolve) => setTimeout(resolve, ARRIVAL_STEP_MS));
    await target.flush();
  }
}

const ARRIVAL_TRIES = 8;
const ARRIVAL_STEP_MS = 25;

/** Where the target's clock runs, the model's is moved on to when its call was answered. */
export async function follow({ target, model }: Sides, own: Outcome | undefined): Promise<void> {
  if (target.ground.isSteady || own === undefined || !('answeredAtMs' in own)) return;
  const behindMs = Math.floor(own.answeredAtMs) - model.followedMs;
  if (behindMs <= 0) return;
  model.followedMs += behindMs;
  await model.ground.target.operator.advance(behindMs);
}
