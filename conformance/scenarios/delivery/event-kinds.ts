// EVT-2a, EVT-4: the events that the operations of the API cause. Which operation causes which event
// is open (NS-11); that each event is delivered, and is one of its own, is not.

import { isDeepStrictEqual } from 'node:util';
import { type Call, sendCall, validCall, type WriteCall } from '../../cases/calls.ts';
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { UnknownPayload } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { CATEGORIES } from '../../spec/event-categories.ts';
import { OPERATIONS, type WriteName } from '../../spec/operations.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { type Envelope, envelopeIn, eventIdOf, numberNames, sequenceAt } from './envelopes.ts';
import { arrivedAt, deliverEvent, deliveryTimeoutMs, flushDeliveries } from './events.ts';
import { isSignedWith } from './signatures.ts';

/** Operations, and what the simulator calls the event that each causes. */
const CAUSES: readonly (readonly [WriteName, kind: string])[] = [
  ['createAccount', 'account.created'],
  ['updateAccount', 'account.updated'],
  ['createTransaction', 'transaction.created'],
  ['rejectTransaction', 'transaction.rejected'],
  ['cancelTransaction', 'transaction.cancelled'],
  ['approveTransaction', 'transaction.approved'],
];

const evtKinds: Scenario = {
  id: 'evt-kinds',
  title: 'Each event that the operations bring has an id of its own and a later number',
  rules: ['EVT-2a', 'EVT-4'],
  observes: ['NS-11'],
  needs: ['receiver', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    // What the operations act on is made first, so that each causes only its own events.
    const calls: [WriteCall, string][] = [];
    for (const [operation, kind] of CAUSES) {
      calls.push([await validCall(t, operation, place), kind]);
    }
    const [hook, beside] = [await t.receiver(), await t.receiver()];
    const first = await t.given.webhook(hook);
    await t.given.webhook(beside);
    // A second subscription to one URL may be refused; if it is not, it gets every event too.
    const event_categories = [...CATEGORIES];
    const twin = await t.api.createWebhook({ url: hook.url, event_categories });
    await observeKinds(t, hook, calls, place);
    // Two events to tell apart, even if the operations cause none.
    if (t.has('emit')) for (const _ of [1, 2]) await deliverEvent(t, hook);
    const deliveries = await arrivedAt(t, hook);
    expectApart(t, deliveries);
    await expectSameAt(t, deliveries, beside);
    const own = twin.status < 300 ? twin.at('secret') : undefined;
    if (typeof own === 'string') await expectTwin(t, hook, first.secret, own);
    if (t.has('emit')) await expectLogDelivered(t, deliveries);
  },
};

/** Names of the target's events; null where it has none. */
type Kinds = Record<string, string | null>;

async function observeKinds(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  calls: readonly (readonly [WriteCall, string])[],
  place: Place,
): Promise<void> {
  const seen: string[] = [];
  const kinds: Kinds = {};
  const cause = async (words: string, kind: string, run: () => Promise<unknown>) => {
    const [brought = []] = await kindsDuring(t, [hook], run);
    seen.push(`${words}: ${brought.join(', ') || 'no event'}`);
    if (brought.length <= 1) kinds[kind] = brought[0] ?? null;
    // If settling causes several events, one of its category does not name the approval.
    else if (kind === 'transaction.settled') delete kinds['transaction.approved'];
  };
  for (const [call, kind] of calls) {
    await cause(OPERATIONS[call.operation].words, kind, () => sendCall(t, call as Call));
  }
  const approved = calls.find(([{ operation }]) => operation === 'approveTransaction')?.[0];
  if (t.has('settle') && approved !== undefined) {
    await cause('its settling', 'transaction.settled', () => t.operator.settle(approved.id!));
  }
  Object.assign(kinds, await orderKinds(t, place, seen));
  t.observe('NS-11', seen.join('; '), { event_kinds: kinds });
}

/** The kinds of the events that arrive at each hook while something is done. */
async function kindsDuring(
  t: ScenarioContext,
  hooks: readonly WebhookEndpoint[],
  run: () => Promise<unknown>,
): Promise<string[][]> {
  const before = hooks.map(({ deliveries }) => deliveries.length);
  await run();
  await flushDeliveries(t);
  // On a busy machine a delivery may still be on its way, which would read as no event.
  const isQuiet = async () => (await t.operator.deliveriesInFlight()) === 0;
  if (t.has('clock')) await t.until(isQuiet, deliveryTimeoutMs(t));
  const all = hooks.map(async (hook, at) => kindsIn(await arrivedAt(t, hook, before[at])));
  return Promise.all(all);
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

/** NS-1: by one subscription to each category. Kinds are left out where an order causes several. */
async function orderKinds(t: ScenarioContext, place: Place, seen: string[]): Promise<Kinds> {
  const [positions, orders] = [await t.receiver(), await t.receiver()];
  await t.given.webhook(positions, ['position']);
  await t.given.webhook(orders, ['order']);
  const during = async (words: string, run: () => Promise<unknown>) => {
    const [position = [], order = []] = await kindsDuring(t, [positions, orders], run);
    seen.push(`${words}: ${[...position, ...order].join(', ') || 'no event'}`);
    return { position, order };
  };
  try {
    let opened: Awaited<ReturnType<typeof openPosition>> | undefined;
    const opening = await during('opening a position', async () => {
      opened = await openPosition(t, place);
    });
    const closing = await during('closing it', async () => opened && closePosition(t, opened));
    const isAlike = opening.order.join() === closing.order.join();
    const found: [string, string[] | undefined][] = [
      ['position.opened', opening.position],
      ['position.closed', closing.position],
      ['order.filled', isAlike ? opening.order : undefined],
    ];
    const named = found.filter(([, names]) => names !== undefined && names.length <= 1);
    return Object.fromEntries(named.map(([kind, names]) => [kind, names![0] ?? null]));
  } catch (error) {
    if (error instanceof UnknownPayload) return {};
    throw error;
  }
}

/** EVT-2a: in some member, each id has one number and each number one id, repeats included. */
function expectApart(t: ScenarioContext, deliveries: readonly RecordedDelivery[]): void {
  const envelopes = deliveries.map((each) => envelopeIn(each));
  const isWhole = (all: typeof envelopes): all is Envelope[] => !all.includes(undefined);
  // EVT-3 judges whether a body is an envelope.
  if (!isWhole(envelopes) || envelopes.length < 2) {
    t.notTested('EVT-2a', 'fewer than two events came as JSON objects');
    return;
  }
  const countOf = (values: readonly unknown[]) => new Set(values).size;
  const names = numberNames(envelopes[0]!).filter((name) => {
    const numbers = envelopes.map((each) => sequenceAt(each, name));
    const pairs = envelopes.map((each, at) => `${eventIdOf(each)} ${numbers[at]}`);
    const counts = [envelopes.map(eventIdOf), numbers, pairs].map(countOf);
    return !numbers.includes(undefined) && new Set(counts).size === 1;
  });
  const ids = envelopes.map(({ id }) => JSON.stringify(id)).join(', ');
  const actual = `ids ${ids}; members ${Object.keys(envelopes[0]!).join(', ')}`;
  const words = 'for each event one id, and in one member a number that no other event has';
  t.claim('EVT-2a', words, names.length > 0, actual, ...deliveries);
}

const idsOf = (all: readonly { readonly body: Uint8Array }[]) =>
  new Set(all.map((each) => eventIdOf(envelopeIn(each))));

/** EVT-4: an event that arrived at one subscription arrives at an equal one too. */
async function expectSameAt(
  t: ScenarioContext,
  deliveries: readonly RecordedDelivery[],
  beside: WebhookEndpoint,
): Promise<void> {
  const missing = () => {
    const came = idsOf(beside.deliveries);
    return [...idsOf(deliveries)].filter((id) => !came.has(id));
  };
  await t.until(() => missing().length === 0, deliveryTimeoutMs(t));
  const words = 'every event at both of two subscriptions to everything';
  const actual = `not at the second: ${missing().join(', ')}`;
  t.claim('EVT-4', words, missing().length === 0, actual, ...deliveries);
}

/** EVT-4: two subscriptions to one URL differ in the secret that signs. */
async function expectTwin(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  ...secrets: readonly string[]
): Promise<void> {
  const signed = () =>
    secrets.map((secret) => idsOf(hook.deliveries.filter((each) => isSignedWith(secret, each))));
  const isSame = () => isDeepStrictEqual(signed()[0], signed()[1]);
  await t.until(isSame, deliveryTimeoutMs(t));
  const counts = signed().map(({ size }) => size);
  // EVT-6 judges how they are signed.
  if (counts.every((count) => count === 0)) return;
  const words = 'every event for each of two subscriptions to one url';
  const all = await arrivedAt(t, hook);
  t.claim('EVT-4', words, isSame(), `${counts.join(' and ')} events`, ...all);
}

/** EVT-4: every event in the platform's own log, from the first that was delivered, arrived. */
async function expectLogDelivered(
  t: ScenarioContext,
  deliveries: readonly RecordedDelivery[],
): Promise<void> {
  const first = (deliveries[0] && envelopeIn(deliveries[0])) ?? {};
  // Events begin after 0, the last number of a new subscription (HOOK-2).
  const numbers = numberNames(first)
    .flatMap((name) => sequenceAt(first, name) ?? [])
    .filter((number) => number > 0);
  const found = await Promise.all(numbers.map((number) => t.operator.events(number - 1)));
  // The member whose number leads to the event itself is the sequence number.
  const log = found.find((events) => eventIdOf(events[0]) === eventIdOf(first));
  if (log === undefined) {
    return t.notTested('EVT-4', 'the log of events does not begin with what was delivered first');
  }
  const came = idsOf(deliveries);
  const missing = log.filter((each) => !came.has(eventIdOf(each)));
  const words = `all ${log.length} events of the log delivered`;
  const actual = `not delivered: ${missing.map((each) => JSON.stringify(each)).join(', ')}`;
  t.claim('EVT-4', words, missing.length === 0, actual, ...deliveries);
}

export const eventKindScenarios: readonly Scenario[] = [evtKinds];
