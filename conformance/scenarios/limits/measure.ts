// Measures the allowance of a credential: how many concurrent requests are served, and how many per
// second once it is used up; and the form of the 429 that follows.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { OperationCall } from '../../engine/send/call.ts';
import { CONNECTIONS } from '../../engine/send/sender.ts';
import type { Credential } from '../../providers/target.ts';
import { immediateAnswer } from '../support/clock.ts';
import { nearly, type Sighting, type Truth, weighRate, weighSteps } from './rate-evidence.ts';

/** The rate of the plan Sandbox. */
export const SANDBOX = 5;

interface Caller {
  readonly credential: Credential;
  /** It can be sent any number of times. */
  readonly request: OperationCall;
}

/** A credential under a known limit, by its plan or set explicitly. */
export interface Probe extends Caller {
  readonly perSecond: number;
}

export interface Burst {
  readonly served: readonly Answer[];
  readonly limited: readonly Answer[];
  /** The number of requests without an answer until the clock was moved. */
  readonly unanswered: number;
  readonly sightings: readonly Sighting[];
}

/** An answer counts as missing after this time, if only the clock can be holding it back. */
const UNANSWERED_AFTER_MS = 5_000;

/**
 * A new credential on Sandbox. Without a control plane, the main credential after a rest; its rate
 * comes from the profile.
 */
export async function probeOf(t: ScenarioContext): Promise<Probe> {
  const request = await harmlessWrite(t);
  if (t.has('mint')) {
    const scopes = ['accounts:write', 'webhooks:manage'];
    const credential = await t.operator.mint({ scopes, plan: 'sandbox' });
    return { credential, perSecond: SANDBOX, request };
  }
  const credential = await t.credential(t.mainRole);
  const rates = credential.rates.map((each) => each.perSecond);
  if (rates.length === 0) {
    throw new MissingCapability('plan', 'no rate is known of the main credential');
  }
  await refill(t);
  return { credential, perSecond: Math.min(...rates), request };
}

/**
 * A write that changes nothing: it finds an account by its reference. Each has a new key, so it
 * always runs (NS-17: whether a replay is metered is open).
 */
export async function harmlessWrite(t: ScenarioContext): Promise<OperationCall> {
  const { body } = await t.given.account();
  return { operation: 'createAccount', body };
}

export function refill(t: ScenarioContext): Promise<void> {
  return t.wait(t.has('clock') ? 60_000 : 1_500);
}

/** More than any interpretation of "about one second's allowance" allows. */
export function clearlyAbove(perSecond: number): number {
  return Math.ceil(perSecond * 1.6) + 4;
}

export function sendOne(t: ScenarioContext, { request, credential: as }: Caller): Promise<Answer> {
  return t.call(request, { as, unpaced: true });
}

/** Sends `count` requests simultaneously, faster than the plan allows. */
export function sendBurst(t: ScenarioContext, probe: Probe, count: number): Promise<Burst> {
  const send = () => sendOne(t, probe);
  return sendConcurrently(t, Array<typeof send>(count).fill(send));
}

/**
 * Sends one request on each connection immediately, and another after each answer, so that the
 * recorded time of a request is the time at which it was sent.
 */
export async function sendConcurrently(
  t: ScenarioContext,
  sends: readonly (() => Promise<Answer>)[],
): Promise<Burst> {
  const still = await isClockFrozen(t);
  const answers: Answer[] = [];
  const failures: unknown[] = [];
  const waiting = sends.values();
  const sent = Array.from({ length: Math.min(CONNECTIONS, sends.length) }, async () => {
    for (const send of waiting) {
      await send().then(
        (answer) => void answers.push(answer),
        (error: unknown) => void failures.push(error),
      );
    }
  });
  const isOver = () => answers.length + failures.length === sends.length;
  const all = Promise.all(sent);
  await (still ? Promise.race([all, t.until(isOver, UNANSWERED_AFTER_MS)]) : all);
  if (failures.length > 0) throw failures[0];
  const answered = [...answers];
  // A target that delays requests by its clock answers them when the clock moves.
  if (answered.length < sends.length) {
    await t.operator.advance(10_000);
    await t.until(isOver, UNANSWERED_AFTER_MS);
  }
  return burstOf(answered, still, sends.length - answered.length);
}

function burstOf(answers: readonly Answer[], still: boolean, unanswered = 0): Burst {
  const counted = countedOf(answers);
  const served = counted.filter(isServed);
  const limited = counted.filter((each) => !isServed(each));
  return { served, limited, unanswered, sightings: sightingsOf(counted, still) };
}

/** Not limited: a refusal for another reason counts as served. */
function isServed({ status }: Answer): boolean {
  return status < 300 || (status >= 400 && status < 500 && status !== 429);
}

/**
 * An occasional 5xx does not come from the limiter, and may or may not count, so it is left out. A
 * target that answers every limited request with a 5xx is still measured; ERR-3 judges the status.
 */
function countedOf(answers: readonly Answer[]): readonly Answer[] {
  const failed = answers.filter(({ status }) => status >= 500);
  const isLimiting = failed.length > 1 && !answers.some(({ status }) => status === 429);
  if (failed.length === 0 || isLimiting) return answers;
  if (failed.length > Math.max(1, answers.length / 10)) {
    const [{ summary, n }] = failed as [Answer];
    throw new Inconclusive(`${summary}, ${failed.length} times among 429`, n);
  }
  return answers.filter(({ status }) => status < 500);
}

/** By the clock that refills allowances: if it stands still, all happened at one moment. */
export function sightingsOf(answers: readonly Answer[], still: boolean): Sighting[] {
  return countedOf(answers).map((each) => {
    const [sentAtMs, tookMs] = still ? [0, 0] : [each.atMs, each.durationMs];
    return { sentAtMs, answeredAtMs: sentAtMs + tookMs, served: isServed(each) };
  });
}

/** Several bursts as one, each of which was answered. */
export function joined(...bursts: readonly Burst[]): Burst {
  return {
    served: bursts.flatMap((each) => each.served),
    limited: bursts.flatMap((each) => each.limited),
    unanswered: 0,
    sightings: bursts.flatMap((each) => each.sightings),
  };
}

/** Whether the clock of the target moves only on command, so that no allowance returns. */
export async function isClockFrozen(t: ScenarioContext): Promise<boolean> {
  if (!t.has('clock')) return false;
  const fromMs = await t.operator.nowMs();
  await t.sleep(3);
  return (await t.operator.nowMs()) === fromMs;
}

/**
 * Uses the allowance up, until the first refusal. While the clock stands still, only the first
 * `together` requests are concurrent, far fewer than a full allowance, and the rest is sent one by one,
 * so that there is only one refusal (LIM-5 judges the cost of refusals). In real time that may be too
 * slow.
 */
export async function drain(
  t: ScenarioContext,
  probe: Probe,
  together = probe.perSecond < 20 ? 0 : Math.floor(probe.perSecond * 0.75),
): Promise<Burst> {
  const most = 3 * clearlyAbove(probe.perSecond);
  const still = await isClockFrozen(t);
  const first = await sendBurst(t, probe, still ? together : clearlyAbove(probe.perSecond));
  if (first.limited.length > 0 || first.unanswered > 0) return first;
  if (!still) return joined(first, await sendBurst(t, probe, most - first.served.length));
  const answers: Answer[] = [...first.served];
  while (answers.length < most) {
    const answer = await immediateAnswer(t, () => sendOne(t, probe));
    if (answer === undefined) return burstOf(answers, true, 1);
    answers.push(answer);
    // The second 5xx in a row: this may be how the target refuses.
    const isAgain = (answers.at(-2)?.status ?? 200) >= 500;
    if (!isServed(answer) && (answer.status === 429 || isAgain)) break;
  }
  return burstOf(answers, true);
}

/** Uses the allowance up; blocked if there is no limit, which other scenarios judge. */
export async function exhaust(t: ScenarioContext, probe: Probe): Promise<Burst> {
  const used = await drain(t, probe);
  if (used.limited.length > 0) return used;
  throw new Blocked(`no 429 within ${used.served.length} requests`);
}

export interface Rate {
  readonly perSecond: number;
  /** Whether it is the rate of the probe. */
  readonly truth: Truth;
  readonly answers: readonly Answer[];
}

/** The refill rate of a credential after `used` has just exhausted its allowance. */
export async function rateOf(t: ScenarioContext, probe: Probe, used: Burst): Promise<Rate> {
  if (await isClockFrozen(t)) return rateByStep(t, probe, used);
  const { perSecond } = probe;
  const [forMs, factor] = perSecond < 20 ? [7_800, 2] : [2_800, 1.5];
  const answers = await press(t, [probe], { forMs, perSecond: perSecond * factor });
  const { served, sightings } = burstOf(answers, false);
  const truth = weighRate(perSecond, used.sightings, sightings);
  return { perSecond: (served.length * 1000) / forMs, truth, answers: served };
}

/** A little more than a second, for a target that counts the requests of the last second. */
const STEP_MS = 1_010;
/** Too short for any rate to return a whole request. */
const SLIPPED_MS = 4;

/**
 * In steps that each return one request, and at most a second, in case only a small burst is
 * allowed: then the size of the burst is not mistaken for the rate.
 */
async function rateByStep(t: ScenarioContext, probe: Probe, used: Burst): Promise<Rate> {
  const { perSecond } = probe;
  const isSmall = used.served.length < Math.round(perSecond * 0.75);
  const stepMs = isSmall ? Math.ceil(1000 / perSecond) : STEP_MS;
  const lastMs = (perSecond < 20 ? 6 : 1) * STEP_MS;
  const answers: Answer[] = [];
  const fromMs = await t.operator.nowMs();
  let elapsedMs = 0;
  while (elapsedMs < lastMs) {
    await t.operator.advance(stepMs);
    elapsedMs += stepMs;
    const { served, limited } = await drain(t, probe, isSmall ? 0 : undefined);
    answers.push(...served);
    if (limited.length === 0) break;
  }
  const passedMs = (await t.operator.nowMs()) - fromMs;
  // If the clock ran by itself after all, allowance returned at unknown times.
  const isExact = passedMs <= elapsedMs + SLIPPED_MS;
  const truth = isExact ? weighSteps(perSecond, answers.length, elapsedMs) : undefined;
  return { perSecond: (answers.length * 1000) / passedMs, truth, answers };
}

/** In real time: at an even pace above the limit, so that no allowance accumulates. */
export async function press(
  t: ScenarioContext,
  callers: readonly Caller[],
  { forMs, perSecond }: { readonly forMs: number; readonly perSecond: number },
): Promise<Answer[]> {
  const sent: Promise<Answer>[] = [];
  const startMs = performance.now();
  for (let dueMs = 0; dueMs < forMs; dueMs += 1000 / perSecond) {
    const waitMs = startMs + dueMs - performance.now();
    if (waitMs > 0) await t.sleep(waitMs);
    for (const caller of callers) {
      const one = sendOne(t, caller);
      one.catch(() => {});
      sent.push(one);
    }
  }
  return Promise.all(sent);
}

const WHOLE_SECONDS = /^[0-9]{1,6}$/;
/**
 * A second refills a full burst. A target may require a longer wait, but a value in milliseconds, or
 * a time of day, is far more than a minute.
 */
const MAX_SECONDS = 60;
const NUMBER = /^[0-9]+(\.[0-9]+)?$/;

/**
 * The four headers and the body of a problem. `perSecond` is the allowance in force; undefined if
 * another rule has found it wrong.
 */
export async function expectRefusalForm(
  t: ScenarioContext,
  refusal: Answer | undefined,
  perSecond: number | undefined,
): Promise<void> {
  await t.branch('LIM-6', 'what a 429 looks like', async () => {
    // LIM-2 judges whether it is a 429.
    if (refusal?.status !== 429) throw new Blocked(`no 429: ${refusal?.summary ?? 'all served'}`);
    const soon = `whole seconds, 1 to ${MAX_SECONDS}`;
    const isSoon = (value: string) =>
      WHOLE_SECONDS.test(value) && Number(value) >= 1 && Number(value) <= MAX_SECONDS;
    const limit = perSecond === undefined ? 'a number' : `${perSecond}, the allowance a second`;
    // LIM-1: a little more than the plan is no deviation, and the header then says so.
    const [least, most] = perSecond === undefined ? [0, Infinity] : nearly(perSecond);
    const isLimit = (value: string) =>
      NUMBER.test(value) && Number(value) >= least && Number(value) <= most;
    const type = refusal.headers.mediaType();
    t.expect('LIM-6', refusal)
      .header('Retry-After', soon, isSoon)
      .header('X-RateLimit-Reset', soon, isSoon)
      .header('X-RateLimit-Limit', limit, isLimit)
      .header('X-RateLimit-Remaining', '0', (value) => value === '0')
      .is('application/problem+json', type === 'application/problem+json', type || 'no type')
      .field('errors', []);
  });
}

export function secondsToWait(refusal: Answer): number | undefined {
  const value = refusal.headers.get('retry-after') ?? '';
  return WHOLE_SECONDS.test(value) && Number(value) <= 120 ? Number(value) : undefined;
}
