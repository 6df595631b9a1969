// EVT-4: the events that the operations of the API cause. Which operation causes which event is open
// (NS-11); that each event is delivered is not.
import { isDeepStrictEqual } from 'node:util';
import { validCall } from '../../cases/calls.ts';
import type { RecordedDelivery } from '../../engine/record/exchange-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { MissingCapability } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { CATEGORIES, type Category } from '../../spec/literals.ts';
import { OPERATIONS, type WriteName } from '../../spec/operations.ts';
import { type Bodied, type Envelope, envelopeIn, eventIdOf } from './envelopes.ts';
import { deliveryTimeoutMs, flushDeliveries, type Listener, subscribe } from './events.ts';
import { isSignedWith } from './signatures.ts';

/** Operations, and by category what the simulator calls the event that each causes. */
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

const evtKinds: Scenario = {
  id: 'evt-kinds',
  title: 'Each event that the operations bring arrives at each of two subscriptions to one URL',
  rules: ['EVT-4'],
  observes: ['NS-11'],
  needs: ['receiver', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    const listener = await subscribe(t);
    // A second subscription to one URL may be refused; if it is not, it gets every event too.
    const event_categories = [...CATEGORIES];
    const twin = await t.call('createWebhook', {
      body: { url: listener.hook.url, event_categories },
    });
    await observeKinds(t, place);
    // Two events to tell apart, even if the operations cause none.
    if (t.has('emit')) for (const _ of [1, 2]) await listener.deliver();
    const secret = twin.status < 300 ? twin.at('secret') : undefined;
    if (typeof secret === 'string') await expectTwin(t, listener, secret);
  },
};

const idsOf = (all: readonly Bodied[]) => new Set(all.map((each) => eventIdOf(envelopeIn(each))));

/** NS-11: by one subscription to each category. A kind is left out where several events come. */
async function observeKinds(t: ScenarioContext, place: Place): Promise<void> {
  const listeners: [Category, Listener][] = [];
  for (const category of CATEGORIES) listeners.push([category, await subscribe(t, [category])]);
  const seen: string[] = [];
  const kinds: Record<string, string | null | undefined> = {};
  const cause = async (
    words: string,
    named: { readonly [C in Category]?: string },
    run: () => Promise<unknown>,
  ) => {
    const before = listeners.map(([, { count }]) => count);
    await run();
    await flushDeliveries(t);
    // On a busy machine a delivery may still be on its way, which would read as no event.
    const isQuiet = async () => (await t.operator.deliveriesInFlight()) === 0;
    if (t.has('clock')) await t.until(isQuiet, deliveryTimeoutMs(t));
    const brought: string[] = [];
    for (const [at, [category, listener]] of listeners.entries()) {
      const own = kindsIn(await listener.arrived(before[at]));
      brought.push(...own);
      const name = named[category];
      if (name === undefined) continue;
      const isAmbiguous = own.length > 1 || (name in kinds && kinds[name] !== (own[0] ?? null));
      kinds[name] = isAmbiguous ? undefined : (own[0] ?? null);
    }
    seen.push(`${words}: ${brought.join(', ') || 'no event'}`);
  };
  for (const [operation, named] of CAUSES) {
    // What it acts on is made first, so that it causes only its own events.
    const call = await validCall(t, operation, place).catch(unlessMissing);
    if (call === undefined) continue;
    await flushDeliveries(t);
    await cause(OPERATIONS[operation].words, named, () => t.call(call));
    if (operation !== 'approveTransaction' || !t.has('settle')) continue;
    const settling = { transaction: 'transaction.settled' };
    await cause('its settling', settling, () => t.operator.settle(call.transaction!.id));
    // If settling causes several events, one of its category does not name the approval.
    if (kinds['transaction.settled'] === undefined) delete kinds['transaction.approved'];
  }
  const known = Object.entries(kinds).filter(([, name]) => name !== undefined);
  t.observe('NS-11', seen.join('; '), { event_kinds: Object.fromEntries(known) });
}

/** NS-1: where no order is known, positions are left out. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof MissingCapability)) throw error;
}

/** Members in which services name the kind of an event. */
const KIND_NAMES = ['kind', 'type', 'event', 'event_type', 'name'];

/** One for each event; a repeat is not another event. */
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
  const counts = signed().map(({ size }) => size);
  // EVT-6 judges how they are signed.
  if (counts.every((count) => count === 0)) return;
  const words = 'every event for each of two subscriptions to one url';
  const all = await listener.arrived();
  t.claim('EVT-4', words, isSame(), `${counts.join(' and ')} events`, ...all);
}

export const eventKindScenarios: readonly Scenario[] = [evtKinds];
