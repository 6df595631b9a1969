// EVT-8a to EVT-9b: what counts as a failed delivery, and when and how often it is retried.

import type { RecordedDelivery } from '../../engine/record/exchange-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { EndpointAnswer, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import { envelopeIn, eventIdOf } from './envelopes.ts';
import {
  claimNone,
  flushDeliveries,
  type Listener,
  MINUTE_MS,
  SECOND_MS,
  subscribe,
  type TriggeredEvent,
  triggerEvent,
} from './events.ts';

/** EVT-8a: the waits after the first, second, … failed attempt. */
const WAITS: readonly (readonly [words: string, ms: number])[] = [
  ['30 seconds', 30 * SECOND_MS],
  ['2 minutes', 2 * MINUTE_MS],
  ['10 minutes', 10 * MINUTE_MS],
  ['30 minutes', 30 * MINUTE_MS],
  ['2 hours', 2 * HOUR_MS],
  ['6 hours', 6 * HOUR_MS],
  ['12 hours', 12 * HOUR_MS],
];

/** How early an attempt may be; and how late, if the target polls for due deliveries. */
const EARLY_MS = 500;
const LATE_MS = 6_000;

export const evtTimetable: Scenario = {
  id: 'evt-timetable',
  title: 'A failed delivery is tried again after 30 s, 2, 10, 30 min, 2, 6, 12 h, and then no more',
  rules: ['EVT-8a', 'EVT-8b'],
  needs: ['receiver', 'clock'],
  async run(t) {
    const listener = await subscribe(t, ['account']);
    listener.answers(500);
    const startMs = await t.operator.nowMs();
    const { event } = await listener.deliver();
    await keepsTimetable(t, listener, event, startMs);
    // Even if the timetable is wrong, more than eight attempts are too many.
    await advanceTo(t, startMs + 2 * DAY_MS);
    for (const _ of [1, 2, 3]) await t.operator.advance(DAY_MS);
    const all = await listener.of(event, 9, 100);
    const words = 'eight attempts at most, and none in the four days after';
    t.claim('EVT-8b', words, all.length <= 8, `${all.length} attempts`, ...all);
  },
};

/**
 * Checks just before and just after each retry is due. An attempt happens somewhere between two
 * readings of the clock. NS-42: its wait counts from its start or its end, both within that interval.
 */
async function keepsTimetable(
  t: ScenarioContext,
  listener: Listener,
  event: TriggeredEvent,
  startMs: number,
): Promise<void> {
  let earliestMs = startMs;
  let latestMs = await t.operator.nowMs();
  for (const [index, [wait, waitMs]] of WAITS.entries()) {
    const count = index + 1;
    await advanceTo(t, earliestMs + waitMs - EARLY_MS);
    const beforeMs = await t.operator.nowMs();
    const early = await listener.of(event, count, 0);
    // A running clock may have passed that time already.
    if (beforeMs < earliestMs + waitMs) {
      const words = `no attempt ${count + 1} before ${wait} after attempt ${count} failed`;
      const actual = `attempt ${early.length} within ${(beforeMs - earliestMs) / 1000} s`;
      if (!t.claim('EVT-8a', words, early.length <= count, actual, ...early)) return;
    }
    await advanceTo(t, latestMs + waitMs + LATE_MS);
    const due = await listener.of(event, count + 1, 1_000);
    const words = `attempt ${count + 1} ${wait} after attempt ${count} failed`;
    const afterMs = await t.operator.nowMs();
    const actual = `${due.length} attempts ${(afterMs - latestMs) / 1000} s after it`;
    if (!t.claim('EVT-8a', words, due.length === count + 1, actual, ...due)) return;
    // Both bounds advance with the observations, so that the tolerance does not accumulate.
    earliestMs = Math.max(beforeMs, earliestMs + waitMs);
    latestMs = Math.min(afterMs, latestMs + waitMs + LATE_MS);
  }
}

async function advanceTo(t: ScenarioContext, atMs: number): Promise<void> {
  const byMs = Math.ceil(atMs - (await t.operator.nowMs()));
  if (byMs > 0) await t.operator.advance(byMs);
}

/** The response to a delivery; `away` is the target of a redirect. */
type Probe = readonly [
  words: string,
  fails: boolean,
  answer: (away: WebhookEndpoint) => EndpointAnswer,
];

const answers = (status: number): Probe => [
  ...([`an answer ${status}`, status >= 300] as const),
  () => ({ status }),
];

const answersAfter = (seconds: number): Probe => [
  ...([`an answer after ${seconds} s`, seconds > 15] as const),
  () => ({ status: 200, delayMs: seconds * SECOND_MS }),
];

const redirects = (status: number, where: string, to: (away: WebhookEndpoint) => string): Probe => [
  ...([`a redirect ${status} to ${where}`, true] as const),
  (away) => ({ status, headers: { location: to(away) } }),
];

const toWholeUrl = (status: number) => redirects(status, 'a whole URL', ({ url }) => url);

/** EVT-9a: everything that is not 2xx is a failure. */
const PROBES: readonly Probe[] = [
  ...[300, 304, 400, 401, 404, 410, 422, 429, 500, 503, 599].map(answers),
  ['a connection cut without an answer', true, () => ({ status: 200, cut: true })],
  ...[201, 202, 204, 206, 226].map(answers),
  ...[301, 302, 303, 307, 308].flatMap((status) => [
    redirects(status, 'another path', ({ url }) => new URL(url).pathname.split('/').at(-1) ?? ''),
    toWholeUrl(status),
    redirects(status, 'a whole URL near by', ({ localUrl }) => localUrl),
  ]),
];

function claimFate(
  t: ScenarioContext,
  rule: RuleId,
  [words, fails]: Probe,
  comesAgain: boolean,
  all: readonly RecordedDelivery[],
): void {
  const expected = fails ? 'a failure: the event comes again' : 'no failure';
  t.claim(rule, `${words} is ${expected}`, comesAgain === fails, `${all.length} attempts`, ...all);
}

export const evtFailures: Scenario = {
  id: 'evt-failures',
  title: 'Every answer outside 200 to 299 is a failure, a redirect too, which is not followed',
  rules: ['EVT-9a'],
  needs: ['receiver', 'clock'],
  async run(t) {
    const [listener, away] = [await subscribe(t, ['account']), await t.receiver()];
    for (const probe of PROBES) {
      const { length: before } = away.deliveries;
      listener.answers(() => probe[2](away));
      const { event } = await listener.deliver();
      await t.operator.advance(HOUR_MS);
      const all = await listener.of(event, 1, 0);
      listener.answers(200);
      // Deliveries that failed so far succeed now, so that they do not block later ones.
      if (all.length > 1) await t.operator.advance(DAY_MS);
      // EVT-4: an event may be sent twice. A third attempt means that it failed.
      claimFate(t, 'EVT-9a', probe, all.length > 2, all);
      const followed = (await t.deliveriesAt(away, 0, 0)).slice(before);
      const isRedirect = probe[0].startsWith('a redirect');
      if (isRedirect) claimNone(t, 'EVT-9a', `${probe[0]}: nothing sent elsewhere`, followed);
    }
  },
};

export const evtSlow: Scenario = {
  id: 'evt-slow',
  title: 'An answer slower than 15 seconds is a failure, one after 14 seconds is none',
  rules: ['EVT-9b'],
  observes: ['NS-42'],
  needs: ['receiver', 'clock'],
  async run(t) {
    const listener = await subscribe(t, ['account']);
    const startMs = await t.operator.nowMs();
    const slow = await answeredAfter(t, listener, 16 * SECOND_MS);
    await observeRetryStart(t, listener, slow, startMs);
    await t.operator.advance(HOUR_MS);
    const again = await listener.of(slow, 2, 100);
    claimFate(t, 'EVT-9b', answersAfter(16), again.length >= 2, again);

    const inTime = await answeredAfter(t, listener, 14 * SECOND_MS);
    // EVT-4: an immediate duplicate is not a retry, which needs the clock to move.
    await t.sleep(300);
    const before = (await listener.of(inTime, 1, 0)).length;
    for (const _ of [1, 2]) await t.operator.advance(HOUR_MS);
    const all = await listener.of(inTime, 1, 0);
    claimFate(t, 'EVT-9b', answersAfter(14), all.length > before, all);
  },
};

/** In real time: how long to delay a response while an advance waits for it. */
const HELD_MS = 2_500;
/** If the target still waits for this one, its timeout is too long. */
const HELD_TOO_LONG_MS = 17 * SECOND_MS;

/**
 * An event whose first delivery is answered with 200 once the target's clock has advanced this far.
 * If the advance itself waits for the response, a timely response comes within 15 s of real time,
 * and a late one after that.
 */
async function answeredAfter(
  t: ScenarioContext,
  listener: Listener,
  ms: number,
): Promise<TriggeredEvent> {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = listener.count + 1;
  listener.answers((_, count) => (count > held ? { status: 200 } : { status: 200, until }));
  const { event } = await listener.deliver();
  const advanced = t.operator.advance(ms);
  await Promise.race([advanced, t.sleep(ms > 15 * SECOND_MS ? HELD_TOO_LONG_MS : HELD_MS)]);
  release();
  await advanced;
  await flushDeliveries(t);
  return event;
}

/** NS-42: after an attempt of 15 s, its retry is 30 s or 45 s after the start of the attempt. */
async function observeRetryStart(
  t: ScenarioContext,
  listener: Listener,
  event: TriggeredEvent,
  startMs: number,
): Promise<void> {
  if ((await t.operator.nowMs()) - startMs > 25 * SECOND_MS) return;
  const hasArrivedBy = async (ms: number) => {
    await advanceTo(t, startMs + ms);
    return (await listener.of(event, 2, 100)).length >= 2;
  };
  const from = (await hasArrivedBy(31 * SECOND_MS)) ? 'start' : 'end';
  if (!(await hasArrivedBy(46 * SECOND_MS))) return;
  const words = `a retry's wait counts from the ${from} of the failed attempt`;
  t.observe('NS-42', words, { retry_counted_from: from });
}

/** In real time, for a target that polls for due deliveries, and for the network. */
const REAL_LATE_MS = 10 * SECOND_MS;
const REAL_EARLY_MS = 2 * SECOND_MS;
const FIRST_WAIT_MS = 30 * SECOND_MS;

export const evtRealTime: Scenario = {
  id: 'evt-real-time',
  title: 'In real time: what fails comes again 30 seconds later, and what is taken does not',
  rules: ['EVT-8a', 'EVT-9a', 'EVT-9b'],
  needs: ['receiver'],
  standsInFor: ['evt-failures', 'evt-slow'],
  async run(t) {
    const fates = [...[500, 404, 410].map(answers), toWholeUrl(307), answers(204)];
    const times = [6, 13, 17].map(answersAfter);
    const listeners: Listener[] = [];
    for (const [, , answer] of [...fates, ...times]) {
      const listener = await subscribe(t, ['account']);
      listener.answers((_, count) => (count === 1 ? answer(listener.hook) : { status: 200 }));
      listeners.push(listener);
    }
    const event = await triggerEvent(t);
    for (const listener of listeners) await listener.first(event);
    // The slowest one fails after 15 s, or when its response has arrived.
    await t.sleep(17 * SECOND_MS + FIRST_WAIT_MS + REAL_LATE_MS);
    for (const [at, probe] of [...fates, ...times].entries()) {
      const [first, ...others] = await listeners[at]!.of(event, 1, 0);
      const retries = others.filter((each) => isRetryOf(first!, each));
      const rule = fates.includes(probe) ? 'EVT-9a' : 'EVT-9b';
      claimFate(t, rule, probe, retries.length > 0, [first!, ...retries]);
      if (at === 0) expectFirstWait(t, first!, retries[0]);
    }
  },
};

/**
 * A target may report one account in several events, and may send an event twice immediately (EVT-4);
 * a retry comes about half a minute later.
 */
function isRetryOf(first: RecordedDelivery, each: RecordedDelivery): boolean {
  const isSame = eventIdOf(envelopeIn(each)) === eventIdOf(envelopeIn(first));
  return isSame && each.atMs - first.atMs >= FIRST_WAIT_MS - 2 * REAL_EARLY_MS;
}

function expectFirstWait(
  t: ScenarioContext,
  first: RecordedDelivery,
  second: RecordedDelivery | undefined,
): void {
  if (second === undefined) {
    t.notTested('EVT-8a', 'nothing came again after a 500 (EVT-9a)');
    return;
  }
  const waitedMs = second.atMs - first.atMs;
  const inTime =
    waitedMs >= FIRST_WAIT_MS - REAL_EARLY_MS && waitedMs <= FIRST_WAIT_MS + REAL_LATE_MS;
  const actual = `after ${(waitedMs / SECOND_MS).toFixed(1)} s`;
  t.claim('EVT-8a', 'the first retry 30 s after a failed attempt', inTime, actual, first, second);
}
