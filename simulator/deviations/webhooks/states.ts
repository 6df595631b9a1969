// Wrong ways of disabling subscriptions, and of who sees and touches them (HOOK-5 to HOOK-13).
import { copyContext } from '../../core/pipeline/request-context.ts';
import type { Subscription } from '../../core/records.ts';
import { decision, type Json, only, operation, policy, reply } from '../bend.ts';
import { refuseAs, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

import { left, routes, shown } from './bends.ts';

/** Whatever a route does to one subscription, it changes the others of the firm as well. */
const withOthers = (
  name: 'disableWebhook' | 'rotateWebhookSecret',
  change: (other: Subscription, own: Subscription) => Subscription,
): Deviation['bend'] =>
  decision(name, (given, { world }) => {
    const [set] = only(given.changes, 'subscription-set');
    if (set === undefined) return given;
    const { subscription: own } = set;
    const others = [...world.subscriptions.values()]
      .filter(({ id, firm_id: firmId }) => id !== own.id && firmId === own.firm_id)
      .map((each) => ({ type: 'subscription-set', subscription: change(each, own) }) as const);
    return { ...given, changes: [...given.changes, ...others] };
  });

export const webhookStateDeviations: readonly Deviation[] = [
  {
    id: 'hook-disable-only-says-so',
    breaks: ['HOOK-5'],
    story: 'The answer says disabled; the delivery job does not know.',
    bend: decision('disableWebhook', (given) => ({ ...given, changes: [] })),
    alsoSeenAs: { 'EVT-13': 'deliveries go on' },
  },
  {
    id: 'hook-disable-keeps-reading-enabled',
    breaks: ['HOOK-5'],
    story: 'Delivery stops; the flag shown is another one.',
    bend: shown((body, { disabled_reason: disabledReason }) =>
      disabledReason === 'Disabled by request.' ? { ...body, disabled: false } : body,
    ),
  },
  {
    id: 'hook-disable-goes-on-sending',
    breaks: ['EVT-13'],
    story: 'It reads disabled; the delivery job keeps a list of its own.',
    bend: (behaviour) => {
      const said = new Set<string>();
      const name = (id: number, firmId: string, createdAtMs: number) =>
        `${id}/${firmId}/${createdAtMs}`;
      const deaf = decision('disableWebhook', (given, context) => {
        const found = context.world.subscriptions.get(Number(context.pathId));
        if (given.reply.status >= 300 || found === undefined) return given;
        said.add(name(found.id, found.firm_id, found.created_at));
        return { ...given, changes: [] };
      })(behaviour);
      return {
        ...deaf,
        serialize: {
          ...deaf.serialize,
          subscription: (subscription, secret) => {
            const { id, firm_id: firmId, created_at: createdAtMs } = subscription;
            const disabled = subscription.disabled || said.has(name(id, firmId, createdAtMs));
            return deaf.serialize.subscription({ ...subscription, disabled }, secret);
          },
        },
      };
    },
    alsoSeenAs: { 'HOOK-5': 'delivery does not stop' },
  },
  {
    id: 'hook-unscoped',
    breaks: ['HOOK-6'],
    story: 'Any valid token may manage webhooks.',
    bend: unscoped(...routes),
  },
  {
    id: 'hook-empty-categories-mean-all',
    breaks: ['HOOK-9'],
    story: 'No category means all of them.',
    bend: operation('createWebhook', (run, context) => {
      const names = context.body.event_categories as string[];
      if (names.length === 0)
        context.body = {
          ...context.body,
          event_categories: ['account', 'order', 'position', 'transaction'],
        };
      return run(context);
    }),
  },
  {
    id: 'hook-unknown-category-accepted',
    breaks: ['HOOK-9'],
    story: 'Categories are free text.',
    bend: policy('webhooks', (own) => ({
      categories: new Proxy([...own.categories], {
        get: (target, name) => (name === 'includes' ? () => true : Reflect.get(target, name)),
      }),
    })),
  },
  {
    id: 'hook-category-position-unknown',
    breaks: ['HOOK-9'],
    story: 'position was forgotten in the list.',
    bend: policy('webhooks', () => ({ categories: ['account', 'order', 'transaction'] })),
  },
  {
    id: 'hook-brand-not-bound',
    breaks: ['HOOK-10'],
    story: 'A subscription is always of the firm.',
    bend: left('createWebhook', (after) => ({ ...after, brand_id: null })),
  },
  {
    id: 'hook-firm-wide-bound-to-first-brand',
    breaks: ['HOOK-10'],
    story: 'A subscription needs a brand, so it gets the first.',
    bend: operation('createWebhook', (run, context) => {
      const { credential } = context;
      if (credential === null || credential.brand_id !== null) return run(context);
      const brand = [...context.world.brands.values()].find(
        ({ firm_id: firmId }) => firmId === credential.firm_id,
      );
      context.credential = { ...credential, brand_id: brand?.id ?? null };
      const given = run(context);
      context.credential = credential;
      return given;
    }),
  },
  {
    id: 'hook-brand-sees-all-of-firm',
    breaks: ['HOOK-11'],
    story: 'The list shows all of the firm’s.',
    bend: policy('reach', () => ({
      subscription: (credential, subscription) => subscription.firm_id === credential.firm_id,
    })),
  },
  {
    id: 'hook-list-shows-every-firm',
    breaks: ['HOOK-11'],
    story: 'The list was written for the back office.',
    bend: operation('listWebhooks', (run, context) => {
      const all = {
        ...context.behaviour,
        reach: { ...context.behaviour.reach, subscription: () => true },
      };
      return run(copyContext(context, { behaviour: all }));
    }),
  },
  {
    id: 'hook-list-hides-disabled',
    breaks: ['HOOK-11'],
    story: 'Disabled ones are left out of the list.',
    bend: reply('listWebhooks', (given, { behaviour }) => {
      if (given.status !== 200) return given;
      const body = JSON.parse(given.body) as { webhooks: { disabled: boolean }[] };
      return behaviour.settings.webhook_list_shape === 'array'
        ? given
        : {
            ...given,
            body: JSON.stringify({ webhooks: body.webhooks.filter(({ disabled }) => !disabled) }),
          };
    }),
  },
  {
    id: 'hook-list-first-only',
    breaks: ['HOOK-11'],
    story: 'The list shows the newest only.',
    bend: reply('listWebhooks', (given) => {
      if (given.status !== 200) return given;
      const body = JSON.parse(given.body) as { webhooks: Json[] };
      return { ...given, body: JSON.stringify({ webhooks: body.webhooks.slice(-1) }) };
    }),
  },
  {
    id: 'hook-other-firm-is-403',
    breaks: ['HOOK-12'],
    story: 'Another firm’s subscription is forbidden.',
    bend: decision(['getWebhook', 'rotateWebhookSecret', 'disableWebhook'], (given, context) => {
      const found = context.world.subscriptions.get(Number(context.pathId));
      return given.reply.status === 404 &&
        found !== undefined &&
        found.firm_id !== context.credential?.firm_id
        ? refuseAs(context, 403, 'forbidden', 'This subscription is not yours.')
        : given;
    }),
  },
  {
    id: 'hook-other-firm-can-be-disabled',
    breaks: ['HOOK-12'],
    story: 'Disabling looks the id up without the firm.',
    bend: operation('disableWebhook', (run, context) => {
      const all = {
        ...context.behaviour,
        reach: { ...context.behaviour.reach, subscription: () => true },
      };
      return run(copyContext(context, { behaviour: all }));
    }),
  },
  {
    id: 'hook-other-firm-other-words',
    breaks: ['HOOK-12'],
    story: 'Another firm’s subscription is 404 too, with other words.',
    bend: decision(['getWebhook', 'rotateWebhookSecret', 'disableWebhook'], (given, context) => {
      const found = context.world.subscriptions.get(Number(context.pathId));
      return given.reply.status === 404 && found !== undefined
        ? refuseAs(context, 404, 'not_found', 'No access to this subscription.')
        : given;
    }),
  },
  {
    id: 'hook-rotating-enables',
    breaks: ['HOOK-13'],
    story: 'A new secret sets the subscription up anew.',
    bend: left('rotateWebhookSecret', (after) => ({
      ...after,
      disabled: false,
      disabled_reason: null,
    })),
  },
  {
    id: 'hook-disable-takes-all-of-the-url',
    breaks: ['HOOK-5'],
    story: 'The delivery job is switched off by url.',
    bend: withOthers('disableWebhook', (other, own) =>
      other.url === own.url ? { ...other, disabled: true } : other,
    ),
  },
  {
    id: 'hook-rotation-is-of-all',
    breaks: ['EVT-6'],
    story: 'The signing key is one of the firm, shown for each subscription.',
    bend: withOthers('rotateWebhookSecret', (other, { secret }) => ({ ...other, secret })),
  },
];
