// EVT-2a to EVT-7: the form of a delivery: a signed POST of the envelope, with the subscription's id
// in a header; and of a repeat, and of a delivery while a secret is being rotated.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { type Envelope, envelopeIn, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';
import {
  DAY_MS,
  deliverEvent,
  deliveriesOf,
  failEvent,
  MINUTE_MS,
  requireDelivery,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
} from './events.ts';
import {
  expectedMac,
  headersNaming,
  isSignedWith,
  type Signature,
  signatureOf,
  valuesAt,
} from './signatures.ts';

/** Text that a sender gets wrong if it signs characters, or prints the JSON again. */
const HARD_TO_SIGN = 'Zoë Ångström 你好 🎉 "quoted" \\ back/slash <b>&amp;</b>';

/** A delivery with what it is judged against. */
interface Received {
  readonly delivered: RecordedDelivery;
  readonly secret: string;
  readonly signature: Signature | undefined;
  /** The time, here and at the target; a target whose own clock is wrong does not deviate. */
  readonly nowsMs: readonly number[];
}

/** True when the rule is kept, else what was received; undefined when it cannot be judged. */
type Check = (received: Received) => true | string | undefined;

const ofSignature =
  (test: (signature: Signature) => boolean): Check =>
  ({ signature }) =>
    signature && (test(signature) || signature.value);

const ONE_DELIVERY: readonly (readonly [RuleId, string, Check])[] = [
  ['EVT-3', 'a POST', ({ delivered: { method } }) => method === 'POST' || `a ${method}`],
  [
    'EVT-3',
    'a JSON object as the body',
    ({ delivered }) =>
      envelopeIn(delivered) !== undefined || `${delivered.headers.mediaType()}, no JSON object`,
  ],
  [
    'EVT-3',
    'a header with a signature',
    ({ signature, delivered: { headers } }) =>
      signature !== undefined || `headers: ${headers.lines.map(([name]) => name).join(', ')}`,
  ],
  [
    'EVT-5a',
    'key=value parts with commas between',
    ofSignature(({ parts }) => parts.every(([key, value]) => key !== '' && value !== '')),
  ],
  [
    'EVT-5a',
    'one t, in epoch milliseconds',
    ofSignature((signature) => {
      const times = valuesAt(signature, 't');
      return times.length === 1 && isEpochMs(times[0]!);
    }),
  ],
  ['EVT-5a', 'v1 once or more', ofSignature((signature) => valuesAt(signature, 'v1').length > 0)],
  ['EVT-5b', 't within five minutes of the clock', isTimely],
];

function isEpochMs(digits: string): boolean {
  return /^[0-9]+$/.test(digits) && Number(digits) > 9.4e11 && Number(digits) < 4.2e12;
}

function isTimely({ signature, nowsMs }: Received): true | string | undefined {
  const digits = timeIn(signature);
  if (digits === undefined || !/^[0-9]+$/.test(digits)) return undefined;
  // EVT-5a judges the unit: a time in seconds is a time too.
  const sentMs = isEpochMs(digits) ? Number(digits) : Number(digits) * 1000;
  const offMs = Math.min(...nowsMs.map((now) => Math.abs(now - sentMs)));
  return offMs <= 5 * MINUTE_MS || `t=${digits}, ${Math.round(offMs / 1000)} s from it`;
}

function timeIn(signature: Signature | undefined): string | undefined {
  return signature && valuesAt(signature, 't')[0];
}

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
    const date = Date.parse(subscriptions[1].answer.headers.get('date') ?? '');
    const aheadMs = Number.isNaN(date) || t.has('clock') ? 0 : date - Date.now();
    const events = [
      // NS-11: it may cause no event. If it does, its bytes are worth signing.
      await triggerAccountEvent(t, t.mainRole, { last_name: HARD_TO_SIGN }),
      await triggerEvent(t, { text: HARD_TO_SIGN.repeat(99) }),
      await triggerEvent(t),
    ];
    for (const hook of [one, other]) await requireDelivery(t, hook, events[2]!);
    const pairs: [RecordedDelivery, RecordedDelivery][] = [];
    for (const event of events) {
      const [first] = await deliveriesOf(t, one, event, 1, 500);
      const [second] = await deliveriesOf(t, other, event, 1, 500);
      if (first !== undefined && second !== undefined) pairs.push([first, second]);
    }
    const ownMs = t.has('clock') ? [await t.operator.nowMs()] : [];
    for (const [index, { secret }] of subscriptions.entries()) {
      for (const pair of pairs) {
        const delivered = pair[index]!;
        const signature = signatureOf(delivered);
        const nowsMs = [delivered.atMs, delivered.atMs + aheadMs, ...ownMs];
        expectForm(t, { delivered, secret, signature, nowsMs });
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

function expectForm(t: ScenarioContext, received: Received): void {
  const { delivered, secret, signature } = received;
  for (const [rule, words, check] of ONE_DELIVERY) {
    const found = check(received);
    if (found !== undefined) t.claim(rule, words, found === true, String(found), delivered);
  }
  const type = delivered.headers.mediaType();
  const isJson = /^application\/([\w.-]+\+)?json$/.test(type);
  // The body has to be JSON; that a header says so is advice.
  t.findings.record({
    rules: t.findings.listed('EVT-3'),
    verdict: isJson ? 'passed' : 'advisory',
    expected: 'content type application/json',
    actual: isJson ? 'as expected' : type || 'no content type',
    exchanges: [delivered.n],
  });
  const [time, made] = [timeIn(signature), signature ? valuesAt(signature, 'v1') : []];
  if (time === undefined || made.length === 0) {
    t.notTested('EVT-6', 'there is no t with a v1 to look at');
    return;
  }
  const expected = expectedMac(secret, time, delivered.body);
  t.claim('EVT-6', `v1=${expected}`, made.includes(expected), signature!.value, delivered);
}

/** EVT-3: in a header of the same name, each delivery has the id of its own subscription. */
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
  t.claim('EVT-3', words, common.length > 0, 'no header that always has it', ...pairs.flat());
  if (common[0] === undefined) return;
  t.observe('NS-10', `${common[0]} has the subscription id`, { subscription_header: common[0] });
}

/** NS-9: the members of the simulator's envelope, besides its number. */
const SIMULATORS = [
  ...['id', 'category', 'kind', 'occurred_at'],
  ...['firm_id', 'brand_id', 'account_id', 'data'],
];

/** EVT-2a: each event has its own id and a growing number, the same for every subscription. */
function expectEnvelopes(
  t: ScenarioContext,
  pairs: readonly (readonly [RecordedDelivery, RecordedDelivery])[],
): void {
  const all = pairs.flat();
  // EVT-3 judges whether each body is an envelope.
  const read = pairs.map((pair) => pair.map((each) => envelopeIn(each)));
  if (read.flat().includes(undefined)) {
    t.notTested('EVT-2a', 'not every delivery is a JSON object');
    return;
  }
  const envelopes = read as [Envelope, Envelope][];
  const firsts = envelopes.map(([first]) => first);
  const ids = firsts.map(eventIdOf);
  const isDistinct = new Set(ids).size === ids.length;
  t.claim('EVT-2a', 'another id for another event', isDistinct, ids.join(', '), ...all);
  const names = sequenceNames(firsts);
  const members = Object.keys(firsts[0] ?? {}).join(', ');
  const words = 'a member with a number that grows from event to event';
  t.claim('EVT-2a', words, names.length > 0, `members: ${members}`, ...all);
  for (const [index, [first, second]] of envelopes.entries()) {
    const [id, again] = [eventIdOf(first), eventIdOf(second)];
    const shown = `${JSON.stringify(first.id)} and ${JSON.stringify(second.id)}`;
    const isSame = id !== undefined && id === again;
    t.claim('EVT-2a', 'one id of the event in both deliveries', isSame, shown, ...pairs[index]!);
    if (names.length === 0) continue;
    const alike = names.some((name) => sequenceAt(first, name) === sequenceAt(second, name));
    const numbers = names.map((name) => `${name}: ${first[name]} and ${second[name]}`).join(', ');
    const expected = 'one sequence number in both deliveries';
    t.claim('EVT-2a', expected, alike, numbers, ...pairs[index]!);
  }
  if (names.length !== 1) return;
  const [name] = names;
  const isUnlike = Object.keys(firsts[0] ?? {}).some(
    (each) => each !== name && !SIMULATORS.includes(each),
  );
  const description = `members ${members}; the number is ${name}`;
  t.observe('NS-9', description, { envelope_seq_name: name }, isUnlike);
}

const evtRepeat: Scenario = {
  id: 'evt-repeat',
  title: 'A repeat has the id and number of the event, and a time and signature of its own',
  rules: ['EVT-2b', 'EVT-5b', 'EVT-6'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    const { secret } = await t.given.webhook(hook);
    hook.answer((_, count) => ({ status: count === 1 ? 500 : 200 }));
    const { event } = await deliverEvent(t, hook);
    const [first, repeat] = await awaitRepeat(t, hook, event);
    hook.answer(() => ({ status: 200 }));
    const { delivered: later } = await deliverEvent(t, hook);

    const [before, after] = [envelopeIn(first) ?? {}, envelopeIn(repeat) ?? {}];
    const ids = `${JSON.stringify(before.id)}, then ${JSON.stringify(after.id)}`;
    t.claim('EVT-2b', 'the id it had', eventIdOf(before) === eventIdOf(after), ids, first, repeat);
    for (const name of sequenceNames([before, envelopeIn(later) ?? {}])) {
      const same = sequenceAt(before, name) === sequenceAt(after, name);
      const numbers = [before, after].map((each) => sequenceAt(each, name)).join(', then ');
      t.claim('EVT-2b', `the ${name} it had`, same, numbers, first, repeat);
    }
    const times = [first, repeat].map((each) => timeIn(signatureOf(each)) ?? '');
    // EVT-5a judges the unit; in seconds, both times may be the same.
    if (times.every(isEpochMs)) {
      const isLater = Number(times[1]) > Number(times[0]);
      const actual = `t=${times[1]}, after t=${times[0]} before it`;
      t.claim('EVT-5b', 't of this delivery, later than before', isLater, actual, first, repeat);
    } else t.notTested('EVT-5b', 'there is no t in milliseconds to look at');
    const value = signatureOf(repeat)?.value ?? 'no signature';
    const isSigned = isSignedWith(secret, repeat);
    t.claim('EVT-6', 'signed for the t and the bytes it has', isSigned, value, repeat);
  },
};

/** The first two deliveries of an event that failed at first. */
async function awaitRepeat(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  event: TriggeredEvent,
): Promise<[RecordedDelivery, RecordedDelivery]> {
  // Real time has to pass too, so that a new `t` differs: a second if it is in whole seconds.
  const [made] = await deliveriesOf(t, hook, event, 1);
  const isWhole = made !== undefined && timeIn(signatureOf(made))?.endsWith('000');
  await t.sleep(isWhole ? 1_100 : 20);
  await t.wait(31_000);
  // EVT-8a judges when the repeat comes.
  const isLate = (await deliveriesOf(t, hook, event, 2)).length < 2;
  if (isLate && t.has('clock')) await t.operator.advance(DAY_MS);
  const [first, repeat] = await deliveriesOf(t, hook, event, 2, 100);
  if (first !== undefined && repeat !== undefined) return [first, repeat];
  throw new Blocked(`${event.words} was answered 500 and never came again`);
}

const evtRotation: Scenario = {
  id: 'evt-rotation',
  title: 'During a rotation there are two v1, under the new secret and the previous one',
  rules: ['EVT-6', 'EVT-7'],
  observes: ['NS-22', 'NS-61'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const [hook, beside] = [await t.receiver(), await t.receiver()];
    const { id, secret: first } = await t.given.webhook(hook);
    const { secret: own } = await t.given.webhook(beside);
    const rotate = async () => {
      const words = 'rotating the secret';
      return t.pick(await t.control(words, () => t.api.rotateWebhookSecret(id)), 'secret');
    };
    const second = await rotate();
    // Twice: the previous secret does not end with the first delivery.
    for (const _ of [1, 2]) {
      const { delivered } = await deliverEvent(t, hook);
      expectBoth(t, delivered, second, first);
      const signature = signatureOf(delivered);
      const isTwo = signature !== undefined && valuesAt(signature, 'v1').length === 2;
      t.claim('EVT-7', 'two v1', isTwo, signature?.value ?? 'no signature', delivered);
    }
    const { delivered: unrotated } = await deliverEvent(t, beside);
    claimSigned(t, 'EVT-6', 'signed with its own secret, which was not rotated', own, unrotated);
    const third = await rotate();
    const { delivered } = await deliverEvent(t, hook);
    claimSigned(t, 'EVT-7', 'a v1 under the newest secret', third, delivered);
    const secrets = { 'the newest': third, 'the one before': second, 'the first': first };
    const signing = Object.entries(secrets).filter(([, each]) => isSignedWith(each, delivered));
    const names = signing.map(([name]) => name).join(', ');
    t.observe('NS-61', `after a second rotation these sign: ${names}`);
    if (!t.has('clock')) return;
    const fourth = await rotateBeforeRetry(t, hook, rotate, third);
    await rotate();
    await observeOverlap(t, hook, fourth);
  },
};

function claimSigned(
  t: ScenarioContext,
  rule: RuleId,
  words: string,
  secret: string,
  delivered: RecordedDelivery,
): void {
  const value = signatureOf(delivered)?.value ?? 'no signature';
  t.claim(rule, words, isSignedWith(secret, delivered), value, delivered);
}

function expectBoth(
  t: ScenarioContext,
  delivered: RecordedDelivery,
  secret: string,
  previous: string,
): void {
  claimSigned(t, 'EVT-7', 'a v1 under the new secret', secret, delivered);
  claimSigned(t, 'EVT-7', 'a v1 under the previous secret', previous, delivered);
}

/** A delivery that waits for its retry during a rotation is signed like any other. */
async function rotateBeforeRetry(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  rotate: () => Promise<string>,
  previous: string,
): Promise<string> {
  const waiting = await failEvent(t, hook);
  const secret = await rotate();
  hook.answer(() => ({ status: 200 }));
  await t.operator.advance(31_000);
  const [, repeat] = await deliveriesOf(t, hook, waiting, 2);
  // NS-22: the rotation may be over by now, and EVT-8a judges when a repeat comes.
  const { delivered: now } = await deliverEvent(t, hook);
  if (repeat !== undefined && isSignedWith(previous, now)) expectBoth(t, repeat, secret, previous);
  return secret;
}

/** NS-22: usual lengths of a rotation. */
const LENGTHS_S = [1, 300, 3_600, 86_400, 7 * 86_400];

async function observeOverlap(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  previous: string,
): Promise<void> {
  const rotatedAtMs = await t.operator.nowMs();
  const signedAt = async (ageMs: number) => {
    const toMs = rotatedAtMs + ageMs - (await t.operator.nowMs());
    if (toMs > 0) await t.operator.advance(toMs);
    return isSignedWith(previous, (await deliverEvent(t, hook)).delivered);
  };
  let longerThanS = 0;
  for (const lengthS of LENGTHS_S) {
    if (!(await signedAt(lengthS * 1000 - 500))) break;
    longerThanS = lengthS;
    if (await signedAt(lengthS * 1000 + 500)) continue;
    t.observe('NS-22', `the previous secret signs for ${lengthS} s`, {
      rotation_overlap_s: lengthS,
    });
    return;
  }
  t.observe('NS-22', `the previous secret signs for about ${longerThanS} s or somewhat more`);
}

export const deliveryFormScenarios: readonly Scenario[] = [evtForm, evtRepeat, evtRotation];
