// LIM-5: whether what is too much is refused at once, or held back first.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { about } from './rate-evidence.ts';
import {
  type Burst,
  clearlyAbove,
  type RateLimitProbe,
  refill,
  sendBurst,
} from './rate-limit-probe.ts';

/** With a network as quick as this, what takes seconds is the target's doing. */
const QUICK_MS = 200;

/**
 * LIM-5: answers that come one by one as the allowance does, over a network that is quick before
 * and after. Where much is allowed, a crowded network looks the same.
 */
export async function seemsQueued(
  t: ScenarioContext,
  probe: RateLimitProbe,
  { sightings }: Burst,
): Promise<boolean> {
  const { perSecond, request, credential } = probe;
  if (perSecond > 20) return false;
  const most = about(perSecond)[1];
  const startMs = Math.min(...sightings.map((each) => each.sentAtMs));
  const doneMs = sightings.map((each) => each.answeredAtMs - startMs).sort((a, b) => a - b);
  const dueMs = (at: number) => ((at + 1 - most) / perSecond) * 750;
  if (doneMs.length <= most + 2 || !doneMs.every((ms, at) => ms >= dueMs(at))) return false;
  for (let calm = 0; calm < 3; calm += 1) {
    await refill(t);
    const answer = await request(t.as(credential), {});
    if (answer.durationMs > QUICK_MS) return false;
  }
  return true;
}

/** Of fewer refusals all may have been late on the way. */
const FEW = 3;

/**
 * LIM-5: refused at once. The quickest refusal counts, so that a slow network is not blamed; and it
 * takes a second burst, so that a machine that stood still for once is not either.
 */
export async function expectPrompt(
  t: ScenarioContext,
  probe: RateLimitProbe,
  first: Burst,
): Promise<void> {
  const once = promptnessOf(first);
  const told = once.truth === false ? promptnessOf(await burstAgain(t, probe)) : once;
  const { truth, words, limited } = told;
  t.claim('LIM-5', 'refused at once, not held back first', truth, words, ...limited);
}

async function burstAgain(t: ScenarioContext, probe: RateLimitProbe): Promise<Burst> {
  await refill(t);
  return await sendBurst(t, probe, clearlyAbove(probe.perSecond));
}

function promptnessOf({ served, limited }: Burst) {
  const slowest = Math.max(...served.map((each) => each.durationMs), 0);
  const quickest = Math.min(...limited.map((each) => each.durationMs));
  // Where even what was served took long, somebody is busy: then it takes more to tell.
  const prompt = quickest <= slowest + Math.max(600, slowest);
  const truth = prompt || limited.length >= FEW ? prompt : undefined;
  const words = `after ${Math.round(quickest)} ms, when the others took ${Math.round(slowest)}`;
  return { truth, words, limited };
}
