// EVT-1, EVT-4, EVT-12: each event arrives where it was subscribed to, and nowhere else.

import type { Role } from '../../engine/capabilities.ts';
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { CATEGORIES, type Category } from '../../spec/event-categories.ts';
import { expectBound } from '../support/subscription-assertions.ts';
import { type Envelope, envelopeIn, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';
import {
  arrivedAt,
  deliveriesOf,
  deliveryTimeoutMs,
  eventAbout,
  failEvent,
  flushDeliveries,
  HOUR_MS,
  requireDelivery,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
} from './events.ts';

/** A subscription to some of the categories. */
interface Choice {
  readonly categories: readonly Category[];
  readonly words: string;
  readonly hook: WebhookEndpoint;
}

const evtCategories: Scenario = {
  id: 'evt-categories',
  title: 'A subscription gets the events of its categories and no others',
  rules: ['EVT-1', 'EVT-4'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const choices: Choice[] = [];
    const singles = CATEGORIES.map((each) => [each]);
    for (const categories of [...singles, ['transaction', 'account'] as const, CATEGORIES]) {
      const hook = await t.receiver();
      await t.given.webhook(hook, categories);
      choices.push({ categories, words: categories.join(' and '), hook });
    }
    // An event that the API causes has one category, whichever it is.
    const account = await triggerAccountEvent(t);
    if (t.has('trading_account')) await t.given.transaction(await t.given.place());
    if (t.has('emit')) {
      await expectOwnCategories(t, choices);
    } else {
      const { hook } = choices.find(({ words }) => words === 'account')!;
      await requireDelivery(t, hook, account);
      for (const choice of choices.slice(singles.length)) await expectArrival(t, account, choice);
      await flushDeliveries(t);
    }
    await expectDisjoint(t, choices.slice(0, singles.length));
  },
};

async function expectArrival(
  t: ScenarioContext,
  event: TriggeredEvent,
  { hook, words }: Choice,
): Promise<void> {
  const all = (await deliveriesOf(t, hook, event)).slice(0, 1);
  const expected = `${event.words} at a subscription to ${words}`;
  t.claim('EVT-4', expected, all.length > 0, 'it never came', ...all);
}

async function expectOwnCategories(t: ScenarioContext, choices: readonly Choice[]): Promise<void> {
  const events: [Category, TriggeredEvent][] = [];
  for (const category of CATEGORIES) events.push([category, await triggerEvent(t, { category })]);
  for (const [category, event] of events) {
    for (const choice of choices) {
      if (choice.categories.includes(category)) await expectArrival(t, event, choice);
    }
  }
  await flushDeliveries(t);
  for (const [category, event] of events) {
    for (const { categories, hook, words } of choices) {
      if (!categories.includes(category))
        await expectNone(t, 'EVT-1', hook, event, `one to ${words}`);
    }
  }
}

async function expectNone(
  t: ScenarioContext,
  rule: 'EVT-1' | 'EVT-12',
  hook: WebhookEndpoint,
  event: TriggeredEvent,
  subscription: string,
): Promise<void> {
  const all = await deliveriesOf(t, hook, event, 1, 0);
  const words = `${event.words} not at a subscription that is ${subscription}`;
  t.claim(rule, words, all.length === 0, 'delivered to it', ...all);
}

/** EVT-1: an event has one category, so no two subscriptions to single categories get it. */
async function expectDisjoint(t: ScenarioContext, single: readonly Choice[]): Promise<void> {
  const at = new Map<string, [category: string, RecordedDelivery][]>();
  for (const { words: category, hook } of single) {
    for (const delivered of await arrivedAt(t, hook)) {
      const id = eventIdOf(envelopeIn(delivered));
      if (id !== undefined) at.set(id, [...(at.get(id) ?? []), [category, delivered]]);
    }
  }
  for (const [id, deliveries] of at) {
    const categories = [...new Set(deliveries.map(([category]) => category))];
    const words = `event ${id} at subscriptions to one category`;
    const seen = `at those to ${categories.join(' and ')}`;
    t.claim('EVT-1', words, categories.length === 1, seen, ...deliveries.map(([, each]) => each));
  }
}

/** How many accounts are created at the same moment. */
const CROWD = 8;

const evtEvery: Scenario = {
  id: 'evt-every',
  title: 'Every event arrives, of those that happen at once and of those behind one that fails',
  rules: ['EVT-2a', 'EVT-4'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook, ['account']);
    const before = [await triggerEvent(t), await triggerEvent(t)];
    const first = await triggerAccountEvent(t);
    const crowd = await createAtOnce(t);
    await flushDeliveries(t);
    await expectNumbersApart(t, hook, before);
    // NS-11: creating an account need not cause an event.
    const withinMs = t.has('emit') ? 0 : deliveryTimeoutMs(t);
    if ((await deliveriesOf(t, hook, first, 1, withinMs)).length > 0) {
      await expectEach(t, hook, crowd, 'of accounts that were created at the same moment');
    } else if (!t.has('emit')) {
      const why = 'creating accounts brings no events here, so none can be awaited';
      return t.notTested('EVT-4', why);
    }
    if (t.has('emit')) await expectThoseBehind(t, hook);
  },
};

/** EVT-2a: no two events have the same number, even if they happen at the same moment. */
async function expectNumbersApart(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  known: readonly TriggeredEvent[],
): Promise<void> {
  const grown: Envelope[] = [];
  for (const event of known) {
    const [delivered] = await deliveriesOf(t, hook, event);
    grown.push((delivered && envelopeIn(delivered)) ?? {});
  }
  const [name] = sequenceNames(grown);
  if (name === undefined) return t.notTested('EVT-2a', 'no number grows from event to event');
  const eventsAt = new Map<number, Set<string>>();
  for (const each of hook.deliveries) {
    const envelope = envelopeIn(each) ?? {};
    const [number, id] = [sequenceAt(envelope, name), eventIdOf(envelope)];
    if (number === undefined || id === undefined) continue;
    eventsAt.set(number, (eventsAt.get(number) ?? new Set()).add(id));
  }
  const shared = [...eventsAt].filter(([, ids]) => ids.size > 1);
  const seen = shared.map(([number, ids]) => `${number} of ${[...ids].join(' and ')}`).join(', ');
  t.claim('EVT-2a', 'a number of its own for each event', shared.length === 0, seen);
}

async function createAtOnce(t: ScenarioContext): Promise<TriggeredEvent[]> {
  const bodies = Array.from({ length: await t.burstSize(CROWD) }, () => t.newAccount());
  const answers = await t.sendTogether(bodies.length, (i) => t.api.createAccount(bodies[i]!));
  return answers.flatMap((answer, index) => {
    if (answer.status !== 201) return [];
    const { client_reference_id, email } = bodies[index]!;
    const [reference, id] = [String(client_reference_id), String(answer.at('id'))];
    return [eventAbout({ id, reference, email: String(email) })];
  });
}

async function expectEach(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  events: readonly TriggeredEvent[],
  which: string,
): Promise<void> {
  const endMs = performance.now() + deliveryTimeoutMs(t);
  const missing: string[] = [];
  for (const event of events) {
    const leftMs = Math.max(0, endMs - performance.now());
    if ((await deliveriesOf(t, hook, event, 1, leftMs)).length === 0) missing.push(event.words);
  }
  const words = `${events.length} events ${which}`;
  t.claim('EVT-4', words, missing.length === 0, `none of ${missing.join(', ')}`);
}

/** Events that happen while an earlier one waits for its retry. */
async function expectThoseBehind(t: ScenarioContext, hook: WebhookEndpoint): Promise<void> {
  const failing = await failEvent(t, hook);
  hook.answer((each) => ({ status: failing.isIn(each) ? 500 : 200 }));
  const behind: TriggeredEvent[] = [];
  while (behind.length < 4) behind.push(await triggerEvent(t));
  await flushDeliveries(t);
  // NS-28: if deliveries are independent, many wait only when all of them fail.
  hook.answer(() => ({ status: 500 }));
  while (behind.length < 16) behind.push(await triggerEvent(t));
  await flushDeliveries(t);
  hook.answer(() => ({ status: 200 }));
  if (t.has('clock')) await t.operator.advance(HOUR_MS);
  // EVT-8a judges whether the failed one is retried; the others may wait for it.
  if ((await deliveriesOf(t, hook, failing, 2, 500)).length < 2) return;
  await expectEach(t, hook, behind, 'behind one that failed at first');
}

/** Whose subscription it is, and whose events it gets. */
type Listening = readonly [role: Role, words: string, hears: readonly Role[]];

interface Listener {
  readonly words: string;
  readonly hears: readonly Role[];
  readonly hook: WebhookEndpoint;
}

const evtBrands: Scenario = {
  id: 'evt-brands',
  title: 'A brand’s subscription gets the events of that brand, a firm-wide one those of all',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'brand', 'other_brand'],
  lane: 'own_world',
  run: (t) =>
    judgeReach(t, [
      ['firm', 'firm-wide', ['brand', 'other_brand']],
      ['brand', 'bound to a brand', ['brand']],
      ['other_brand', 'bound to another brand', ['other_brand']],
    ]),
};

const evtFirms: Scenario = {
  id: 'evt-firms',
  title: 'No subscription gets the events of another firm',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'other_firm'],
  lane: 'own_world',
  run: (t) =>
    judgeReach(t, [
      ['firm', 'firm-wide', ['firm']],
      ['other_firm', 'of another firm', ['other_firm']],
    ]),
};

async function judgeReach(t: ScenarioContext, all: readonly Listening[]): Promise<void> {
  const listeners: Listener[] = [];
  for (const [role, words, hears] of all) {
    const hook = await t.receiver();
    const { answer } = await t.given.webhook(hook, CATEGORIES, role);
    if (role !== 'other_firm') expectBound(answer, role !== 'firm');
    listeners.push({ words, hears, hook });
  }
  const origins = [...new Set(listeners.flatMap(({ hears }) => hears))];
  const events: [Role, TriggeredEvent][] = [];
  for (const role of origins) {
    events.push([role, await triggerAccountEvent(t, role)]);
    if (t.has('emit')) events.push([role, await triggerEvent(t, { role })]);
  }
  for (const [origin, event] of events) await judgeOne(t, listeners, origin, event);
}

async function judgeOne(
  t: ScenarioContext,
  listeners: readonly Listener[],
  origin: Role,
  event: TriggeredEvent,
): Promise<void> {
  const hasCome = (some: readonly Listener[], withinMs: number) =>
    t.until(
      () => some.some(({ hook }) => hook.deliveries.some((each) => event.isIn(each))),
      withinMs,
    );
  // NS-11: what was delivered to no one may not be an event.
  const isSure = event.envelope !== undefined || !t.has('emit');
  if (!(await hasCome(listeners, isSure ? deliveryTimeoutMs(t) : 250))) return;
  await flushDeliveries(t);
  for (const listener of listeners.filter(({ hears }) => hears.includes(origin))) {
    const words = `${event.words} of ${origin} at a subscription that is ${listener.words}`;
    t.claim('EVT-12', words, await hasCome([listener], 1_000), 'it never came');
  }
  for (const { hears, hook, words } of listeners) {
    if (!hears.includes(origin)) await expectNone(t, 'EVT-12', hook, event, words);
  }
}

export const eventScenarios: readonly Scenario[] = [evtCategories, evtEvery, evtBrands, evtFirms];
