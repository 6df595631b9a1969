// Measures what a credential is allowed: bursts sent at once, and how much comes back in a second.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, CallOptions } from '../../engine/send/client.ts';
import { CONNECTIONS } from '../../engine/send/route.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { answerAtOnce } from '../support/suspend-request.ts';
import { type Sighting, type Weight, weighRate, weighSteps } from './rate-evidence.ts';

export type RepeatableRequest = (client: ApiClient, options: CallOptions) => Promise<Answer>;

/** A credential under a known limit, with a request that can be sent any number of times. */
export interface RateLimitProbe {
  readonly credential: Credential;
  /** What it is held to, by its plan or by a limit of its own. */
  readonly perSecond: number;
  readonly request: RepeatableRequest;
}

export interface Burst {
  readonly served: readonly Answer[];
  readonly limited: readonly Answer[];
  /** How many got no answer at all until the clock was moved. */
  readonly unanswered: number;
  /** When each was sent and answered, by the clock that refills the allowance. */
  readonly sightings: readonly Sighting[];
  /** By the wall, until the last answer. */
  readonly tookMs: number;
}

/** For an answer to be called one that did not come, where only the clock can have held it back. */
const UNANSWERED_AFTER_MS = 5_000;

/**
 * A credential of a plan, made for the scenario; without a control plane the main one, whose rate
 * the profile tells, after a rest.
 */
export async function rateLimitProbeOf(
  t: ScenarioContext,
  options: Partial<CredentialOptions> = {},
): Promise<RateLimitProbe> {
  const request = await harmlessWrite(t);
  if (t.has('mint')) {
    const scopes = ['accounts:write', 'webhooks:manage'];
    const credential = await t.operator.mint({ scopes, plan: 'sandbox', ...options });
    return { credential, perSecond: options.perSecond ?? 5, request };
  }
  const credential = await t.credential(t.mainRole);
  const rates = credential.rates.map((each) => each.perSecond);
  if (rates.length === 0)
    throw new MissingCapability('plan', 'no rate is known of the main credential');
  await refill(t);
  return { credential, perSecond: Math.min(...rates), request };
}

/**
 * A write that changes nothing: it finds an account by its reference. A new key is what makes it
 * run (NS-17: whether a replay is metered is open).
 */
export async function harmlessWrite(t: ScenarioContext): Promise<RepeatableRequest> {
  const known = await t.given.account();
  return (client, options) => client.createAccount(known.body, { key: t.fresh.key(), ...options });
}

/** Long enough for all the allowance to gather that ever will; by the wall, for a second's. */
export function refill(t: ScenarioContext): Promise<void> {
  return t.wait(t.has('clock') ? 60_000 : 1_500);
}

/** Sends `count` requests at the same moment, past the plan on purpose. */
export async function sendBurst(
  t: ScenarioContext,
  probe: RateLimitProbe,
  count: number,
): Promise<Burst> {
  const client = t.as(probe.credential);
  const sends = Array.from({ length: count }, () => () => probe.request(client, { unpaced: true }));
  return await measureBurst(t, sends);
}

/**
 * As many as there are connections leave at once, and another with each answer: so the time at
 * which one is said to be sent is the time at which it was.
 */
export async function measureBurst(
  t: ScenarioContext,
  sends: readonly (() => Promise<Answer>)[],
): Promise<Burst> {
  const still = await standsStill(t);
  const startedAt = performance.now();
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
  const over = () => answers.length + failures.length === sends.length;
  const all = Promise.all(sent);
  await (still ? Promise.race([all, t.until(over, UNANSWERED_AFTER_MS)]) : all);
  if (failures.length > 0) throw failures[0];
  const odd = answers.find(({ status }) => status >= 500);
  // Beside a 429 it is not the limit's answer, and may have been counted or not.
  const isMixed = answers.some(({ status }) => status === 429);
  if (odd !== undefined && isMixed) throw new Inconclusive(`${odd.summary} within a burst`);
  const tookMs = performance.now() - startedAt;
  const answered = [...answers];
  // Who holds requests back by its clock lets them go when it moves on: nothing is left hanging.
  if (answered.length < sends.length) {
    await t.operator.advance(10_000);
    await t.until(over, UNANSWERED_AFTER_MS);
  }
  return { ...sorted(answered, still), unanswered: sends.length - answered.length, tookMs };
}

function sorted(answers: readonly Answer[], still: boolean) {
  return {
    served: answers.filter(isLetThrough),
    limited: answers.filter((each) => !isLetThrough(each)),
    sightings: sightingsOf(answers, still),
  };
}

/** By the clock that refills allowances: where it stands still, all are of one moment. */
export function sightingsOf(answers: readonly Answer[], still: boolean): Sighting[] {
  return answers.map((each) => {
    const [sentAtMs, tookMs] = still ? [0, 0] : [each.atMs, each.durationMs];
    return { sentAtMs, answeredAtMs: sentAtMs + tookMs, served: isLetThrough(each) };
  });
}

/** Several bursts as one. */
export function joined(...bursts: readonly Burst[]): Burst {
  return {
    served: bursts.flatMap((each) => each.served),
    limited: bursts.flatMap((each) => each.limited),
    unanswered: bursts.reduce((sum, each) => sum + each.unanswered, 0),
    sightings: bursts.flatMap((each) => each.sightings),
    tookMs: bursts.reduce((sum, each) => sum + each.tookMs, 0),
  };
}

/** What is refused for another reason than its rate was let through by the limit. */
function isLetThrough({ status }: Answer): boolean {
  return status < 300 || (status >= 400 && status < 500 && status !== 429);
}

/** More than any reading of "about one second's allowance" lets through. */
export function clearlyAbove(perSecond: number): number {
  return Math.ceil(perSecond * 1.6) + 4;
}

/** What a claim says of it: undefined where it may be either. */
export function truthOf(weight: Weight): boolean | undefined {
  return weight === 'open' ? undefined : weight === 'kept';
}

/**
 * Uses the allowance up, until the first refusal. One by one where time stands still, so that there
 * is one refusal and no more: what refusals cost is judged apart (LIM-5). All at once elsewhere,
 * because one by one may never be too fast there.
 */
export async function drain(t: ScenarioContext, probe: RateLimitProbe): Promise<Burst> {
  const most = 3 * clearlyAbove(probe.perSecond);
  if (!(await standsStill(t))) {
    const all = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
    if (all.limited.length > 0) return all;
    return joined(all, await sendBurst(t, probe, most - all.served.length));
  }
  const client = t.as(probe.credential);
  const startedAt = performance.now();
  const answers: Answer[] = [];
  let held = 0;
  while (answers.length < most && held === 0) {
    const answer = await answerAtOnce(t, () => probe.request(client, { unpaced: true }));
    if (answer === undefined) held = 1;
    else answers.push(answer);
    if (answer !== undefined && !isLetThrough(answer)) break;
  }
  return { ...sorted(answers, true), unanswered: held, tookMs: performance.now() - startedAt };
}

/** Whether time passes at the target only where it is moved on, so that nothing comes back. */
export async function standsStill(t: ScenarioContext): Promise<boolean> {
  if (!t.has('clock')) return false;
  const fromMs = await t.operator.nowMs();
  await t.sleep(3);
  return (await t.operator.nowMs()) === fromMs;
}

/** Uses the allowance up; blocked where that cannot be done, which other scenarios judge. */
export async function exhaust(t: ScenarioContext, probe: RateLimitProbe): Promise<Burst> {
  const used = await drain(t, probe);
  if (used.limited.length > 0) return used;
  throw new Blocked(`no 429 within ${used.served.length} requests`);
}

/** How fast an allowance comes back, once it is used up. */
export interface Rate {
  readonly perSecond: number;
  readonly weight: Weight;
  readonly answers: readonly Answer[];
}

/**
 * How many requests a second a credential is served whose allowance `used` has just used up.
 */
export async function rateOf(
  t: ScenarioContext,
  probe: RateLimitProbe,
  used: Burst,
): Promise<Rate> {
  return (await standsStill(t)) ? await rateByStep(t, probe, used) : await press(t, probe, used);
}

/** A little more than a second, for who counts what was served in the second before. */
const STEP_MS = 1_010;

/**
 * In steps that bring one request each where little gathers, so that the size of a burst does not
 * look like a rate; and never of more than a second, for the same reason.
 */
async function rateByStep(t: ScenarioContext, probe: RateLimitProbe, used: Burst): Promise<Rate> {
  const { perSecond } = probe;
  const few = used.served.length < Math.round(perSecond * 0.75);
  const stepMs = few ? Math.ceil(1000 / perSecond) : STEP_MS;
  const lastMs = (perSecond < 20 ? 6 : 2) * STEP_MS;
  const answers: Answer[] = [];
  let elapsedMs = 0;
  while (elapsedMs < lastMs) {
    await t.operator.advance(stepMs);
    elapsedMs += stepMs;
    const { served, limited } = await drain(t, probe);
    answers.push(...served);
    if (limited.length === 0) break;
  }
  const weight = weighSteps(perSecond, answers.length, elapsedMs);
  return { perSecond: (answers.length * 1000) / elapsedMs, weight, answers };
}

/** By the wall: more than are allowed, evenly, so that nothing ever gathers. */
async function press(t: ScenarioContext, probe: RateLimitProbe, used: Burst): Promise<Rate> {
  const { perSecond } = probe;
  const [forMs, factor] = perSecond < 20 ? [7_800, 2] : [2_800, 1.5];
  const gapMs = 1000 / (perSecond * factor);
  const client = t.as(probe.credential);
  const sent: Promise<Answer>[] = [];
  const startMs = performance.now();
  for (let dueMs = 0; dueMs < forMs; dueMs += gapMs) {
    const waitMs = startMs + dueMs - performance.now();
    if (waitMs > 0) await t.sleep(waitMs);
    const one = probe.request(client, { unpaced: true });
    one.catch(() => {});
    sent.push(one);
  }
  const { served, sightings } = sorted(await Promise.all(sent), false);
  const tookMs = performance.now() - startMs;
  const weight = weighRate(perSecond, used.sightings, sightings);
  return { perSecond: (served.length * 1000) / tookMs, weight, answers: served };
}
