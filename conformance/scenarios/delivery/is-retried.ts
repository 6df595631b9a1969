// Whether a delivery that was answered in some way is taken for failed: then its event comes again.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { deliveriesOf, flushDeliveries, requireDelivery, triggerEvent } from './trigger-event.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const UNTOLD = 'nothing is tried again after a 502, so no failure can be told';

type Answers = Parameters<WebhookEndpoint['answer']>[0];

/** Causes an event, has its first delivery answered so, and tells whether it came again. */
export function retrying(
  t: ScenarioContext,
  hook: WebhookEndpoint,
): (answers: Answers) => Promise<boolean> {
  return async (answers) => {
    hook.answer(answers);
    const event = await triggerEvent(t);
    await requireDelivery(t, hook, event);
    await flushDeliveries(t);
    hook.answer(() => ({ status: 200 }));
    // EVT-8a: when the first retry comes is judged elsewhere, as long as it comes.
    for (const waitMs of [HOUR_MS, DAY_MS]) {
      await t.operator.advance(waitMs);
      if ((await deliveriesOf(t, hook, event, 2, 100)).length >= 2) return true;
    }
    return false;
  };
}
