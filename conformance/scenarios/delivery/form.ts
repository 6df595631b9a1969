// EVT-2a to EVT-7: the form of a delivery: a signed POST of the envelope, with the subscription's
// id in a header. The same holds for a repeat, and for a delivery during the rotation of a secret.

import type { RecordedDelivery } from '../../engine/record/exchange-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { DAY_MS } from '../../spec/literals.ts';
import { advanceTo } from '../support/clock.ts';
import { inTurn } from '../support/in-turn.ts';
import {
  envelopeIn,
  eventIdOf,
  expectedMac,
  headersNaming,
  isSignedWith,
  type Signature,
  sequenceAt,
  sequenceNames,
  signatureOf,
  valuesAt,
} from './deliveries.ts';
import {
  type Listener,
  MINUTE_MS,
  subscribe,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
} from './events.ts';

/** Text that breaks the signature if a sender signs characters, or serializes the JSON again. */
const HARD_TO_SIGN = 'Zoë Ångström 你好 🎉 "quoted" \\ back/slash <b>&amp;</b>';

function isEpochMs(digits: string): boolean {
  return /^[0-9]+$/.test(digits) && Number(digits) > 9.4e11 && Number(digits) < 4.2e12;
}

function timeIn(signature: Signature | undefined): string {
  return (signature && valuesAt(signature, 't')[0]) ?? '';
}

export const evtForm: Story = {
  title: 'A delivery is a signed POST of the envelope with the id of the subscription',
  rules: ['EVT-2a', 'EVT-3', 'EVT-5a', 'EVT-5b', 'EVT-6'],
  observes: ['NS-9', 'NS-10'],
  needs: ['receiver'],
  async run(t) {
    const both = [await subscribe(t), await subscribe(t)];
    const date = Date.parse(both[1]!.given.answer.headers.get('date') ?? '');
    const aheadMs = Number.isNaN(date) || t.has('clock') ? 0 : date - Date.now();
    const events = [
      // NS-11: it may trigger no event. If it does, its body is a good test of the signature.
      await triggerAccountEvent(t, t.mainRole, HARD_TO_SIGN),
      await triggerEvent(t, { text: HARD_TO_SIGN.repeat(99) }),
      await triggerEvent(t),
    ];
    for (const each of both) await each.first(events[2]!);
    const pairs: RecordedDelivery[][] = [];
    for (const event of events) {
      const arrived = await inTurn(both, (each) => each.of(event, 1, 500));
      const pair = arrived.flatMap(([first]) => first ?? []);
      if (pair.length === both.length) pairs.push(pair);
    }
    const ownMs = t.has('clock') ? [await t.operator.nowMs()] : [];
    for (const [index, { given }] of both.entries()) {
      for (const delivered of pairs.map((pair) => pair[index]!)) {
        // The times here and at the target: a wrong clock of the target is not a deviation.
        const nowsMs = [delivered.atMs, delivered.atMs + aheadMs, ...ownMs];
        expectForm(t, delivered, given.secret, nowsMs);
      }
    }
    const header = pairs.flat().map((each) => signatureOf(each)?.name)[0];
    if (header !== undefined) {
      t.observe('NS-10', `${header} has the signature`, { signature_header: header });
    }
    expectNamed(t, both, pairs);
    expectEnvelopes(t, pairs);
  },
};

function expectForm(
  t: ScenarioContext,
  delivered: RecordedDelivery,
  secret: string,
  nowsMs: readonly number[],
): void {
  const signature = signatureOf(delivered);
  const headers = delivered.headers.lines.map(([name]) => name).join(', ');
  const seen = `${delivered.method}, ${signature?.value ?? `headers ${headers}`}`;
  const claim = (rule: RuleId, words: string, truth: boolean) =>
    t.claim(rule, words, truth, seen, delivered);
  claim('EVT-3', 'a POST', delivered.method === 'POST');
  claim('EVT-3', 'a JSON object', envelopeIn(delivered) !== undefined);
  claim('EVT-3', 'a header with a signature', signature !== undefined);
  const [time, macs] = [timeIn(signature), signature ? valuesAt(signature, 'v1') : []];
  if (signature !== undefined) {
    const isWellFormed = signature.parts.every(([key, value]) => key !== '' && value !== '');
    claim('EVT-5a', 'key=value parts with commas between', isWellFormed);
    const isOne = valuesAt(signature, 't').length === 1;
    claim('EVT-5a', 'one t, in epoch milliseconds', isOne && isEpochMs(time));
    claim('EVT-5a', 'v1 once or more', macs.length > 0);
  }
  if (/^[0-9]+$/.test(time)) {
    // EVT-5a judges the unit: here a time in seconds is accepted.
    const sentMs = isEpochMs(time) ? Number(time) : Number(time) * 1000;
    const isTimely = nowsMs.some((now) => Math.abs(now - sentMs) <= 5 * MINUTE_MS);
    claim('EVT-5b', 't within five minutes of the clock', isTimely);
  }
  if (time === '' || macs.length === 0) t.notTested('EVT-6', 'there is no t with a v1 to look at');
  else {
    const isSigned = macs.includes(expectedMac(secret, time, delivered.body));
    claim('EVT-6', 'a v1 made with the secret, of t and the bytes', isSigned);
  }
}

/** EVT-3: each delivery has the id of its own subscription, in the same header. */
function expectNamed(
  t: ScenarioContext,
  listeners: readonly Listener[],
  pairs: readonly (readonly RecordedDelivery[])[],
): void {
  const named = pairs.flatMap((pair) =>
    pair.map((each, index) => headersNaming(listeners[index]!.id, each)),
  );
  const common = (named[0] ?? []).filter((name) => named.every((each) => each.includes(name)));
  const words = 'a header with the id of the subscription in each delivery';
  t.claim('EVT-3', words, common.length > 0, 'no header that always has it', ...pairs.flat());
  if (common[0] === undefined) return;
  t.observe('NS-10', `${common[0]} has the subscription id`, { subscription_header: common[0] });
}

/** NS-9: the members of the simulator's envelope, except its sequence number. */
const SIMULATORS = [
  ...['id', 'category', 'kind', 'occurred_at'],
  ...['firm_id', 'brand_id', 'account_id', 'data'],
];

/** EVT-2a: each event has its own id and an increasing number, the same for every subscription. */
function expectEnvelopes(t: ScenarioContext, pairs: readonly RecordedDelivery[][]) {
  const all = pairs.flat();
  // EVT-3 judges whether each body is an envelope.
  if (all.some((each) => envelopeIn(each) === undefined)) {
    return t.notTested('EVT-2a', 'not every delivery is a JSON object');
  }
  const envelopes = pairs.map((pair) => pair.map((each) => envelopeIn(each)!));
  const firsts = envelopes.map(([first]) => first!);
  const ids = firsts.map(eventIdOf);
  const isDistinct = new Set(ids).size === ids.length;
  t.claim('EVT-2a', 'another id for another event', isDistinct, ids.join(', '), ...all);
  const names = sequenceNames(firsts);
  const members = Object.keys(firsts[0] ?? {});
  const growing = 'a member with a number that grows from event to event';
  t.claim('EVT-2a', growing, names.length > 0, `members: ${members.join(', ')}`, ...all);
  for (const [index, pair] of pairs.entries()) {
    const [first, second] = envelopes[index]!;
    const [id, again] = [eventIdOf(first), eventIdOf(second)];
    const isSame = id !== undefined && id === again;
    t.claim('EVT-2a', 'one id of the event in both deliveries', isSame, `${id}, ${again}`, ...pair);
    if (names.length === 0) continue;
    const isAlike = names.some((name) => sequenceAt(first!, name) === sequenceAt(second!, name));
    t.claim('EVT-2a', 'one sequence number in both deliveries', isAlike, 'two', ...pair);
  }
  if (names.length !== 1) return;
  const isUnlike = members.some((each) => each !== names[0] && !SIMULATORS.includes(each));
  const words = `members ${members.join(', ')}; the number is ${names[0]}`;
  t.observe('NS-9', words, { envelope_seq_name: names[0] }, isUnlike);
}

export const evtRepeat: Story = {
  title: 'A repeat has the id and number of the event, and a time and signature of its own',
  rules: ['EVT-2b', 'EVT-5b', 'EVT-6'],
  needs: ['receiver'],
  async run(t) {
    const listener = await subscribe(t);
    listener.answers((_, count) => ({ status: count === 1 ? 500 : 200 }));
    const { event } = await listener.deliver();
    const [first, repeat] = await awaitRepeat(t, listener, event);
    listener.answers(200);
    const { delivered: later } = await listener.deliver();

    const [before, after] = [envelopeIn(first) ?? {}, envelopeIn(repeat) ?? {}];
    const ids = `${printJson(before.id)}, then ${printJson(after.id)}`;
    t.claim('EVT-2b', 'the id it had', eventIdOf(before) === eventIdOf(after), ids, first, repeat);
    for (const name of sequenceNames([before, envelopeIn(later) ?? {}])) {
      const same = sequenceAt(before, name) === sequenceAt(after, name);
      t.claim('EVT-2b', `the ${name} it had`, same, `${after[name]}`, first, repeat);
    }
    const times = [first, repeat].map((each) => timeIn(signatureOf(each)));
    // EVT-5a judges the unit; in seconds, both times may be the same.
    if (times.every(isEpochMs)) {
      const isLater = Number(times[1]) > Number(times[0]);
      const actual = `t=${times[1]}, after t=${times[0]} before it`;
      t.claim('EVT-5b', 't of this delivery, later than before', isLater, actual, first, repeat);
    } else t.notTested('EVT-5b', 'there is no t in milliseconds to look at');
    claimSigned(t, 'EVT-6', 'signed for the t and the bytes it has', listener.given.secret, repeat);
  },
};

async function awaitRepeat(t: ScenarioContext, listener: Listener, event: TriggeredEvent) {
  // Real time must pass too, so that `t` changes: a second if it is in whole seconds.
  const isWhole = timeIn(signatureOf(await listener.first(event))).endsWith('000');
  await t.sleep(isWhole ? 1_100 : 20);
  await t.wait(31_000);
  // EVT-8a judges when the repeat comes.
  const isLate = (await listener.of(event, 2)).length < 2;
  if (isLate && t.has('clock')) await t.operator.advance(DAY_MS);
  const [first, repeat] = await listener.of(event, 2, 100);
  if (first !== undefined && repeat !== undefined) return [first, repeat] as const;
  throw new Blocked(`${event.words} was answered 500 and never came again`);
}

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

export const evtRotation: Story = {
  title: 'During a rotation there are two v1, under the new secret and the previous one',
  rules: ['EVT-6', 'EVT-7'],
  observes: ['NS-22', 'NS-61'],
  needs: ['receiver'],
  async run(t) {
    const [listener, beside] = [await subscribe(t), await subscribe(t)];
    const rotate = async () =>
      t.pick(await t.control('rotateWebhookSecret', { id: listener.id }), 'secret');
    const expectBoth = (delivered: RecordedDelivery, secret: string, previous: string) => {
      claimSigned(t, 'EVT-7', 'a v1 under the new secret', secret, delivered);
      claimSigned(t, 'EVT-7', 'a v1 under the previous secret', previous, delivered);
    };
    const { secret: first } = listener.given;
    const second = await rotate();
    // Twice: the previous secret must remain valid after the first delivery.
    for (const _ of [1, 2]) {
      const { delivered } = await listener.deliver();
      expectBoth(delivered, second, first);
      const signature = signatureOf(delivered);
      const isTwo = signature !== undefined && valuesAt(signature, 'v1').length === 2;
      t.claim('EVT-7', 'two v1', isTwo, signature?.value ?? 'no signature', delivered);
    }
    const { delivered: unrotated } = await beside.deliver();
    const own = 'signed with its own secret, which was not rotated';
    claimSigned(t, 'EVT-6', own, beside.given.secret, unrotated);
    const third = await rotate();
    const { delivered } = await listener.deliver();
    claimSigned(t, 'EVT-7', 'a v1 under the newest secret', third, delivered);
    const secrets = { 'the newest': third, 'the one before': second, 'the first': first };
    const signing = Object.entries(secrets).filter(([, each]) => isSignedWith(each, delivered));
    const names = signing.map(([name]) => name).join(', ');
    t.observe('NS-61', `after a second rotation these sign: ${names}`);
    if (!t.has('clock')) return;

    // A delivery that waits for its retry during a rotation is signed like any other.
    const waiting = await listener.fail();
    const fourth = await rotate();
    listener.answers(200);
    await t.operator.advance(31_000);
    const [, repeat] = await listener.of(waiting, 2);
    // NS-22: the rotation may have ended by now, and EVT-8a judges the time of a repeat.
    const { delivered: now } = await listener.deliver();
    if (repeat !== undefined && isSignedWith(third, now)) expectBoth(repeat, fourth, third);
    await rotate();
    await observeOverlap(t, listener, fourth);
  },
};

/** NS-22: usual lengths of a rotation. */
const LENGTHS_S = [1, 300, 3_600, 86_400, 7 * 86_400];

async function observeOverlap(t: ScenarioContext, listener: Listener, previous: string) {
  const rotatedAtMs = await t.operator.nowMs();
  const signsAt = async (ageMs: number) => {
    await advanceTo(t, rotatedAtMs + ageMs);
    return isSignedWith(previous, (await listener.deliver()).delivered);
  };
  let longerThanS = 0;
  for (const lengthS of LENGTHS_S) {
    if (!(await signsAt(lengthS * 1000 - 500))) break;
    longerThanS = lengthS;
    if (await signsAt(lengthS * 1000 + 500)) continue;
    const settings = { rotation_overlap_s: lengthS };
    return t.observe('NS-22', `the previous secret signs for ${lengthS} s`, settings);
  }
  t.observe('NS-22', `the previous secret signs for about ${longerThanS} s or somewhat more`);
}
