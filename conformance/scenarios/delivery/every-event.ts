// EVT-4, EVT-2a: every event arrives, each under a number of its own.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { type Envelope, envelopeIn, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';
import {
  deliveriesOf,
  deliveryTimeoutMs,
  flushDeliveries,
  requireDelivery,
  type TriggeredEvent,
  triggerAccountEvent,
  triggerEvent,
} from './trigger-event.ts';

const CROWD = 8;

export const evtEvery: Scenario = {
  id: 'evt-every',
  title: 'Every event arrives, of those that happen at once and of those behind one that fails',
  rules: ['EVT-2a', 'EVT-4'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook, ['account']);
    const before = [await triggerEvent(t), await triggerEvent(t)];
    const first = await triggerAccountEvent(t, t.mainRole);
    const crowd = await accountsAtOnce(t);
    await flushDeliveries(t);
    await expectNumbersApart(t, hook, before);
    const told = (await deliveriesOf(t, hook, first, 1, t.has('emit') ? 0 : deliveryTimeoutMs(t)))
      .length;
    if (told > 0) {
      await expectEach(t, hook, crowd, 'of accounts that were created at the same moment');
    } else if (!t.has('emit')) {
      // NS-11: that creating an account brings an event is nowhere said.
      return t.notTested(
        'EVT-4',
        'creating accounts brings no events here, so none can be awaited',
      );
    }
    if (t.has('emit')) await behindOneThatFails(t, hook);
  },
};

/** EVT-2a: whatever happens at the same moment, no two events have one number. */
async function expectNumbersApart(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  known: readonly TriggeredEvent[],
): Promise<void> {
  const grown: Envelope[] = [];
  for (const event of known) {
    const [delivered] = await deliveriesOf(t, hook, event);
    grown.push((delivered && envelopeIn(delivered)) ?? {});
  }
  const [name] = sequenceNames(grown);
  if (name === undefined) return t.notTested('EVT-2a', 'no number grows from event to event');
  const eventsAt = new Map<number, Set<string>>();
  for (const each of hook.deliveries) {
    const envelope = envelopeIn(each) ?? {};
    const [number, id] = [sequenceAt(envelope, name), eventIdOf(envelope)];
    if (number === undefined || id === undefined) continue;
    eventsAt.set(number, (eventsAt.get(number) ?? new Set()).add(id));
  }
  const shared = [...eventsAt].filter(([, ids]) => ids.size > 1);
  const seen = shared.map(([number, ids]) => `${number} of ${[...ids].join(' and ')}`).join(', ');
  t.claim('EVT-2a', 'a number of its own for each event', shared.length === 0, seen);
}

async function accountsAtOnce(t: ScenarioContext): Promise<TriggeredEvent[]> {
  const bodies = Array.from({ length: await t.burstSize(CROWD) }, () => t.newAccount());
  const answers = await t.sendTogether(bodies.length, (i) => t.api.createAccount(bodies[i]!));
  return bodies
    .filter((_, index) => answers[index]!.status === 201)
    .map((body) => {
      const reference = String(body.client_reference_id);
      const id = answers[bodies.indexOf(body)]!.at('id');
      return {
        words: `an event about the account ${id}`,
        isIn: ({ body: said }) => isAbout(new TextDecoder().decode(said), reference, String(id)),
      };
    });
}

/** By the reference or the id, which may be a number that no double holds (NS-9). */
export function isAbout(text: string, reference: string, id: string): boolean {
  if (text.includes(reference) || text.includes(`"${id}"`)) return true;
  return /^\d+$/.test(id) && new RegExp(`(?<![\\w."-])${id}(?![\\w."-])`).test(text);
}

async function expectEach(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  events: readonly TriggeredEvent[],
  which: string,
): Promise<void> {
  const endMs = performance.now() + deliveryTimeoutMs(t);
  const missing: string[] = [];
  for (const event of events) {
    const leftMs = Math.max(0, endMs - performance.now());
    if ((await deliveriesOf(t, hook, event, 1, leftMs)).length === 0) missing.push(event.words);
  }
  const words = `${events.length} events ${which}`;
  t.claim('EVT-4', words, missing.length === 0, `none of ${missing.join(', ')}`);
}

/** An event that fails at first, and those that come while it is waiting to be tried again. */
async function behindOneThatFails(t: ScenarioContext, hook: WebhookEndpoint): Promise<void> {
  let failing: TriggeredEvent | undefined;
  hook.answer((each) => ({ status: failing?.isIn(each) === false ? 200 : 500 }));
  failing = await triggerEvent(t);
  await requireDelivery(t, hook, failing);
  const behind: TriggeredEvent[] = [];
  while (behind.length < 4) behind.push(await triggerEvent(t));
  await flushDeliveries(t);
  // NS-28: where each goes its own way many wait only if all of them fail.
  hook.answer(() => ({ status: 500 }));
  while (behind.length < 16) behind.push(await triggerEvent(t));
  await flushDeliveries(t);
  hook.answer(() => ({ status: 200 }));
  if (t.has('clock')) await t.operator.advance(3_600_000);
  // EVT-8a: that the failed one is tried again is judged elsewhere, and the others may wait for it.
  if ((await deliveriesOf(t, hook, failing, 2, 500)).length < 2) return;
  await expectEach(t, hook, behind, 'behind one that failed at first');
}
