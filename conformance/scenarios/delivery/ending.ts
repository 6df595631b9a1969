// EVT-11, EVT-13, HOOK-5, HOOK-13: delivery ends on request, or because a target is no longer public.
// It never resumes.

import { filledText } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import { PUBLIC } from '../support/addresses.ts';
import {
  disabled,
  isDisabled,
  readSubscription,
  SUCCESS_STATUSES,
} from '../support/subscription-assertions.ts';
import { claimNone, flushDeliveries, subscribe, triggerEvent } from './events.ts';
import { isSignedWith } from './signatures.ts';

async function disable(t: ScenarioContext, id: string): Promise<void> {
  await t.control('disableWebhook', { id }, ...SUCCESS_STATUSES);
}

export const evtDisabled: Scenario = {
  id: 'evt-disabled',
  title: 'A disabled subscription receives nothing more, others go on',
  rules: ['HOOK-5', 'EVT-13'],
  needs: ['receiver'],
  async run(t) {
    const [listener, beside] = [await subscribe(t), await subscribe(t)];
    const { event: before } = await listener.deliver();
    await beside.first(before);
    await disable(t, listener.id);
    const { event: after } = await beside.deliver();
    await flushDeliveries(t);
    claimNone(t, ['HOOK-5', 'EVT-13'], 'nothing delivered', await listener.of(after, 1, 0));
  },
};

export const hookDisabledForGood: Scenario = {
  id: 'hook-disabled-for-good',
  title:
    'Nothing makes a disabled subscription deliver again: not time, not rotation, not a new one',
  rules: ['HOOK-13', 'EVT-13'],
  needs: ['receiver', 'clock'],
  async run(t) {
    const old = await subscribe(t);
    await old.fail();
    // NS-28: this event may queue behind the failing one; in that case it is never sent.
    await triggerEvent(t);
    await flushDeliveries(t);
    await disable(t, old.id);
    await flushDeliveries(t);
    const { count } = old;
    old.answers(200);
    await t.operator.advance(2 * DAY_MS);
    const words = 'no retry of what had failed before, and nothing that had waited behind it';
    claimNone(t, 'EVT-13', words, await old.arrived(count));
    await t.operator.advance(31 * DAY_MS);
    claimNone(t, 'HOOK-13', 'nothing in the month after', await old.arrived(count));
    await expectDisabled(t, old.id);

    const secrets = [old.given.secret, ...(await tryToEnable(t, old.given))];
    await expectDisabled(t, old.id);

    // A new subscription with the same URL delivers, and the old one still does not.
    const other = await t.given.webhook(old.hook);
    const { event } = await old.deliver();
    await t.operator.advance(DAY_MS);
    const revived = (await old.of(event, 1, 0)).filter((each) =>
      secrets.some((secret) => secret !== other.secret && isSignedWith(secret, each)),
    );
    claimNone(t, 'HOOK-13', 'no delivery signed for the disabled subscription', revived);
    await expectDisabled(t, old.id);
  },
};

async function expectDisabled(t: ScenarioContext, id: string): Promise<void> {
  t.expect('HOOK-13', await readSubscription(t, id)).field('disabled', disabled);
}

/** Requests that might enable it; any of them may be refused. Returns the new secret, if there is one. */
async function tryToEnable(t: ScenarioContext, { id, url }: GivenWebhook): Promise<string[]> {
  await t.call('disableWebhook', { id });
  const rotated = await t.call('rotateWebhookSecret', { id });
  const path = `/api/v1/webhooks/${id}`;
  for (const method of ['PATCH', 'PUT']) {
    const body = { disabled: false, url };
    await t.call({ method, path, body, key: t.fresh.key() });
  }
  for (const verb of ['enable', 'resume']) {
    await t.call({ method: 'POST', path: `${path}/${verb}`, key: t.fresh.key() });
  }
  const secret = rotated.isServed ? rotated.at('secret') : undefined;
  return typeof secret === 'string' ? [secret] : [];
}

/** When the host name of a target starts to resolve to other addresses, and to which ones. */
const CHANGES: readonly (readonly [when: string, ...addresses: string[]])[] = [
  ['before the next event', '10.0.0.1'],
  ['before a retry', '127.0.0.1'],
  ['one address of two', PUBLIC, '169.254.169.254'],
];

export const evtTargetChanged: Scenario = {
  id: 'evt-target-changed',
  title: 'A target that is no longer public gets nothing: its subscription is disabled and says so',
  rules: ['EVT-11', 'HOOK-13'],
  needs: ['receiver', 'dns', 'clock'],
  async run(t) {
    for (const [when, ...addresses] of CHANGES) {
      await t.branch(['EVT-11', 'HOOK-13'], when, () =>
        expectEnded(t, addresses, when === 'before a retry'),
      );
    }
  },
};

async function expectEnded(
  t: ScenarioContext,
  addresses: readonly string[],
  isRetry: boolean,
): Promise<void> {
  const [listener, beside] = [await subscribe(t), await subscribe(t)];
  const both = [listener, beside];
  const host = new URL(listener.hook.url).hostname;
  await t.operator.resolve(host, [PUBLIC]);
  for (const each of both) each.answers(isRetry ? 500 : 200);
  const before = await triggerEvent(t);
  for (const each of both) await each.first(before);
  await flushDeliveries(t);
  const { count } = listener;
  for (const each of both) each.answers(200);
  await t.operator.resolve(host, addresses);
  const after = isRetry ? before : await triggerEvent(t);
  if (isRetry) await t.operator.advance(HOUR_MS);
  await flushDeliveries(t);
  // The other subscription shows that there was an event to deliver.
  const wanted = isRetry ? 2 : 1;
  if ((await beside.of(after, wanted)).length < wanted) {
    throw new Blocked(`${after.words} did not come to the subscription beside it either`);
  }
  const sent = (await listener.arrived(count)).filter((each) => after.isIn(each));
  claimNone(t, 'EVT-11', `nothing sent once the name resolves to ${addresses.join(' and ')}`, sent);
  await t.until(async () => isDisabled(await readSubscription(t, listener.id)), 500);
  const read = await readSubscription(t, listener.id);
  t.expect('EVT-11', read).fields({ disabled, disabled_reason: filledText });
  const other = await readSubscription(t, beside.id);
  t.expect('EVT-11', other).is('the one beside it not disabled', !isDisabled(other));
  if (!isDisabled(read)) return;

  // HOOK-13: it stays disabled even when the target is public again.
  const atEnd = listener.count;
  await t.operator.resolve(host, [PUBLIC]);
  await triggerEvent(t);
  await t.operator.advance(DAY_MS);
  const words = 'nothing delivered though the target is public again';
  claimNone(t, 'HOOK-13', words, await listener.arrived(atEnd));
  await expectDisabled(t, listener.id);
}
