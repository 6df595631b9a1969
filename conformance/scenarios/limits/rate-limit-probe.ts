// Measures what a credential is allowed: bursts sent at once, and how much comes back in a second.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, CallOptions } from '../../engine/send/client.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { answerAtOnce } from '../support/suspend-request.ts';

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
  /** How far apart they may have arrived, by the clock that refills the allowance. */
  readonly spreadMs: number;
  /** By the wall, until the last answer. */
  readonly tookMs: number;
}

/** For an answer to be called one that did not come. */
const UNANSWERED_AFTER_MS = 3_000;

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

export async function measureBurst(
  t: ScenarioContext,
  sends: readonly (() => Promise<Answer>)[],
): Promise<Burst> {
  const still = await standsStill(t);
  const startedAt = performance.now();
  const answers: Answer[] = [];
  const failures: unknown[] = [];
  const sent = sends.map((send) =>
    send().then(
      (answer) => void answers.push(answer),
      (error: unknown) => void failures.push(error),
    ),
  );
  const over = () => answers.length + failures.length === sends.length;
  await Promise.race([Promise.all(sent), t.until(over, UNANSWERED_AFTER_MS)]);
  if (failures.length > 0) throw failures[0];
  const tookMs = performance.now() - startedAt;
  const answered = [...answers];
  // Who holds requests back by its clock lets them go when it moves on: nothing is left hanging.
  if (answered.length < sends.length && t.has('clock')) {
    await t.operator.advance(10_000);
    await t.until(over, UNANSWERED_AFTER_MS);
  }
  const served = answered.filter(isLetThrough);
  const limited = answered.filter((each) => !isLetThrough(each));
  const durations = answered.map((each) => each.durationMs);
  const spreadMs = still ? 0 : Math.max(0, ...durations) - Math.min(tookMs, ...durations);
  return { served, limited, unanswered: sends.length - answered.length, spreadMs, tookMs };
}

/** What is refused for another reason than its rate was let through by the limit. */
function isLetThrough({ status }: Answer): boolean {
  return status < 300 || (status >= 400 && status < 500 && status !== 429);
}

/** The time by which allowances refill: the target's where it can be asked. */
export function allowanceNowMs(t: ScenarioContext): Promise<number> {
  return t.has('clock') ? t.operator.nowMs() : Promise.resolve(performance.now());
}

/** More than any reading of "about one second's allowance" lets through. */
export function clearlyAbove(perSecond: number): number {
  return Math.ceil(perSecond * 1.6) + 4;
}

/**
 * What "about" a number allows: a quarter and one request either way, and what came back while the
 * requests arrived.
 */
export function toleranceOf(count: number, spreadMs = 0): [least: number, most: number] {
  const gained = (count * spreadMs) / 1000;
  return [Math.round(count * 0.75), Math.round(count * 1.25 + gained) + 1];
}

export function within(value: number, [least, most]: readonly [number, number]): boolean {
  return value >= least && value <= most;
}

/**
 * Uses the allowance up, until the first refusal. One by one where time stands still, so that there
 * is one refusal and no more: what refusals cost is judged apart (LIM-5). All at once elsewhere,
 * because one by one may never be too fast there.
 */
export async function drain(t: ScenarioContext, probe: RateLimitProbe): Promise<Burst> {
  const most = 3 * clearlyAbove(probe.perSecond);
  if (!(await standsStill(t))) {
    let all = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
    if (all.limited.length === 0) all = await sendBurst(t, probe, most - all.served.length);
    return all;
  }
  const client = t.as(probe.credential);
  const startedAt = performance.now();
  const served: Answer[] = [];
  let limited: Answer[] = [];
  let held = 0;
  while (served.length < most && limited.length + held === 0) {
    const answer = await answerAtOnce(t, () => probe.request(client, { unpaced: true }));
    if (answer === undefined) held = 1;
    else if (isLetThrough(answer)) served.push(answer);
    else limited = [answer];
  }
  return { served, limited, unanswered: held, spreadMs: 0, tookMs: performance.now() - startedAt };
}

async function standsStill(t: ScenarioContext): Promise<boolean> {
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

/** Asked before blaming: an ordinary credential on Sandbox is limited, and to about its rate. */
export async function requireRateLimits(t: ScenarioContext): Promise<void> {
  const plain = await rateLimitProbeOf(t);
  const drainedAtMs = await allowanceNowMs(t);
  const used = await exhaust(t, plain);
  const wanted = toleranceOf(plain.perSecond);
  const rate = await sustained(t, plain, { drainedAtMs });
  if (!within(rate.perSecond, wanted)) {
    throw new Blocked(`${rate.perSecond.toFixed(1)} requests a second to a credential on Sandbox`);
  }
  if (t.has('clock')) await t.operator.advance(60_000);
  for (const each of t.has('clock') ? [used, await drain(t, plain)] : [used]) {
    if (within(each.served.length, wanted)) continue;
    throw new Blocked(
      `${each.served.length} served at once, where about ${plain.perSecond} gather`,
    );
  }
  await requireSeparateAllowances(t);
}

/** Asked before blaming: one credential that is used up leaves another one its allowance. */
export async function requireSeparateAllowances(t: ScenarioContext): Promise<void> {
  if (!t.has('mint')) return;
  await exhaust(t, await rateLimitProbeOf(t));
  const other = await sendBurst(t, await rateLimitProbeOf(t), 1);
  if (other.served.length === 0) throw new Blocked('two credentials share one allowance');
}

/**
 * How many requests a second a credential is served whose allowance was just used up, which began
 * at `drainedAtMs` by `now`. In steps that bring one request each where little gathers, so that the
 * size of a burst does not look like a rate; and never of more than a second, for the same reason.
 */
export async function sustained(
  t: ScenarioContext,
  probe: RateLimitProbe,
  { gathers = probe.perSecond, seconds = 1, drainedAtMs = Number.NaN } = {},
): Promise<{ perSecond: number; answers: readonly Answer[] }> {
  const few = gathers < Math.round(probe.perSecond * 0.75);
  const stepMs = few ? Math.ceil(1000 / probe.perSecond) : 1000;
  const answers: Answer[] = [];
  let fromMs = Number.isNaN(drainedAtMs) ? await allowanceNowMs(t) : drainedAtMs;
  let countedMs = 0;
  for (let spentMs = 0; spentMs < seconds * 1000; spentMs += stepMs) {
    // From the beginning of one burst to that of the next: that is how far apart they arrive.
    await t.wait(Math.max(0, fromMs + stepMs - (await allowanceNowMs(t))));
    const startMs = await allowanceNowMs(t);
    const { served, limited } = await drain(t, probe);
    answers.push(...served);
    countedMs += Math.min(startMs - fromMs, 1000);
    fromMs = startMs;
    if (limited.length === 0) break;
  }
  return { perSecond: (answers.length * 1000) / countedMs, answers };
}
