// EVT-11, EVT-13, HOOK-5, HOOK-13: delivery ends by request, or because a target is no longer public;
// and nothing resumes it.
import { filledText } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import { PUBLIC } from '../support/addresses.ts';
import {
  disabled,
  isDisabled,
  readSubscription,
  SUCCESS_STATUSES,
} from '../support/subscription-assertions.ts';
import {
  arrivedAt,
  claimNone,
  DAY_MS,
  deliverEvent,
  deliveriesOf,
  failEvent,
  flushDeliveries,
  HOUR_MS,
  requireDelivery,
  triggerEvent,
} from './events.ts';
import { isSignedWith } from './signatures.ts';

async function disable(t: ScenarioContext, id: string): Promise<void> {
  await t.control('disabling', () => t.api.disableWebhook(id), ...SUCCESS_STATUSES);
}

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
    const { event: before } = await deliverEvent(t, hook);
    await requireDelivery(t, beside, before);
    await disable(t, id);
    const { event: after } = await deliverEvent(t, beside);
    await flushDeliveries(t);
    const late = await deliveriesOf(t, hook, after, 1, 0);
    claimNone(t, ['HOOK-5', 'EVT-13'], 'nothing delivered', late);
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
    await failEvent(t, hook);
    // NS-28: this event may wait behind the one that fails, and then it is never sent.
    await triggerEvent(t);
    await flushDeliveries(t);
    await disable(t, old.id);
    await flushDeliveries(t);
    const { length } = hook.deliveries;
    hook.answer(() => ({ status: 200 }));
    await t.operator.advance(2 * DAY_MS);
    const words = 'no retry of what had failed before, and nothing that had waited behind it';
    claimNone(t, 'EVT-13', words, await arrivedAt(t, hook, length));

    await t.operator.advance(31 * DAY_MS);
    const late = await arrivedAt(t, hook, length);
    claimNone(t, 'HOOK-13', 'nothing in the month after', late);
    await expectDisabled(t, old.id);

    const secrets = [old.secret, ...(await tryToEnable(t, old))];
    await expectDisabled(t, old.id);

    // A new subscription with the same URL delivers, and the old one still does not.
    const other = await t.given.webhook(hook);
    const { event, delivered } = await deliverEvent(t, hook);
    await t.operator.advance(DAY_MS);
    const all = await deliveriesOf(t, hook, event, 1, 0);
    const revived = all.filter((each) =>
      secrets.some((secret) => secret !== other.secret && isSignedWith(secret, each)),
    );
    claimNone(t, 'HOOK-13', 'no delivery signed for the disabled subscription', revived);
    const isNew = other.id !== old.id;
    const expected = 'another id for the new subscription';
    t.claim('HOOK-13', expected, isNew, `${other.id}`, delivered);
    await expectDisabled(t, old.id);
  },
};

async function expectDisabled(t: ScenarioContext, id: string): Promise<void> {
  const read = await readSubscription(t, id);
  t.expect('HOOK-13', read).status(200).field('disabled', disabled);
}

/** Requests that might enable it; any of them may be refused. Gives the new secret, if there is one. */
async function tryToEnable(t: ScenarioContext, { id, url }: GivenWebhook): Promise<string[]> {
  await t.api.disableWebhook(id);
  const rotated = await t.api.rotateWebhookSecret(id);
  const path = `/api/v1/webhooks/${id}`;
  const body = { disabled: false, url };
  for (const method of ['PATCH', 'PUT']) {
    await t.api.send({ method, path, body, key: t.fresh.key() });
  }
  for (const verb of ['enable', 'resume']) {
    await t.api.send({ method: 'POST', path: `${path}/${verb}`, key: t.fresh.key() });
  }
  const secret = rotated.status < 300 ? rotated.at('secret') : undefined;
  return typeof secret === 'string' ? [secret] : [];
}

interface Change {
  readonly when: string;
  /** What the name of the target resolves to from then on. */
  readonly addresses: readonly string[];
  readonly isRetry?: boolean;
}

const CHANGES: readonly Change[] = [
  { when: 'before the next event', addresses: ['10.0.0.1'] },
  { when: 'before a retry', addresses: ['127.0.0.1'], isRetry: true },
  { when: 'one address of two', addresses: [PUBLIC, '169.254.169.254'] },
];

const evtTargetChanged: Scenario = {
  id: 'evt-target-changed',
  title: 'A target that is no longer public gets nothing: its subscription is disabled and says so',
  rules: ['EVT-11', 'HOOK-13'],
  needs: ['receiver', 'dns', 'clock'],
  lane: 'own_world',
  async run(t) {
    for (const change of CHANGES) {
      await t.branch(['EVT-11', 'HOOK-13'], change.when, () => tryChange(t, change));
    }
  },
};

async function tryChange(
  t: ScenarioContext,
  { addresses, isRetry = false }: Change,
): Promise<void> {
  const [hook, beside] = [await t.receiver(), await t.receiver()];
  const both = [hook, beside];
  const { id } = await t.given.webhook(hook);
  const other = await t.given.webhook(beside);
  const host = new URL(hook.url).hostname;
  await t.operator.resolve(host, [PUBLIC]);
  for (const each of both) each.answer(() => ({ status: isRetry ? 500 : 200 }));
  const before = await triggerEvent(t);
  for (const each of both) await requireDelivery(t, each, before);
  await flushDeliveries(t);
  const { length } = hook.deliveries;
  for (const each of both) each.answer(() => ({ status: 200 }));
  await t.operator.resolve(host, addresses);
  const after = isRetry ? before : await triggerEvent(t);
  if (isRetry) await t.operator.advance(HOUR_MS);
  await flushDeliveries(t);
  // The subscription beside it shows that there was a delivery to make.
  const wanted = isRetry ? 2 : 1;
  if ((await deliveriesOf(t, beside, after, wanted)).length < wanted) {
    throw new Blocked(`${after.words} did not come to the subscription beside it either`);
  }
  const sent = (await arrivedAt(t, hook, length)).filter((each) => after.isIn(each));
  claimNone(t, 'EVT-11', `nothing sent once the name resolves to ${addresses.join(' and ')}`, sent);
  const readsDisabled = async () => isDisabled(await readSubscription(t, id));
  await t.until(readsDisabled, 500);
  const read = await readSubscription(t, id);
  t.expect('EVT-11', read).fields({ disabled, disabled_reason: filledText });
  const besides = await readSubscription(t, other.id);
  t.expect('EVT-11', besides).is('the one beside it not disabled', !isDisabled(besides));
  if (!(await readsDisabled())) return;

  // HOOK-13: it stays disabled even when the target is public again.
  const { length: count } = hook.deliveries;
  await t.operator.resolve(host, [PUBLIC]);
  const event = await triggerEvent(t);
  await t.operator.advance(DAY_MS);
  const words = `nothing delivered though the target is public again (${event.words})`;
  claimNone(t, 'HOOK-13', words, await arrivedAt(t, hook, count));
  t.expect('HOOK-13', await readSubscription(t, id)).field('disabled', disabled);
}

export const deliveryEndScenarios: readonly Scenario[] = [
  evtDisabled,
  hookDisabledForGood,
  evtTargetChanged,
];
