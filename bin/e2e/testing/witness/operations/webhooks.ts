// Webhook subscriptions: creating, showing, rotating and disabling them (HOOK).
import { randomBytes } from 'node:crypto';
import type { Reply, Subscription } from '../records.ts';
import { notFound, refuse, replyWith } from '../replies.ts';
import type { Context } from '../types.ts';
import { type Json, type JsonObject, textOr } from '../values.ts';

const CATEGORIES = ['account', 'order', 'position', 'transaction'];

const newSecret = () => `whsec_${randomBytes(24).toString('base64url')}`;

/** HOOK-2 */
function hookBody({ world }: Context, each: Subscription): JsonObject {
  return {
    id: BigInt(each.id),
    url: each.url,
    brand_id: each.brand_id === null ? null : world.style.hookBrand(each.brand_id),
    event_categories: [...each.event_categories],
    disabled: each.disabled,
    disabled_reason: each.disabled_reason,
    last_delivered_seq: each.last_delivered_seq,
    created_at: each.created_at,
  };
}

export function createWebhook(context: Context): Reply {
  const { world, credential, body } = context;
  const { style, store, delivering } = world;
  const { status, code } = style.hookRefusal;
  const url = textOr(body.url, '');
  const wrongTarget = delivering.targetProblem(url, style.refusesUnresolved);
  if (wrongTarget !== null) return refuse(context, status, code, wrongTarget, 'url');
  // HOOK-9, NS-53
  const named = body.event_categories as string[];
  const known = CATEGORIES.filter((each) => named.includes(each));
  const hasUnknown = named.some((each) => !CATEGORIES.includes(each));
  if (known.length === 0 || (hasUnknown && style.unknownCategories === 'refused')) {
    const words = `event_categories must hold at least one of ${CATEGORIES.join(', ')}`;
    return refuse(context, status, code, words, 'event_categories');
  }
  const made = store.saveSubscription({
    id: store.nextId(),
    firm_id: credential.firm_id,
    brand_id: credential.brand_id,
    url,
    event_categories: known,
    disabled: false,
    disabled_reason: null,
    last_delivered_seq: 0,
    created_at: world.clock.now(),
    secret: newSecret(),
    previous_secret: null,
    rotated_ms: 0,
    stopped: false,
  });
  const whole = { ...hookBody(context, made), secret: made.secret };
  return replyWith(context, style.createHookStatus, whole);
}

function findHook(context: Context): Subscription | Reply {
  const { world, pathId, credential } = context;
  const { oddHookId } = world.style;
  if (!/^\d+$/.test(pathId) && oddHookId !== 404) {
    return refuse(context, oddHookId, 'validation_failed', 'the id must be a number');
  }
  const found = world.store.subscription(pathId);
  const isSeen = found !== undefined && world.store.sees(credential, found);
  return isSeen ? found : notFound(context);
}

const isReply = (found: Subscription | Reply): found is Reply => 'headers' in found;

export function listWebhooks(context: Context): Reply {
  const { store, style } = context.world;
  const seen = store.subscriptions().filter((each) => store.sees(context.credential, each));
  const rows: Json = seen.map((each) => hookBody(context, each));
  const shapes: Record<typeof style.list, Json> = {
    wrapped: { webhooks: rows },
    bare: rows,
    nested: { data: { subscriptions: rows }, meta: { total: rows.length } },
  };
  return replyWith(context, 200, shapes[style.list]);
}

export function getWebhook(context: Context): Reply {
  const found = findHook(context);
  return isReply(found) ? found : replyWith(context, 200, hookBody(context, found));
}

/** HOOK-4, EVT-7: a second rotation drops the oldest secret. */
export function rotateWebhookSecret(context: Context): Reply {
  const { style, store, clock } = context.world;
  const found = findHook(context);
  if (isReply(found)) return found;
  const rotated = store.saveSubscription({
    ...found,
    secret: newSecret(),
    previous_secret: found.secret,
    rotated_ms: clock.now(),
  });
  const whole = { ...hookBody(context, rotated), secret: rotated.secret };
  return replyWith(context, 200, style.rotateAnswer(whole, rotated));
}

/** HOOK-5, EVT-13 */
export function disableWebhook(context: Context): Reply {
  const { style, delivering } = context.world;
  const found = findHook(context);
  if (isReply(found)) return found;
  const reason = found.disabled_reason ?? 'disabled by request';
  const disabled = delivering.disable(found, reason);
  const reply = replyWith(context, style.disableStatus, hookBody(context, disabled));
  return style.disableStatus === 204 ? { ...reply, body: '' } : reply;
}
