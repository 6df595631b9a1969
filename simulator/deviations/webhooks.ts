// Deviations of webhook subscriptions (HOOK).
import { eventCategories } from '../../fixtures/event-kinds.ts';
import type { RefusalCode } from '../../fixtures/operations.ts';
import type { Behaviour } from '../core/behaviour.ts';
import type { Batch, Decision } from '../core/call.ts';
import { put, putsInto } from '../core/change.ts';
import type { Subscription } from '../core/records.ts';
import type { World } from '../core/world.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  answer,
  decision,
  inSeconds,
  type Json,
  members,
  memory,
  type Override,
  operation,
  policy,
  refusal,
  refuseAs,
  refuseIf,
  requestBody,
  seenBy,
  shown,
  stored,
  under,
  underStatus,
  unscoped,
} from './overrides.ts';

const named = ['getWebhook', 'rotateWebhookSecret', 'disableWebhook'] as const;

/** The response to a request for another credential's subscription. */
const foundElsewhere = (code: RefusalCode): Override =>
  refusal(named, 'not_found', (context, given) => {
    const found = context.world.subscriptions.get(Number(context.pathId));
    const isMeant =
      found !== undefined &&
      (code === 'not_found' || found.firm_id !== context.credential?.firm_id);
    return isMeant ? refuseAs(context, code, 'No access to this subscription.') : given;
  });

/** Changes the subscriptions that a list shows. */
const listed = (change: (webhooks: Json[]) => Json[]): Override =>
  members('listWebhooks', (body) =>
    Array.isArray(body) ? body : { ...body, webhooks: change(body.webhooks as Json[]) },
  );

const seesAll = ({ reach }: Behaviour): Partial<Behaviour> => ({
  reach: { ...reach, subscription: () => true },
});

/** Also changes the other subscriptions of the firm. */
const withOthers = (
  name: 'disableWebhook' | 'rotateWebhookSecret',
  change: (other: Subscription, own: Subscription) => Subscription,
): Override =>
  decision(name, (given, { world }) => {
    const [set] = putsInto(given.changes, 'subscriptions');
    if (set === undefined) return given;
    const { record: own } = set;
    const others = [...world.subscriptions.values()]
      .filter(({ id, firm_id }) => id !== own.id && firm_id === own.firm_id)
      .map((each) => put('subscriptions', change(each, own)));
    return { ...given, changes: [...given.changes, ...others] };
  });

type Refuse = (url: string, addresses: readonly string[] | null, world: World) => string | null;

const target = (change: (own: Refuse) => Refuse): Override =>
  policy('webhooks', ({ refuseTarget: own }) => ({ refuseTarget: change(own) }));

export const webhookDeviations: DeviationFamily = {
  'hook-create-needs-key': {
    breaks: ['HOOK-1'],
    story: 'Every POST needs an Idempotency-Key.',
    override: refuseIf(
      'createWebhook',
      ({ call }) => call.headers['idempotency-key'] === undefined,
      'idempotency_key_required',
    ),
  },
  'hook-create-without-secret': {
    breaks: ['HOOK-1'],
    story: 'The secret is only shown in the back office.',
    override: members('createWebhook', ({ secret: _, ...rest }) => rest),
  },
  'hook-secret-null-when-read': {
    breaks: ['HOOK-3'],
    story: 'One serializer serves all routes and shows a hidden secret as null.',
    override: shown('subscription', (body) => ({ ...body, secret: body.secret ?? null })),
  },
  'hook-id-as-text': {
    breaks: ['HOOK-2'],
    story: 'Ids are strings everywhere.',
    override: shown('subscription', (body) => ({ ...body, id: String(body.id) })),
  },
  'hook-last-seq-null': {
    breaks: ['HOOK-2'],
    story: 'Before the first delivery last_delivered_seq is null.',
    override: members('createWebhook', (body) => ({ ...body, last_delivered_seq: null })),
  },
  'hook-disabled-reason-missing': {
    breaks: ['HOOK-2'],
    story: 'A null member is left out.',
    override: shown('subscription', ({ disabled_reason, ...rest }) =>
      disabled_reason === null ? rest : { ...rest, disabled_reason },
    ),
  },
  'hook-created-at-in-seconds': {
    breaks: ['CONV-4'],
    story: 'created_at is a Unix time in seconds.',
    override: shown('subscription', inSeconds),
  },
  'hook-categories-as-text': {
    breaks: ['HOOK-2'],
    story: 'The categories are one text separated by commas.',
    override: shown('subscription', (body) => ({
      ...body,
      event_categories: (body.event_categories as string[]).join(','),
    })),
  },
  'hook-disabled-as-number': {
    breaks: ['HOOK-2'],
    story: 'Booleans are 0 and 1 in the database.',
    override: shown('subscription', (body) => ({ ...body, disabled: Number(body.disabled) })),
  },
  'hook-read-shows-secret': {
    breaks: ['HOOK-3'],
    story: 'A read shows the whole record.',
    override: members('getWebhook', (body, { world, pathId }) => ({
      ...body,
      secret: world.subscriptions.get(Number(pathId))?.secret,
    })),
  },
  'hook-rotate-keeps-secret': {
    breaks: ['HOOK-4'],
    story: 'Rotating a secret shows the current one.',
    override: decision('rotateWebhookSecret', (given, { world, pathId, behaviour }) => {
      const found = world.subscriptions.get(Number(pathId));
      return given.reply.status >= 300 || found === undefined
        ? given
        : answer(behaviour.serialize.subscription(found, found.secret));
    }),
  },
  'hook-rotate-without-secret': {
    breaks: ['HOOK-4'],
    story: 'The new secret is sent by mail.',
    override: members('rotateWebhookSecret', ({ secret: _, ...rest }) => rest),
  },
  'hook-rotation-remembers-key': {
    breaks: ['HOOK-1'],
    story: 'The middleware keeps the response to every POST with an Idempotency-Key.',
    override: (behaviour) => {
      const kept = memory(() => new Map<string, Decision | Batch>());
      return operation('rotateWebhookSecret', (run, context) => {
        const id = `${context.pathId} ${String(context.call.headers['idempotency-key'])}`;
        const first = kept(context.world).get(id);
        if (context.call.headers['idempotency-key'] === undefined) return run(context);
        if (first !== undefined) return { ...first, changes: [] };
        const result = run(context);
        kept(context.world).set(id, result);
        return result;
      })(behaviour);
    },
  },
  'hook-disable-only-says-so': {
    breaks: ['HOOK-5'],
    story: 'The response says disabled, but nothing is stored.',
    override: decision('disableWebhook', (given) => ({ ...given, changes: [] })),
    alsoSeenAs: { 'EVT-13': 'deliveries go on' },
  },
  'hook-disable-keeps-reading-enabled': {
    breaks: ['HOOK-5'],
    story: 'Deliveries stop, but another flag is shown.',
    override: shown('subscription', (body, { disabled_reason }) =>
      disabled_reason === null ? body : { ...body, disabled: false },
    ),
  },
  'hook-disable-goes-on-sending': {
    breaks: ['EVT-13'],
    story: 'The subscription is shown as disabled, but the delivery job keeps its own list.',
    override: (behaviour) => {
      const silent = decision('disableWebhook', (given) => ({
        ...given,
        changes: putsInto(given.changes, 'subscriptions').map(({ record }) =>
          put('subscriptions', { ...record, disabled: false }),
        ),
      }));
      const seen = shown('subscription', (body, { disabled_reason }) => ({
        ...body,
        disabled: disabled_reason !== null,
      }));
      return seen(silent(behaviour));
    },
    alsoSeenAs: { 'HOOK-5': 'deliveries do not stop' },
  },
  'hook-unscoped': {
    breaks: ['HOOK-6'],
    story: 'Any valid token may manage webhooks.',
    override: unscoped('createWebhook', 'listWebhooks', ...named),
  },
  'hook-empty-categories-mean-all': {
    breaks: ['HOOK-9'],
    story: 'An empty list of categories means all of them.',
    override: requestBody('createWebhook', (body) =>
      (body.event_categories as string[]).length === 0
        ? { ...body, event_categories: eventCategories }
        : body,
    ),
  },
  'hook-unknown-category-accepted': {
    breaks: ['HOOK-9'],
    story: 'Categories are free text.',
    override: policy('webhooks', (own) => ({
      categories: new Proxy([...own.categories], {
        get: (target, name) => (name === 'includes' ? () => true : Reflect.get(target, name)),
      }),
    })),
  },
  'hook-category-position-unknown': {
    breaks: ['HOOK-9'],
    story: 'position is missing from the list of categories.',
    override: policy('webhooks', () => ({
      categories: eventCategories.filter((name) => name !== 'position'),
    })),
  },
  'hook-brand-not-bound': {
    breaks: ['HOOK-10'],
    story: 'Every subscription is firm-wide.',
    override: stored('subscription', 'createWebhook', (after) => ({ ...after, brand_id: null })),
  },
  'hook-firm-wide-bound-to-first-brand': {
    breaks: ['HOOK-10'],
    story: 'A subscription needs a brand, so a firm-wide one gets the first.',
    override: operation('createWebhook', (run, context) => {
      const { credential, world } = context;
      if (credential === null || credential.brand_id !== null) return run(context);
      const first = [...world.brands.values()].find(
        ({ firm_id }) => firm_id === credential.firm_id,
      );
      context.credential = { ...credential, brand_id: first?.id ?? null };
      const given = run(context);
      context.credential = credential;
      return given;
    }),
  },
  'hook-brand-sees-all-of-firm': {
    breaks: ['HOOK-11'],
    story: 'The list shows every subscription of the firm.',
    override: policy('reach', () => ({
      subscription: (credential, subscription) => subscription.firm_id === credential.firm_id,
    })),
  },
  'hook-list-shows-every-firm': {
    breaks: ['HOOK-11'],
    story: 'The list is shared with the back office.',
    override: under('listWebhooks', seesAll),
  },
  'hook-list-hides-disabled': {
    breaks: ['HOOK-11'],
    story: 'The list leaves out disabled subscriptions.',
    override: listed((webhooks) => webhooks.filter(({ disabled }) => disabled !== true)),
  },
  'hook-list-first-only': {
    breaks: ['HOOK-11'],
    story: 'The list shows the newest subscription only.',
    override: listed((webhooks) => webhooks.slice(-1)),
  },
  'hook-other-firm-is-403': {
    breaks: ['HOOK-12'],
    story: 'A subscription of another firm is forbidden.',
    override: foundElsewhere('forbidden'),
  },
  'hook-other-firm-can-be-disabled': {
    breaks: ['HOOK-12'],
    story: 'Disabling looks the id up without the firm.',
    override: under('disableWebhook', seesAll),
  },
  'hook-other-firm-other-words': {
    breaks: ['HOOK-12'],
    story: 'A subscription of another firm is 404 with other words.',
    override: foundElsewhere('not_found'),
  },
  'hook-rotating-enables': {
    breaks: ['HOOK-13'],
    story: 'A new secret enables the subscription again.',
    override: stored('subscription', 'rotateWebhookSecret', (after) => ({
      ...after,
      disabled: false,
      disabled_reason: null,
    })),
  },
  'hook-disable-takes-all-of-the-url': {
    breaks: ['HOOK-5'],
    story: 'The delivery job is stopped by URL.',
    override: withOthers('disableWebhook', (other, own) =>
      other.url === own.url ? { ...other, disabled: true } : other,
    ),
  },
  'hook-rotation-is-of-all': {
    breaks: ['EVT-6'],
    story: 'All subscriptions of a firm share one signing key.',
    override: withOthers('rotateWebhookSecret', (other, { secret }) => ({ ...other, secret })),
  },
  'target-refusal-is-201': {
    breaks: ['HOOK-7'],
    story: 'Invalid targets are only noticed when delivering.',
    override: target(() => () => null),
    alsoSeenAs: { 'HOOK-8': 'private targets are accepted, too' },
  },
  'target-loopback-accepted': {
    breaks: ['HOOK-8'],
    story: 'Loopback is missing from the list of private addresses.',
    override: target(
      (own) => (url, addresses, world) =>
        /^(127\.|::1$)/.test(addresses?.[0] ?? new URL(url).hostname)
          ? null
          : own(url, addresses, world),
    ),
  },
  'target-refusal-is-403': {
    breaks: ['ERR-3'],
    story: 'A forbidden target is 403.',
    override: underStatus('validation_failed', 403),
    alsoSeenAs: seenBy(
      'it expects the status of the table',
      `
        ACC-2 ACC-4 ACC-15 UPD-8 UPD-9 BULK-6 TXN-3 TXN-4 TXN-5 TXN-6 TXN-7 TXS-14 TXS-15 CONV-1c`,
    ),
  },
};
