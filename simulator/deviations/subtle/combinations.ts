// Wrong ways that show only when several things come together.
import type { Decision } from '../../core/call.ts';
import { createOrFindAccount } from '../../core/operations/create-or-find-account.ts';
import { headerOf } from '../../core/pipeline/operation-row.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { transitionTable } from '../../core/tables/transitions.ts';
import { decision, type Json, only, operation, policy, stage } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { SubtleDeviation } from '../deviation.ts';
import { left as updateLeft } from '../updates/bends.ts';
import { againWhere, marked, ofKind, type Row, rowsOfBatch, subscriptionLeft } from './bends.ts';

const create = 'createAccount';
const update = 'updateAccount';
const record = 'createTransaction';

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
        reply.status === 409 && /"phone"/.test(reply.body) && /\+.* /.test(textOf(body.phone)),
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
      const bare = (email: string) => email.toLowerCase().replace(/\+[^@]*@/, '@');
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

const batches: readonly Row[] = [
  [
    'known-row-fails-after-an-update',
    ['BULK-3', 'BULK-4'],
    'A row whose account has changed since is taken for a conflict.',
    rowsOfBatch((decide, _, context) => {
      const given = decide();
      const { id, revision } = JSON.parse(given.reply.body) as Json;
      const isUpdated = context.world.accounts.has(textOf(id)) && given.reply.status === 200;
      return isUpdated && revision !== context.behaviour.accounts.firstRevision
        ? refuseAs(context, 409, 'invalid_state', 'The account has changed since.')
        : given;
    }),
  ],
  [
    'failed-row-taints-its-reference',
    ['BULK-8', 'BULK-12'],
    'A reference that failed once in a batch is not tried again in it.',
    rowsOfBatch((decide, at, { body }, before) => {
      const rows = body.accounts as readonly Json[];
      const twin = before.findIndex(
        ({ reply }, index) =>
          reply.status >= 400 && rows[index]!.client_reference_id === rows[at]!.client_reference_id,
      );
      return twin < 0 ? decide() : before[twin]!;
    }),
  ],
  [
    'unnamed-row-takes-the-name-before',
    ['ACC-13', 'BULK-3'],
    'A variable is not emptied between rows: who has no name gets the one before.',
    rowsOfBatch((decide, at, context) => {
      const rows = context.body.accounts as readonly Json[];
      const [row, before] = [rows[at]!, rows[at - 1]];
      const isUnnamed = row.first_name == null && row.last_name == null;
      if (!isUnnamed || before?.first_name == null) return decide();
      return createOrFindAccount(context, { ...row, first_name: before.first_name });
    }),
  ],
];

const money: readonly Row[] = [
  [
    'cancelled-bonus-keeps-the-money',
    ['TXS-10'],
    'The reversal is booked by method, and Bonus has none.',
    decision('cancelTransaction', (given) => {
      const [changed] = only(given.changes, 'transaction-changed');
      if (changed?.transaction.method !== 'Bonus') return given;
      return { ...given, changes: given.changes.filter(({ type }) => type !== 'entry-booked') };
    }),
  ],
  [
    'bonus-is-cancelled-without-amend',
    ['TXS-11', 'AUTH-4'],
    'Bonuses are the operator’s own, so everybody may take them back.',
    againWhere(
      'cancelTransaction',
      ({ reply }, { world, pathId }) =>
        reply.status === 403 && world.transactions.get(pathId)?.method === 'Bonus',
      (behaviour) => {
        const { scope: _, ...open } = transitionTable.settled.cancel as { scope?: string };
        const cancel = open as (typeof transitionTable)['settled']['cancel'];
        const { transitions } = behaviour.transactions;
        const settled = { ...transitions.settled, cancel };
        return {
          ...behaviour,
          transactions: { ...behaviour.transactions, transitions: { ...transitions, settled } },
        };
      },
    ),
  ],
  [
    'first-deposit-by-currency',
    ['TXS-2'],
    'The first deposit is counted for each currency of the account.',
    marked((transaction, { world, behaviour }) => {
      if (transaction.isFtd || !behaviour.transactions.isDeposit(transaction)) {
        return transaction.isFtd;
      }
      return ![...world.transactions.values()].some(
        ({ accountId, currency, isFtd }) =>
          isFtd && accountId === transaction.accountId && currency === transaction.currency,
      );
    }),
  ],
  [
    'no-first-deposit-after-a-rejected-one',
    ['TXS-2'],
    'Any decision on a deposit uses the mark up, a rejection too.',
    marked((transaction, { world }) => {
      const hasRejected = [...world.transactions.values()].some(
        ({ accountId, status, transactionType }) =>
          accountId === transaction.accountId &&
          status === 'rejected' &&
          transactionType === 'Deposit',
      );
      return transaction.isFtd && !hasRejected;
    }),
  ],
  [
    'approving-again-takes-the-mark-away',
    ['TXS-2', 'TXS-4'],
    'A second approval writes the record anew, as one that is no first deposit.',
    decision('approveTransaction', (given, { world, behaviour, pathId }) => {
      const stored = world.transactions.get(pathId);
      const isAgain = given.reply.status === 200 && stored?.status === 'approved';
      if (!isAgain || !stored.isFtd) return given;
      const transaction = { ...stored, isFtd: false };
      const body = behaviour.serialize.transaction(transaction);
      const changes = [{ type: 'transaction-changed', transaction }] as const;
      return { ...given, reply: { ...given.reply, body }, changes };
    }),
  ],
  [
    'known-reference-at-another-place-makes-another',
    ['TXN-2', 'IDEM-12'],
    'References of transactions are unique for a trading account.',
    againWhere(
      record,
      ({ reply }, { body, idempotency }) =>
        idempotency === 'converged' &&
        (JSON.parse(reply.body) as Json).trading_account_id !== body.trading_account_id,
      byAnotherReference,
    ),
  ],
  [
    'reference-of-a-cancelled-one-is-free',
    ['TXN-2', 'IDEM-12'],
    'The unique index leaves out what was cancelled.',
    againWhere(
      record,
      ({ reply }, { idempotency }) =>
        idempotency === 'converged' && (JSON.parse(reply.body) as Json).status === 'cancelled',
      byAnotherReference,
    ),
  ],
  [
    'provider-withdrawals-go-by-method',
    ['TXS-3', 'TXS-18'],
    'What the method calls a withdrawal is refused there, whatever its type.',
    policy('transactions', () => ({
      isProviderPayout: ({ method }, from) => from.providerPayouts && method === 'Withdrawal',
    })),
  ],
];

function byAnotherReference(behaviour: RequestContext['behaviour'], context: RequestContext) {
  const { referenceKey } = behaviour.transactions;
  const own: typeof referenceKey = (...named) => `${referenceKey(...named)}\n${context.n}`;
  return { ...behaviour, transactions: { ...behaviour.transactions, referenceKey: own } };
}

const keys: readonly Row[] = [
  [
    'spaces-within-a-key-are-dropped',
    ['IDEM-1c', 'IDEM-2a'],
    'All white space is taken out of a key.',
    policy('keys', ({ parse }) => ({
      parse: (header) => parse(header)?.replaceAll(' ', '') || null,
    })),
  ],
  [
    'keys-match-in-any-case',
    ['IDEM-4c', 'IDEM-2a'],
    'The column of keys is compared without case.',
    policy('keys', ({ parse }) => ({ parse: (header) => parse(header)?.toLowerCase() ?? null })),
  ],
  [
    'third-call-under-a-key-runs-again',
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d', 'IDEM-8', 'IDEM-10', 'IDEM-11'],
    'A record is taken out when it was replayed once.',
    (behaviour) => {
      const replayed = new Set<string>();
      return stage('replay', (decide, context) => {
        const given = decide(context);
        if (given === null || context.idempotency !== 'replayed') return given;
        const name = `${context.world.name}\n${context.world.seed}\n${context.keyId}`;
        if (!replayed.has(name)) {
          replayed.add(name);
          return given;
        }
        context.idempotency = 'first';
        return null;
      })(behaviour);
    },
  ],
  [
    'replayed-update-has-the-newest-tag',
    ['IDEM-4b', 'ACC-19'],
    'The tag of a replay is read from the account as it is now.',
    policy('keys', () => ({
      replay: (stored, { operation: name, world, pathId, behaviour }) => {
        const account = name === update ? world.accounts.get(pathId) : undefined;
        if (account === undefined || stored.etag === undefined) return stored;
        return { ...stored, etag: behaviour.values.etag(account) };
      },
    })),
  ],
  [
    'refusals-of-rows-out-of-reach-are-not-kept',
    ['IDEM-4d', 'IDEM-11', 'IDEM-4a'],
    'A 404 is not stored, for the record may come.',
    policy('keys', ({ records }) => ({
      records: (reply) => reply.status !== 404 && records(reply),
    })),
  ],
];

export const combinationDeviations: readonly SubtleDeviation[] = ofKind('combination', [
  ...subscriptions,
  ...accounts,
  ...updates,
  ...batches,
  ...money,
  ...keys,
]);
