// The clock of the target: requests that a fault holds back until it moves, and answers that must come
// before it does.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { OperationCall } from '../../engine/send/call.ts';

/** Moves the clock to this time, if it is not later already. Needs `clock`. */
export async function advanceTo(t: ScenarioContext, atMs: number): Promise<void> {
  const byMs = Math.ceil(atMs - (await t.operator.nowMs()));
  if (byMs > 0) await t.operator.advance(byMs);
}

/** Long enough for an immediate answer, on any machine. */
const IMMEDIATE_MS = 2_500;

/**
 * Sends a call that a fault holds back for this time of the target's clock, and returns once it is
 * held; the answer comes later. Needs `fault`.
 */
export async function suspendRequest(t: ScenarioContext, call: OperationCall, ms: number) {
  const { operation } = call;
  const effect = ms === Number.POSITIVE_INFINITY ? { kind: 'hang' } : { kind: 'delay', ms };
  const fault = await t.operator.fault({ match: { operation }, effect, times: 1 });
  const answer = t.call(call);
  // It may fail after the scenario ends, when nothing awaits it any more.
  answer.catch(() => {});
  const isHeld = await t.until(async () => (await fault.hits()) >= 1, IMMEDIATE_MS);
  if (!isHeld) throw new Blocked(`the fault did not hold ${operation} back`);
  t.findings.controlled = true;
  return () => answer;
}

/** The answer that comes without moving the clock; undefined if there is none. */
export async function immediateAnswer(t: ScenarioContext, send: () => Promise<Answer>) {
  let answer: Answer | undefined;
  let over = false;
  const sent = send().then((each) => {
    answer = each;
  });
  const waited = t.until(() => over, IMMEDIATE_MS);
  for (const each of [sent, waited]) each.catch(() => {});
  await Promise.race([sent, waited]);
  over = true;
  return answer;
}
