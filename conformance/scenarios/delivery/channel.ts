// EVT-10b: the events channel, which replays what came after a sequence number. Its place and protocol
// are open (NS-12): a WebSocket is tried, at the path that the target names or the likeliest one.
import { isDeepStrictEqual } from 'node:util';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { openEventsChannel } from '../../engine/send/events-channel.ts';
import type { Scenario } from '../../engine/types.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import {
  type Envelope,
  envelopeIn,
  envelopesIn,
  eventIdOf,
  eventsPathOf,
  sequenceAt,
  sequenceNames,
} from './envelopes.ts';
import { deliveryTimeoutMs, subscribe, type TriggeredEvent, triggerEvent } from './events.ts';

const evtChannel: Scenario = {
  id: 'evt-channel',
  title: 'For 7 days the events channel repeats what came after after_seq, as it was delivered',
  rules: ['EVT-2a', 'EVT-10b'],
  observes: ['NS-12'],
  needs: ['receiver', 'clock', 'emit'],
  lane: 'own_world',
  async run(t) {
    const listener = await subscribe(t, ['account']);
    const events: TriggeredEvent[] = [];
    for (const _ of [1, 2, 3, 4]) events.push(await triggerEvent(t));
    const delivered: Envelope[] = [];
    for (const event of events) delivered.push(envelopeIn(await listener.first(event)) ?? {});
    const [name] = sequenceNames(delivered);
    if (name === undefined) {
      return t.notTested(['EVT-2a', 'EVT-10b'], 'deliveries carry no number to ask after');
    }
    // As the operator got them; whether deliveries agree is EVT-2a's to judge.
    const made = events.map(({ envelope }, at) => envelope ?? delivered[at]!);
    for (const [at, envelope] of made.entries()) {
      const seen = delivered[at]!;
      const isSame =
        eventIdOf(seen) === eventIdOf(envelope) &&
        sequenceAt(seen, name) === sequenceAt(envelope, name);
      const words = `delivered as event ${envelope.id} with ${name} ${envelope[name]}`;
      t.claim('EVT-2a', words, isSame, `id ${seen.id}, ${name} ${seen[name]}`);
    }

    // A client that knows the second event gets the third and the fourth.
    const afterSeq = sequenceAt(made[1]!, name) ?? sequenceAt(delivered[1]!, name)!;
    const path = await eventsPathOf(t.operator);
    const listen = () => listenFrom(t, `${path}?after_seq=${afterSeq}`);
    const now = await listen();
    if (now === undefined) {
      return t.notTested('EVT-10b', `no WebSocket at ${path} (where it is, is open)`);
    }
    t.observe('NS-12', `a WebSocket at ${path} with after_seq`, { events_path: path });
    expectReplayed(t, now, made, 'at once');
    for (const [at, envelope] of delivered.entries()) {
      const onChannel = now.find((each) => eventIdOf(each) === eventIdOf(made[at]));
      if (onChannel === undefined) continue;
      const words = `the envelope of the events channel: ${JSON.stringify(onChannel)}`;
      const isSame = isDeepStrictEqual(envelope, onChannel);
      t.claim('EVT-2a', words, isSame, `delivered: ${JSON.stringify(envelope)}`);
    }

    await t.operator.advance(7 * DAY_MS - HOUR_MS);
    const late = await listen();
    // A token that has expired by now is not the channel's fault.
    if (late === undefined) await t.control('listWebhooks', {}, 200);
    expectReplayed(t, late ?? [], made, 'an hour before the 7 days are over');
  },
};

/**
 * All envelopes up to an event that happens now, which ends the replay; undefined if there is no
 * channel.
 */
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

/** The third and fourth event, in order, and neither the first nor the second. */
function expectReplayed(
  t: ScenarioContext,
  received: readonly Envelope[],
  made: readonly Envelope[],
  when: string,
): void {
  const ids = made.map(eventIdOf);
  const replayed = received.map(eventIdOf).filter((id) => ids.includes(id));
  const expected = `${ids.slice(2).join(', ')} repeated, ${when}, to a client that knows ${ids[1]}`;
  const actual = replayed.join(', ') || 'nothing';
  t.claim('EVT-10b', expected, isDeepStrictEqual(replayed, ids.slice(2)), actual);
}

export const eventChannelScenarios: readonly Scenario[] = [evtChannel];
