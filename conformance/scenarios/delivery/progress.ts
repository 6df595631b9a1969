// EVT: how far delivery has come, as last_delivered_seq tells it.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { readSubscription, rowOf, subscriptionsIn } from '../support/subscription-assertions.ts';
import { type Envelope, envelopeIn, sequenceAt, sequenceNames } from './envelopes.ts';
import {
  deliveriesOf,
  flushDeliveries,
  requireDelivery,
  type TriggeredEvent,
  triggerEvent,
} from './trigger-event.ts';

const DAY_MS = 86_400_000;

const evtProgress: Scenario = {
  id: 'evt-progress',
  title: 'last_delivered_seq is the last event that was taken, and stays where delivery stopped',
  rules: ['EVT-10a'],
  // A subscription that is bound elsewhere may be out of reach.
  presumes: { 'EVT-10a': ['HOOK-10'] },
  observes: ['NS-28'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    // Events from before the subscription, so that a count of deliveries is not their number.
    for (let n = 0; n < 3; n += 1) await triggerEvent(t);
    const { id } = await t.given.webhook(hook, ['account']);
    const before = await requireDelivery(t, hook, await triggerEvent(t));
    const last = await triggerEvent(t);
    const taken = await requireDelivery(t, hook, last);
    const envelopes = [before, taken].map((each) => envelopeIn(each) ?? {});
    const names = sequenceNames(envelopes);
    if (names.length === 0) {
      return t.notTested('EVT-10a', 'deliveries carry no sequence number to hold it against');
    }
    const numbers = numbersIn([envelopes[1], last.envelope], names);
    // On a live target others may cause events of this subscription too, and EVT-1 judges whether
    // what was not chosen is delivered: what was taken since counts, whatever it was.
    const later = () => {
      const all = hook.deliveries.filter(({ answered }) => answered === 200);
      return numbersIn(all.map(envelopeIn), names).filter((each) => each > Math.max(...numbers));
    };
    await expectSeq(t, id, [...numbers, ...later()], 'of the last event delivered');
    const list = await t.control('the list', () => t.api.listWebhooks(), 200);
    const row = rowOf(subscriptionsIn(list).rows, id);
    const listed = row === undefined || numbers.includes(Number(row.last_delivered_seq));
    const words = `last_delivered_seq ${numbers.join(' or ')} in the list`;
    t.expect('EVT-10a', list).is(words, listed, printJson(row));

    await expectOthersUncounted(t, hook, id, numbers);
    await t.control('a new secret', () => t.api.rotateWebhookSecret(id));
    await expectSeq(t, id, [...numbers, ...later()], 'after the secret was rotated');
    if (t.has('clock')) {
      await t.operator.advance(10 * DAY_MS);
      await expectSeq(t, id, [...numbers, ...later()], 'ten days later');
    }
    // In real time nobody waits for the last attempt; that a failed one changes nothing is seen.
    const late = t.has('clock') ? await takenLate(t, hook, id, names) : undefined;
    const reached = late ?? numbers;
    hook.answer(() => ({ status: 500 }));
    await requireDelivery(t, hook, await triggerEvent(t));
    await flushDeliveries(t);
    await expectSeq(t, id, [...reached, ...later()], 'after an attempt that failed');
    if (!t.has('clock')) return;
    const behind = await triggerEvent(t);
    await flushDeliveries(t);
    const passed = (await deliveriesOf(t, hook, behind, 1, 50)).length > 0;
    const said = passed
      ? 'a failing event holds nothing back'
      : 'a failing event holds others back';
    t.observe('NS-28', said, { delivery_order: passed ? 'independent' : 'in_sequence' });
    await t.operator.advance(DAY_MS);
    await expectSeq(t, id, [...reached, ...later()], 'after the last attempt');
    await goesOn(t, hook, id, names, { behind, reached });
  },
};

/** What happens besides, and is no event of this subscription, has no part in its number. */
async function expectOthersUncounted(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  id: string,
  numbers: readonly number[],
): Promise<void> {
  if (!t.has('emit')) return;
  const beside = await t.receiver();
  await t.given.webhook(beside, ['order', 'transaction']);
  const seen = hook.deliveries.length;
  for (const category of ['order', 'transaction'] as const) {
    await requireDelivery(t, beside, await triggerEvent(t, { category }));
  }
  await flushDeliveries(t);
  // EVT-1: who is sent what was not chosen has been delivered it.
  if (hook.deliveries.length > seen) return;
  const when = 'though another subscription was delivered later events';
  const answer = await readSubscription(t, id);
  const words = `last_delivered_seq ${numbers.join(' or ')} ${when}`;
  const said = `last_delivered_seq ${answer.at('last_delivered_seq')}`;
  t.expect('EVT-10a', answer).is(words, numbers.includes(seqOf(answer)), said);
}

/** The number follows an answer after a moment, so a right one is waited for. */
async function expectSeq(
  t: ScenarioContext,
  id: string,
  numbers: readonly number[],
  when: string,
): Promise<void> {
  await t.until(async () => numbers.includes(seqOf(await readSubscription(t, id))), 1_000);
  const answer = await readSubscription(t, id);
  const seen = `last_delivered_seq ${answer.at('last_delivered_seq')}`;
  const words = `last_delivered_seq ${numbers.join(' or ')} ${when}`;
  t.expect('EVT-10a', answer).is(words, numbers.includes(seqOf(answer)), seen);
}

/** One that is taken at its second attempt has been taken: gives its number. */
async function takenLate(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  id: string,
  names: readonly string[],
): Promise<number[] | undefined> {
  hook.answer(() => ({ status: 500 }));
  const event = await triggerEvent(t);
  await requireDelivery(t, hook, event);
  await flushDeliveries(t);
  hook.answer(() => ({ status: 200 }));
  await t.operator.advance(DAY_MS);
  const [, repeat] = await deliveriesOf(t, hook, event, 2, 100);
  // EVT-8a: that it comes again is judged elsewhere.
  if (repeat === undefined) return undefined;
  const numbers = numbersIn([envelopeIn(repeat), event.envelope], names);
  await expectSeq(t, id, numbers, 'once a retry was taken');
  return numbers;
}

/**
 * NS-28: whether anything is delivered after an event was given up, and then what the number says.
 */
async function goesOn(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  id: string,
  names: readonly string[],
  { behind, reached }: { readonly behind: TriggeredEvent; readonly reached: readonly number[] },
): Promise<void> {
  const seen = hook.deliveries.length;
  hook.answer(() => ({ status: 200 }));
  const later = await triggerEvent(t);
  await t.operator.advance(DAY_MS);
  const arrived = (await t.deliveriesAt(hook, 0, 0)).slice(seen);
  const skips = arrived.some((each) => behind.isIn(each) || later.isIn(each));
  t.observe('NS-28', skips ? 'the next event has its turn' : 'delivery stands still', {
    after_last_attempt: skips ? 'skip' : 'stop',
  });
  if (arrived.length === 0) return;
  // Where each event goes its own way, the last that was taken need not be the latest one, and the
  // number before the one that was given up is as right: from there the channel replays.
  const made = [behind.envelope, later.envelope];
  const taken = numbersIn([...arrived.map(envelopeIn), ...made], names);
  await expectSeq(t, id, [...taken, ...reached], 'of an event taken since, or before the gap');
}

/**
 * The numbers of an event, as it was delivered and as it was made: EVT-2a judges whether they
 * agree.
 */
function numbersIn(
  envelopes: readonly (Envelope | undefined)[],
  names: readonly string[],
): number[] {
  const numbers = envelopes.flatMap((each = {}) => names.map((name) => sequenceAt(each, name)));
  return [...new Set(numbers.filter((each) => each !== undefined))];
}

function seqOf(subscription: Answer): number {
  return Number(subscription.at('last_delivered_seq'));
}

export const deliveryProgressScenarios: readonly Scenario[] = [evtProgress];
