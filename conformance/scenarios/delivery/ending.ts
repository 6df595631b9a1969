// EVT, HOOK: the end of delivery: by request, or because a target is public no more; and that it is
// for good.

import { filledText } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { PUBLIC } from '../support/addresses.ts';
import {
  disabled,
  disableSubscription,
  isDisabled,
  isRefused,
  readSubscription,
  SUCCESS_STATUSES,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';
import { isSignedWith } from './signatures.ts';
import {
  deliveriesOf,
  flushDeliveries,
  requireDelivery,
  type TriggeredEvent,
  triggerEvent,
} from './trigger-event.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const evtDisabled: Scenario = {
  id: 'evt-disabled',
  title: 'A disabled subscription receives nothing more, others go on',
  rules: ['HOOK-5', 'EVT-13'],
  needs: ['receiver'],
  lane: 'own_world',
  async run(t) {
    const [hook, beside] = [await t.receiver(), await t.receiver()];
    const { id } = await t.given.webhook(hook);
    await t.given.webhook(beside);
    const before = await triggerEvent(t);
    await requireDelivery(t, hook, before);
    await requireDelivery(t, beside, before);
    await t.control('disabling', () => t.api.disableWebhook(id), ...SUCCESS_STATUSES);
    const after = await triggerEvent(t);
    await requireDelivery(t, beside, after);
    await flushDeliveries(t);
    const late = await deliveriesOf(t, hook, after, 1, 0);
    t.claim(['HOOK-5', 'EVT-13'], 'nothing delivered', late.length === 0, seen(late), ...late);
  },
};

const hookDisabledForGood: Scenario = {
  id: 'hook-disabled-for-good',
  title:
    'Nothing makes a disabled subscription deliver again: not time, not rotation, not a new one',
  rules: ['HOOK-13', 'EVT-13'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    const old = await t.given.webhook(hook);
    hook.answer(() => ({ status: 500 }));
    const failing = await triggerEvent(t);
    await requireDelivery(t, hook, failing);
    // NS-28: it may be held back behind the one that fails, and then it never leaves.
    await triggerEvent(t);
    await flushDeliveries(t);
    await t.control('disabling', () => t.api.disableWebhook(old.id), ...SUCCESS_STATUSES);
    await flushDeliveries(t);
    const { length } = hook.deliveries;
    hook.answer(() => ({ status: 200 }));
    await t.operator.advance(2 * DAY_MS);
    const more = (await t.deliveriesAt(hook, 0, 0)).slice(length);
    const words = 'no retry of what had failed before, and nothing that had waited behind it';
    const ended = t.claim('EVT-13', words, more.length === 0, seen(more), ...more);
    if (!ended || !(await readsDisabled(t, old.id))) {
      return t.notTested('HOOK-13', 'disabling has no effect to begin with (HOOK-5)');
    }

    await t.operator.advance(31 * DAY_MS);
    const late = (await t.deliveriesAt(hook, 0, 0)).slice(length);
    t.claim('HOOK-13', 'nothing in the month after', late.length === 0, seen(late), ...late);
    t.expect('HOOK-13', await readSubscription(t, old.id)).field('disabled', disabled);

    const secrets = [old.secret, ...(await tryToEnable(t, old))];
    t.expect('HOOK-13', await readSubscription(t, old.id))
      .status(200)
      .field('disabled', disabled);
    await expectNewOneAlone(t, hook, secrets, old);
  },
};

/**
 * Whatever a server may have that would do it; all of it may be refused. Gives a rotated secret.
 */
async function tryToEnable(t: ScenarioContext, { id, url }: GivenWebhook): Promise<string[]> {
  await t.api.disableWebhook(id);
  const rotated = await t.api.rotateWebhookSecret(id);
  const path = `/api/v1/webhooks/${id}`;
  const body = { disabled: false, url };
  await t.api.send({ method: 'PATCH', path, body, key: t.fresh.key() });
  await t.api.send({ method: 'PUT', path, body, key: t.fresh.key() });
  for (const verb of ['enable', 'resume']) {
    await t.api.send({ method: 'POST', path: `${path}/${verb}`, key: t.fresh.key() });
  }
  const secret = rotated.status < 300 ? rotated.at('secret') : undefined;
  return typeof secret === 'string' ? [secret] : [];
}

/** A subscription with the same url is another one: it delivers, and the old one does not. */
async function expectNewOneAlone(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  secrets: readonly string[],
  old: GivenWebhook,
): Promise<void> {
  const anew = await t.given.webhook(hook);
  const event = await triggerEvent(t);
  const delivered = await requireDelivery(t, hook, event);
  await t.operator.advance(DAY_MS);
  const all = await deliveriesOf(t, hook, event, 1, 0);
  const own = secrets.filter((each) => each !== anew.secret);
  const revived = all.filter((each) => own.some((secret) => isSignedWith(secret, each)));
  const words = 'no delivery signed for the disabled subscription';
  t.claim('HOOK-13', words, revived.length === 0, seen(revived), ...revived);
  t.claim(
    'HOOK-13',
    'another id for the subscription made anew',
    anew.id !== old.id,
    `${anew.id}`,
    delivered,
  );
  t.expect('HOOK-13', await readSubscription(t, old.id))
    .status(200)
    .field('disabled', disabled);
}

const evtTargetChanged: Scenario = {
  id: 'evt-target-changed',
  title: 'A target that is public no more is not sent to: its subscription is disabled and says so',
  rules: ['EVT-11', 'HOOK-13'],
  needs: ['receiver', 'dns', 'clock'],
  lane: 'own_world',
  async run(t) {
    // One by one: with the next event, with a retry, and with one address of several.
    const { id } = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    await t.control('disabling', () => t.api.disableWebhook(id), ...SUCCESS_STATUSES);
    if (!(await readsDisabled(t, id))) {
      return t.notTested(['EVT-11', 'HOOK-13'], 'no subscription ever reads disabled (HOOK-5)');
    }
    await t.branch(['EVT-11', 'HOOK-13'], 'before the next event', () =>
      tryChange(t, ['10.0.0.1'], false),
    );
    await t.branch(['EVT-11', 'HOOK-13'], 'before a retry', () =>
      tryChange(t, ['127.0.0.1'], true),
    );
    const mixed = [PUBLIC, '169.254.169.254'];
    await t.branch(['EVT-11', 'HOOK-13'], 'one address of two', () => tryChange(t, mixed, false));
  },
};

/** HOOK-8: what is let in when it is subscribed to is not looked at here once more. */
async function expectUnwelcome(t: ScenarioContext, addresses: readonly string[]): Promise<void> {
  const host = `${t.fresh.reference()}.example.com`;
  await t.operator.resolve(host, addresses);
  const body = { url: `https://${host}/hooks`, event_categories: [...UNTRIGGERED_CATEGORIES] };
  const made = await t.api.createWebhook(body);
  await disableSubscription(t, made);
  if (isRefused(made)) return;
  throw new Blocked(`a target at ${addresses.join(' and ')} is taken from the start (HOOK-8)`);
}

async function tryChange(t: ScenarioContext, addresses: string[], isRetry: boolean): Promise<void> {
  await expectUnwelcome(t, addresses);
  const [hook, beside] = [await t.receiver(), await t.receiver()];
  const { id } = await t.given.webhook(hook);
  const other = await t.given.webhook(beside);
  const host = new URL(hook.url).hostname;
  await t.operator.resolve(host, [PUBLIC]);
  for (const each of [hook, beside]) each.answer(() => ({ status: isRetry ? 500 : 200 }));
  const before = await triggerEvent(t);
  await requireDelivery(t, hook, before);
  await requireDelivery(t, beside, before);
  await flushDeliveries(t);
  const { length } = await deliveriesOf(t, hook, before, 1, 0);
  for (const each of [hook, beside]) each.answer(() => ({ status: 200 }));
  await t.operator.resolve(host, addresses);
  const after = isRetry ? before : await triggerEvent(t);
  if (isRetry) await t.operator.advance(HOUR_MS);
  await flushDeliveries(t);
  // The one beside it shows that there was a delivery to make.
  const wanted = isRetry ? 2 : 1;
  if ((await deliveriesOf(t, beside, after, wanted)).length < wanted) {
    throw new Blocked(`${after.words} did not come to the subscription beside it either`);
  }
  const sent = await deliveriesOf(t, hook, after, 0, 0);
  const extra = isRetry ? sent.slice(length) : sent;
  const words = `nothing sent once the name resolves to ${addresses.join(' and ')}`;
  t.claim('EVT-11', words, extra.length === 0, seen(extra), ...extra);
  await t.until(() => readsDisabled(t, id), 500);
  t.expect('EVT-11', await readSubscription(t, id)).fields({
    disabled,
    disabled_reason: filledText,
  });
  const besides = await readSubscription(t, other.id);
  t.expect('EVT-11', besides).is('the one beside it not disabled', !isDisabled(besides));
  await expectStaysDisabled(t, hook, id, host);
}

/** HOOK-13: not even when the target is a public address again. */
async function expectStaysDisabled(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  id: string,
  host: string,
): Promise<void> {
  if (!(await readsDisabled(t, id))) return;
  const { length } = hook.deliveries;
  await t.operator.resolve(host, [PUBLIC]);
  const event: TriggeredEvent = await triggerEvent(t);
  await t.operator.advance(DAY_MS);
  const more = (await t.deliveriesAt(hook, 0, 0)).slice(length);
  const words = `nothing delivered though the target is public again (${event.words})`;
  t.claim('HOOK-13', words, more.length === 0, seen(more), ...more);
  t.expect('HOOK-13', await readSubscription(t, id)).field('disabled', disabled);
}

async function readsDisabled(t: ScenarioContext, id: string): Promise<boolean> {
  return isDisabled(await readSubscription(t, id));
}

function seen(all: readonly { readonly n: number }[]): string {
  return `${all.length} deliveries, in exchanges ${all.map(({ n }) => n).join(', ')}`;
}

export const deliveryEndScenarios: readonly Scenario[] = [
  evtDisabled,
  hookDisabledForGood,
  evtTargetChanged,
];
