// EVT: what the operations of the API tell of themselves. Which of them brings which event is open
// (NS-11); that each event is one of its own is not.
import { isDeepStrictEqual } from 'node:util';
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { arrived, kindsIn } from './brought-events.ts';
import { type Envelope, envelopeIn, eventIdOf, numberNames, sequenceAt } from './envelopes.ts';
import { orderEventsOf } from './order-events.ts';
import { isSignedWith } from './signatures.ts';
import {
  deliveryTimeoutMs,
  flushDeliveries,
  requireDelivery,
  triggerEvent,
} from './trigger-event.ts';

/** An operation, and what the simulator calls the event it brings. */
interface EventCommand {
  readonly words: string;
  readonly kind: string;
  run(): Promise<unknown>;
}

const evtKinds: Scenario = {
  id: 'evt-kinds',
  title: 'Each event that the operations bring has an id of its own and a later number',
  rules: ['EVT-2a', 'EVT-4'],
  observes: ['NS-11'],
  needs: ['receiver', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    const commands = await eventCommandsOf(t, place);
    const [hook, beside] = [await t.receiver(), await t.receiver()];
    const first = await t.given.webhook(hook);
    await t.given.webhook(beside);
    // Whether there may be two of one url is nowhere said; where there may, each is by itself.
    const event_categories = ['account', 'order', 'position', 'transaction'];
    const twin = await t.api.createWebhook({ url: hook.url, event_categories });
    const told: string[] = [];
    const kinds: Record<string, string | null> = {};
    for (const command of commands) {
      const before = hook.deliveries.length;
      await command.run();
      await flushDeliveries(t);
      await arrived(t);
      const brought = kindsIn(await t.deliveriesAt(hook, 0, 0), before);
      told.push(`${command.words}: ${brought.join(', ') || 'no event'}`);
      const [only = null] = brought;
      if (brought.length <= 1) kinds[command.kind] = only;
      // What several tell of has no name of its own, and one of its category is enough to say so.
      else if (command.kind === 'transaction.settled') delete kinds['transaction.approved'];
    }
    const ofOrders = await orderEventsOf(t, place);
    t.observe('NS-11', [...told, ...ofOrders.words].join('; '), {
      event_kinds: { ...kinds, ...ofOrders.kinds },
    });
    // Where none of them brings any, there are still two events to tell apart.
    if (t.has('emit'))
      for (const _ of [1, 2]) await requireDelivery(t, hook, await triggerEvent(t));
    const deliveries = await t.deliveriesAt(hook, 0, 0);
    expectApart(t, deliveries);
    await expectBoth(t, deliveries, beside);
    const own = twin.status < 300 ? twin.at('secret') : undefined;
    if (typeof own === 'string') await expectTwin(t, hook, first.secret, own);
    if (t.has('emit')) await expectAllDelivered(t, deliveries);
  },
};

/** EVT-4: what one subscription was told of, its twin was told of too. */
async function expectBoth(
  t: ScenarioContext,
  deliveries: readonly RecordedDelivery[],
  beside: WebhookEndpoint,
): Promise<void> {
  const missing = () => {
    const came = new Set(beside.deliveries.map((each) => eventIdOf(envelopeIn(each))));
    return deliveries.map((each) => eventIdOf(envelopeIn(each))).filter((id) => !came.has(id));
  };
  await t.until(() => missing().length === 0, deliveryTimeoutMs(t));
  const words = 'every event at both of two subscriptions to everything';
  const actual = `not at the second: ${missing().join(', ')}`;
  t.claim('EVT-4', words, missing().length === 0, actual, ...deliveries);
}

/** EVT-4: two subscriptions to one url are told apart by the secrets that sign. */
async function expectTwin(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  ...secrets: readonly string[]
): Promise<void> {
  const signedWith = async (secret: string) =>
    (await t.deliveriesAt(hook, 0, 0)).filter((each) => isSignedWith(secret, each));
  const idsOf = async (secret: string) =>
    new Set((await signedWith(secret)).map((each) => eventIdOf(envelopeIn(each))));
  const both = async () => {
    const [one, other] = await Promise.all(secrets.map(idsOf));
    return isDeepStrictEqual(one, other);
  };
  await t.until(both, deliveryTimeoutMs(t));
  const counts = await Promise.all(secrets.map(async (each) => (await idsOf(each)).size));
  // EVT-6 judges how they are signed.
  if (counts.every((count) => count === 0)) return;
  const words = 'every event for each of two subscriptions to one url';
  const actual = `${counts.join(' and ')} events`;
  t.claim('EVT-4', words, await both(), actual, ...(await t.deliveriesAt(hook, 0, 0)));
}

/** EVT-4: whatever the operations brought is in the platform's own log, and was delivered. */
async function expectAllDelivered(
  t: ScenarioContext,
  deliveries: readonly RecordedDelivery[],
): Promise<void> {
  const envelopes = deliveries.map((each) => envelopeIn(each) ?? NONE);
  const [first = NONE] = envelopes;
  const named = numberNames(first).flatMap((name) => sequenceAt(first, name) ?? []);
  // Events begin after 0, which is what a new subscription has had (HOOK-2).
  const numbers = named.filter((number) => number > 0);
  const found = await Promise.all(numbers.map((number) => t.operator.events(number - 1)));
  // The member whose number leads to the event itself is the sequence number.
  const log = found.find((events) => eventIdOf(events[0]) === eventIdOf(first));
  if (log === undefined) {
    t.notTested('EVT-4', 'the log of events does not begin with what was delivered first');
    return;
  }
  const came = new Set(envelopes.map(eventIdOf));
  const missing = log.filter((each) => !came.has(eventIdOf(each)));
  const words = `all ${log.length} events of the log delivered`;
  const actual = `not delivered: ${missing.map((each) => JSON.stringify(each)).join(', ')}`;
  t.claim('EVT-4', words, missing.length === 0, actual, ...deliveries);
}

/** Everything they act on is made before, so that each brings its own events alone. */
async function eventCommandsOf(t: ScenarioContext, place: Place): Promise<EventCommand[]> {
  const { api, given, fresh } = t;
  const account = await given.account();
  const [approvable, rejectable, cancellable] = [
    await given.transaction(place),
    await given.transaction(place),
    await given.transaction(place),
  ];
  const key = () => ({ key: fresh.key() });
  const command = (words: string, kind: string, run: () => Promise<unknown>) => ({
    words,
    kind,
    run,
  });
  const name = { first_name: 'Grace' };
  const tag = { ...key(), ifMatch: account.etag };
  return [
    command('creating an account', 'account.created', () => given.account()),
    command('updating it', 'account.updated', () => api.updateAccount(account.id, name, tag)),
    command('creating a transaction', 'transaction.created', () => given.transaction(place)),
    command('rejecting one', 'transaction.rejected', () =>
      api.rejectTransaction(rejectable.id, place.account_id, { reason: 'no' }, key()),
    ),
    command('cancelling one', 'transaction.cancelled', () =>
      api.cancelTransaction(cancellable.id, place.account_id, { reason: 'no' }, key()),
    ),
    command('approving one', 'transaction.approved', () =>
      api.approveTransaction(approvable.id, place.account_id, key()),
    ),
    ...(t.has('settle')
      ? [command('its settling', 'transaction.settled', () => t.operator.settle(approvable.id))]
      : []),
  ];
}

function countOf(values: readonly unknown[]): number {
  return new Set(values).size;
}

const NONE: Envelope = {};

/** In some member, each id has one number and each number one id, however often each came. */
function expectApart(t: ScenarioContext, deliveries: readonly RecordedDelivery[]): void {
  const envelopes = deliveries.map((each) => envelopeIn(each) ?? NONE);
  const [first, ...rest] = envelopes;
  // EVT-3's subject is that there is an envelope at all.
  if (first === undefined || rest.length === 0 || envelopes.includes(NONE)) {
    t.notTested('EVT-2a', 'fewer than two events came as JSON objects');
    return;
  }
  const names = numberNames(first).filter((name) => {
    const numbers = envelopes.map((each) => sequenceAt(each, name));
    const pairs = envelopes.map((each, at) => `${eventIdOf(each)} ${numbers[at]}`);
    const counts = [envelopes.map(eventIdOf), numbers, pairs].map(countOf);
    return !numbers.includes(undefined) && new Set(counts).size === 1;
  });
  const ids = envelopes.map(({ id }) => JSON.stringify(id)).join(', ');
  const actual = `ids ${ids}; members ${Object.keys(first).join(', ')}`;
  const words = 'for each event one id, and in one member a number that no other event has';
  t.claim('EVT-2a', words, names.length > 0, actual, ...deliveries);
}

export const eventKindScenarios: readonly Scenario[] = [evtKinds];
