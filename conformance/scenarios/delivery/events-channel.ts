// EVT: the events channel, which repeats what came after a sequence number. Where it is and how one
// connects is open (NS-12): the usual way is tried, at the path that the target says or the
// likeliest.
import { isDeepStrictEqual } from 'node:util';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { type EventsChannel, openEventsChannel } from '../../engine/send/events-channel.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  type Envelope,
  envelopeIn,
  envelopesIn,
  eventIdOf,
  eventsPathOf,
  sequenceAt,
  sequenceNames,
} from './envelopes.ts';
import {
  deliveryTimeoutMs,
  requireDelivery,
  type TriggeredEvent,
  triggerEvent,
} from './trigger-event.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const evtChannel: Scenario = {
  id: 'evt-channel',
  title: 'For 7 days the events channel repeats what came after after_seq, as it was delivered',
  rules: ['EVT-2a', 'EVT-10b'],
  observes: ['NS-12'],
  needs: ['receiver', 'clock', 'emit'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook, ['account']);
    const events: TriggeredEvent[] = [];
    for (const _ of [1, 2, 3, 4]) events.push(await triggerEvent(t));
    const delivered: Envelope[] = [];
    for (const each of events)
      delivered.push(envelopeIn(await requireDelivery(t, hook, each)) ?? {});
    const [name] = sequenceNames(delivered);
    if (name === undefined) {
      return t.notTested(['EVT-2a', 'EVT-10b'], 'deliveries carry no number to ask after');
    }
    expectAsMade(t, events, delivered, name);
    // The second one is the last that is known; the third and fourth came after it.
    // As the operator was told of them: what deliveries make of it is another matter.
    const made = events.map(({ envelope }, at) => envelope ?? delivered[at]!);
    const afterSeq = sequenceAt(made[1]!, name) ?? sequenceAt(delivered[1]!, name)!;
    const path = await eventsPathOf(t.operator);
    const listen = () => open(t, `${path}?after_seq=${afterSeq}`);

    const now = await listen();
    if (now === undefined) {
      return t.notTested('EVT-10b', `no WebSocket at ${path} (where it is, is open)`);
    }
    t.observe('NS-12', `a WebSocket at ${path} with after_seq`, { events_path: path });
    const heard = await heardWith(t, now);
    expectRepeated(t, heard, made, 'at once');
    expectSame(t, heard, made.slice(2), delivered.slice(2));

    await t.operator.advance(7 * DAY_MS - HOUR_MS);
    const late = await listen();
    // A token that is over by now is no fault of the channel.
    if (late === undefined) await t.control('the token is good', () => t.api.listWebhooks(), 200);
    const lateHeard = late === undefined ? [] : await heardWith(t, late);
    expectRepeated(t, lateHeard, made, 'an hour before the 7 days are over');

    // A day of grace: what is old may be put away once a day.
    await t.operator.advance(DAY_MS + 2 * HOUR_MS);
    const over = await listen();
    const overHeard = over === undefined ? [] : await heardWith(t, over);
    const old = overHeard.filter((each) => isOneOf(each, made));
    const words = 'nothing repeated a day after the 7 days are over';
    const actual = `repeated: ${old.map(eventIdOf).join(', ')}`;
    t.claim('EVT-10b', words, old.length === 0, actual);
  },
};

/** EVT-2a: under the id and the number that the event has for whoever made it. */
function expectAsMade(
  t: ScenarioContext,
  events: readonly TriggeredEvent[],
  delivered: readonly Envelope[],
  name: string,
): void {
  for (const [index, { envelope = {} }] of events.entries()) {
    const seen = delivered[index]!;
    const same =
      eventIdOf(seen) === eventIdOf(envelope) &&
      sequenceAt(seen, name) === sequenceAt(envelope, name);
    const words = `delivered as event ${envelope.id} with ${name} ${envelope[name]}`;
    t.claim('EVT-2a', words, same, `id ${seen.id}, ${name} ${seen[name]}`);
  }
}

async function open(t: ScenarioContext, target: string): Promise<EventsChannel | undefined> {
  return openEventsChannel(`${t.baseUrl}${target}`, await t.credential(t.mainRole), t.sender);
}

/** Everything that comes up to an event that happens now, with which the repeating is over. */
async function heardWith(t: ScenarioContext, channel: EventsChannel): Promise<Envelope[]> {
  try {
    const live = await triggerEvent(t);
    const isIn = (text: string) => live.isIn({ body: Buffer.from(text) });
    const { messages } = channel;
    await t.until(() => channel.closed || messages.some(isIn), deliveryTimeoutMs(t));
    return messages.flatMap((text) => envelopesIn(text));
  } finally {
    channel.close();
  }
}

function isOneOf(envelope: Envelope, events: readonly Envelope[]): boolean {
  return events.some((each) => eventIdOf(each) === eventIdOf(envelope));
}

/** The third and fourth event, in order, and neither the first nor the second. */
function expectRepeated(
  t: ScenarioContext,
  heard: readonly Envelope[],
  made: readonly Envelope[],
  when: string,
): void {
  const ids = made.map(eventIdOf);
  const wanted = ids.slice(2);
  const repeated = heard.map(eventIdOf).filter((id) => ids.includes(id));
  const expected = `${wanted.join(', ')} repeated, ${when}, to who knows ${ids[1]}`;
  const actual = repeated.length === 0 ? 'nothing' : repeated.join(', ');
  t.claim('EVT-10b', expected, isDeepStrictEqual(repeated, wanted), actual);
}

/** EVT-2a: a delivery is the envelope of the channel, member by member. */
function expectSame(
  t: ScenarioContext,
  heard: readonly Envelope[],
  made: readonly Envelope[],
  delivered: readonly Envelope[],
): void {
  for (const [index, envelope] of delivered.entries()) {
    const onChannel = heard.find((each) => isOneOf(each, [made[index]!]));
    if (onChannel === undefined) continue;
    const expected = `the envelope of the events channel: ${JSON.stringify(onChannel)}`;
    const same = isDeepStrictEqual(envelope, onChannel);
    t.claim('EVT-2a', expected, same, `delivered: ${JSON.stringify(envelope)}`);
  }
}

export const eventChannelScenarios: readonly Scenario[] = [evtChannel];
