// EVT: deliveries that come again, and deliveries while a secret is being replaced.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { requirePrecondition } from '../support/transaction-assertions.ts';
import { envelopeIn, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';
import { isSignedWith, signatureOf, valuesAt } from './signatures.ts';
import {
  deliveriesOf,
  flushDeliveries,
  requireDelivery,
  type TriggeredEvent,
  triggerEvent,
} from './trigger-event.ts';

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
    const event = await triggerEvent(t);
    await requireDelivery(t, hook, event);
    const [first, repeat] = await awaitRepeat(t, hook, event);
    hook.answer(() => ({ status: 200 }));
    const later = await requireDelivery(t, hook, await triggerEvent(t));

    const [before, after] = [envelopeIn(first) ?? {}, envelopeIn(repeat) ?? {}];
    const ids = `${JSON.stringify(before.id)}, then ${JSON.stringify(after.id)}`;
    t.claim('EVT-2b', 'the id it had', eventIdOf(before) === eventIdOf(after), ids, first, repeat);
    for (const name of sequenceNames([before, envelopeIn(later) ?? {}])) {
      const same = sequenceAt(before, name) === sequenceAt(after, name);
      const numbers = [before, after].map((each) => sequenceAt(each, name)).join(', then ');
      t.claim('EVT-2b', `the ${name} it had`, same, numbers, first, repeat);
    }
    const times = [first, repeat].map(timeOf);
    // EVT-5a: in another unit, two times may well be one.
    const inMs = times.every((each) => /^[0-9]{13}$/.test(each ?? ''));
    if (!inMs) t.notTested('EVT-5b', 'there is no t in milliseconds to look at');
    // Between the two, time passed on every clock there is.
    const anew = Number(times[1]) > Number(times[0]);
    const said = `t=${times[1]}, after t=${times[0]} before it`;
    if (inMs) t.claim('EVT-5b', 't of this delivery, later than before', anew, said, first, repeat);
    if (!isSignedWith(secret, first)) return t.notTested('EVT-6', 'not even the first is signed');
    const value = signatureOf(repeat)?.value ?? 'no signature';
    const signed = isSignedWith(secret, repeat);
    t.claim('EVT-6', 'signed for the t and the bytes it has', signed, value, repeat);
  },
};

function timeOf(delivered: RecordedDelivery): string | undefined {
  const signature = signatureOf(delivered);
  return signature === undefined ? undefined : valuesAt(signature, 't')[0];
}

const evtRotation: Scenario = {
  id: 'evt-rotation',
  title: 'During a rotation there are two v1, under the new secret and the previous one',
  rules: ['EVT-6', 'EVT-7'],
  observes: ['NS-22', 'NS-61'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    const { id, secret } = await t.given.webhook(hook);
    const beside = await t.receiver();
    const other = await t.given.webhook(beside);
    const plain = await requireDelivery(t, hook, await triggerEvent(t));
    if (!isSignedWith(secret, plain)) {
      return t.notTested('EVT-7', 'deliveries are not signed as EVT-6 says before any rotation');
    }
    const rotate = async () => {
      const words = 'rotating the secret';
      return t.pick(await t.control(words, () => t.api.rotateWebhookSecret(id)), 'secret');
    };
    const second = await rotate();
    requirePrecondition(second !== secret, 'a rotation brings no new secret (HOOK-4)');
    // Twice: the previous secret does not end with the first delivery.
    for (const _ of [1, 2]) {
      const delivered = await requireDelivery(t, hook, await triggerEvent(t));
      expectBoth(t, delivered, second, secret);
      const made = valuesAt(signatureOf(delivered)!, 'v1');
      t.claim('EVT-7', 'two v1', made.length === 2, signatureOf(delivered)!.value, delivered);
    }
    await expectOwnSecret(t, beside, other.secret);
    const third = await rotate();
    const again = await requireDelivery(t, hook, await triggerEvent(t));
    const value = signatureOf(again)?.value ?? 'no signature';
    const isNew = isSignedWith(third, again) === true;
    t.claim('EVT-7', 'a v1 under the newest secret', isNew, value, again);
    observeSecond(t, again, { 'the newest': third, 'the one before': second, 'the first': secret });
    if (!t.has('clock')) return;
    const fourth = await rotateMeanwhile(t, hook, rotate, third);
    await rotate();
    await observeOverlap(t, hook, fourth);
  },
};

/** EVT-6: a rotation is of one subscription; what another signs with stays as it is. */
async function expectOwnSecret(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  secret: string,
): Promise<void> {
  const delivered = await requireDelivery(t, hook, await triggerEvent(t));
  const value = signatureOf(delivered)?.value ?? 'no signature';
  const own = isSignedWith(secret, delivered) === true;
  t.claim('EVT-6', 'signed with its own secret, which nobody rotated', own, value, delivered);
}

/** NS-61: which of the three sign while two rotations last. */
function observeSecond(
  t: ScenarioContext,
  delivered: RecordedDelivery,
  secrets: Readonly<Record<string, string>>,
): void {
  const signing = Object.entries(secrets).filter(([, each]) => isSignedWith(each, delivered));
  const names = signing.map(([name]) => name).join(', ');
  t.observe('NS-61', `after a second rotation these sign: ${names}`);
}

/** What waits for its next attempt while the secret is rotated is signed like anything else. */
async function rotateMeanwhile(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  rotate: () => Promise<string>,
  previous: string,
): Promise<string> {
  hook.answer(() => ({ status: 500 }));
  const waiting = await triggerEvent(t);
  await requireDelivery(t, hook, waiting);
  await flushDeliveries(t);
  const secret = await rotate();
  hook.answer(() => ({ status: 200 }));
  await t.operator.advance(31_000);
  const [, repeat] = await deliveriesOf(t, hook, waiting, 2);
  // NS-22: a rotation may be over by now, and EVT-8a judges when a repeat comes.
  const now = await requireDelivery(t, hook, await triggerEvent(t));
  if (repeat !== undefined && isSignedWith(previous, now)) expectBoth(t, repeat, secret, previous);
  return secret;
}

function expectBoth(
  t: ScenarioContext,
  delivered: RecordedDelivery,
  secret: string,
  previous: string,
): void {
  const value = signatureOf(delivered)?.value ?? 'no signature';
  const [now, before] = [secret, previous].map((each) => isSignedWith(each, delivered));
  t.claim('EVT-7', 'a v1 under the new secret', now === true, value, delivered);
  t.claim('EVT-7', 'a v1 under the previous secret', before === true, value, delivered);
}

/** The first two deliveries of an event that failed at first. */
async function awaitRepeat(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  event: TriggeredEvent,
): Promise<[RecordedDelivery, RecordedDelivery]> {
  // The wall goes on too, so that a time taken anew is another time: one in whole seconds as well.
  const [made] = await deliveriesOf(t, hook, event, 1);
  await t.sleep(made !== undefined && timeOf(made)?.endsWith('000') ? 1_100 : 20);
  await t.wait(31_000);
  if ((await deliveriesOf(t, hook, event, 2)).length < 2 && t.has('clock')) {
    // EVT-8a: when it comes is judged elsewhere.
    await t.operator.advance(DAY_MS);
  }
  const [first, repeat] = await deliveriesOf(t, hook, event, 2, 100);
  if (first === undefined || repeat === undefined) {
    throw new Blocked(`${event.words} was answered 500 and never came again`);
  }
  return [first, repeat];
}

const DAY_MS = 86_400_000;

/**
 * NS-22: usual lengths of a rotation; which it is shows in the last delivery with the old secret.
 */
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
    return isSignedWith(previous, await requireDelivery(t, hook, await triggerEvent(t)));
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

export const deliveryRepeatScenarios: readonly Scenario[] = [evtRepeat, evtRotation];
