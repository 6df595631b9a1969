// EVT: which events reach which subscription: by category, every one of them, by brand and by firm.

import type { Role } from '../../engine/capabilities.ts';
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { expectBound } from '../support/subscription-assertions.ts';
import { type Envelope, envelopeIn, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';
import {
  CATEGORIES,
  type Category,
  deliveriesOf,
  deliveryTimeoutMs,
  flushDeliveries,
  requireDelivery,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
} from './trigger-event.ts';

/** A subscription to some of the categories. */
interface Choice {
  readonly categories: readonly Category[];
  readonly words: string;
  readonly hook: WebhookEndpoint;
}

async function subscribed(t: ScenarioContext, categories: readonly Category[]): Promise<Choice> {
  const hook = await t.receiver();
  await t.given.webhook(hook, [...categories]);
  return { categories, words: categories.join(' and '), hook };
}

const evtCategories: Scenario = {
  id: 'evt-categories',
  title: 'A subscription gets the events of its categories and no others',
  rules: ['EVT-1', 'EVT-4'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const single: Choice[] = [];
    for (const category of CATEGORIES) single.push(await subscribed(t, [category]));
    const several: Choice[] = [];
    for (const chosen of [['transaction', 'account'] as const, CATEGORIES]) {
      several.push(await subscribed(t, chosen));
    }
    // What the API itself does: an event of one category, whichever it is, is of no other.
    const account = await triggerAccountEvent(t, t.mainRole);
    if (t.has('trading_account')) await t.given.transaction(await t.given.place());
    if (t.has('emit')) {
      await expectOwnCategories(t, [...single, ...several]);
    } else {
      const own = single.find(({ words }) => words === 'account')!;
      const first = await requireDelivery(t, own.hook, account);
      for (const { hook, words } of several) {
        const [other] = await deliveriesOf(t, hook, account);
        const expected = `${account.words} at a subscription to ${words}`;
        t.claim('EVT-4', expected, other !== undefined, 'it never came', first);
      }
      await flushDeliveries(t);
    }
    await expectDisjoint(t, single);
  },
};

async function expectOwnCategories(t: ScenarioContext, choices: readonly Choice[]): Promise<void> {
  const events: [Category, TriggeredEvent][] = [];
  for (const category of CATEGORIES) events.push([category, await triggerEvent(t, { category })]);
  for (const [category, event] of events) {
    for (const { hook, words } of choices.filter((each) => each.categories.includes(category))) {
      const [first] = await deliveriesOf(t, hook, event);
      const expected = `${event.words} at a subscription to ${words}`;
      t.claim('EVT-4', expected, first !== undefined, 'it never came', ...(first ? [first] : []));
    }
  }
  await flushDeliveries(t);
  for (const [category, event] of events) {
    for (const { hook, words } of choices.filter((each) => !each.categories.includes(category))) {
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

/** EVT-1: one event has one category, so no two subscriptions to single ones get it. */
async function expectDisjoint(t: ScenarioContext, single: readonly Choice[]): Promise<void> {
  const at = new Map<string, [category: string, RecordedDelivery][]>();
  for (const { words: category, hook } of single) {
    for (const delivered of await t.deliveriesAt(hook, 0, 0)) {
      const id = eventIdOf(envelopeIn(delivered));
      if (id !== undefined) at.set(id, [...(at.get(id) ?? []), [category, delivered]]);
    }
  }
  for (const [id, deliveries] of at) {
    const categories = [...new Set(deliveries.map(([category]) => category))];
    const words = `event ${id} at subscriptions to one category`;
    const truth = categories.length === 1;
    const shown = deliveries.map(([, delivered]) => delivered);
    t.claim('EVT-1', words, truth, `at those to ${categories.join(' and ')}`, ...shown);
  }
}

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
    const first = await triggerAccountEvent(t, t.mainRole);
    const crowd = await accountsAtOnce(t);
    await flushDeliveries(t);
    await expectNumbersApart(t, hook, before);
    const told = (await deliveriesOf(t, hook, first, 1, t.has('emit') ? 0 : deliveryTimeoutMs(t)))
      .length;
    if (told > 0) {
      await expectEach(t, hook, crowd, 'of accounts that were created at the same moment');
    } else if (!t.has('emit')) {
      // NS-11: that creating an account brings an event is nowhere said.
      return t.notTested(
        'EVT-4',
        'creating accounts brings no events here, so none can be awaited',
      );
    }
    if (t.has('emit')) await behindOneThatFails(t, hook);
  },
};

/** EVT-2a: whatever happens at the same moment, no two events have one number. */
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

async function accountsAtOnce(t: ScenarioContext): Promise<TriggeredEvent[]> {
  const bodies = Array.from({ length: await t.burstSize(CROWD) }, () => t.newAccount());
  const answers = await t.sendTogether(bodies.length, (i) => t.api.createAccount(bodies[i]!));
  return bodies
    .filter((_, index) => answers[index]!.status === 201)
    .map((body) => {
      const reference = String(body.client_reference_id);
      const id = answers[bodies.indexOf(body)]!.at('id');
      const text = new TextDecoder();
      return {
        words: `an event about the account ${id}`,
        isIn: (each) => {
          const said = text.decode(each.body);
          return said.includes(reference) || said.includes(`"${id}"`);
        },
      };
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

/** An event that fails at first, and those that come while it is waiting to be tried again. */
async function behindOneThatFails(t: ScenarioContext, hook: WebhookEndpoint): Promise<void> {
  let failing: TriggeredEvent | undefined;
  hook.answer((each) => ({ status: failing?.isIn(each) === false ? 200 : 500 }));
  failing = await triggerEvent(t);
  await requireDelivery(t, hook, failing);
  const behind: TriggeredEvent[] = [];
  while (behind.length < 4) behind.push(await triggerEvent(t));
  await flushDeliveries(t);
  // NS-28: where each goes its own way many wait only if all of them fail.
  hook.answer(() => ({ status: 500 }));
  while (behind.length < 16) behind.push(await triggerEvent(t));
  await flushDeliveries(t);
  hook.answer(() => ({ status: 200 }));
  if (t.has('clock')) await t.operator.advance(3_600_000);
  // EVT-8a: that the failed one is tried again is judged elsewhere, and the others may wait for it.
  if ((await deliveriesOf(t, hook, failing, 2, 500)).length < 2) return;
  await expectEach(t, hook, behind, 'behind one that failed at first');
}

/** A subscription, and whose events it is to hear. */
interface Listener {
  readonly role: Role;
  readonly words: string;
  readonly hears: readonly Role[];
  hook?: WebhookEndpoint;
}

const evtBrands: Scenario = {
  id: 'evt-brands',
  title: 'A brand’s subscription gets the events of that brand, a firm-wide one those of all',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'brand', 'other_brand'],
  lane: 'own_world',
  run: (t) =>
    judgeReach(t, [
      { role: 'firm', words: 'firm-wide', hears: ['brand', 'other_brand'] },
      { role: 'brand', words: 'bound to a brand', hears: ['brand'] },
      { role: 'other_brand', words: 'bound to another brand', hears: ['other_brand'] },
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
      { role: 'firm', words: 'firm-wide', hears: ['firm'] },
      { role: 'other_firm', words: 'of another firm', hears: ['other_firm'] },
    ]),
};

async function judgeReach(t: ScenarioContext, listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) {
    listener.hook = await t.receiver();
    const { answer } = await t.given.webhook(listener.hook, [...CATEGORIES], listener.role);
    if (listener.role !== 'other_firm') expectBound(answer, listener.role !== 'firm');
  }
  const origins = [...new Set(listeners.flatMap(({ hears }) => hears))];
  const events: { origin: Role; event: TriggeredEvent; sure: boolean }[] = [];
  for (const origin of origins) {
    events.push({ origin, event: await triggerAccountEvent(t, origin), sure: false });
    if (t.has('emit'))
      events.push({ origin, event: await triggerEvent(t, { role: origin }), sure: true });
  }
  for (const { origin, event, sure } of events) await judgeOne(t, listeners, origin, event, sure);
}

async function judgeOne(
  t: ScenarioContext,
  listeners: readonly Listener[],
  origin: Role,
  event: TriggeredEvent,
  sure: boolean,
): Promise<void> {
  const heardBy = async (some: readonly Listener[], withinMs: number) => {
    const isIn = (hook: WebhookEndpoint) => hook.deliveries.some((each) => event.isIn(each));
    await t.until(() => some.some(({ hook }) => isIn(hook!)), withinMs);
    return some.filter(({ hook }) => isIn(hook!));
  };
  const somewhere = await heardBy(listeners, sure || !t.has('emit') ? deliveryTimeoutMs(t) : 250);
  // NS-11: what nobody was told of may be no event.
  if (somewhere.length === 0) return;
  await flushDeliveries(t);
  for (const listener of listeners.filter(({ hears }) => hears.includes(origin))) {
    const heard = (await heardBy([listener], 1_000)).length > 0;
    const words = `${event.words} of ${origin} at a subscription that is ${listener.words}`;
    t.claim('EVT-12', words, heard, 'it never came');
  }
  for (const { hears, hook, words } of listeners) {
    if (!hears.includes(origin)) await expectNone(t, 'EVT-12', hook!, event, words);
  }
}

export const eventScenarios: readonly Scenario[] = [evtCategories, evtEvery, evtBrands, evtFirms];
