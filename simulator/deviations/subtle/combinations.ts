// Wrong ways that show only when several things come together.
import type { Decision } from '../../core/call.ts';
import { headerOf } from '../../core/pipeline/operation-row.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { decision, type Json, only, operation, policy } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { SubtleDeviation } from '../deviation.ts';
import { left as updateLeft } from '../updates/bends.ts';
import { againWhere, ofKind, type Row, subscriptionLeft } from './bends.ts';

const create = 'createAccount';
const update = 'updateAccount';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const referenceOf = ({ body }: RequestContext): string => textOf(body.client_reference_id);

/** The account that a create has found instead of making one. */
function converged({ reply }: Decision, { idempotency, world }: RequestContext) {
  if (idempotency !== 'converged' || reply.status !== 200) return undefined;
  return world.accounts.get(textOf((JSON.parse(reply.body) as Json).id));
}

const subscriptions: readonly Row[] = [
  [
    'second-rotation-drops-the-current',
    ['EVT-7'],
    'A second rotation keeps the oldest secret beside the newest one.',
    subscriptionLeft('rotateWebhookSecret', (after, before, { atMs, behaviour }) => {
      const since = atMs - (before?.rotatedAtMs ?? Number.NEGATIVE_INFINITY);
      const lasts = before?.previousSecret != null && since < behaviour.delivery.overlapMs;
      return lasts ? { ...after, previousSecret: before.previousSecret } : after;
    }),
  ],
  [
    'rotation-resets-last-delivered',
    ['EVT-10a'],
    'Rotating writes the subscription anew, with last_delivered_seq 0.',
    subscriptionLeft('rotateWebhookSecret', (after) => ({ ...after, lastDeliveredSeq: 0 })),
  ],
  [
    'second-subscription-to-a-url-is-silent',
    ['EVT-4'],
    'Deliveries are sent once for each URL.',
    subscriptionLeft('createWebhook', (after, _, { world }) => {
      const known = [...world.subscriptions.values()].some(
        ({ url, disabled }) => url === after.url && !disabled,
      );
      return known ? { ...after, stopped: true } : after;
    }),
  ],
  [
    'all-four-categories-get-no-orders',
    ['EVT-1', 'EVT-4'],
    'Who subscribes to everything gets the list of before there were orders.',
    policy('delivery', ({ wants }) => ({
      wants: (subscription, event) =>
        wants(subscription, event) &&
        !(subscription.categories.length === 4 && event.category === 'order'),
    })),
  ],
  [
    'rotated-subscription-cannot-be-disabled',
    ['HOOK-5', 'EVT-13'],
    'Disabling looks the subscription up by its first secret.',
    decision('disableWebhook', (given, { world, pathId }) => {
      const found = world.subscriptions.get(Number(pathId));
      return found?.previousSecret == null ? given : { ...given, changes: [] };
    }),
  ],
];

const accounts: readonly Row[] = [
  [
    'known-reference-shows-account-as-created',
    ['ACC-5'],
    'A known reference is answered with the row that was stored first.',
    decision(create, (given, context) => {
      const account = converged(given, context);
      if (account === undefined) return given;
      const { accounts: first, serialize, values } = context.behaviour;
      const old = { ...account, revision: first.firstRevision, status: first.firstStatus };
      const etag = values.etag(old);
      return { ...given, reply: { ...given.reply, body: serialize.account(old), etag } };
    }),
  ],
  [
    'brand-finds-reference-of-another-brand',
    ['AUTH-6', 'ACC-17'],
    'The reference is looked up in the whole firm, and the brand is not looked at.',
    operation(create, (run, context) => {
      const given = run(context);
      if ('decideRow' in given || given.reply.status !== 201) return given;
      const wanted = referenceOf(context).toLowerCase();
      const other = [...context.world.accounts.values()].find(
        ({ firmId, reference }) =>
          firmId === context.credential?.firmId && reference.toLowerCase() === wanted,
      );
      if (other === undefined) return given;
      const { serialize, values } = context.behaviour;
      const body = serialize.account(other);
      const reply = { ...given.reply, status: 200, body, etag: values.etag(other) };
      return { reply, changes: [], cites: [] };
    }),
  ],
  [
    'reference-case-is-ascii',
    ['ACC-6', 'ACC-5'],
    'Only the letters from A to Z are compared without their case.',
    policy('values', () => ({
      referenceKey: (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
    })),
  ],
  [
    'spaced-phone-is-not-compared',
    ['ACC-9'],
    'A phone with a space in it is looked up as it was typed.',
    againWhere(
      create,
      ({ reply }, { body }) =>
        reply.status === 409 && /"phone"/.test(reply.body) && /\+[^+ ]* /.test(textOf(body.phone)),
      (behaviour) => ({ ...behaviour, values: { ...behaviour.values, phoneKey: () => null } }),
    ),
  ],
  [
    'plus-in-email-is-dropped',
    ['ACC-8', 'ACC-1'],
    'What follows a plus in an email is taken for a label.',
    operation(create, (run, context) => {
      const given = run(context);
      if ('decideRow' in given || given.reply.status !== 201) return given;
      const [made] = only(given.changes, 'account-created');
      const bare = (email: string) => email.toLowerCase().replace(/^([^+]*)\+[^@]*@/, '$1@');
      const isTaken = [...context.world.accounts.values()].some(
        ({ brandId, email }) =>
          brandId === made?.account.brandId && bare(email) === bare(made.account.email),
      );
      return isTaken
        ? refuseAs(context, 409, 'invalid_state', 'Someone with this email already exists.')
        : given;
    }),
  ],
  [
    'brand-cannot-update-what-was-updated',
    ['UPD-5', 'UPD-1'],
    'A brand-bound credential finds accounts in a copy that misses updates.',
    operation(update, (run, context) => {
      const account = context.world.accounts.get(context.pathId);
      const { firstRevision } = context.behaviour.accounts;
      const isStale = (account?.revision ?? firstRevision) > firstRevision;
      return context.credential?.brandId != null && isStale
        ? refuseAs(context, 404, 'not_found', 'There is no such account.')
        : run(context);
    }),
  ],
];

const updates: readonly Row[] = [
  [
    'one-equal-field-refuses-the-update',
    ['UPD-8', 'UPD-1'],
    'A field that is equal to what is stored makes the whole update one without a change.',
    operation(update, (run, context) => {
      const account = context.world.accounts.get(context.pathId) as unknown as Json | undefined;
      const given = run(context);
      if ('decideRow' in given || given.reply.status !== 200) return given;
      const same = Object.entries(context.body).some(([name, value]) => account?.[name] === value);
      return same
        ? refuseAs(context, 422, 'validation_failed', 'The body would change nothing.')
        : given;
    }),
  ],
  [
    'two-names-drop-the-last',
    ['UPD-3'],
    'Names that come together are taken for a full name, whose last part is lost.',
    updateLeft((after, before, { body }) =>
      body.first_name != null && body.last_name != null
        ? { ...after, last_name: before.last_name }
        : after,
    ),
  ],
  [
    'country-and-language-swap',
    ['UPD-3', 'ACC-14'],
    'Where both are sent they are stored in each other’s place.',
    updateLeft((after, _, { body }) =>
      body.country != null && body.language != null
        ? { ...after, country: after.language, language: after.country }
        : after,
    ),
  ],
  [
    'empty-name-is-kept-as-before',
    ['UPD-3'],
    'An empty text counts as not sent.',
    updateLeft((after, before, { body }) =>
      body.first_name === '' ? { ...after, first_name: before.first_name } : after,
    ),
  ],
  [
    'tag-before-the-last-passes',
    ['UPD-7', 'UPD-12'],
    'The cache of tags keeps two, and either passes once there were three revisions.',
    againWhere(
      update,
      ({ reply }, context) => {
        const revision = context.world.accounts.get(context.pathId)?.revision ?? 0;
        const { firstRevision, nextRevision } = context.behaviour.accounts;
        const step = nextRevision(0);
        const isThird = revision >= firstRevision + 2 * step;
        return (
          reply.status === 412 &&
          isThird &&
          headerOf(context, 'if-match') === `"${revision - step}"`
        );
      },
      (behaviour) => ({
        ...behaviour,
        values: { ...behaviour.values, ifMatch: () => ({ kind: 'any', values: null }) },
      }),
    ),
  ],
];

export const combinationDeviations: readonly SubtleDeviation[] = ofKind('combination', [
  ...subscriptions,
  ...accounts,
  ...updates,
]);
