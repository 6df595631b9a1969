// EVT-1, EVT-4, EVT-12: each event arrives where it was subscribed to, and nowhere else.
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Inconclusive } from '../../engine/scenario-errors.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { CATEGORIES, type Category } from '../../spec/literals.ts';
import {
  deliveryTimeoutMs,
  flushDeliveries,
  type Listener,
  subscribe,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
} from './events.ts';

/** A listener with the sources whose events it gets: categories, or credentials. */
interface Route<Source> {
  readonly words: string;
  readonly hears: readonly Source[];
  readonly listener: Listener;
}

/** Each event arrives at the listeners that hear its source, and at no other. */
async function expectRouted<Source>(
  t: ScenarioContext,
  { arrives, strays }: { readonly arrives: RuleId; readonly strays: RuleId },
  routes: readonly Route<Source>[],
  events: readonly (readonly [Source, TriggeredEvent])[],
): Promise<void> {
  for (const [source, event] of events) {
    const at = (some: typeof routes) => some.filter(({ listener }) => listener.has(event));
    const wanted = routes.filter(({ hears }) => hears.includes(source));
    // NS-11: what was delivered to no one may not be an event.
    const isSure = event.envelope !== undefined;
    const withinMs = isSure || !t.has('emit') ? deliveryTimeoutMs(t) : 250;
    await t.until(() => at(routes).length > 0, withinMs);
    if (at(routes).length === 0 && !isSure) continue;
    await t.until(() => at(wanted).length === wanted.length, 1_000);
    await flushDeliveries(t);
    for (const { words, hears, listener } of routes) {
      const all = await listener.of(event, 1, 0);
      const where = `at a subscription that is ${words}`;
      if (hears.includes(source)) {
        const first = all.slice(0, 1);
        t.claim(arrives, `${event.words} ${where}`, all.length > 0, 'it never came', ...first);
      } else {
        t.claim(strays, `${event.words} not ${where}`, all.length === 0, 'delivered to it', ...all);
      }
    }
  }
  if (routes.every(({ listener }) => listener.count === 0)) {
    throw new Inconclusive('no event came at all');
  }
}

const evtCategories: Scenario = {
  id: 'evt-categories',
  title: 'A subscription gets the events of its categories and no others',
  rules: ['EVT-1', 'EVT-4'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const routes: Route<Category>[] = [];
    const singles: Category[][] = CATEGORIES.map((each) => [each]);
    for (const hears of [...singles, ['transaction', 'account'] as const, CATEGORIES]) {
      const listener = await subscribe(t, hears);
      routes.push({ hears, words: `one to ${hears.join(' and ')}`, listener });
    }
    const events: [Category, TriggeredEvent][] = [];
    for (const category of t.has('emit') ? CATEGORIES : (['account'] as const)) {
      events.push([category, await triggerEvent(t, { category })]);
    }
    await expectRouted(t, { arrives: 'EVT-4', strays: 'EVT-1' }, routes, events);
  },
};

/** Whose subscription it is, and whose events it gets. */
type Audience = readonly [role: Role, words: string, ...hears: Role[]];

const evtBrands: Scenario = {
  id: 'evt-brands',
  title: 'A brand’s subscription gets the events of that brand, a firm-wide one those of all',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'brand', 'other_brand'],
  lane: 'own_world',
  run: (t) =>
    expectReach(t, [
      ['firm', 'firm-wide', 'brand', 'other_brand'],
      ['brand', 'bound to a brand', 'brand'],
      ['other_brand', 'bound to another brand', 'other_brand'],
    ]),
};

const evtFirms: Scenario = {
  id: 'evt-firms',
  title: 'No subscription gets the events of another firm',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'other_firm'],
  lane: 'own_world',
  run: (t) =>
    expectReach(t, [
      ['firm', 'firm-wide', 'firm'],
      ['other_firm', 'of another firm', 'other_firm'],
    ]),
};

async function expectReach(t: ScenarioContext, audiences: readonly Audience[]): Promise<void> {
  const routes: Route<Role>[] = [];
  for (const [role, words, ...hears] of audiences) {
    routes.push({ words, hears, listener: await subscribe(t, CATEGORIES, role) });
  }
  const events: [Role, TriggeredEvent][] = [];
  for (const role of new Set(audiences.flatMap(([, , ...hears]) => hears))) {
    events.push([role, await triggerAccountEvent(t, role)]);
    if (t.has('emit')) events.push([role, await triggerEvent(t, { role })]);
  }
  await expectRouted(t, { arrives: 'EVT-12', strays: 'EVT-12' }, routes, events);
}

export const eventScenarios: readonly Scenario[] = [evtCategories, evtBrands, evtFirms];
