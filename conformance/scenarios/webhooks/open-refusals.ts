// How a subscription to what is no category is refused, as far as that is open.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { disableSubscription, isRefused } from '../support/subscription-assertions.ts';

/** NS-23. */
export async function observeRefused(t: ScenarioContext, refused: Answer): Promise<void> {
  if (isRefused(refused)) {
    t.observe('NS-23', refused.summary, { webhook_refusal_status: refused.status });
  }
  await disableSubscription(t, refused);
}

/** NS-53, NS-45: a name that is none beside one that is, and an id that is none. */
export async function observeMixed(
  t: ScenarioContext,
  create: (event_categories: string[]) => Promise<Answer>,
): Promise<void> {
  const mixed = await create(['order', 'deal']);
  t.observe('NS-53', `["order", "deal"]: ${mixed.summary}`, {
    unknown_categories: isRefused(mixed) ? 'refused' : 'left_out',
  });
  await disableSubscription(t, mixed);
  const odd = await t.api.getWebhook('abc');
  t.observe('NS-45', `a webhook id "abc" in the path: ${odd.summary}`, {
    path_id_status: odd.status,
  });
}
