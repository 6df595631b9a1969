// EVT-8a to EVT-9b: what counts as a failed delivery, and when and how often it is retried. EVT-11,
// EVT-13, HOOK-5, HOOK-13: delivery ends for good on request, or once a target is no longer public.

import { filledText } from '../../engine/judge/matchers.ts';
import type { RecordedDelivery } from '../../engine/record/exchange-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import type { EndpointAnswer, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import { PUBLIC } from '../support/addresses.ts';
import { advanceTo } from '../support/clock.ts';
import {
  disabled,
  isDisabled,
  readSubscription,
  SUCCESS_STATUSES,
} from '../support/subscription-assertions.ts';
import { envelopeIn, eventIdOf, isSignedWith } from './deliveries.ts';
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

export const evtTimetable: Story = {
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

/** A response to a delivery; `away` is the target of a redirect. */
interface Probe {
  readonly words: string;
  readonly fails: boolean;
  readonly answer: (away: WebhookEndpoint) => EndpointAnswer;
}

function answers(status: number): Probe {
  return { words: `an answer ${status}`, fails: status >= 300, answer: () => ({ status }) };
}

function answersAfter(seconds: number): Probe {
  const answer = () => ({ status: 200, delayMs: seconds * SECOND_MS });
  return { words: `an answer after ${seconds} s`, fails: seconds > 15, answer };
}

function redirects(status: number, where: string, to: (away: WebhookEndpoint) => string): Probe {
  const answer = (away: WebhookEndpoint) => ({ status, headers: { location: to(away) } });
  return { words: `a redirect ${status} to ${where}`, fails: true, answer };
}

const toWholeUrl = (status: number) => redirects(status, 'a whole URL', ({ url }) => url);
const cut = () => ({ status: 200, cut: true });

/** EVT-9a: everything that is not 2xx is a failure. */
const PROBES: readonly Probe[] = [
  ...[300, 304, 400, 401, 404, 410, 422, 429, 500, 503, 599].map(answers),
  { words: 'a connection cut without an answer', fails: true, answer: cut },
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
  { words, fails }: Probe,
  comesAgain: boolean,
  all: readonly RecordedDelivery[],
): void {
  const expected = fails ? 'a failure: the event comes again' : 'no failure';
  t.claim(rule, `${words} is ${expected}`, comesAgain === fails, `${all.length} attempts`, ...all);
}

export const evtFailures: Story = {
  title: 'Every answer outside 200 to 299 is a failure, a redirect too, which is not followed',
  rules: ['EVT-9a'],
  needs: ['receiver', 'clock'],
  async run(t) {
    const [listener, away] = [await subscribe(t, ['account']), await t.receiver()];
    for (const probe of PROBES) {
      const { length: before } = away.deliveries;
      listener.answers(() => probe.answer(away));
      const { event } = await listener.deliver();
      await t.operator.advance(HOUR_MS);
      const all = await listener.of(event, 1, 0);
      listener.answers(200);
      // Deliveries that failed so far succeed now, so that they do not block later ones.
      if (all.length > 1) await t.operator.advance(DAY_MS);
      // EVT-4: an event may be sent twice. A third attempt means that it failed.
      claimFate(t, 'EVT-9a', probe, all.length > 2, all);
      const followed = (await t.deliveriesAt(away, 0, 0)).slice(before);
      if (!probe.words.startsWith('a redirect')) continue;
      claimNone(t, 'EVT-9a', `${probe.words}: nothing sent elsewhere`, followed);
    }
  },
};

export const evtSlow: Story = {
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

/**
 * An event whose first delivery is answered with 200 once the target's clock has advanced this far.
 * If the advance itself waits for the response, a timely response comes within 2.5 s of real time,
 * and a late one after 17 s, more than the target may wait.
 */
async function answeredAfter(t: ScenarioContext, listener: Listener, ms: number) {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = listener.count + 1;
  listener.answers((_, count) => (count > held ? { status: 200 } : { status: 200, until }));
  const { event } = await listener.deliver();
  const advanced = t.operator.advance(ms);
  const isLate = ms > 15 * SECOND_MS;
  await Promise.race([advanced, t.sleep(isLate ? 17 * SECOND_MS : 2_500)]);
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

/** Tolerances in real time, for a target that polls for due deliveries, and for the network. */
const REAL_LATE_MS = 10 * SECOND_MS;
const REAL_EARLY_MS = 2 * SECOND_MS;
const FIRST_WAIT_MS = 30 * SECOND_MS;

export const evtRealTime: Story = {
  title: 'In real time: what fails comes again 30 seconds later, and what is taken does not',
  rules: ['EVT-8a', 'EVT-9a', 'EVT-9b'],
  needs: ['receiver'],
  standsInFor: ['evt-failures', 'evt-slow'],
  async run(t) {
    const fates = [...[500, 404, 410].map(answers), toWholeUrl(307), answers(204)];
    const times = [6, 13, 17].map(answersAfter);
    const listeners: Listener[] = [];
    for (const { answer } of [...fates, ...times]) {
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

function expectFirstWait(t: ScenarioContext, first: RecordedDelivery, second?: RecordedDelivery) {
  if (second === undefined) return t.notTested('EVT-8a', 'nothing came again after a 500 (EVT-9a)');
  const waitedMs = second.atMs - first.atMs;
  const lateMs = waitedMs - FIRST_WAIT_MS;
  const inTime = lateMs >= -REAL_EARLY_MS && lateMs <= REAL_LATE_MS;
  const actual = `after ${(waitedMs / SECOND_MS).toFixed(1)} s`;
  t.claim('EVT-8a', 'the first retry 30 s after a failed attempt', inTime, actual, first, second);
}

const disable = (t: ScenarioContext, id: string) =>
  t.control('disableWebhook', { id }, ...SUCCESS_STATUSES);

export const evtDisabled: Story = {
  title: 'A disabled subscription receives nothing more, others go on',
  rules: ['HOOK-5', 'EVT-13'],
  needs: ['receiver'],
  async run(t) {
    const [listener, beside] = [await subscribe(t), await subscribe(t)];
    const { event: before } = await listener.deliver();
    await beside.first(before);
    await disable(t, listener.id);
    const { event: after } = await beside.deliver();
    await flushDeliveries(t);
    claimNone(t, ['HOOK-5', 'EVT-13'], 'nothing delivered', await listener.of(after, 1, 0));
  },
};

export const hookDisabledForGood: Story = {
  title: 'Nothing makes a disabled subscription deliver again: time, rotation or a new one',
  rules: ['HOOK-13', 'EVT-13'],
  needs: ['receiver', 'clock'],
  async run(t) {
    const old = await subscribe(t);
    await old.fail();
    // NS-28: this event may queue behind the failing one; in that case it is never sent.
    await triggerEvent(t);
    await flushDeliveries(t);
    await disable(t, old.id);
    await flushDeliveries(t);
    const { count } = old;
    old.answers(200);
    await t.operator.advance(2 * DAY_MS);
    const words = 'no retry of what had failed before, and nothing that had waited behind it';
    claimNone(t, 'EVT-13', words, await old.arrived(count));
    await t.operator.advance(31 * DAY_MS);
    claimNone(t, 'HOOK-13', 'nothing in the month after', await old.arrived(count));
    await expectDisabled(t, old.id);

    const secrets = [old.given.secret, ...(await tryToEnable(t, old.given))];
    await expectDisabled(t, old.id);

    // A new subscription with the same URL delivers, and the old one still does not.
    const other = await t.given.webhook(old.hook);
    const { event } = await old.deliver();
    await t.operator.advance(DAY_MS);
    const revived = (await old.of(event, 1, 0)).filter((each) =>
      secrets.some((secret) => secret !== other.secret && isSignedWith(secret, each)),
    );
    claimNone(t, 'HOOK-13', 'no delivery signed for the disabled subscription', revived);
    await expectDisabled(t, old.id);
  },
};

async function expectDisabled(t: ScenarioContext, id: string): Promise<void> {
  t.expect('HOOK-13', await readSubscription(t, id)).field('disabled', disabled);
}

/** Requests that might enable it; any of them may be refused. Returns the new secret, if there is one. */
async function tryToEnable(t: ScenarioContext, { id, url }: GivenWebhook): Promise<string[]> {
  await t.call('disableWebhook', { id });
  const rotated = await t.call('rotateWebhookSecret', { id });
  const path = `/api/v1/webhooks/${id}`;
  const body = { disabled: false, url };
  for (const request of [
    { method: 'PATCH', path, body },
    { method: 'PUT', path, body },
    { method: 'POST', path: `${path}/enable` },
    { method: 'POST', path: `${path}/resume` },
  ]) {
    await t.call({ ...request, key: t.fresh.key() });
  }
  const secret = rotated.isServed ? rotated.at('secret') : undefined;
  return typeof secret === 'string' ? [secret] : [];
}

/** When the host name of a target starts to resolve to other addresses, and to which ones. */
const CHANGES: readonly (readonly [when: string, ...addresses: string[]])[] = [
  ['before the next event', '10.0.0.1'],
  ['before a retry', '127.0.0.1'],
  ['one address of two', PUBLIC, '169.254.169.254'],
];

export const evtTargetChanged: Story = {
  title: 'A target that is no longer public gets nothing: its subscription is disabled and says so',
  rules: ['EVT-11', 'HOOK-13'],
  needs: ['receiver', 'dns', 'clock'],
  async run(t) {
    for (const [when, ...addresses] of CHANGES) {
      const isRetry = when === 'before a retry';
      await t.branch(['EVT-11', 'HOOK-13'], when, () => expectEnded(t, addresses, isRetry));
    }
  },
};

async function expectEnded(t: ScenarioContext, addresses: readonly string[], isRetry: boolean) {
  const [listener, beside] = [await subscribe(t), await subscribe(t)];
  const both = [listener, beside];
  const host = new URL(listener.hook.url).hostname;
  await t.operator.resolve(host, [PUBLIC]);
  for (const each of both) each.answers(isRetry ? 500 : 200);
  const before = await triggerEvent(t);
  for (const each of both) await each.first(before);
  await flushDeliveries(t);
  const { count } = listener;
  for (const each of both) each.answers(200);
  await t.operator.resolve(host, addresses);
  const after = isRetry ? before : await triggerEvent(t);
  if (isRetry) await t.operator.advance(HOUR_MS);
  await flushDeliveries(t);
  // The other subscription shows that there was an event to deliver.
  const wanted = isRetry ? 2 : 1;
  if ((await beside.of(after, wanted)).length < wanted) {
    throw new Blocked(`${after.words} did not come to the subscription beside it either`);
  }
  const sent = (await listener.arrived(count)).filter((each) => after.isIn(each));
  claimNone(t, 'EVT-11', `nothing sent once the name resolves to ${addresses.join(' and ')}`, sent);
  await t.until(async () => isDisabled(await readSubscription(t, listener.id)), 500);
  const read = await readSubscription(t, listener.id);
  t.expect('EVT-11', read).fields({ disabled, disabled_reason: filledText });
  const other = await readSubscription(t, beside.id);
  t.expect('EVT-11', other).is('the one beside it not disabled', !isDisabled(other));
  if (!isDisabled(read)) return;

  // HOOK-13: it stays disabled even when the target is public again.
  const atEnd = listener.count;
  await t.operator.resolve(host, [PUBLIC]);
  await triggerEvent(t);
  await t.operator.advance(DAY_MS);
  const words = 'nothing delivered though the target is public again';
  claimNone(t, 'HOOK-13', words, await listener.arrived(atEnd));
  await expectDisabled(t, listener.id);
}
