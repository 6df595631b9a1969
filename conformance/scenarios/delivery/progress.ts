// EVT-10: the progress of delivery, and the events channel, which replays events after a sequence
// number. Its path and protocol are open (NS-12): a WebSocket is tried, at the path that the target
// names or at the most likely one.

import { isDeepStrictEqual } from 'node:util';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { openEventsChannel } from '../../engine/send/events-channel.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Story } from '../../engine/types.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import { inTurn } from '../support/in-turn.ts';
import { readSubscription } from '../support/subscription-assertions.ts';
import {
  type Envelope,
  envelopeIn,
  envelopesIn,
  eventIdOf,
  eventsPathOf,
  sequenceAt,
  sequenceNames,
} from './deliveries.ts';
import { deliveryTimeoutMs, flushDeliveries, subscribe, triggerEvent } from './events.ts';

const seqOf = (subscription: Answer) => Number(subscription.at('last_delivered_seq'));

export const evtProgress: Story = {
  title: 'last_delivered_seq is the last event that was taken, and stays where delivery stopped',
  rules: ['EVT-10a'],
  observes: ['NS-28'],
  needs: ['receiver'],
  async run(t) {
    // Events before the subscription, so that the number of an event is not the count of deliveries.
    for (const _ of [1, 2, 3]) await triggerEvent(t);
    const listener = await subscribe(t, ['account']);
    const before = await listener.deliver();
    const last = await listener.deliver();
    const delivered = [before, last].map((each) => envelopeIn(each.delivered) ?? {});
    const names = sequenceNames(delivered);
    if (names.length === 0) {
      return t.notTested('EVT-10a', 'deliveries carry no sequence number to hold it against');
    }
    // As delivered and as emitted: EVT-2a judges whether they agree.
    const numbersOf = (...envelopes: (Envelope | undefined)[]) =>
      envelopes.flatMap((each = {}) => names.flatMap((name) => sequenceAt(each, name) ?? []));
    /** The number of the last delivered event; several while it is unclear which member it is. */
    let reached = numbersOf(delivered[1], last.event.envelope);
    const read = () => readSubscription(t, listener.id);
    // On a live target, other clients may trigger events for this subscription too (EVT-1 judges
    // which are delivered): the numbers of other accepted deliveries count as well.
    const expectReached = async (when: string, others: readonly number[] = []) => {
      const taken = listener.hook.deliveries.filter(({ answered }) => answered === 200);
      const later = numbersOf(...taken.map(envelopeIn)).filter((n) => n > Math.max(...reached));
      const numbers = [...others, ...reached, ...later];
      // The number may change a moment after a response.
      await t.until(async () => numbers.includes(seqOf(await read())), 1_000);
      const answer = await read();
      const words = `last_delivered_seq ${[...new Set(numbers)].join(' or ')} ${when}`;
      const seen = `last_delivered_seq ${seqOf(answer)}`;
      t.expect('EVT-10a', answer).is(words, numbers.includes(seqOf(answer)), seen);
    };

    await expectReached('of the last event delivered');
    if (t.has('emit')) {
      const beside = await subscribe(t, ['order', 'transaction']);
      for (const category of ['order', 'transaction'] as const) await beside.deliver({ category });
      await flushDeliveries(t);
      await expectReached('though another subscription was delivered later events');
    }
    if (t.has('clock')) {
      // In real time the retry would take too long to wait for.
      const event = await listener.fail();
      listener.answers(200);
      await t.operator.advance(DAY_MS);
      const [, repeat] = await listener.of(event, 2, 100);
      // EVT-8a judges whether it is retried.
      if (repeat !== undefined) {
        reached = numbersOf(envelopeIn(repeat), event.envelope);
        await expectReached('once a retry was taken');
      }
    }
    await listener.fail();
    await expectReached('after an attempt that failed');
    if (!t.has('clock')) return;

    // After the last attempt the number stays or, if delivery continues (NS-28), increases.
    const behind = await triggerEvent(t);
    await flushDeliveries(t);
    const isIndependent = (await listener.of(behind, 1, 50)).length > 0;
    t.observe('NS-28', `a failing event holds ${isIndependent ? 'nothing' : 'others'} back`, {
      delivery_order: isIndependent ? 'independent' : 'in_sequence',
    });
    await t.operator.advance(DAY_MS);
    await expectReached('after the last attempt');
    const { count } = listener;
    listener.answers(200);
    const later = await triggerEvent(t);
    await t.operator.advance(DAY_MS);
    const arrived = await listener.arrived(count);
    const skips = arrived.some((each) => behind.isIn(each) || later.isIn(each));
    t.observe('NS-28', skips ? 'the next event has its turn' : 'delivery stands still', {
      after_last_attempt: skips ? 'skip' : 'stop',
    });
    if (arrived.length === 0) return;
    // If deliveries are independent, the last one that succeeded need not have the highest number;
    // the number before the gap is also correct, because the channel replays from there.
    const since = numbersOf(...arrived.map(envelopeIn), behind.envelope, later.envelope);
    await expectReached('of an event taken since, or before the gap', since);
  },
};

export const evtChannel: Story = {
  title: 'For 7 days the events channel repeats what came after after_seq, as it was delivered',
  rules: ['EVT-2a', 'EVT-10b'],
  observes: ['NS-12'],
  needs: ['receiver', 'clock', 'emit'],
  async run(t) {
    // An event before the subscription, so that its deliveries do not begin with the first number.
    await triggerEvent(t);
    const listener = await subscribe(t, ['account']);
    const events = await inTurn([1, 2, 3, 4], () => triggerEvent(t));
    const firsts = await inTurn(events, (event) => listener.first(event));
    const delivered = firsts.map((each) => envelopeIn(each) ?? {});
    const [name] = sequenceNames(delivered);
    if (name === undefined) {
      return t.notTested(['EVT-2a', 'EVT-10b'], 'deliveries carry no number to ask after');
    }
    // As the operator received them; EVT-2a judges whether deliveries agree.
    const envelopes = events.map(({ envelope }, at) => envelope ?? delivered[at]!);
    for (const [at, envelope] of envelopes.entries()) {
      const seen = delivered[at]!;
      const isSame =
        eventIdOf(seen) === eventIdOf(envelope) &&
        sequenceAt(seen, name) === sequenceAt(envelope, name);
      const words = `delivered as event ${envelope.id} with ${name} ${envelope[name]}`;
      t.claim('EVT-2a', words, isSame, `id ${seen.id}, ${name} ${seen[name]}`);
    }

    // A client that knows the second event gets the third and the fourth.
    const afterSeq = sequenceAt(envelopes[1]!, name) ?? sequenceAt(delivered[1]!, name)!;
    const path = await eventsPathOf(t.operator);
    const listen = () => listenFrom(t, `${path}?after_seq=${afterSeq}`);
    const now = await listen();
    if (now === undefined) {
      return t.notTested('EVT-10b', `no WebSocket at ${path} (where it is, is open)`);
    }
    t.observe('NS-12', `a WebSocket at ${path} with after_seq`, { events_path: path });
    expectReplayed(t, now, envelopes, 'at once');
    for (const [at, envelope] of delivered.entries()) {
      const onChannel = now.find((each) => eventIdOf(each) === eventIdOf(envelopes[at]));
      if (onChannel === undefined) continue;
      const words = `the envelope of the events channel: ${printJson(onChannel)}`;
      const isSame = isDeepStrictEqual(envelope, onChannel);
      t.claim('EVT-2a', words, isSame, `delivered: ${printJson(envelope)}`);
    }

    await t.operator.advance(7 * DAY_MS - HOUR_MS);
    const late = await listen();
    // A token that has expired by now is not a fault of the channel.
    if (late === undefined) await t.control('listWebhooks', {});
    expectReplayed(t, late ?? [], envelopes, 'an hour before the 7 days are over');
  },
};

/** All envelopes up to a new event, which ends the replay; undefined if there is no channel. */
async function listenFrom(t: ScenarioContext, target: string): Promise<Envelope[] | undefined> {
  const credential = await t.credential(t.mainRole);
  const channel = await openEventsChannel(`${t.baseUrl}${target}`, credential, t.run.sender);
  if (channel === undefined) return undefined;
  try {
    const live = await triggerEvent(t);
    const isLive = (text: string) => live.isIn({ body: Buffer.from(text) });
    await t.until(() => channel.closed || channel.messages.some(isLive), deliveryTimeoutMs(t));
    return channel.messages.flatMap((text) => envelopesIn(text));
  } finally {
    channel.close();
  }
}

/** The third and fourth event in order, without the first and the second. */
function expectReplayed(
  t: ScenarioContext,
  received: readonly Envelope[],
  envelopes: readonly Envelope[],
  when: string,
): void {
  const ids = envelopes.map(eventIdOf);
  const replayed = received.map(eventIdOf).filter((id) => ids.includes(id));
  const expected = `${ids.slice(2).join(', ')} repeated, ${when}, to a client that knows ${ids[1]}`;
  const actual = replayed.join(', ') || 'nothing';
  t.claim('EVT-10b', expected, isDeepStrictEqual(replayed, ids.slice(2)), actual);
}
