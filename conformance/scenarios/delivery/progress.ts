// EVT-10a: how far delivery has come, as last_delivered_seq shows it.
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { DAY_MS } from '../../spec/literals.ts';
import { readSubscription } from '../support/subscription-assertions.ts';
import { type Envelope, envelopeIn, sequenceAt, sequenceNames } from './envelopes.ts';
import { flushDeliveries, subscribe, triggerEvent } from './events.ts';

const seqOf = (subscription: Answer) => Number(subscription.at('last_delivered_seq'));

const evtProgress: Scenario = {
  id: 'evt-progress',
  title: 'last_delivered_seq is the last event that was taken, and stays where delivery stopped',
  rules: ['EVT-10a'],
  observes: ['NS-28'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    // Events before the subscription, so that a count of deliveries is not their number.
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
    /** The numbers of the last event that was delivered; several while members are ambiguous. */
    let reached = numbersOf(delivered[1], last.event.envelope);
    const read = () => readSubscription(t, listener.id);
    // On a live target others may cause events of this subscription too, and EVT-1 judges whether
    // only chosen events are delivered: whatever was taken since counts as well.
    const expectReached = async (when: string, others: readonly number[] = []) => {
      const taken = listener.hook.deliveries.filter(({ answered }) => answered === 200);
      const later = numbersOf(...taken.map(envelopeIn)).filter((n) => n > Math.max(...reached));
      const numbers = [...others, ...reached, ...later];
      // The number may follow an answer after a moment.
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

    // After the last attempt the number stays, or, if delivery goes on (NS-28), moves on.
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
    // the number before the gap is as right, because the channel replays from there.
    const since = numbersOf(...arrived.map(envelopeIn), behind.envelope, later.envelope);
    await expectReached('of an event taken since, or before the gap', since);
  },
};

export const deliveryProgressScenarios: readonly Scenario[] = [evtProgress];
