// Waits for deliveries in flight, by the target's clock if it can be advanced, otherwise for a
// reasonable time; and for a call to reach the fault that delays it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Inconclusive } from '../../engine/scenario-errors.ts';
import { noticesIn } from '../compare/deliveries.ts';
import type { Comparing } from '../compare/sides.ts';
import { callsOf, type Step } from '../sequence.ts';
import type { Ground } from './ground.ts';
import type { Player } from './player.ts';

const STEP_MS = 25;
/** A response to one delivery may trigger another, after an advance has sent all that are due. */
const FLUSHED_TRIES = 8;
/** A live target sends at any time: no limit is specified. */
const LIVE_MS = 15_000;
const LIVE_STEP_MS = 100;
/** No more deliveries are expected after this much silence. */
const QUIET_MS = 1_000;

const isLive = ({ ground }: Player): boolean => !ground.target.offers.has('clock');

/**
 * Whether as many deliveries arrived as on the model. Only a live target may still send the rest, so
 * that the result is unknown; on other targets a missing delivery is a difference.
 */
export async function untilArrived({ target, model, seqName }: Comparing): Promise<boolean> {
  const heard = (player: Player, n: number): number => {
    const hook = player.hooks.get(n);
    return hook === undefined ? 0 : noticesIn(hook.deliveries, player, target, { seqName }).length;
  };
  const isLate = () => [...target.hooks.keys()].some((n) => heard(target, n) < heard(model, n));
  const tries = isLive(target) ? LIVE_MS / LIVE_STEP_MS : FLUSHED_TRIES;
  for (let left = tries, before = countIn(target); left > 0; left -= 1) {
    if (!isLate() || target.isOver) break;
    await sleep(isLive(target) ? LIVE_STEP_MS : STEP_MS);
    await target.flush();
    // Deliveries in series take time: while more arrive, keep waiting. A live target has other ones.
    const now = countIn(target);
    if (now > before && !isLive(target)) left = tries;
    before = now;
  }
  return !isLive(target) || !isLate();
}

const countIn = ({ hooks }: Player): number =>
  [...hooks.values()].reduce((all, { deliveries }) => all + deliveries.length, 0);

/** Used if the number of expected deliveries is unknown. */
export async function untilQuiet(target: Player): Promise<void> {
  if (!isLive(target) || target.hooks.size === 0) return;
  const untilMs = performance.now() + LIVE_MS;
  for (let before = -1; before !== countIn(target) && performance.now() < untilMs; ) {
    before = countIn(target);
    await sleep(QUIET_MS);
  }
}

/** Each try waits a second for a response, and a response may take fifteen. */
const TRIES = 20;
/** An endpoint of someone else may never respond. */
const TRIES_ELSEWHERE = 2;

/**
 * On a busy machine an advance may return before its deliveries arrive. `isOurs`: an endpoint of the
 * player is subscribed.
 */
export async function untilDelivered(
  { target: { offers, operator } }: Ground,
  { delivers, isOurs }: { readonly delivers: boolean; readonly isOurs: boolean },
): Promise<void> {
  if (!offers.has('clock')) return;
  for (let tries = 0; tries < (isOurs ? TRIES : TRIES_ELSEWHERE); tries += 1) {
    await operator.advance(0);
    if (!delivers || (await operator.deliveriesInFlight()) === 0) return;
  }
  if (isOurs) throw new Inconclusive('deliveries on their way are not answered');
}

export const hasCalls = (step: Step, operations: RegExp): boolean =>
  (step.do === 'many' ? [step.call] : callsOf([step])).some(({ operation }) =>
    operations.test(operation),
  );

/** Until the fault was applied, or the call is answered: it may have been refused before. */
export async function untilMet(
  hits: () => Promise<number>,
  answer: Promise<unknown>,
  timeoutMs: number,
): Promise<void> {
  let isAnswered = false;
  const note = () => {
    isAnswered = true;
  };
  answer.then(note, note);
  // A slow way to the target takes as long as an answer may.
  const untilMs = performance.now() + timeoutMs;
  for (let stepMs = 5; !isAnswered && (await hits()) === 0; stepMs = Math.min(100, stepMs * 2)) {
    if (performance.now() > untilMs) {
      throw new Inconclusive('a call that a fault is to keep waiting has not come to it');
    }
    await sleep(stepMs);
  }
}
