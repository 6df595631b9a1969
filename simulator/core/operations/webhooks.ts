// Webhook management: subscriptions as resources. None of these takes an Idempotency-Key (HOOK-1).

import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import { type Cite, citesIf, type Decision } from '../call.ts';
import { type Change, put } from '../change.ts';
import { disableChanges, newSubscription } from '../delivery/deliveries.ts';
import { refuse } from '../pipeline/refuse.ts';
import { callerOf, type RequestContext } from '../pipeline/request-context.ts';
import type { Subscription } from '../records.ts';
import { parseOtherPathId } from './members.ts';

const json = 'application/json';

export function createWebhook(context: RequestContext): Decision {
  const { behaviour, world, body } = context;
  const status = behaviour.settings.webhook_refusal_status;
  const url = body.url as string;
  const names = body.event_categories as readonly string[];
  const wrong = findWrongCategory(context, names);
  if (wrong !== null) {
    const field = 'event_categories';
    const cites: readonly Cite[] = ['HOOK-9', 'NS-23', 'NS-53'];
    return refuse(context, { code: 'validation_failed', status, detail: wrong, field, cites });
  }
  const why = behaviour.webhooks.refuseTarget(url, context.facts.addresses, world);
  if (why !== null) {
    const detail = `${why}.`;
    const cites: readonly Cite[] = ['HOOK-7', 'HOOK-8', 'NS-23'];
    return refuse(context, { code: 'validation_failed', status, detail, field: 'url', cites });
  }
  const credential = callerOf(context);
  const subscription = newSubscription(world, behaviour, {
    firm_id: credential.firm_id,
    // HOOK-10: bound as its creator is.
    brand_id: credential.brand_id,
    // NS-65.
    account_id: behaviour.settings.delegated_webhooks === 'account' ? credential.account_id : null,
    client_id: credential.client_id,
    url,
    // NS-53: unknown names get here only if a setting leaves them out.
    event_categories: [
      ...new Set(names.filter((name) => behaviour.webhooks.categories.includes(name))),
    ] as EventCategory[],
    created_at: context.atMs,
  });
  const { secret } = subscription;
  return {
    reply: {
      status: behaviour.settings.webhook_create_status,
      contentType: json,
      body: behaviour.serialize.subscription(subscription, secret),
    },
    changes: [
      { type: 'counter', counter: 'secret', to: world.counters.secret + 1 },
      put('subscriptions', subscription),
    ],
    cites: ['HOOK-1', 'HOOK-2', 'HOOK-3', 'HOOK-10', 'NS-7'],
  };
}

function findWrongCategory(context: RequestContext, names: readonly string[]): string | null {
  const { categories } = context.behaviour.webhooks;
  const known = categories.join(', ');
  if (!names.some((name) => categories.includes(name))) {
    return `event_categories must name at least one of ${known}.`;
  }
  if (context.behaviour.settings.unknown_categories === 'left_out') return null;
  const unknown = names.find((name) => !categories.includes(name));
  return unknown === undefined ? null : `event_categories may only name ${known}; not ${unknown}.`;
}

export function listWebhooks(context: RequestContext): Decision {
  const { behaviour, world } = context;
  const credential = callerOf(context);
  const shown: string[] = [];
  for (const subscription of world.subscriptions.values()) {
    if (!behaviour.reach.subscription(credential, subscription)) continue;
    shown.push(behaviour.serialize.subscription(subscription, null));
  }
  const list = `[${shown.join(',')}]`;
  const body = behaviour.settings.webhook_list_shape === 'array' ? list : `{"webhooks":${list}}`;
  return {
    reply: { status: 200, contentType: json, body },
    changes: [],
    cites: ['HOOK-3', 'HOOK-11', 'NS-7', 'NS-38'],
  };
}

export function getWebhook(context: RequestContext): Decision {
  const found = findSubscription(context);
  if ('reply' in found) return found;
  const body = context.behaviour.serialize.subscription(found, null);
  const reply = { status: 200, contentType: json, body } as const;
  return { reply, changes: [], cites: ['HOOK-2', 'HOOK-3', 'HOOK-11', 'EVT-10a'] };
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
    // EVT-7: the previous one goes on signing until the overlap ends.
    previous_secret: found.secret,
    rotated_at_ms: context.atMs,
  };
  return {
    reply: {
      status: behaviour.settings.rotate_secret_status,
      contentType: json,
      body: behaviour.serialize.subscription(subscription, secret),
    },
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
  const changes: readonly Change[] = found.disabled
    ? []
    : disableChanges(context.world, found, 'Disabled by request.');
  const subscription = latest(changes, found);
  const empty = context.behaviour.settings.webhook_disable_answer === 'empty';
  const body = context.behaviour.serialize.subscription(subscription, null);
  return {
    reply: empty
      ? { status: 204, contentType: null, body: '' }
      : { status: 200, contentType: json, body },
    changes,
    cites: found.disabled ? ['HOOK-13', 'NS-7'] : ['HOOK-5', 'EVT-13', 'NS-7'],
  };
}

function latest(changes: readonly Change[], before: Subscription): Subscription {
  for (const change of changes) {
    if (change.type === 'put' && change.table === 'subscriptions') return change.record;
  }
  return before;
}

/** HOOK-12: an id of another firm is answered as an unknown one, to the letter. */
function findSubscription(context: RequestContext): Subscription | Decision {
  const { behaviour, world } = context;
  const id = parseOtherPathId(context, 'subscription');
  if (typeof id !== 'string') return id;
  const found = world.subscriptions.get(Number(id));
  if (found !== undefined && behaviour.reach.subscription(callerOf(context), found)) return found;
  const isOtherFirms = found === undefined || found.firm_id !== callerOf(context).firm_id;
  return refuse(context, {
    code: 'not_found',
    detail: `There is no subscription ${id}.`,
    cites: isOtherFirms
      ? ['HOOK-12', ...citesIf(found !== undefined, 'AUTH-7')]
      : ['HOOK-11', 'AUTH-6'],
  });
}
