// EVT: what a delivery is: a POST of the envelope, signed, with the subscription's id beside it.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import type { Scenario } from '../../engine/types.ts';
import { type Envelope, envelopeIn, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';
import { expectedMac, headersNaming, signatureOf, valuesAt } from './signatures.ts';
import {
  deliveriesOf,
  requireDelivery,
  triggerAccountEvent,
  triggerEvent,
} from './trigger-event.ts';

/** Bytes that one who signs characters, or who prints the JSON anew, gets wrong. */
const TRYING = 'Zoë Ångström 你好 🎉 "quoted" \\ back/slash <b>&amp;</b>';

const evtForm: Scenario = {
  id: 'evt-form',
  title: 'A delivery is a signed POST of the envelope with the id of the subscription',
  rules: ['EVT-2a', 'EVT-3', 'EVT-5a', 'EVT-5b', 'EVT-6'],
  observes: ['NS-9', 'NS-10'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const [one, other] = [await t.receiver(), await t.receiver()];
    const subscriptions = [await t.given.webhook(one), await t.given.webhook(other)] as const;
    const clock = clockOf(t, subscriptions[1]);
    // NS-11: it may bring no event, but if it does, its bytes are worth signing.
    const account = await triggerAccountEvent(t, t.mainRole, { last_name: TRYING });
    const events = [
      account,
      await triggerEvent(t, { text: TRYING.repeat(99) }),
      await triggerEvent(t),
    ];
    await requireDelivery(t, one, events[2]!);
    await requireDelivery(t, other, events[2]!);
    const pairs: [RecordedDelivery, RecordedDelivery][] = [];
    for (const event of events) {
      const [first] = await deliveriesOf(t, one, event, 1, 500);
      const [second] = await deliveriesOf(t, other, event, 1, 500);
      if (first !== undefined && second !== undefined) pairs.push([first, second]);
    }
    for (const [index, subscription] of subscriptions.entries()) {
      for (const pair of pairs) {
        expectPost(t, pair[index]!);
        await expectSigned(t, pair[index]!, subscription.secret, clock);
      }
    }
    const header = pairs.flat().map((each) => signatureOf(each)?.name)[0];
    if (header !== undefined) {
      t.observe('NS-10', `${header} has the signature`, { signature_header: header });
    }
    expectNamed(t, subscriptions, pairs);
    expectEnvelopes(t, pairs);
  },
};

function expectPost(t: ScenarioContext, delivered: RecordedDelivery): void {
  const { method, headers } = delivered;
  t.claim('EVT-3', 'a POST', method === 'POST', `a ${method}`, delivered);
  const object = envelopeIn(delivered) !== undefined;
  const type = headers.mediaType();
  t.claim('EVT-3', 'a JSON object as the body', object, `${type}, no JSON object`, delivered);
  const json = /^application\/([\w.-]+\+)?json$/.test(type);
  // That it is JSON is said, that a header says so is not.
  t.findings.record({
    rules: t.findings.listed('EVT-3'),
    verdict: json ? 'passed' : 'advisory',
    expected: 'content type application/json',
    actual: json ? 'as expected' : type || 'no content type',
    exchanges: [delivered.n],
  });
}

/** EVT-3: in one header of the same name, each delivery carries the id of its own subscription. */
function expectNamed(
  t: ScenarioContext,
  subscriptions: readonly GivenWebhook[],
  pairs: readonly (readonly RecordedDelivery[])[],
): void {
  const named = pairs.flatMap((pair) =>
    pair.map((each, index) => headersNaming(subscriptions[index]!.id, each)),
  );
  const common = (named[0] ?? []).filter((name) => named.every((each) => each.includes(name)));
  const ids = subscriptions.map(({ id }) => id).join(' and ');
  const words = `a header with the id of the subscription (${ids}) in each delivery`;
  const actual = 'no header that always has it';
  t.claim('EVT-3', words, common.length > 0, actual, ...pairs.flat());
  if (common[0] !== undefined) {
    t.observe('NS-10', `${common[0]} has the subscription id`, { subscription_header: common[0] });
  }
}

async function expectSigned(
  t: ScenarioContext,
  delivered: RecordedDelivery,
  secret: string,
  clock: Clock,
): Promise<void> {
  const signature = signatureOf(delivered);
  const names = delivered.headers.lines.map(([name]) => name).join(', ');
  const found = signature !== undefined;
  t.claim('EVT-3', 'a header with a signature', found, `headers: ${names}`, delivered);
  if (signature === undefined) return;
  const { value, parts } = signature;
  const times = valuesAt(signature, 't');
  const made = valuesAt(signature, 'v1');
  const pairs = parts.every(([key, each]) => key !== '' && each !== '');
  t.claim('EVT-5a', 'key=value parts with commas between', pairs, value, delivered);
  const inMs = times.length === 1 && isEpochMs(times[0]!);
  t.claim('EVT-5a', 'one t, in epoch milliseconds', inMs, value, delivered);
  t.claim('EVT-5a', 'v1 once or more', made.length > 0, value, delivered);
  const t0 = times[0] ?? '';
  if (/^[0-9]+$/.test(t0)) await expectTimely(t, delivered, t0, clock);
  if (made.length === 0 || times.length === 0) {
    return t.notTested('EVT-6', 'there is no t with a v1 to look at');
  }
  const expected = expectedMac(secret, t0, delivered.body);
  t.claim('EVT-6', `v1=${expected}`, made.includes(expected), value, delivered);
}

function isEpochMs(digits: string): boolean {
  return /^[0-9]+$/.test(digits) && Number(digits) > 9.4e11 && Number(digits) < 4.2e12;
}

const TOLERANCE_MS = 5 * 60_000;

/** What time it is: here, and there as far as it tells. A clock that goes wrong is no deviation. */
interface Clock {
  /** How far the target's own clock, by its Date header, is ahead of ours. */
  readonly aheadMs: number;
}

function clockOf(t: ScenarioContext, { answer }: GivenWebhook): Clock {
  const date = Date.parse(answer.headers.get('date') ?? '');
  return { aheadMs: Number.isNaN(date) || t.has('clock') ? 0 : date - Date.now() };
}

async function expectTimely(
  t: ScenarioContext,
  delivered: RecordedDelivery,
  digits: string,
  { aheadMs }: Clock,
): Promise<void> {
  // EVT-5a's subject is the unit; a time in seconds is still a time.
  const sentMs = isEpochMs(digits) ? Number(digits) : Number(digits) * 1000;
  const nows = [delivered.atMs, delivered.atMs + aheadMs];
  if (t.has('clock')) nows.push(await t.operator.nowMs());
  const offMs = Math.min(...nows.map((now) => Math.abs(now - sentMs)));
  const words = 't within five minutes of the clock';
  const actual = `t=${digits}, ${Math.round(offMs / 1000)} s from it`;
  t.claim('EVT-5b', words, offMs <= TOLERANCE_MS, actual, delivered);
}

/** EVT-2a: each event has an id of its own and a number that grows, whoever it is delivered to. */
function expectEnvelopes(
  t: ScenarioContext,
  pairs: readonly (readonly [RecordedDelivery, RecordedDelivery])[],
): void {
  const envelopes: Envelope[] = [];
  if (pairs.flat().some((each) => envelopeIn(each) === undefined)) {
    // EVT-3's subject is that there is an envelope at all.
    t.notTested('EVT-2a', 'not every delivery is a JSON object');
    return;
  }
  for (const [one, other] of pairs) {
    const [first, second] = [envelopeIn(one), envelopeIn(other)];
    if (first === undefined || second === undefined) continue;
    envelopes.push(first);
    const [id, again] = [eventIdOf(first), eventIdOf(second)];
    const shown = `${JSON.stringify(first.id)} and ${JSON.stringify(second.id)}`;
    const same = id !== undefined && id === again;
    t.claim('EVT-2a', 'one id of the event in both deliveries', same, shown, one, other);
  }
  const all = pairs.flat();
  const ids = envelopes.map(eventIdOf);
  const distinct = new Set(ids).size === ids.length;
  t.claim('EVT-2a', 'another id for another event', distinct, ids.join(', '), ...all);
  const names = sequenceNames(envelopes);
  const members = Object.keys(envelopes[0] ?? {}).join(', ');
  const words = 'a member with a number that grows from event to event';
  t.claim('EVT-2a', words, names.length > 0, `members: ${members}`, ...all);
  for (const [one, other] of pairs) {
    const [first, second] = [envelopeIn(one), envelopeIn(other)];
    if (first === undefined || second === undefined || names.length === 0) continue;
    const alike = names.some((name) => sequenceAt(first, name) === sequenceAt(second, name));
    const shown = names.map((name) => `${name}: ${first[name]} and ${second[name]}`).join(', ');
    t.claim('EVT-2a', 'one sequence number in both deliveries', alike, shown, one, other);
  }
  if (names.length === 1) {
    const [name] = names;
    const known = [...SIMULATORS, name];
    const isUnlike = Object.keys(envelopes[0] ?? {}).some((each) => !known.includes(each));
    const words = `members ${members}; the number is ${name}`;
    t.observe('NS-9', words, { envelope_seq_name: name }, isUnlike);
  }
}

/** NS-9: what an envelope of the simulator has beside its number. */
const SIMULATORS = [
  ...['id', 'category', 'kind', 'occurred_at'],
  ...['firm_id', 'brand_id', 'account_id', 'data'],
];

export const deliveryFormScenarios: readonly Scenario[] = [evtForm];
