// Measures what a credential is allowed: bursts sent at once, and how much comes back in a second.
import type { Answer } from '../engine/answer.ts';
import type { CallOptions, Client } from '../engine/client.ts';
import { Blocked, Wanting } from '../engine/stop.ts';
import type { Trial } from '../engine/trial.ts';
import type { Credential, CredentialWish } from '../providers/target.ts';

export type Request = (client: Client, options: CallOptions) => Promise<Answer>;

/** A credential under a known limit, with a request that can be sent any number of times. */
export interface Meter {
  readonly credential: Credential;
  /** What it is held to, by its plan or by a limit of its own. */
  readonly perSecond: number;
  readonly request: Request;
}

export interface Burst {
  readonly served: readonly Answer[];
  readonly limited: readonly Answer[];
  /** How many got no answer at all until the clock was moved. */
  readonly held: number;
  /** By the clock that refills the allowance. */
  readonly elapsedMs: number;
  /** By the wall, until the last answer. */
  readonly tookMs: number;
}

/** For an answer to be called one that did not come. */
const HELD_AFTER_MS = 4_000;

/**
 * A credential of a plan, made for the scenario; without a control plane the main one, whose rate the
 * profile tells, after a rest. The request finds an account by its reference: it changes nothing.
 */
export async function meterOf(t: Trial, wish: Partial<CredentialWish> = {}): Promise<Meter> {
  const known = await t.given.account();
  // LIM-11: it must count as a write, and a new key is what makes it run.
  const request: Request = (client, options) =>
    client.createAccount(known.body, { key: t.fresh.key(), ...options });
  if (t.has('mint')) {
    const scopes = ['accounts:write', 'webhooks:manage'];
    const credential = await t.operator.mint({ scopes, plan: 'sandbox', ...wish });
    return { credential, perSecond: wish.perSecond ?? 5, request };
  }
  const credential = await t.credential(t.mainRole);
  const rates = credential.rates.map((each) => each.perSecond);
  if (rates.length === 0) throw new Wanting('plan', 'no rate is known of the main credential');
  const meter = { credential, perSecond: Math.min(...rates), request };
  await rest(t);
  return meter;
}

/** Long enough for a second's allowance to gather, whatever was used before. */
export function rest(t: Trial): Promise<void> {
  return t.wait(1_500);
}

/** Sends `count` requests at the same moment, past the plan on purpose. */
export async function burst(
  t: Trial,
  { credential, request }: Meter,
  count: number,
): Promise<Burst> {
  const client = t.as(credential);
  const fromMs = await now(t);
  const startedAt = performance.now();
  const answers: Answer[] = [];
  const failures: unknown[] = [];
  const sent = Array.from({ length: count }, () =>
    request(client, { unpaced: true }).then(
      (answer) => void answers.push(answer),
      (error: unknown) => void failures.push(error),
    ),
  );
  const over = () => answers.length + failures.length === count;
  await Promise.race([Promise.all(sent), t.until(over, HELD_AFTER_MS)]);
  if (failures.length > 0) throw failures[0];
  const tookMs = performance.now() - startedAt;
  const elapsedMs = (await now(t)) - fromMs;
  const answered = [...answers];
  // Who holds requests back by its clock lets them go when it moves on: nothing is left hanging.
  if (answered.length < count && t.has('clock')) {
    await t.operator.advance(10_000);
    await t.until(over, HELD_AFTER_MS);
  }
  return {
    served: answered.filter((each) => each.status !== 429),
    limited: answered.filter((each) => each.status === 429),
    held: count - answered.length,
    elapsedMs,
    tookMs,
  };
}

/** The time by which allowances refill: the target's where it can be asked. */
function now(t: Trial): Promise<number> {
  return t.has('clock') ? t.operator.nowMs() : Promise.resolve(performance.now());
}

/** More than any reading of "about one second's allowance" lets through. */
export function beyond(perSecond: number): number {
  return Math.ceil(perSecond * 1.6) + 4;
}

/**
 * What "about" a number allows: a quarter and one request either way, and what came back while the
 * requests were on their way.
 */
export function about(
  count: number,
  perSecond = count,
  elapsedMs = 0,
): [least: number, most: number] {
  const gained = (perSecond * elapsedMs) / 1000;
  return [Math.round(count * 0.75), Math.round(count * 1.25 + gained) + 1];
}

export function within(value: number, [least, most]: readonly [number, number]): boolean {
  return value >= least && value <= most;
}

/**
 * How many requests a second the credential is served once its allowance is used up. Short steps
 * where little allowance gathers, so that its size does not look like its rate.
 */
export async function sustained(
  t: Trial,
  meter: Meter,
  { gathers = meter.perSecond, seconds = 1 } = {},
): Promise<{ perSecond: number; answers: readonly Answer[] }> {
  const { perSecond } = meter;
  const few = gathers < Math.round(perSecond * 0.75);
  const stepMs = few ? Math.ceil(1000 / perSecond) : 1000;
  const size = few ? 3 : beyond(perSecond);
  const answers: Answer[] = [];
  let totalMs = 0;
  for (let spentMs = 0; spentMs < seconds * 1000; spentMs += stepMs) {
    const fromMs = await now(t);
    await t.wait(stepMs);
    const { served, limited } = await burst(t, meter, size);
    answers.push(...served);
    totalMs += (await now(t)) - fromMs;
    if (limited.length === 0) break;
  }
  return { perSecond: (answers.length * 1000) / totalMs, answers };
}

/** Uses the allowance up; blocked where that cannot be done, which other scenarios judge. */
export async function exhaust(t: Trial, meter: Meter): Promise<Burst> {
  const used = await burst(t, meter, beyond(meter.perSecond));
  if (used.limited.length > 0) return used;
  throw new Blocked(`no 429 within ${used.served.length} requests at once`);
}
