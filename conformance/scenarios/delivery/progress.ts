// EVT-10a: how far delivery has come, as last_delivered_seq shows it.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { readSubscription, rowOf, subscriptionsIn } from '../support/subscription-assertions.ts';
import { type Envelope, envelopeIn, sequenceAt, sequenceNames } from './envelopes.ts';
import {
  arrivedAt,
  DAY_MS,
  deliverEvent,
  deliveriesOf,
  failEvent,
  flushDeliveries,
  triggerEvent,
} from './events.ts';

const evtProgress: Scenario = {
  id: 'evt-progress',
  title: 'last_delivered_seq is the last event that was taken, and stays where delivery stopped',
  rules: ['EVT-10a'],
  observes: ['NS-28'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    // Events before the subscription, so that a count of deliveries is not their number.
    for (let n = 0; n < 3; n += 1) await triggerEvent(t);
    const { id } = await t.given.webhook(hook, ['account']);
    const before = await deliverEvent(t, hook);
    const last = await deliverEvent(t, hook);
    const envelopes = [before, last].map(({ delivered }) => envelopeIn(delivered) ?? {});
    const names = sequenceNames(envelopes);
    if (names.length === 0) {
      const why = 'deliveries carry no sequence number to hold it against';
      return t.notTested('EVT-10a', why);
    }
    const progress = new Progress(t, hook, id, names);
    progress.reached = progress.numbersOf(envelopes[1], last.event.envelope);
    await progress.expectReached('of the last event delivered');
    await expectListed(t, id, progress.reached);
    await expectOthersUncounted(t, hook, progress);
    await t.control('a new secret', () => t.api.rotateWebhookSecret(id));
    await progress.expectReached('after the secret was rotated');
    if (t.has('clock')) {
      await t.operator.advance(10 * DAY_MS);
      await progress.expectReached('ten days later');
      // In real time the retry would take too long to wait for.
      await expectRetryCounted(t, hook, progress);
    }
    await failEvent(t, hook);
    await progress.expectReached('after an attempt that failed');
    if (t.has('clock')) await expectStop(t, hook, progress);
  },
};

class Progress {
  /** The numbers of the last event that was delivered; several while members are ambiguous. */
  reached: readonly number[] = [];
  readonly #t: ScenarioContext;
  readonly #hook: WebhookEndpoint;
  readonly #id: string;
  readonly #names: readonly string[];

  constructor(t: ScenarioContext, hook: WebhookEndpoint, id: string, names: readonly string[]) {
    this.#t = t;
    this.#hook = hook;
    this.#id = id;
    this.#names = names;
  }

  /** As delivered and as emitted: EVT-2a judges whether they agree. */
  numbersOf(...envelopes: readonly (Envelope | undefined)[]): number[] {
    const numbers = envelopes.flatMap((each = {}) =>
      this.#names.map((name) => sequenceAt(each, name)),
    );
    return [...new Set(numbers.filter((each) => each !== undefined))];
  }

  /**
   * On a live target others may cause events of this subscription too, and EVT-1 judges whether only
   * chosen events are delivered: whatever was delivered since counts as well.
   */
  async expectReached(when: string, others: readonly number[] = []): Promise<void> {
    const taken = this.#hook.deliveries.filter(({ answered }) => answered === 200);
    const newest = Math.max(...this.reached);
    const later = this.numbersOf(...taken.map(envelopeIn)).filter((each) => each > newest);
    const numbers = [...others, ...this.reached, ...later];
    // The number may follow an answer after a moment.
    await this.#t.until(async () => numbers.includes(seqOf(await this.#read())), 1_000);
    this.#expect(numbers, when, await this.#read());
  }

  async expectNow(when: string): Promise<void> {
    this.#expect(this.reached, when, await this.#read());
  }

  #expect(numbers: readonly number[], when: string, answer: Answer): void {
    const seen = `last_delivered_seq ${answer.at('last_delivered_seq')}`;
    const words = `last_delivered_seq ${numbers.join(' or ')} ${when}`;
    this.#t.expect('EVT-10a', answer).is(words, numbers.includes(seqOf(answer)), seen);
  }

  #read(): Promise<Answer> {
    return readSubscription(this.#t, this.#id);
  }
}

function seqOf(subscription: Answer): number {
  return Number(subscription.at('last_delivered_seq'));
}

async function expectListed(
  t: ScenarioContext,
  id: string,
  numbers: readonly number[],
): Promise<void> {
  const list = await t.control('the list', () => t.api.listWebhooks(), 200);
  const row = rowOf(subscriptionsIn(list).rows, id);
  const listed = row === undefined || numbers.includes(Number(row.last_delivered_seq));
  const words = `last_delivered_seq ${numbers.join(' or ')} in the list`;
  t.expect('EVT-10a', list).is(words, listed, printJson(row));
}

/** Later events of other categories do not change the number. */
async function expectOthersUncounted(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  progress: Progress,
): Promise<void> {
  if (!t.has('emit')) return;
  const beside = await t.receiver();
  await t.given.webhook(beside, ['order', 'transaction']);
  const before = hook.deliveries.length;
  for (const category of ['order', 'transaction'] as const) {
    await deliverEvent(t, beside, { category });
  }
  await flushDeliveries(t);
  // EVT-1 judges whether events that were not chosen are delivered.
  if (hook.deliveries.length > before) return;
  await progress.expectNow('though another subscription was delivered later events');
}

async function expectRetryCounted(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  progress: Progress,
): Promise<void> {
  const event = await failEvent(t, hook);
  hook.answer(() => ({ status: 200 }));
  await t.operator.advance(DAY_MS);
  const [, repeat] = await deliveriesOf(t, hook, event, 2, 100);
  // EVT-8a judges whether it is retried.
  if (repeat === undefined) return;
  progress.reached = progress.numbersOf(envelopeIn(repeat), event.envelope);
  await progress.expectReached('once a retry was taken');
}

/** After the last attempt the number stays, or, if delivery goes on (NS-28), moves on. */
async function expectStop(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  progress: Progress,
): Promise<void> {
  const behind = await triggerEvent(t);
  await flushDeliveries(t);
  const isIndependent = (await deliveriesOf(t, hook, behind, 1, 50)).length > 0;
  const what = isIndependent ? 'nothing' : 'others';
  t.observe('NS-28', `a failing event holds ${what} back`, {
    delivery_order: isIndependent ? 'independent' : 'in_sequence',
  });
  await t.operator.advance(DAY_MS);
  await progress.expectReached('after the last attempt');

  const before = hook.deliveries.length;
  hook.answer(() => ({ status: 200 }));
  const later = await triggerEvent(t);
  await t.operator.advance(DAY_MS);
  const arrived = await arrivedAt(t, hook, before);
  const skips = arrived.some((each) => behind.isIn(each) || later.isIn(each));
  t.observe('NS-28', skips ? 'the next event has its turn' : 'delivery stands still', {
    after_last_attempt: skips ? 'skip' : 'stop',
  });
  if (arrived.length === 0) return;
  // If deliveries are independent, the last one that succeeded need not have the highest number;
  // the number before the gap is as right, because the channel replays from there.
  const made = [behind.envelope, later.envelope];
  const since = progress.numbersOf(...arrived.map(envelopeIn), ...made);
  await progress.expectReached('of an event taken since, or before the gap', since);
}

export const deliveryProgressScenarios: readonly Scenario[] = [evtProgress];
