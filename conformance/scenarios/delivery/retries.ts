// EVT: what is a failure, when a failed delivery is tried again, and how often.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { retrying, UNTOLD } from './is-retried.ts';
import {
  deliveriesOf,
  flushDeliveries,
  requireDelivery,
  type TriggeredEvent,
  triggerEvent,
} from './trigger-event.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** EVT-8: the waits after the first, second, … failed attempt. */
const WAITS: readonly (readonly [words: string, ms: number])[] = [
  ['30 seconds', 30 * SECOND_MS],
  ['2 minutes', 2 * MINUTE_MS],
  ['10 minutes', 10 * MINUTE_MS],
  ['30 minutes', 30 * MINUTE_MS],
  ['2 hours', 2 * HOUR_MS],
  ['6 hours', 6 * HOUR_MS],
  ['12 hours', 12 * HOUR_MS],
];

/** Before the moment at which an attempt is due; and after it, for one who looks now and then. */
const SLACK_MS = 500;
const LATE_MS = 1_500;

const evtTimetable: Scenario = {
  id: 'evt-timetable',
  title: 'A failed delivery is tried again after 30 s, 2, 10, 30 min, 2, 6, 12 h, and then no more',
  rules: ['EVT-8a', 'EVT-8b'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook, ['account']);
    hook.answer(() => ({ status: 500 }));
    const earliestMs = await t.operator.nowMs();
    const event = await triggerEvent(t);
    await requireDelivery(t, hook, event);
    await keepsTimetable(t, hook, event, earliestMs);
    // Whatever became of the timetable, more than eight attempts are too many.
    await advanceTo(t, earliestMs + 2 * DAY_MS);
    for (const _ of [1, 2, 3]) await t.operator.advance(DAY_MS);
    const all = await deliveriesOf(t, hook, event, 9, 100);
    const words = 'eight attempts at most, and none in the four days after';
    t.claim('EVT-8b', words, all.length <= 8, `${all.length} attempts`, ...all);
  },
};

/**
 * Looks just before and just after each retry is due. An attempt takes place somewhere between two
 * readings of the clock; NS-42: its wait counts from its start or its end, which lie there too.
 */
async function keepsTimetable(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  event: TriggeredEvent,
  startMs: number,
): Promise<void> {
  let earliestMs = startMs;
  let latestMs = await t.operator.nowMs();
  for (const [index, [wait, waitMs]] of WAITS.entries()) {
    const made = index + 1;
    await advanceTo(t, earliestMs + waitMs - SLACK_MS);
    const before = await t.operator.nowMs();
    const early = await deliveriesOf(t, hook, event, made, 0);
    // A clock that runs by itself may have passed the moment meanwhile.
    if (before < earliestMs + waitMs) {
      const words = `no attempt ${made + 1} before ${wait} after attempt ${made} failed`;
      const actual = `attempt ${early.length} within ${(before - earliestMs) / 1000} s`;
      if (!t.claim('EVT-8a', words, early.length <= made, actual, ...early)) return;
    }
    await advanceTo(t, latestMs + waitMs + LATE_MS);
    const due = await deliveriesOf(t, hook, event, made + 1, 1_000);
    const words = `attempt ${made + 1} ${wait} after attempt ${made} failed`;
    const after = await t.operator.nowMs();
    const actual = `${due.length} attempts ${(after - latestMs) / 1000} s after it`;
    if (!t.claim('EVT-8a', words, due.length === made + 1, actual, ...due)) return;
    // Both bounds move on from what was seen, so that the slack does not add up.
    earliestMs = Math.max(before, earliestMs + waitMs);
    latestMs = Math.min(after, latestMs + waitMs + LATE_MS);
  }
}

async function advanceTo(t: ScenarioContext, atMs: number): Promise<void> {
  const byMs = Math.ceil(atMs - (await t.operator.nowMs()));
  if (byMs > 0) await t.operator.advance(byMs);
}

/** EVT-9a: everything that is no 2xx; redirects are tried apart. */
const FAILURES = [300, 304, 400, 401, 404, 410, 422, 429, 500, 503, 599];
const SUCCESSES = [201, 202, 204, 206, 226];

const evtFailures: Scenario = {
  id: 'evt-failures',
  title: 'Every answer outside 200 to 299 is a failure',
  rules: ['EVT-9a'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook, ['account']);
    const isRetried = retrying(t, hook);
    if (!(await isRetried(() => ({ status: 502 })))) {
      return t.notTested('EVT-9a', UNTOLD);
    }
    for (const status of FAILURES) {
      const retried = await isRetried(() => ({ status }));
      const words = `an answer ${status} is a failure: the event comes again`;
      t.claim(
        'EVT-9a',
        words,
        retried,
        'it did not',
        ...(await t.deliveriesAt(hook, 0, 0)).slice(-1),
      );
    }
    for (const status of SUCCESSES) await expectTaken(t, hook, status);
    const cut = await isRetried(() => ({ status: 200, cut: true }));
    t.claim('EVT-9a', 'a connection cut without an answer is a failure', cut, 'not tried again');
  },
};

/**
 * At-least-once allows an event twice. One that goes on coming while it is always answered so is
 * taken for failed.
 */
async function expectTaken(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  status: number,
): Promise<void> {
  hook.answer(() => ({ status }));
  const event = await triggerEvent(t);
  await requireDelivery(t, hook, event);
  await t.operator.advance(HOUR_MS);
  const all = await deliveriesOf(t, hook, event, 3, 0);
  const words = `an answer ${status} is no failure`;
  t.claim('EVT-9a', words, all.length < 3, `${all.length} attempts in an hour`, ...all);
  hook.answer(() => ({ status: 200 }));
  if (all.length >= 3) await t.operator.advance(DAY_MS);
}

const evtSlow: Scenario = {
  id: 'evt-slow',
  title: 'An answer slower than 15 seconds is a failure, one after 14 seconds is none',
  rules: ['EVT-9b'],
  observes: ['NS-42'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook, ['account']);
    if (!(await retrying(t, hook)(() => ({ status: 502 })))) {
      return t.notTested('EVT-9b', UNTOLD);
    }
    const startMs = await t.operator.nowMs();
    const slow = await answeredAfter(t, hook, 16 * SECOND_MS);
    const endMs = await t.operator.nowMs();
    await observeCount(t, hook, slow, startMs, endMs);
    await t.operator.advance(HOUR_MS);
    const again = await deliveriesOf(t, hook, slow, 2, 100);
    const failed = 'a delivery answered after 16 s failed: it comes again';
    t.claim('EVT-9b', failed, again.length >= 2, 'it did not', ...again);

    const inTime = await answeredAfter(t, hook, 14 * SECOND_MS);
    // EVT-4: what arrives twice at once is no retry, for which the clock has to move.
    await t.sleep(300);
    const before = (await deliveriesOf(t, hook, inTime, 1, 0)).length;
    for (const _ of [1, 2]) await t.operator.advance(HOUR_MS);
    const once = await deliveriesOf(t, hook, inTime, 1, 0);
    const taken = 'a delivery answered after 14 s is taken: it does not come again';
    t.claim('EVT-9b', taken, once.length <= before, `${once.length} attempts`, ...once);
  },
};

/** By the wall: how long an answer may be kept back while an advance waits for it. */
const HELD_MS = 2_500;
/** Whoever still waits for it then, waits too long. */
const HELD_TOO_LONG_MS = 17 * SECOND_MS;

/**
 * An event whose first delivery gets its 200 only when the target's clock has gone on for so long.
 * The answer comes when the advance is over, or, should the advance itself wait for it, before
 * the wall's 15 s are over; for a late one it then waits those out.
 */
async function answeredAfter(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  ms: number,
): Promise<TriggeredEvent> {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = hook.deliveries.length + 1;
  hook.answer((_, count) => (count > held ? { status: 200 } : { status: 200, until }));
  const event = await triggerEvent(t);
  await requireDelivery(t, hook, event);
  const advanced = t.operator.advance(ms);
  const late = ms > 15 * SECOND_MS;
  await Promise.race([advanced, t.sleep(late ? HELD_TOO_LONG_MS : HELD_MS)]);
  release();
  await advanced;
  await flushDeliveries(t);
  return event;
}

/** NS-42: from the start of an attempt that took 15 s to its retry it is 30 s or 45 s. */
async function observeCount(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  event: TriggeredEvent,
  startMs: number,
  endMs: number,
): Promise<void> {
  if (endMs - startMs > 25 * SECOND_MS) return;
  await advanceTo(t, startMs + 31 * SECOND_MS);
  const fromStart = (await deliveriesOf(t, hook, event, 2, 100)).length >= 2;
  await advanceTo(t, startMs + 46 * SECOND_MS);
  const came = (await deliveriesOf(t, hook, event, 2, 100)).length >= 2;
  if (!came) return;
  const from = fromStart ? 'start' : 'end';
  const words = `a retry's wait counts from the ${from} of the failed attempt`;
  t.observe('NS-42', words, { retry_counted_from: from });
}

export const deliveryRetryScenarios: readonly Scenario[] = [evtTimetable, evtFailures, evtSlow];
