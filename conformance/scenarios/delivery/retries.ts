// EVT-8a to EVT-9b: what counts as a failed delivery, when it is tried again, and how often.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { EndpointAnswer, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { envelopeIn, eventIdOf } from './envelopes.ts';
import {
  arrivedAt,
  DAY_MS,
  deliverEvent,
  deliveriesOf,
  flushDeliveries,
  HOUR_MS,
  MINUTE_MS,
  requireDelivery,
  SECOND_MS,
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

/** How early an attempt may be; and how late, for a target that polls for what is due. */
const EARLY_MS = 500;
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
    const startMs = await t.operator.nowMs();
    const { event } = await deliverEvent(t, hook);
    await keepsTimetable(t, hook, event, startMs);
    // Even if the timetable is wrong, more than eight attempts are too many.
    await advanceTo(t, startMs + 2 * DAY_MS);
    for (const _ of [1, 2, 3]) await t.operator.advance(DAY_MS);
    const all = await deliveriesOf(t, hook, event, 9, 100);
    const words = 'eight attempts at most, and none in the four days after';
    t.claim('EVT-8b', words, all.length <= 8, `${all.length} attempts`, ...all);
  },
};

/**
 * Looks just before and just after each retry is due. An attempt happens somewhere between two
 * readings of the clock. NS-42: its wait counts from its start or its end, which lie there too.
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
    await advanceTo(t, earliestMs + waitMs - EARLY_MS);
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
    // Both bounds move on from what was seen, so that the tolerance does not add up.
    earliestMs = Math.max(before, earliestMs + waitMs);
    latestMs = Math.min(after, latestMs + waitMs + LATE_MS);
  }
}

async function advanceTo(t: ScenarioContext, atMs: number): Promise<void> {
  const byMs = Math.ceil(atMs - (await t.operator.nowMs()));
  if (byMs > 0) await t.operator.advance(byMs);
}

/** Causes an event whose first delivery is answered so: whether it comes again within a day. */
async function isRetried(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  answers: Parameters<WebhookEndpoint['answer']>[0],
): Promise<boolean> {
  hook.answer(answers);
  const { event } = await deliverEvent(t, hook);
  await flushDeliveries(t);
  hook.answer(() => ({ status: 200 }));
  for (const waitMs of [HOUR_MS, DAY_MS]) {
    await t.operator.advance(waitMs);
    if ((await deliveriesOf(t, hook, event, 2, 100)).length >= 2) return true;
  }
  return false;
}

/** EVT-9a: everything that is not 2xx is a failure; `evt-redirects` tries redirects. */
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
    const failures = FAILURES.map((status) => [`an answer ${status}`, { status }] as const);
    const cut = ['a connection cut without an answer', { status: 200, cut: true }] as const;
    for (const [what, answer] of [...failures, cut]) {
      const retried = await isRetried(t, hook, () => answer);
      const words = `${what} is a failure: the event comes again`;
      t.claim('EVT-9a', words, retried, 'it did not', ...(await arrivedAt(t, hook, -1)));
    }
    for (const status of SUCCESSES) {
      hook.answer(() => ({ status }));
      const { event } = await deliverEvent(t, hook);
      await t.operator.advance(HOUR_MS);
      // At-least-once delivery may send an event twice. A third attempt means that it failed.
      const all = await deliveriesOf(t, hook, event, 3, 0);
      const words = `an answer ${status} is no failure`;
      t.claim('EVT-9a', words, all.length < 3, `${all.length} attempts in an hour`, ...all);
      hook.answer(() => ({ status: 200 }));
      if (all.length >= 3) await t.operator.advance(DAY_MS);
    }
  },
};

const REDIRECTS = [301, 302, 303, 307, 308];

const evtRedirects: Scenario = {
  id: 'evt-redirects',
  title: 'A redirect is a failure and not followed, to another place or to the same, near or far',
  rules: ['EVT-9a'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const [hook, elsewhere] = [await t.receiver(), await t.receiver()];
    await t.given.webhook(hook, ['account']);
    const nameOf = ({ url }: WebhookEndpoint) => new URL(url).pathname.split('/').at(-1) ?? '';
    const destinations = [
      ['to another path', nameOf(elsewhere)],
      ['to a whole URL', elsewhere.url],
      ['to a whole URL near by', elsewhere.localUrl],
      ['to its own URL', hook.localUrl],
      ['to a path below its own', `/${nameOf(hook)}/further`],
    ] as const;
    for (const status of REDIRECTS) {
      for (const [index, [words, location]] of destinations.entries()) {
        const mark = `moved-${status}-${index}-`;
        const moved = `${location}${location.includes('?') ? '&' : '?'}${mark}`;
        const retried = await isRetried(t, hook, ({ url }) =>
          // If the redirect is followed, the delivery succeeds there.
          url.includes(mark) ? { status: 200 } : { status, headers: { location: moved } },
        );
        const all = [...(await arrivedAt(t, hook)), ...(await arrivedAt(t, elsewhere))];
        const followed = all.filter(({ url }) => url.includes(mark));
        const actual = followed.map(({ method, url }) => `${method} ${url}`).join(', ');
        const what = `a redirect ${status} ${words}`;
        t.claim('EVT-9a', `${what} not followed`, followed.length === 0, actual, ...followed);
        const expected = `${what} is a failure: the event comes again`;
        t.claim('EVT-9a', expected, retried, 'it did not', ...all.slice(-1));
      }
    }
  },
};

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
    const startMs = await t.operator.nowMs();
    const slow = await answeredAfter(t, hook, 16 * SECOND_MS);
    await observeRetryStart(t, hook, slow, startMs);
    await t.operator.advance(HOUR_MS);
    const again = await deliveriesOf(t, hook, slow, 2, 100);
    const failed = 'a delivery answered after 16 s failed: it comes again';
    t.claim('EVT-9b', failed, again.length >= 2, 'it did not', ...again);

    const inTime = await answeredAfter(t, hook, 14 * SECOND_MS);
    // EVT-4: a duplicate that arrives at once is not a retry, which needs the clock to move.
    await t.sleep(300);
    const before = (await deliveriesOf(t, hook, inTime, 1, 0)).length;
    for (const _ of [1, 2]) await t.operator.advance(HOUR_MS);
    const all = await deliveriesOf(t, hook, inTime, 1, 0);
    const taken = 'a delivery answered after 14 s is taken: it does not come again';
    t.claim('EVT-9b', taken, all.length <= before, `${all.length} attempts`, ...all);
  },
};

/** In real time: how long to hold an answer back while an advance waits for it. */
const HELD_MS = 2_500;
/** A target that still waits then waits too long. */
const HELD_TOO_LONG_MS = 17 * SECOND_MS;

/**
 * An event whose first delivery gets its 200 only when the target's clock has advanced this far. If
 * the advance itself waits for the answer, a timely one comes before 15 s of real time are over, and
 * a late one after them.
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
  const { event } = await deliverEvent(t, hook);
  const advanced = t.operator.advance(ms);
  const isLate = ms > 15 * SECOND_MS;
  await Promise.race([advanced, t.sleep(isLate ? HELD_TOO_LONG_MS : HELD_MS)]);
  release();
  await advanced;
  await flushDeliveries(t);
  return event;
}

/** NS-42: from the start of an attempt that took 15 s to its retry it is 30 s or 45 s. */
async function observeRetryStart(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  event: TriggeredEvent,
  startMs: number,
): Promise<void> {
  if ((await t.operator.nowMs()) - startMs > 25 * SECOND_MS) return;
  const hasComeAt = async (ms: number) => {
    await advanceTo(t, startMs + ms);
    return (await deliveriesOf(t, hook, event, 2, 100)).length >= 2;
  };
  const fromStart = await hasComeAt(31 * SECOND_MS);
  if (!(await hasComeAt(46 * SECOND_MS))) return;
  const from = fromStart ? 'start' : 'end';
  const words = `a retry's wait counts from the ${from} of the failed attempt`;
  t.observe('NS-42', words, { retry_counted_from: from });
}

/** In real time, for a target that polls for what is due, and for the network. */
const REAL_LATE_MS = 10 * SECOND_MS;
const REAL_EARLY_MS = 2 * SECOND_MS;
const FIRST_WAIT_MS = 30 * SECOND_MS;

interface Probe {
  readonly rule: RuleId;
  readonly words: string;
  readonly fails: boolean;
  /** The answer to its first delivery; every other one gets 200. */
  readonly first: (hook: WebhookEndpoint) => EndpointAnswer;
}

const answers = (status: number): Probe => ({
  ...{ rule: 'EVT-9a', words: `an answer ${status}`, fails: status >= 300 },
  first: () => ({ status }),
});

const answersAfter = (seconds: number): Probe => ({
  ...{ rule: 'EVT-9b', words: `an answer after ${seconds} s`, fails: seconds > 15 },
  first: () => ({ status: 200, delayMs: seconds * SECOND_MS }),
});

const redirects: Probe = {
  ...{ rule: 'EVT-9a', words: 'a redirect to itself', fails: true },
  first: (hook) => ({ status: 307, headers: { location: `${hook.url}/moved` } }),
};

const PROBES: readonly Probe[] = [
  ...[500, 404, 410].map(answers),
  redirects,
  answers(204),
  ...[6, 13, 17].map(answersAfter),
];

const evtRealTime: Scenario = {
  id: 'evt-real-time',
  title: 'In real time: what fails comes again 30 seconds later, and what is taken does not',
  rules: ['EVT-8a', 'EVT-9a', 'EVT-9b'],
  needs: ['receiver'],
  lane: 'own_world',
  standsInFor: ['evt-failures', 'evt-redirects', 'evt-slow'],
  async run(t) {
    const hooks = new Map<Probe, WebhookEndpoint>();
    for (const probe of PROBES) {
      const hook = await t.receiver();
      await t.given.webhook(hook, ['account']);
      hook.answer((_, count) => (count === 1 ? probe.first(hook) : { status: 200 }));
      hooks.set(probe, hook);
    }
    const event = await triggerEvent(t);
    for (const hook of hooks.values()) await requireDelivery(t, hook, event);
    // The slowest one fails after 15 s, or when its answer has come.
    await t.sleep(17 * SECOND_MS + FIRST_WAIT_MS + REAL_LATE_MS);
    for (const [{ rule, words, fails }, hook] of hooks) {
      const all = withRetries(await deliveriesOf(t, hook, event, 1, 0));
      const expected = fails
        ? `${words} is a failure: the event comes again`
        : `${words} is no failure: the event does not come again`;
      const truth = fails ? all.length >= 2 : all.length === 1;
      t.claim(rule, expected, truth, `${all.length} deliveries`, ...all);
      if (words === 'an answer 500') expectFirstWait(t, all);
    }
  },
};

/**
 * The first delivery with its retries. A target may report one account in several events, and may
 * send an event twice at once (EVT-4); a retry comes about half a minute later.
 */
function withRetries(all: readonly RecordedDelivery[]): RecordedDelivery[] {
  const [first] = all;
  if (first === undefined) return [];
  const idOf = (each: RecordedDelivery) => eventIdOf(envelopeIn(each));
  const isRetry = ({ atMs }: RecordedDelivery) =>
    atMs - first.atMs >= FIRST_WAIT_MS - 2 * REAL_EARLY_MS;
  return all.filter((each) => idOf(each) === idOf(first) && (each === first || isRetry(each)));
}

function expectFirstWait(t: ScenarioContext, [first, second]: readonly RecordedDelivery[]): void {
  if (first === undefined || second === undefined) {
    t.notTested('EVT-8a', 'nothing came again after a 500 (EVT-9a)');
    return;
  }
  const waitedMs = second.atMs - first.atMs;
  const inTime =
    waitedMs >= FIRST_WAIT_MS - REAL_EARLY_MS && waitedMs <= FIRST_WAIT_MS + REAL_LATE_MS;
  const actual = `after ${(waitedMs / SECOND_MS).toFixed(1)} s`;
  t.claim('EVT-8a', 'the first retry 30 s after a failed attempt', inTime, actual, first, second);
}

export const deliveryRetryScenarios: readonly Scenario[] = [
  evtTimetable,
  evtFailures,
  evtRedirects,
  evtSlow,
  evtRealTime,
];
