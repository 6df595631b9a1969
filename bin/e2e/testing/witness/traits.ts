// Traits of a conforming platform: behaviour that the specification leaves open.
import { bodyOf, type Context, withHeader } from './context.ts';
import { send } from './delivery.ts';
import { aboutOf, type EventRecord, type Reply, type Transaction } from './records.ts';
import type { Difference } from './start.ts';
import { other, plain, type Step, type Style } from './styles.ts';
import { DAY_MS, isObject, type Json, withCents } from './values.ts';
import type { Seams, World } from './world.ts';
import { decision, leaving, savedTransaction, shown, statusOf } from './wrap.ts';

const BODY_LAST: readonly Step[] = ['key', 'token', 'rate', 'scope', 'body', 'replay'];
const TOKEN_FIRST: readonly Step[] = ['token', 'key', 'rate', 'body', 'replay', 'scope'];

const contention = (context: Context): Reply =>
  context.refusal(503, 'write_contention', 'others write here; repeat this');

/** One write in `n` has to be retried. */
const everyNth = (n: number, refusal: (context: Context) => Reply): Seams => ({
  before: (context) => {
    const isWrite = context.operation.takesKey && context.call.method === 'POST';
    const isTurn = isWrite && context.world.count(`writes by ${n}`) % n === 0;
    return isTurn ? refusal(context) : undefined;
  },
});

const checking = (name: string, words: string, isRight: (context: Context) => boolean): Seams => ({
  check: (context) => {
    if (context.operation.name === name) context.need(isRight(context), words);
  },
});

const isOperators = (content: Json) => isObject(content) && 'mark' in content;

/** Emits an event unless the trait replaces it; events of the control plane are left alone. */
const emitting = (
  change: (emit: World['emit'], ...given: Parameters<World['emit']>) => void,
): Seams => ({
  store: (_, world) => {
    const emit = world.emit.bind(world);
    world.emit = (...given) => {
      if (isOperators(given[3])) return emit(...given);
      // No operation reads the event that it emits.
      return change(emit, ...given) as unknown as EventRecord;
    };
    return {};
  },
});

/** `id: sentence`, with the style choices of a trait, or its overrides. */
const rows: Readonly<Record<string, Partial<Style> & Seams>> = {
  'ids-int64: ids are above 2^53': { firstId: 7_401_234_567_890_123_518n },
  'ids-short: ids begin at 1': { firstId: 1n },
  'lock-25: a record stays locked for 25 ms after a decision': {
    before: (context) => {
      const { world, operation, pathId } = context;
      const untilMs = Number(world.memo.get(`locked ${pathId}`) ?? 0);
      const isLocked = operation.takesKey && performance.now() < untilMs;
      return isLocked ? contention(context) : undefined;
    },
    after: ({ world, pathId }, reply) => {
      if (pathId !== '') world.memo.set(`locked ${pathId}`, performance.now() + 25);
      return reply;
    },
  },
  'contention: every 40th write is answered 503 once': everyNth(40, contention),
  'failure: every 60th write is answered 500 once': everyNth(60, (context) =>
    context.refusal(500, 'internal_error', 'this failed; repeat it'),
  ),
  'disable-202: disabling is answered 202': { disableStatus: 202 },
  'list-nested: the list of subscriptions is nested': { list: 'nested' },
  'ten-hooks: a credential has ten enabled subscriptions at most': { maxHooks: 10 },
  'unreadable-415: what cannot be read is refused with 415': {
    unreadable: { ...plain.unreadable, syntax: 415, shape: 415 },
  },
  'unreadable-400: what cannot be read is refused with 400': {
    unreadable: { ...plain.unreadable, shape: 400, type: 400 },
  },
  'names-100: names of more than 100 characters are refused': { longestName: 100 },
  'amounts-10-to-million: amounts are at least 10 and at most a million': checking(
    'createTransaction',
    'amount must be from 10 to 1000000',
    ({ body }) => !(Math.abs(Number(body.amount)) > 1e6 || Math.abs(Number(body.amount)) < 10),
  ),
  'countries-64: countries of more than 64 characters are refused': checking(
    'createAccount',
    'country is too long',
    (context) => context.text('country').length <= 64,
  ),
  'names-plain: names with signs of markup are refused': checking(
    'createAccount',
    'a name must not contain < or >',
    (context) => !/[<>]/.test(context.text('first_name') + context.text('last_name')),
  ),
  'tags-numeric: a tag that is no number is malformed': checking(
    'updateAccount',
    'If-Match must be a revision in quotes',
    (context) => /^"\d+"$/.test(context.headers('if-match')[0]?.trim() ?? '"0"'),
  ),
  'disabled-once: disabling a disabled subscription is refused': {
    check: (context) => {
      if (context.operation.name !== 'disableWebhook') return;
      const found = context.subscriptions().find(({ id }) => id === context.pathId);
      if (found?.disabled) context.refuse(409, 'invalid_state', 'it is disabled');
    },
  },
  'url-once: a URL has one enabled subscription at most': checking(
    'createWebhook',
    'this url has a subscription',
    (context) => {
      const isOwn = (url: string) => url === context.text('url');
      return context.subscriptions().every((each) => each.disabled || !isOwn(each.url));
    },
  ),
  'target-probed: a target gets a HEAD request when it is subscribed': decision(
    'createWebhook',
    (reply, { world }) => {
      if (reply.status >= 300) return undefined;
      const { origin, pathname } = new URL(String(bodyOf(reply).url));
      const forward = world.forwards.get(origin);
      const target = forward && `${new URL(forward).origin}${pathname}`;
      if (target) void fetch(target, { method: 'HEAD' }).catch(() => {});
    },
  ),
  'late-3: the first attempt of a delivery is made three seconds after its event': {
    store: ({ delivery, saveDelivery }) => ({
      saveDelivery: (each) => {
        const lateMs = delivery(each.id) === undefined ? 3_000 : 0;
        return saveDelivery({ ...each, dueAtMs: each.dueAtMs + lateMs });
      },
    }),
  },
  'last-row-first: the rows of a batch are processed from the last to the first': {
    lastRowFirst: true,
  },
  'market-409: the market is closed for orders': {
    marketClosed: { status: 409, code: 'invalid_state' },
  },
  'market-422: orders are refused while the market rests': {
    marketClosed: { status: 422, code: 'validation_failed' },
  },
  'scope-before-body: scopes are checked before the body is read': { order: BODY_LAST },
  'token-first: the token is checked before the key': { order: TOKEN_FIRST },
  'settles-at-once: money settles as soon as it is approved': { settlesAfterMs: 0 },
  'settles-in-an-hour: money settles an hour after its approval': { settlesAfterMs: DAY_MS / 24 },
  'rotation-15-min: a rotation lasts 15 minutes': { rotationMs: 15 * 60_000 },
  'rotation-week: a rotation lasts a week': { rotationMs: 7 * DAY_MS },
  'abandoned-5-min: an attempt is given up after five minutes': { abandonedAfterMs: 300_000 },
  'page-10: a page of a read has ten rows': { reads: { ...plain.reads, page: 10 } },
  'reads-bare: reads answer a bare array': { reads: { ...plain.reads, rows: 'bare' } },
  'reads-data: reads answer rows under data': { reads: { ...plain.reads, rows: 'data' } },
  'no-status-read: the account status is not served': { reads: { ...plain.reads, status: null } },
  'unknown-brand-422: an unknown brand is answered 422': { unknownBrand: 422 },
  'missing-tag-400: a missing If-Match is answered 400': { missingTag: 400 },
  'revision-64-bit: revisions are above 2^53': {
    firstRevision: 7_401_234_567_890_123_518n as unknown as number,
    revisionStep: 7n as unknown as number,
  },
  'revision-0: the first revision is 0': { firstRevision: 0 },
  'revision-large: revisions are times in ms': { firstRevision: 1.7672256e12, revisionStep: 977 },
  'named-local-part: an unnamed account gets the local part twice': {
    namedAfter: (email) => [email.split('@')[0]!, email.split('@')[0]!],
  },
  'hook-refusal-403: a refused target is answered 403': {
    hookRefusal: { status: 403, code: 'forbidden' },
  },
  'reason-first: a reason is looked at before the state': { reasonBeforeState: true },
  'unauthorized-text: a missing token is refused in plain text': { unauthorized: 'text' },
  'token-text: the token endpoint refuses in plain text': {
    token: { ...plain.token, refusal: 'text' },
  },
  'token-short: tokens live for five minutes': { token: { ...plain.token, seconds: 300 } },
  'token-form: tokens are given to forms alone': { token: { ...plain.token, forms: ['form'] } },
  'kinds-shouted: kinds of events are in upper case': { kindOf: (kind) => kind.toUpperCase() },
  'number-of-event: the sequence number of an envelope is called number': {
    envelope: ({ id, seq, kind, content }) => ({ id, number: seq, topic: kind, body: content }),
  },
  'headers-of-delivery: delivery headers have other names': {
    signatureHeader: 'Signature',
    subscriptionHeader: 'Webhook-Subscription',
  },
  'signature-with-key: a signature names the id of its key as well': {
    delivery: ({ signature }) => ({ signature: (...given) => `${signature(...given)},kid=1` }),
  },
  'sent-twice: the first attempt of a delivery is sent twice': {
    delivery: ({ sending }) => ({
      sending: (delivery) => {
        const first = sending(delivery);
        const stop: () => void = first.n > 1 ? () => {} : send(first, () => stop());
        return first;
      },
    }),
  },
  'extra-members: accounts show members that are not specified, and one changes each time': {
    extraMembers: {
      owner_team: 'north',
      email_verified: true,
      get shown_at() {
        return performance.now();
      },
    },
  },
  'empty-note: a new transaction shows an empty note': shown('createTransaction', () => ({
    note: null,
  })),
  'ids-64-bit: an id in a path that no 64-bit integer holds is not valid': {
    before: (context) => {
      if (context.pathId.length > 19) context.pathId = 'too long';
    },
  },
  'retries-swept: a retry may be five seconds late': {
    clock: ({ lasts }) => ({
      lasts: (timer, about) => {
        const ms = lasts(timer, about);
        return timer === 'retry' && ms !== null ? ms + 5_000 : ms;
      },
    }),
  },
  'docs-path: the documentation has a path of its own': { docsUrl: 'https://example.com/a/b' },
  'titles: titles are in another language': { titleOf: () => 'Abgelehnt' },
  'request-id-numbers: request ids are plain numbers': {
    requestId: (n, mark) => `${Number.parseInt(mark, 16)}${n}`,
  },
  'small-bodies: a body of more than 64 KB is refused': { singleBytes: 65_536 },
  'more-headers: replies set a cookie, and name their server and caching': leaving((reply) =>
    [['Server', 'platform/7'] as const, ['Set-Cookie', 'node=7'] as const].reduce(
      (each, [name, value]) => withHeader(each, name, value),
      withHeader(reply, 'Cache-Control', 'no-store'),
    ),
  ),
  'charset: content types name their charset': leaving((reply) => {
    const type = reply.headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? '';
    return /json$/.test(type) ? withHeader(reply, 'Content-Type', `${type}; charset=utf-8`) : reply;
  }),
  'lower-case-headers: names of headers are in lower case': leaving((reply) => ({
    ...reply,
    headers: reply.headers.map(([name, value]) => [name.toLowerCase(), value] as const),
  })),
  'pretty: JSON is printed over several lines': {
    after: (_, reply) => ({ ...reply, body: reply.body.replace(/^\{"(\w+)":/, '{\n  "$1": ') }),
  },
  'location: a new account has a Location': decision('createAccount', (reply) =>
    reply.status < 300 ? withHeader(reply, 'Location', '/api/v1') : undefined,
  ),
  'order-202: orders are answered 202': { position: { ...plain.position, status: 202 } },
  'rotate-201: a rotation is answered 201': statusOf('rotateWebhookSecret', 200, 201),
  'two-events: a new account is announced twice, under two kinds': decision(
    'createAccount',
    (reply, { world, store, row }) => {
      if (reply.status !== 201 || row !== undefined) return undefined;
      const account = store.account(String(bodyOf(reply).id))!;
      const content = { account_id: account.id };
      world.emit('account', 'account.assigned', aboutOf(account), content);
    },
  ),
  'decisions-about-accounts: an approval has an event of the account too': decision(
    'approveTransaction',
    (reply, { world, store }) => {
      const account = store.account(String(bodyOf(reply).account_id));
      if (account !== undefined) world.emit('account', 'account.touched', aboutOf(account), {});
    },
  ),
  'whole-seconds: created_at of a transaction is a full second, in ms': savedTransaction(
    ({ created_at }) => ({ created_at: Math.floor(created_at / 1000) * 1000 }),
  ),
  'ids-per-kind: each kind of record counts its ids from 1': {
    firstId: 500_001n,
    store: (_, world) => ({ nextId: (kind) => String(world.count(`ids of ${kind}`)) }),
  },
  'outbox: events are emitted 100 ms after their request': {
    store: (_, world) => {
      const emit = world.emit.bind(world);
      const box: Parameters<World['emit']>[] = [];
      const flush = () => {
        for (const given of box.splice(0)) emit(...given);
      };
      world.emit = (...given) => {
        if (isOperators(given[3])) {
          flush();
          return emit(...given);
        }
        box.push(given);
        setTimeout(flush, 100).unref();
        return {} as EventRecord;
      };
      return {};
    },
  },
  'few-events: only new records and orders have events': emitting(
    (emit, category, kind, ...more) => {
      if (/created|opened|filled/.test(kind)) emit(category, kind, ...more);
    },
  ),
  'thin-events: events name only their account': emitting((emit, category, kind, about) => {
    emit(category, kind, about, { account_id: about.accountId });
  }),
  'row-contends: one new row in nine of a batch has to be repeated': {
    store: ({ saveAccount }, world) => ({
      saveAccount: (account, context) => {
        const isTurn = context?.row !== undefined && world.count('new rows') % 9 === 0;
        if (isTurn) context?.refuse(503, 'write_contention', 'others write here; repeat this');
        return saveAccount(account, context);
      },
    }),
  },
  'repeats-unmetered: a repeat is answered before the rate is checked': {
    order: ['key', 'token', 'body', 'replay', 'rate', 'scope'],
  },
  'deposits-settle: only deposits settle by themselves': {
    clock: ({ lasts }) => ({
      lasts: (timer, about) => {
        const isOther = (about as Transaction | undefined)?.transaction_type !== 'Deposit';
        return timer === 'settlement' && isOther ? null : lasts(timer, about);
      },
    }),
  },
  'status-moves: the first deposit makes a new account active': {
    store: ({ account, saveAccount, saveTransaction }) => ({
      saveTransaction: (each) => {
        const own = account(each.account_id)!;
        if (each.is_ftd && own.status === 'New') {
          saveAccount({ ...own, status: 'Active', revision: own.revision + 1 });
        }
        return saveTransaction(each);
      },
    }),
  },
  'currencies-upper: currencies are stored in upper case': savedTransaction(({ currency }) => ({
    currency: currency.toUpperCase(),
  })),
  'amounts-in-cents: amounts are shown with two decimals': { amount: withCents },
};

/** The choices of style and the seams of each trait, separated. */
const own = Object.entries(rows).map(([title, change]): Difference => {
  const [id = '', sentence = ''] = title.split(': ');
  const [style, seams] = [true, false].map((isChoice) =>
    Object.fromEntries(Object.entries(change).filter(([name]) => name in plain === isChoice)),
  );
  return { id, sentence, style: style!, seams: seams! };
});

/** The style plain with one choice of the other style. */
const mixtures = (Object.keys(plain) as (keyof Style)[])
  .filter((name) => name !== 'name' && plain[name] !== other[name])
  .map((name): Difference => {
    const sentence = `the choice of the style other: ${name}`;
    return { id: `other-${name}`, sentence, style: { [name]: other[name] } };
  });

export const traits: readonly Difference[] = [...own, ...mixtures];

/** All groups of at most `size` traits in which no two set the same choice. */
export function compatibleGroups(size: number): Difference[][] {
  const groups: Difference[][] = [];
  for (const trait of traits) {
    const names = Object.keys(trait.style ?? {});
    const isFree = (group: Difference[]) =>
      group.length < size && !group.some(({ style = {} }) => names.some((name) => name in style));
    const group = groups.find(isFree);
    if (group === undefined) groups.push([trait]);
    else group.push(trait);
  }
  return groups;
}
