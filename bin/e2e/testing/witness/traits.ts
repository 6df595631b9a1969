// Traits that a conforming platform may have: what the specification does not show is free.
import type { Difference } from './difference.ts';
import type { Reply } from './records.ts';
import { refuse, withHeader } from './replies.ts';
import { other, plain, type Step, type Style } from './styles.ts';
import type { Context, Seams } from './types.ts';
import { withCents } from './values.ts';

export interface Trait extends Difference {
  readonly id: string;
  readonly sentence: string;
}

/** The choices of the style that a trait makes, or what it wraps. */
type Row = readonly [id: string, sentence: string, change: Partial<Style> & Seams];

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const BODY_LAST: readonly Step[] = ['key', 'token', 'rate', 'scope', 'body', 'replay'];
const TOKEN_FIRST: readonly Step[] = ['token', 'key', 'rate', 'body', 'replay', 'scope'];

const leaving = (change: (reply: Reply, context: Context) => Reply): Seams => ({
  reply: (context, reply) => change(reply, context),
});

const contention = (context: Context): Reply =>
  refuse(context, 503, 'write_contention', 'others write here; repeat this');

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What was changed stays locked for a moment; requests of that time have to be repeated. */
const lockedFor = (ms: number): Seams => ({
  before: (context) => {
    const { world, operation, pathId } = context;
    if (!operation.takesKey || pathId === '') return undefined;
    const until = Number(world.memo.get(`locked ${pathId}`) ?? 0);
    return performance.now() < until ? contention(context) : undefined;
  },
  after: ({ world, pathId }, reply) => {
    if (pathId !== '') world.memo.set(`locked ${pathId}`, performance.now() + ms);
    return reply;
  },
});

/** Every so many writes one has to be repeated. */
const everyNth = (n: number, refused: (context: Context) => Reply): Seams => ({
  before: (context) => {
    const isWrite = context.operation.takesKey && context.call.method === 'POST';
    return isWrite && context.world.count('writes') % n === 0 ? refused(context) : undefined;
  },
});

const slow = (ms: number, first: number): Seams => ({
  before: async ({ world }) => {
    if (world.count('slow') <= first) await wait(ms);
    return undefined;
  },
});

const header = (name: string, value: string): Seams =>
  leaving((reply) => withHeader(reply, name, value));

const rows: readonly Row[] = [
  ['ids-int64', 'Ids are above 2^53.', { firstId: 7_401_234_567_890_123_518n }],
  ['ids-short', 'Ids begin at 1.', { firstId: 1n }],
  ['lock-25', 'A record stays locked for 25 ms after a decision.', lockedFor(25)],
  [
    'contention',
    'Every 40th write is answered 503 and has to be repeated.',
    everyNth(40, contention),
  ],
  [
    'failure',
    'Every 60th write is answered 500 and has to be repeated.',
    everyNth(60, (context) => refuse(context, 500, 'internal_error', 'this failed; repeat it')),
  ],
  ['slow-start', 'The first ten requests take 300 ms.', slow(300, 10)],
  ['disable-202', 'Disabling is answered 202.', { disableStatus: 202 }],
  ['list-nested', 'The list of subscriptions is nested.', { list: 'nested' }],
  [
    'ten-hooks',
    'A credential has ten enabled subscriptions at most.',
    {
      before: (context) => {
        if (context.operation.name !== 'createWebhook') return undefined;
        const { store } = context.world;
        const token = context.call.headers.find(([name]) => /^authorization$/i.test(name))?.[1];
        const caller = store.token(token?.split(' ')[1])?.client_id;
        const credential = caller === undefined ? undefined : store.credential(caller);
        const own = store
          .subscriptions()
          .filter(
            (each) => !each.disabled && credential !== undefined && store.sees(credential, each),
          );
        const words = 'ten subscriptions are enough';
        return own.length >= 10 ? refuse(context, 409, 'invalid_state', words) : undefined;
      },
    },
  ],
  ['generous', 'Limits are a fifth more generous than the plan.', { generosity: 1.2 }],
  [
    'unreadable-415',
    'What cannot be read is refused with 415.',
    { unreadable: { ...plain.unreadable, syntax: 415, shape: 415 } },
  ],
  [
    'unreadable-400',
    'What cannot be read is refused with 400.',
    { unreadable: { ...plain.unreadable, shape: 400, type: 400 } },
  ],
  ['names-100', 'Names of more than 100 characters are refused.', { longestName: 100 }],
  [
    'market-409',
    'The market is closed for orders.',
    { marketClosed: { status: 409, code: 'invalid_state' } },
  ],
  [
    'market-422',
    'Orders are refused while the market rests.',
    { marketClosed: { status: 422, code: 'validation_failed' } },
  ],
  ['row-stored', 'A row echoes the reference as it is stored.', { rowReference: 'stored' }],
  ['scope-before-body', 'Scopes are checked before the body is read.', { order: BODY_LAST }],
  ['token-first', 'The token is checked before the key.', { order: TOKEN_FIRST }],
  ['settles-at-once', 'Money settles as soon as it is approved.', { settlesAfterMs: 0 }],
  ['settles-in-an-hour', 'Money settles an hour after its approval.', { settlesAfterMs: HOUR_MS }],
  ['credits-early', 'Money is booked when it is approved.', { creditsAt: 'approved' }],
  ['rotation-15-min', 'A rotation lasts 15 minutes.', { rotationMs: 15 * 60_000 }],
  ['rotation-week', 'A rotation lasts a week.', { rotationMs: 7 * DAY_MS }],
  ['abandoned-5-min', 'An attempt is given up after five minutes.', { abandonedAfterMs: 300_000 }],
  ['page-10', 'A page of a read has ten rows.', { reads: { ...plain.reads, page: 10 } }],
  ['reads-bare', 'Reads answer a bare array.', { reads: { ...plain.reads, rows: 'bare' } }],
  ['reads-data', 'Reads answer rows under data.', { reads: { ...plain.reads, rows: 'data' } }],
  [
    'no-status-read',
    'The account status is not served.',
    { reads: { ...plain.reads, status: null } },
  ],
  ['unknown-brand-422', 'An unknown brand is answered 422.', { unknownBrand: 422 }],
  ['missing-tag-400', 'A missing If-Match is answered 400.', { missingTag: 400 }],
  ['revision-0', 'The first revision is 0.', { firstRevision: 0 }],
  [
    'revision-large',
    'Revisions are times in ms.',
    { firstRevision: 1_767_225_600_000, revisionStep: 977 },
  ],
  [
    'named-local-part',
    'An unnamed account gets the local part twice.',
    { namedAfter: (email) => [email.split('@')[0]!, email.split('@')[0]!] },
  ],
  [
    'hook-refusal-403',
    'A refused target is answered 403.',
    { hookRefusal: { status: 403, code: 'forbidden' } },
  ],
  ['reason-first', 'A reason is looked at before the state.', { reasonBeforeState: true }],
  ['amounts-in-cents', 'Amounts are shown with two decimals.', { amount: withCents }],
  ['unauthorized-text', 'A missing token is refused in plain text.', { unauthorized: 'text' }],
  [
    'token-text',
    'The token endpoint refuses in plain text.',
    { token: { ...plain.token, refusal: 'text' } },
  ],
  ['token-short', 'Tokens live for five minutes.', { token: { ...plain.token, seconds: 300 } }],
  [
    'token-form',
    'Tokens are given to forms alone.',
    { token: { ...plain.token, forms: ['form'] } },
  ],
  ['token-202', 'A token is answered 201.', { token: { ...plain.token, status: 201 } }],
  ['kinds-shouted', 'Kinds of events are in upper case.', { kindOf: (kind) => kind.toUpperCase() }],
  [
    'number-of-event',
    'The sequence number of an envelope is called number.',
    {
      envelope: (event) => ({
        id: event.id,
        number: event.seq,
        topic: event.kind,
        body: event.content,
      }),
    },
  ],
  [
    'headers-of-delivery',
    'Delivery headers have other names.',
    { signatureHeader: 'Signature', subscriptionHeader: 'Webhook-Subscription' },
  ],
  [
    'signature-with-key',
    'A signature names the id of its key as well.',
    {
      delivery: ({ signature }) => ({
        signature: (...given) => `${signature(...given)},kid=1`,
      }),
    },
  ],
  [
    'extra-member',
    'Accounts show a member that the specification does not name.',
    { extraMembers: { owner_team: 'north' } },
  ],
  ['docs-path', 'The documentation has a path of its own.', { docsUrl: 'https://example.com/a/b' }],
  ['titles', 'Titles are in another language.', { titleOf: () => 'Abgelehnt' }],
  [
    'request-id-numbers',
    'Request ids are plain numbers.',
    { requestId: (n, mark) => `${Number.parseInt(mark, 16)}${n}` },
  ],
  ['small-bodies', 'A body of more than 64 KB is refused.', { singleBytes: 65_536 }],
  ['server-header', 'Every reply names its server.', header('Server', 'platform/7')],
  ['cookie', 'Every reply sets a cookie.', header('Set-Cookie', 'node=7; Path=/')],
  [
    'cache-header',
    'Every reply says how long it may be kept.',
    header('Cache-Control', 'no-store'),
  ],
  [
    'charset',
    'Content types name their charset.',
    leaving((reply) => {
      const type = reply.headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? '';
      const isJson = /json$/.test(type);
      return isJson ? withHeader(reply, 'Content-Type', `${type}; charset=utf-8`) : reply;
    }),
  ],
  [
    'lower-case-headers',
    'Names of headers are in lower case.',
    leaving((reply) => ({
      ...reply,
      headers: reply.headers.map(([name, value]) => [name.toLowerCase(), value] as const),
    })),
  ],
  [
    'pretty',
    'JSON is printed over several lines.',
    {
      after: (_, reply) => ({
        ...reply,
        body: reply.body.replace(/^\{"(\w+)":/, '{\n  "$1": '),
      }),
    },
  ],
  [
    'location',
    'What was created has a Location.',
    {
      after: (_, reply) =>
        reply.status === 201 ? withHeader(reply, 'Location', '/api/v1') : reply,
    },
  ],
  ['order-202', 'Orders are answered 202.', { position: { ...plain.position, status: 202 } }],
  [
    'rotate-201',
    'A rotation is answered 201.',
    {
      after: ({ operation }, reply) =>
        operation.name === 'rotateWebhookSecret' && reply.status === 200
          ? { ...reply, status: 201 }
          : reply,
    },
  ],
  [
    'two-events',
    'A new account is announced twice, under two kinds.',
    {
      after: ({ operation, world, row }, reply) => {
        const isNew = operation.name === 'createAccount' && reply.status === 201;
        if (!isNew || row !== undefined) return reply;
        const { id, firm_id, brand_id } = JSON.parse(reply.body) as Record<string, string>;
        const about = { firmId: firm_id!, brandId: brand_id!, accountId: id! };
        world.emit('account', 'account.assigned', about, { account_id: id! });
        return reply;
      },
    },
  ],
  [
    'whole-seconds',
    'created_at of a transaction is a full second, in ms.',
    {
      store: (store) => ({
        saveTransaction: (each, context) => {
          const created_at = Math.floor(each.created_at / 1000) * 1000;
          return store.saveTransaction({ ...each, created_at }, context);
        },
      }),
    },
  ],
];

/** The style plain with one choice of the other style. */
const mixtures = (Object.keys(plain) as (keyof Style)[])
  .filter((name) => name !== 'name' && plain[name] !== other[name])
  .map((name): Trait => {
    const sentence = `The choice of the style other: ${name}.`;
    return { id: `other-${name}`, sentence, style: { [name]: other[name] } };
  });

const SEAMS = new Set(['before', 'after', 'reply', 'store', 'clock', 'delivery']);

export const traits: readonly Trait[] = [
  ...rows.map(([id, sentence, change]) => {
    const [seams, style] = [true, false].map((isSeam) =>
      Object.fromEntries(Object.entries(change).filter(([name]) => SEAMS.has(name) === isSeam)),
    );
    return { id, sentence, style: style!, seams: seams! };
  }),
  ...mixtures,
];

/** All traits in groups of at most `size`, in which no two make the same choice. */
export function compatibleGroups(size: number): Trait[][] {
  const groups: Trait[][] = [];
  for (const trait of traits) {
    const names = Object.keys(trait.style ?? {});
    const isFree = (group: Trait[]) =>
      group.length < size && !group.some(({ style = {} }) => names.some((name) => name in style));
    const group = groups.find(isFree);
    if (group === undefined) groups.push([trait]);
    else group.push(trait);
  }
  return groups;
}
