// EVT: which events reach which subscription: by category, by brand and by firm.

import type { Role } from '../../engine/capabilities.ts';
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { expectBound } from '../support/subscription-assertions.ts';
import { envelopeIn, eventIdOf } from './envelopes.ts';
import { evtEvery } from './every-event.ts';
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
  // Which brand a subscription is bound to is judged apart.
  presumes: { 'EVT-12': ['HOOK-10'] },
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
