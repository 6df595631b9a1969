// Webhook subscriptions: create, show, rotate and disable (HOOK).
import { randomBytes } from 'node:crypto';
import type { Context } from './context.ts';
import { CATEGORIES, type Reply, type Subscription } from './records.ts';
import type { JsonObject } from './values.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64url')}`;

/** HOOK-2 */
function hookBody({ style }: Context, each: Subscription): JsonObject {
  const { firm_id, secret, previous_secret, rotated_ms, stopped, ...shown } = each;
  const brand_id = each.brand_id === null ? null : style.hookBrand(each.brand_id);
  return { ...shown, id: BigInt(each.id), brand_id, event_categories: [...each.event_categories] };
}

export function createWebhook(context: Context): Reply {
  const { credential, body, world, store, style, nowMs } = context;
  const { status, code } = style.hookRefusal;
  const url = context.text('url');
  const problem = world.delivering.targetProblem(url, style.refusesUnresolved);
  if (problem !== null) context.refuse(status, code, problem, 'url');
  // HOOK-9, NS-53
  const named = body.event_categories as string[];
  const known = CATEGORIES.filter((each) => named.includes(each));
  const hasUnknown = named.some((each) => !CATEGORIES.includes(each));
  if (known.length === 0 || (hasUnknown && style.unknownCategories === 'refused')) {
    const words = `event_categories must hold at least one of ${CATEGORIES.join(', ')}`;
    context.refuse(status, code, words, 'event_categories');
  }
  const own = context.subscriptions().filter((each) => !each.disabled);
  if (own.length >= style.maxHooks) {
    context.refuse(409, 'invalid_state', `${style.maxHooks} subscriptions are enough`);
  }
  const subscription = store.saveSubscription({
    ...{
      id: store.nextId('subscription'),
      firm_id: credential.firm_id,
      brand_id: credential.brand_id,
      url,
    },
    ...{ event_categories: known, disabled: false, disabled_reason: null, last_delivered_seq: 0 },
    ...{ created_at: nowMs, secret: newSecret(), previous_secret: null, rotated_ms: 0 },
    stopped: false,
  });
  const whole = { ...hookBody(context, subscription), secret: subscription.secret };
  return context.reply(style.createHookStatus, whole);
}

function hookOf(context: Context): Subscription {
  const { pathId, credential, style, store } = context;
  if (!/^\d+$/.test(pathId) && style.oddHookId !== 404) {
    context.refuse(style.oddHookId, 'validation_failed', 'the id must be a number');
  }
  const found = store.subscription(pathId);
  return found !== undefined && store.sees(credential, found) ? found : context.notFound();
}

export function listWebhooks(context: Context): Reply {
  const { style } = context;
  const rows = context.subscriptions().map((each) => hookBody(context, each));
  if (style.list === 'bare') return context.reply(200, rows);
  if (style.list === 'wrapped') return context.reply(200, { webhooks: rows });
  return context.reply(200, { data: { subscriptions: rows }, meta: { total: rows.length } });
}

export const getWebhook = (context: Context): Reply =>
  context.reply(200, hookBody(context, hookOf(context)));

/** HOOK-4, EVT-7: a second rotation drops the oldest secret. */
export function rotateWebhookSecret(context: Context): Reply {
  const { style, store, nowMs } = context;
  const found = hookOf(context);
  const change = { secret: newSecret(), previous_secret: found.secret, rotated_ms: nowMs };
  const rotated = store.saveSubscription({ ...found, ...change });
  const whole = { ...hookBody(context, rotated), secret: rotated.secret };
  return context.reply(200, style.rotateAnswer(whole, rotated));
}

/** HOOK-5, EVT-13 */
export function disableWebhook(context: Context): Reply {
  const { style, world } = context;
  const found = hookOf(context);
  const reason = found.disabled_reason ?? 'disabled by request';
  const body = hookBody(context, world.delivering.disable(found, reason));
  const reply = context.reply(style.disableStatus, body);
  return style.disableStatus === 204 ? { ...reply, body: '' } : reply;
}
