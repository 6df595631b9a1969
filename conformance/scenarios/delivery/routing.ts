// EVT-1, EVT-4, EVT-12: each event, including those of each operation, is delivered to the matching
// subscriptions and to no others. Which operation triggers which event is open (NS-11).

import { isDeepStrictEqual } from 'node:util';
import { validCall } from '../../cases/calls.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { RecordedDelivery } from '../../engine/record/exchange-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Inconclusive, MissingCapability } from '../../engine/scenario-errors.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { CATEGORIES, type Category, HOUR_MS } from '../../spec/literals.ts';
import { OPERATIONS, type WriteName } from '../../spec/operations.ts';
import { inTurn } from '../support/in-turn.ts';
import {
  type Bodied,
  type Envelope,
  envelopeIn,
  eventIdOf,
  isSignedWith,
  sequenceAt,
  sequenceNames,
} from './deliveries.ts';
import {
  deliversLate,
  deliveryTimeoutMs,
  eventAbout,
  flushDeliveries,
  type Listener,
  MINUTE_MS,
  noteLate,
  subscribe,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
  untilArrived,
} from './events.ts';

/** A listener, with the categories or credentials whose events it gets. */
interface Route<Source> {
  readonly words: string;
  readonly hears: readonly Source[];
  readonly listener: Listener;
}

/** Each event arrives at the listeners for its source, by one rule, and at no other, by the other. */
async function expectRouted<Source>(
  t: ScenarioContext,
  [arrives, strays]: readonly [RuleId, RuleId],
  routes: readonly Route<Source>[],
  events: readonly (readonly [Source, TriggeredEvent])[],
): Promise<void> {
  for (const [source, event] of events) {
    const at = (some: typeof routes) => some.filter(({ listener }) => listener.has(event));
    const wanted = routes.filter(({ hears }) => hears.includes(source));
    // NS-11: if no subscription received it, it may not be an event.
    const isSure = event.envelope !== undefined;
    const withinMs = isSure || !t.has('emit') ? deliveryTimeoutMs(t) : 250;
    await untilArrived(t, () => at(routes).length > 0, withinMs);
    if (at(routes).length === 0 && !isSure) continue;
    await untilArrived(t, () => at(wanted).length === wanted.length, 1_000);
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
}

export const evtCategories: Story = {
  title: 'A subscription gets the events of its categories and no others',
  rules: ['EVT-1', 'EVT-4'],
  needs: ['receiver'],
  async run(t) {
    const singles: Category[][] = CATEGORIES.map((each) => [each]);
    const heard = [...singles, ['transaction', 'account'] as const, CATEGORIES];
    const routes: Route<Category>[] = await inTurn(heard, async (hears) => {
      return { hears, words: `one to ${hears.join(' and ')}`, listener: await subscribe(t, hears) };
    });
    const account = await triggerAccountEvent(t);
    if (t.has('trading_account')) await t.given.transaction(await t.given.place());
    const sources = t.has('emit') ? CATEGORIES : (['account'] as const);
    const events = await inTurn(sources, async (category) => {
      const event = t.has('emit') ? await triggerEvent(t, { category }) : account;
      return [category, event] as const;
    });
    await expectRouted(t, ['EVT-4', 'EVT-1'], routes, events);
    if (routes.every(({ listener }) => listener.count === 0)) {
      throw new Inconclusive('no event came at all');
    }
    await expectDisjoint(t, routes.slice(0, singles.length));
  },
};

/** EVT-1: an event has exactly one category, so no two subscriptions to single categories get it. */
async function expectDisjoint(t: ScenarioContext, routes: readonly Route<Category>[]) {
  const arrivals = new Map<string, (readonly [words: string, RecordedDelivery])[]>();
  for (const { words, listener } of routes) {
    for (const delivered of await listener.arrived()) {
      const id = eventIdOf(envelopeIn(delivered));
      if (id === undefined) continue;
      arrivals.set(id, [...(arrivals.get(id) ?? []), [words, delivered]]);
    }
  }
  for (const [id, all] of arrivals) {
    const at = [...new Set(all.map(([words]) => words))];
    const words = `event ${id} at subscriptions to one category`;
    t.claim('EVT-1', words, at.length === 1, at.join(', '), ...all.map(([, each]) => each));
  }
}

/** The role that owns a subscription, and the roles whose events it gets. */
type Audience = readonly [role: Role, words: string, ...hears: Role[]];

const BRANDS: readonly Audience[] = [
  ['firm', 'firm-wide', 'brand', 'other_brand'],
  ['brand', 'bound to a brand', 'brand'],
  ['other_brand', 'bound to another brand', 'other_brand'],
];

export const evtBrands: Story = {
  title: 'A brand’s subscription gets the events of that brand, a firm-wide one those of all',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'brand', 'other_brand'],
  run: (t) => expectReach(t, BRANDS),
};

const FIRMS: readonly Audience[] = [
  ['firm', 'firm-wide', 'firm'],
  ['other_firm', 'of another firm', 'other_firm'],
];

export const evtFirms: Story = {
  title: 'No subscription gets the events of another firm',
  rules: ['EVT-12'],
  needs: ['receiver', 'firm', 'other_firm'],
  run: (t) => expectReach(t, FIRMS),
};

async function expectReach(t: ScenarioContext, audiences: readonly Audience[]): Promise<void> {
  const routes = await inTurn(audiences, async ([role, words, ...hears]) => {
    return { words, hears, listener: await subscribe(t, CATEGORIES, role) };
  });
  const events: [Role, TriggeredEvent][] = [];
  for (const role of new Set(audiences.flatMap(([, , ...hears]) => hears))) {
    events.push([role, await triggerAccountEvent(t, role)]);
    for (const category of t.has('emit') ? (['account', 'transaction'] as const) : []) {
      events.push([role, await triggerEvent(t, { role, category })]);
    }
  }
  await expectRouted(t, ['EVT-12', 'EVT-12'], routes, events);
}

const CROWD = 8;

export const evtEvery: Story = {
  title: 'Every event arrives, of those that happen at once and of those behind one that fails',
  rules: ['EVT-2a', 'EVT-4'],
  needs: ['receiver'],
  async run(t) {
    const listener = await subscribe(t, ['account']);
    const before = [await triggerEvent(t), await triggerEvent(t)];
    const first = await triggerAccountEvent(t);
    const crowd = await createAtOnce(t);
    await flushDeliveries(t);
    await expectNumbersApart(t, listener, before);
    // NS-11: creating an account need not trigger an event.
    const withinMs = t.has('emit') ? 0 : deliveryTimeoutMs(t);
    if ((await listener.of(first, 1, withinMs)).length > 0) {
      await expectEach(t, listener, crowd, 'of accounts that were created at the same moment');
    } else if (!t.has('emit')) {
      return t.notTested('EVT-4', 'creating accounts brings no events here to wait for');
    }
    if (t.has('emit')) await expectThoseBehind(t, listener);
  },
};

/** EVT-2a: no two events have the same number, even if they happen concurrently. */
async function expectNumbersApart(
  t: ScenarioContext,
  listener: Listener,
  known: readonly TriggeredEvent[],
): Promise<void> {
  const firsts = await inTurn(known, (event) => listener.first(event));
  const [name] = sequenceNames(firsts.map((each) => envelopeIn(each) ?? {}));
  if (name === undefined) return t.notTested('EVT-2a', 'no number grows from event to event');
  const eventsAt = new Map<number, Set<string>>();
  for (const each of listener.hook.deliveries) {
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
  const answers = await t.sendTogether(bodies.length, (i) =>
    t.call('createAccount', { body: bodies[i]! }),
  );
  return answers.flatMap((answer, index) => {
    if (answer.status !== 201) return [];
    const { client_reference_id: reference, email } = bodies[index]!;
    const id = String(answer.at('id'));
    return [eventAbout({ id, reference: String(reference), email: String(email) })];
  });
}

async function expectEach(
  t: ScenarioContext,
  listener: Listener,
  events: readonly TriggeredEvent[],
  which: string,
): Promise<void> {
  const missing = () => events.filter((each) => !listener.has(each));
  await untilArrived(t, () => missing().length === 0, deliveryTimeoutMs(t));
  const seen = `none of ${missing().map(({ words }) => words)}`;
  t.claim('EVT-4', `${events.length} events ${which}`, missing().length === 0, seen);
}

/** Events that are triggered while an earlier one waits for its retry. */
async function expectThoseBehind(t: ScenarioContext, listener: Listener): Promise<void> {
  const failing = await listener.fail();
  const behind = await inTurn(Array(12), () => triggerEvent(t));
  await flushDeliveries(t);
  listener.answers(200);
  if (t.has('clock')) await t.operator.advance(HOUR_MS);
  // EVT-8a judges whether the failed one is retried; later events may wait for it.
  if ((await listener.of(failing, 2, 500)).length < 2) return;
  await expectEach(t, listener, behind, 'behind one that failed at first');
}

/** Operations, with the simulator's name for the event that each triggers, by category. */
const CAUSES: readonly (readonly [WriteName, { readonly [C in Category]?: string }])[] = [
  ['createAccount', { account: 'account.created' }],
  ['updateAccount', { account: 'account.updated' }],
  ['createTransaction', { transaction: 'transaction.created' }],
  ['rejectTransaction', { transaction: 'transaction.rejected' }],
  ['cancelTransaction', { transaction: 'transaction.cancelled' }],
  ['approveTransaction', { transaction: 'transaction.approved' }],
  ['openPosition', { position: 'position.opened', order: 'order.filled' }],
  ['closePosition', { position: 'position.closed', order: 'order.filled' }],
];

export const evtKinds: Story = {
  title: 'Each event that the operations bring arrives at each of two subscriptions to one URL',
  rules: ['EVT-4'],
  observes: ['NS-11'],
  needs: ['receiver', 'trading_account'],
  async run(t) {
    const place = await t.given.place();
    const listener = await subscribe(t);
    // A second subscription to one URL may be refused; if it is not, it gets every event too.
    const event_categories = [...CATEGORIES];
    const { url } = listener.hook;
    const twin = await t.call('createWebhook', { body: { url, event_categories } });
    // Two distinguishable events, even if the operations trigger none.
    if (t.has('emit')) for (const _ of [1, 2]) await listener.deliver();
    // Late events cannot be attributed to the operations.
    if (!deliversLate(t.run.learned)) await observeKinds(t, place);
    if (twin.isServed) await expectTwin(t, listener, t.pick(twin, 'secret'));
    else t.claim('EVT-4', 'events at the only subscription to the url', listener.count > 0, 'none');
  },
};

const idsOf = (all: readonly Bodied[]) => new Set(all.map((each) => eventIdOf(envelopeIn(each))));

/**
 * NS-11: one subscription for each category. A kind is omitted if several events arrive, and a
 * whole category if an operation of another category triggers its events too.
 */
async function observeKinds(t: ScenarioContext, place: Place): Promise<void> {
  const listeners = await inTurn(CATEGORIES, async (category) => {
    return [category, await subscribe(t, [category])] as const;
  });
  const seen: string[] = [];
  const kinds: Record<string, string | null | undefined> = {};
  const mixed = new Set<string>();
  const cause = async (
    words: string,
    named: { readonly [C in Category]?: string },
    run: () => Promise<unknown>,
  ) => {
    const before = listeners.map(([, { count }]) => count);
    await run();
    await untilAnswered(t);
    const isSilent = () =>
      listeners.some(([each, { count }], at) => each in named && count === before[at]);
    if (await comesLate(t, isSilent)) noteLate(t);
    const brought: string[] = [];
    for (const [at, [category, listener]] of listeners.entries()) {
      const own = kindsIn(await listener.arrived(before[at]));
      brought.push(...own);
      const name = named[category];
      if (name === undefined && own.length > 0) mixed.add(category);
      if (name === undefined) continue;
      const isAmbiguous = own.length > 1 || (name in kinds && kinds[name] !== (own[0] ?? null));
      kinds[name] = isAmbiguous ? undefined : (own[0] ?? null);
    }
    seen.push(`${words}: ${brought.join(', ') || 'no event'}`);
  };
  for (const [operation, named] of CAUSES) {
    // Its records are created first, so that it triggers only its own events.
    // NS-1: positions are omitted if no order payload is known.
    const call = await validCall(t, operation, place).catch((error: unknown) => {
      if (!(error instanceof MissingCapability)) throw error;
    });
    if (call === undefined) continue;
    await flushDeliveries(t);
    await cause(OPERATIONS[operation].words, named, () => t.call(call));
    if (operation !== 'approveTransaction' || !t.has('settle')) continue;
    const settling = { transaction: 'transaction.settled' };
    await cause('its settling', settling, () => t.operator.settle(call.transaction!.id));
    // If settling triggers several events, the category does not identify the approval.
    if (kinds['transaction.settled'] === undefined) delete kinds['transaction.approved'];
  }
  // If no operation has an event in time, its events may come later.
  const named = Object.entries(kinds).filter(([kind]) => kind !== 'transaction.settled');
  if (named.every(([, name]) => name == null)) noteLate(t);
  if (deliversLate(t.run.learned)) return;
  const known = Object.entries(kinds).filter(
    ([kind, name]) => name !== undefined && !mixed.has(kind.split('.')[0]!),
  );
  t.observe('NS-11', seen.join('; '), { event_kinds: Object.fromEntries(known) });
}

/** On a busy machine a delivery may still be in flight, which would look like no event. */
async function untilAnswered(t: ScenarioContext): Promise<void> {
  await flushDeliveries(t);
  const isQuiet = async () => (await t.operator.deliveriesInFlight()) === 0;
  if (t.has('clock')) await t.until(isQuiet, deliveryTimeoutMs(t));
}

const LATE_EVENT_MS = 600;

/** Whether an event follows its operation a little later, by the wall clock. */
async function comesLate(t: ScenarioContext, isSilent: () => boolean): Promise<boolean> {
  if (!t.has('clock') || !isSilent()) return false;
  await t.until(() => !isSilent(), LATE_EVENT_MS);
  if (isSilent()) await untilAnswered(t);
  return !isSilent();
}

/** Members in which services put the kind of an event. */
const KIND_NAMES = ['kind', 'type', 'event', 'event_type', 'name'];

/** One kind for each event; a repeat is not another event. */
function kindsIn(deliveries: readonly RecordedDelivery[]): string[] {
  const events = new Map<string | undefined, string>();
  for (const delivered of deliveries) {
    const envelope: Envelope = envelopeIn(delivered) ?? {};
    const kind = KIND_NAMES.map((name) => envelope[name]).find((each) => typeof each === 'string');
    events.set(eventIdOf(envelope), typeof kind === 'string' ? kind : 'an unnamed kind');
  }
  return [...events.values()];
}

/** EVT-4: two subscriptions to one URL differ in the secret that signs. */
async function expectTwin(t: ScenarioContext, listener: Listener, secret: string): Promise<void> {
  const signed = () =>
    [listener.given.secret, secret].map((each) =>
      idsOf(listener.hook.deliveries.filter((arrival) => isSignedWith(each, arrival))),
    );
  const isSame = () => isDeepStrictEqual(signed()[0], signed()[1]);
  await t.until(isSame, deliveryTimeoutMs(t));
  // EVT-8a: an attempt that a busy machine answered too late is repeated after 30 seconds.
  if (!isSame() && t.has('clock')) {
    await t.operator.advance(MINUTE_MS);
    await t.until(isSame, deliveryTimeoutMs(t));
  }
  const counts = signed().map(({ size }) => size);
  // EVT-6 judges how they are signed.
  if (counts.every((count) => count === 0)) return;
  const words = 'every event for each of two subscriptions to one url';
  const all = await listener.arrived();
  t.claim('EVT-4', words, isSame(), `${counts.join(' and ')} events`, ...all);
}
