// Webhook management: subscriptions as resources. None of these takes an Idempotency-Key (HOOK-1).
import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import { type Cite, citesIf, type Decision } from '../call.ts';
import { put } from '../change.ts';
import { disableChanges, disabled, newSubscription } from '../delivery/deliveries.ts';
import { callerOf, type RequestContext, refuse } from '../pipeline/request-context.ts';
import type { Subscription } from '../records.ts';
import { shortened } from '../values/text.ts';
import { parseOtherPathId } from './members.ts';

export function createWebhook(context: RequestContext): Decision {
  const { behaviour, world, body, facts } = context;
  const { settings, webhooks } = behaviour;
  const invalid = (field: string, detail: string, cites: readonly Cite[]) =>
    refuse(context, 'validation_failed', cites, detail, field, settings.webhook_refusal_status);
  const names = body.event_categories as readonly string[];
  const wrong = findWrongCategory(context, names);
  if (wrong !== null) return invalid('event_categories', wrong, ['HOOK-9', 'NS-23', 'NS-53']);
  const url = body.url as string;
  const why = webhooks.refuseTarget(url, facts.addresses, world);
  if (why !== null) return invalid('url', `${why}.`, ['HOOK-7', 'HOOK-8', 'NS-23']);
  const caller = callerOf(context);
  // NS-53: unknown names are only present if a setting ignores them.
  const known = names.filter((name) => webhooks.categories.includes(name)) as EventCategory[];
  const { subscription, changes } = newSubscription(world, behaviour, {
    firm_id: caller.firm_id,
    // HOOK-10: bound to the same brand as its creator.
    brand_id: caller.brand_id,
    // NS-65.
    account_id: settings.delegated_webhooks === 'account' ? caller.account_id : null,
    client_id: caller.client_id,
    url,
    event_categories: [...new Set(known)],
    created_at: context.atMs,
  });
  const { webhook_create_status: status } = settings;
  const reply = show(context, subscription, status, subscription.secret);
  return { ...reply, changes, cites: ['HOOK-1', 'HOOK-2', 'HOOK-3', 'HOOK-10', 'NS-7'] };
}

function show(
  { behaviour }: RequestContext,
  subscription: Subscription,
  status = 200,
  secret: string | null = null,
): Pick<Decision, 'reply'> {
  const body = behaviour.serialize.subscription(subscription, secret);
  return { reply: { status, contentType: 'application/json', body } };
}

function findWrongCategory(context: RequestContext, names: readonly string[]): string | null {
  const { categories } = context.behaviour.webhooks;
  const known = categories.join(', ');
  const unknown = names.find((name) => !categories.includes(name));
  if (!names.some((name) => categories.includes(name))) {
    const not = unknown === undefined ? '' : `; not ${shortened(unknown)}`;
    return `event_categories must name at least one of ${known}${not}.`;
  }
  if (context.behaviour.settings.unknown_categories === 'left_out') return null;
  return unknown === undefined
    ? null
    : `event_categories may only name ${known}; not ${shortened(unknown)}.`;
}

export function listWebhooks(context: RequestContext): Decision {
  const { behaviour, world } = context;
  const caller = callerOf(context);
  const subscriptions: string[] = [];
  for (const subscription of world.subscriptions.values()) {
    if (!behaviour.reach.subscription(caller, subscription)) continue;
    subscriptions.push(behaviour.serialize.subscription(subscription, null));
  }
  const list = `[${subscriptions.join(',')}]`;
  const body = behaviour.settings.webhook_list_shape === 'array' ? list : `{"webhooks":${list}}`;
  return {
    reply: { status: 200, contentType: 'application/json', body },
    changes: [],
    cites: ['HOOK-3', 'HOOK-11', 'NS-7', 'NS-38'],
  };
}

export function getWebhook(context: RequestContext): Decision {
  const found = findSubscription(context);
  if ('reply' in found) return found;
  const cites: readonly Cite[] = ['HOOK-2', 'HOOK-3', 'HOOK-11', 'EVT-10a'];
  return { ...show(context, found), changes: [], cites };
}

export function rotateWebhookSecret(context: RequestContext): Decision {
  const found = findSubscription(context);
  if ('reply' in found) return found;
  const { world, behaviour } = context;
  const count = world.counters.secret + 1;
  const secret = behaviour.webhooks.secret(world, count);
  const subscription: Subscription = {
    ...found,
    secret,
    // EVT-7: the previous secret is used until the overlap ends.
    previous_secret: found.secret,
    rotated_at_ms: context.atMs,
  };
  return {
    ...show(context, subscription, behaviour.settings.rotate_secret_status, secret),
    changes: [
      { type: 'counter', counter: 'secret', to: count },
      put('subscriptions', subscription),
    ],
    cites: ['HOOK-4', 'HOOK-3', 'EVT-7', 'NS-7', 'NS-22'],
  };
}

export function disableWebhook(context: RequestContext): Decision {
  const found = findSubscription(context);
  if ('reply' in found) return found;
  context.transition = 'enabled disable → disabled';
  const reason = 'Disabled by request.';
  const { reply } =
    context.behaviour.settings.webhook_disable_answer === 'empty'
      ? { reply: { status: 204, contentType: null, body: '' } }
      : show(context, found.disabled ? found : disabled(found, reason));
  if (found.disabled) return { reply, changes: [], cites: ['HOOK-13', 'NS-7'] };
  const changes = disableChanges(context.world, found, reason);
  return { reply, changes, cites: ['HOOK-5', 'EVT-13', 'NS-7'] };
}

/** HOOK-12: an id of another firm gets exactly the response of an unknown id. */
function findSubscription(context: RequestContext): Subscription | Decision {
  const { behaviour, world } = context;
  const id = parseOtherPathId(context, 'subscription');
  if (typeof id !== 'string') return id;
  const caller = callerOf(context);
  const found = world.subscriptions.get(Number(id));
  if (found !== undefined && behaviour.reach.subscription(caller, found)) return found;
  const isHidden = found?.firm_id === caller.firm_id;
  const cites: readonly Cite[] = isHidden
    ? ['HOOK-11', 'AUTH-6']
    : ['HOOK-12', ...citesIf(found !== undefined, 'AUTH-7')];
  return refuse(context, 'not_found', cites, `There is no subscription ${id}.`);
}
