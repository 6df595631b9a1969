// EVT: how far delivery has come, as last_delivered_seq tells it.
import type { Answer } from '../engine/answer.ts';
import type { Delivered } from '../engine/arrivals.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import type { Hook } from '../providers/receiver.ts';
import { type Envelope, envelopeIn, sequenceAt, sequenceNames } from './envelopes.ts';
import { deliveriesOf, type Happening, happen, letArrive, mustArrive } from './happenings.ts';
import { read, rowOf, subscriptionsIn } from './subscriptions.ts';

const DAY_MS = 86_400_000;

const evtProgress: Scenario = {
  id: 'evt-progress',
  title: 'last_delivered_seq is the last event that was taken, and stays where delivery stopped',
  rules: ['EVT-10a'],
  observes: ['NS-28'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    const { id } = await t.given.webhook(hook, ['account']);
    const before = await mustArrive(t, hook, await happen(t));
    const last = await happen(t);
    const taken = await mustArrive(t, hook, last);
    const envelopes = [before, taken].map((each) => envelopeIn(each) ?? {});
    const names = sequenceNames(envelopes);
    if (names.length === 0) {
      return t.untested('EVT-10a', 'deliveries carry no sequence number to hold it against');
    }
    // EVT-2a: should the delivery carry another number than the event has, it is not this one's
    // fault.
    const numbers = names.flatMap((name) =>
      [envelopes[1]!, last.envelope ?? {}].map((each) => sequenceAt(each, name)),
    );
    await t.until(async () => numbers.includes(seqOf(await read(t, id))), 2_000);
    const words = `the number of the last event delivered (${numbers.join(' or ')})`;
    const expectSeq = (answer: Answer, when: string) =>
      t
        .expect('EVT-10a', answer)
        .is(
          `last_delivered_seq ${words}${when}`,
          numbers.includes(seqOf(answer)),
          `last_delivered_seq ${answer.at('last_delivered_seq')}`,
        );
    expectSeq(await read(t, id), '');
    const list = await t.control('the list', () => t.api.listWebhooks(), 200);
    const row = rowOf(subscriptionsIn(list).rows, id);
    const listed = row === undefined || numbers.includes(Number(row.last_delivered_seq));
    t.expect('EVT-10a', list).is(`${words} in the list`, listed, JSON.stringify(row));

    hook.answer(() => ({ status: 500 }));
    const failing = await happen(t);
    await mustArrive(t, hook, failing);
    await letArrive(t);
    expectSeq(await read(t, id), ' after an attempt that failed');
    const behind = await happen(t);
    await letArrive(t);
    const passed = (await deliveriesOf(t, hook, behind, 1, 50)).length > 0;
    const order = passed ? 'independent' : 'in_sequence';
    t.observe(
      'NS-28',
      `a failing event ${passed ? 'holds nothing' : 'holds the later ones'} back`,
      {
        delivery_order: order,
      },
    );
    await t.operator.advance(DAY_MS);
    expectSeq(await read(t, id), ' after the last attempt');
    await goesOn(t, hook, id, names, behind);
  },
};

/**
 * NS-28: whether anything is delivered after an event was given up, and then what the number says.
 */
async function goesOn(
  t: Trial,
  hook: Hook,
  id: number,
  names: readonly string[],
  behind: Happening,
): Promise<void> {
  const seen = hook.arrivals.length;
  hook.answer(() => ({ status: 200 }));
  const later = await happen(t);
  await t.operator.advance(DAY_MS);
  const arrived = (await t.arrived(hook, 0, 0)).slice(seen);
  const skips = arrived.some((each) => behind.isIn(each) || later.isIn(each));
  t.observe('NS-28', skips ? 'the next event has its turn' : 'delivery stands still', {
    after_last_attempt: skips ? 'skip' : 'stop',
  });
  if (arrived.length === 0) return;
  // Where each event goes its own way, the last that was taken need not be the latest one.
  const taken = arrived.flatMap((each) => numbersIn(each, names));
  await t.until(async () => taken.includes(seqOf(await read(t, id))), 1_000);
  const answer = await read(t, id);
  t.expect('EVT-10a', answer).is(
    `last_delivered_seq of an event taken since (${taken.join(', ')})`,
    taken.includes(seqOf(answer)),
    `last_delivered_seq ${answer.at('last_delivered_seq')}`,
  );
}

function numbersIn(delivered: Delivered, names: readonly string[]): number[] {
  const envelope: Envelope = envelopeIn(delivered) ?? {};
  return names.map((name) => sequenceAt(envelope, name)).filter((each) => each !== undefined);
}

function seqOf(subscription: Answer): number {
  return Number(subscription.at('last_delivered_seq'));
}

export const deliveryProgressScenarios: readonly Scenario[] = [evtProgress];
