// Hints: what a careful reader would tell a caller whose request was answered without complaint, or
// refused for a slip. They are found when a call is journalled, and decide nothing.

import type { OperationName, OperationRow } from '../../../fixtures/operations.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { profileFields } from '../../../fixtures/schemas/account-profile.ts';
import { type BodyOperation, requestSchemas } from '../../../fixtures/schemas/requests.ts';
import { hidden, secretMembers } from '../../../fixtures/schemas/secret-members.ts';
import { findNearest } from '../../../fixtures/settings/parse.ts';
import type { Cite, Reply } from '../call.ts';
import { findEntry, type JournalEntry } from '../journal.ts';
import { optionalText } from '../operations/members.ts';
import { methodOf } from '../operations/transactions.ts';
import { headerOf } from '../pipeline/operation-row.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import { methodsAt } from '../pipeline/stages.ts';
import { own } from '../state/copy-world.ts';
import {
  absoluteDecimal,
  compareDecimals,
  isNegativeDecimal,
  isZeroDecimal,
} from '../values/decimal.ts';

interface RegisteredHint {
  readonly code: string;
  /** What it means, in one sentence. */
  readonly words: string;
  readonly cite: Cite;
}

export const hintRegister = [
  {
    code: 'unknown_member',
    words: 'The body has a member that the operation does not use; it was ignored.',
    cite: 'NS-27',
  },
  {
    code: 'unknown_parameter',
    words: 'The query has a parameter that the operation does not know; it was ignored.',
    cite: 'NS-2',
  },
  {
    code: 'body_unlike_first',
    words: 'The key was used before with another request; the first response was sent again.',
    cite: 'IDEM-8',
  },
  {
    code: 'converged_unlike',
    words: 'The reference names an existing record, and the body differs from it.',
    cite: 'IDEM-12',
  },
  {
    code: 'local_url',
    words: 'A subscription to this machine was refused; a forward sends deliveries there.',
    cite: 'HOOK-8',
  },
  {
    code: 'sign_against_type',
    words: 'The sign of the amount, or the method, disagrees with the type, which decides.',
    cite: 'NS-43',
  },
  {
    code: 'path_beside_api',
    words: 'Nothing is served at this path; a similar one of the API is.',
    cite: 'NS-31',
  },
  {
    code: 'before_retry_after',
    words: 'The caller was limited, and called again before Retry-After was over.',
    cite: 'LIM-7',
  },
] as const satisfies readonly RegisteredHint[];

export type HintCode = (typeof hintRegister)[number]['code'];

/** One hint on one call. */
export interface Hint {
  readonly code: HintCode;
  /** What it is about here: the member, the difference, what to do instead. */
  readonly words: string;
}

const noHints: readonly Hint[] = Object.freeze([]);

/** The codes in one line each, for descriptions and guides. */
export function describeHints(): string {
  return hintRegister.map(({ code, words, cite }) => `\`${code}\`: ${words} (${cite})`).join('\n');
}

/** The words of each hint, or null where there is nothing to say. */
type Finder = (context: RequestContext, reply: Reply | null) => string | null;

const finders: readonly (readonly [HintCode, Finder])[] = [
  ['unknown_member', findIgnoredMembers],
  ['unknown_parameter', findUnknownParameters],
  ['converged_unlike', findUnlikeRecord],
  ['sign_against_type', findSignAgainstType],
  ['local_url', findLocalUrl],
  ['before_retry_after', findEarlyCall],
];

const findersOfRepeat: typeof finders = [
  ['body_unlike_first', findUnlikeFirst],
  ['before_retry_after', findEarlyCall],
];

/**
 * `reply` is null if it was lost or is late; `before` is the entry of a call that was suspended and
 * runs only now.
 */
export function findHints(
  context: RequestContext,
  reply: Reply | null,
  before: JournalEntry | undefined,
): readonly Hint[] {
  const hints: Hint[] = [];
  const add = (code: HintCode, words: string | null) => {
    if (words !== null) hints.push({ code, words });
  };
  if (context.operation === null) add('path_beside_api', findPath(context));
  else {
    const applied = context.firstCall === null ? finders : findersOfRepeat;
    for (const [code, find] of applied) add(code, find(context, reply));
  }
  if (reply?.status === 429) rememberLimit(context, reply);
  const found = hints.length === 0 ? noHints : hints;
  if (before === undefined || before.hints.length === 0) return found;
  const codes = new Set(found.map(({ code }) => code));
  return [...before.hints.filter(({ code }) => !codes.has(code)), ...found];
}

const longest = 40;

/** A text from outside in quotes, cut if it is long; control characters are escaped. */
function quote(text: string): string {
  return JSON.stringify(text.length <= longest ? text : `${text.slice(0, longest)}…`);
}

/** The name of a member: without quotes if it looks like one. */
function showName(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quote(name);
}

/** The value of the member at this path; secrets are hidden. */
function showValue(path: string, value: unknown): string {
  if (value === undefined) return 'left out';
  if (path.split('.').some((name) => secretMembers.has(name.toLowerCase()))) return hidden;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** `a, b, c and 4 more`. */
function someOf(all: readonly string[], most = 3): string {
  const more = all.length - most;
  return more <= 0 ? all.join(', ') : `${all.slice(0, most).join(', ')} and ${more} more`;
}

const membersOf = (operation: BodyOperation | null): ReadonlySet<string> => {
  const shape: { readonly properties: object } =
    operation === null
      ? requestSchemas.bulkCreateAccounts.properties.accounts.items
      : requestSchemas[operation];
  return new Set(Object.keys(shape.properties));
};
const operationMembers = new Map(
  (Object.keys(requestSchemas) as BodyOperation[]).map((name) => [name, membersOf(name)]),
);
const rowMembers = membersOf(null);

/** Members that people expect to be used, by operation. */
const insteadOf: Readonly<Record<string, string>> = {
  'createAccount.status': 'a new account is New (ACC-20); an update sets its status',
  'updateAccount.email': 'it cannot be changed through the API (UPD-11)',
  'updateAccount.phone': 'it cannot be changed through the API (UPD-11)',
  'createTransaction.status': 'a transaction always begins as pending (TXN-1)',
  'createTransaction.brand_id': 'the transaction has the brand of its account',
  'createTransaction.reason': 'reject and cancel take a reason',
  'createWebhook.brand_id': 'a subscription is bound as its credential is (HOOK-10)',
  'openPosition.account_id': 'the trading account says whose it is',
};

/** NS-27, NS-55: unknown members and nulls are ignored, so nothing else points out a slip. */
function findIgnoredMembers(context: RequestContext, reply: Reply | null): string | null {
  const { operation, behaviour } = context;
  const known = operationMembers.get(operation as BodyOperation);
  if (operation === null || known === undefined) return null;
  const body = reply?.contentType === 'text/plain' ? readAgain(context) : context.body;
  const ignored: string[] = [];
  collectUnknown(body, known, '', ignored, operation);
  if (operation === 'bulkCreateAccounts') {
    const rows = Array.isArray(body.accounts) ? (body.accounts as readonly Body[]) : [];
    for (const [index, row] of rows.entries()) {
      collectUnknown(row, rowMembers, `accounts.${index}.`, ignored, 'createAccount');
      if (ignored.length > 0) break;
    }
  }
  if (operation === 'updateAccount' && behaviour.settings.update_null === 'not_sent') {
    for (const name in body) {
      if (body[name] === null) ignored.push(`${showName(name)} (null clears nothing: NS-55)`);
    }
  }
  if (ignored.length === 0) return null;
  return `${operation} ignores ${someOf(ignored)}.`;
}

function collectUnknown(
  body: Body,
  known: ReadonlySet<string>,
  where: string,
  found: string[],
  operation: OperationName,
): void {
  for (const name in body) {
    if (known.has(name)) continue;
    const nearest = findNearest(name.replace(/[A-Z]/g, '_$&'), [...known]);
    const meant = nearest === null ? undefined : `did you mean ${nearest}?`;
    const why = insteadOf[`${operation}.${name}`] ?? meant;
    found.push(`${showName(where + name)}${why === undefined ? '' : ` (${why})`}`);
  }
}

const utf8 = new TextDecoder();

/** The members of a body that was refused as unreadable; none if it is not a JSON object. */
function readAgain({ call }: RequestContext): Body {
  const parsed = parse(call.body);
  return isContainer(parsed) && !Array.isArray(parsed) ? parsed : {};
}

function parse(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    // Approve takes no body, so its body may be anything.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const knownParameters: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  listAccounts: ['after', 'limit'],
  listTransactions: ['after', 'limit'],
  approveTransaction: ['account_id'],
  rejectTransaction: ['account_id'],
  cancelTransaction: ['account_id'],
  streamEvents: ['after_seq', 'access_token'],
};

/** NS-2: a page that is asked for by another name is the first page, again and again. */
function findUnknownParameters({ operation, path, call, query }: RequestContext): string | null {
  if (operation === null || path.length === call.target.length) return null;
  const known = knownParameters[operation] ?? [];
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const takes = known.length === 0 ? 'takes none' : `takes ${known.join(' and ')}`;
  return `${operation} ${takes}: ${someOf(unknown.map(showName))} in the query is ignored.`;
}

/** ACC-5, TXN-2: what a create under a known reference says besides the reference is not used. */
function findUnlikeRecord(context: RequestContext, reply: Reply | null): string | null {
  if (context.idempotency !== 'converged' || reply === null || reply.status >= 400) return null;
  const { world, body, behaviour } = context;
  const { id } = JSON.parse(reply.body) as { readonly id: string };
  const isAccount = context.operation === 'createAccount';
  const record = (isAccount ? world.accounts : world.transactions).get(id);
  if (record === undefined) return null;
  const members: Body = { ...record };
  const { values } = behaviour;
  const unlike: string[] = [];
  for (const name of isAccount ? accountMembers : transactionMembers) {
    const [is, sent] = [members[name], optionalText(body, name)];
    if (sent === null || sent === is) continue;
    if (name === 'email' && values.emailKey(sent) === values.emailKey(String(is))) continue;
    if (name === 'phone' && values.phone(sent, optionalText(body, 'phone_region')) === is) continue;
    if (name.endsWith('_id') && values.id(sent) === is) continue;
    if (name === 'amount' && values.isDecimal(sent) && compareDecimals(sent, String(is)) === 0)
      continue;
    unlike.push(`${name} is ${showValue(name, is)}, not ${showValue(name, sent)}`);
  }
  if (unlike.length === 0) return null;
  return isAccount
    ? `The reference names account ${id}, whose ${someOf(unlike)}. Nothing was changed: update it with PATCH, or use another reference for another person.`
    : `The reference names transaction ${id}, whose ${someOf(unlike)}. Nothing was recorded: another payment needs another reference.`;
}

const accountMembers = ['email', 'phone', ...profileFields];
const transactionMembers = [
  'amount',
  'currency',
  'account_id',
  'trading_account_id',
  'transaction_type',
  'method',
];

/** TXN-6, NS-43: the type decides what is booked. */
function findSignAgainstType(context: RequestContext, reply: Reply | null): string | null {
  const { body, behaviour, operation, idempotency } = context;
  if (operation !== 'createTransaction' || idempotency === 'converged') return null;
  const amount = optionalText(body, 'amount');
  // A response that is lost or late may be a refusal of the amount.
  if ((reply !== null && reply.status !== 201) || amount === null) return null;
  if (!behaviour.values.isDecimal(amount)) return null;
  const { transaction_type: type } = body;
  const method = optionalText(body, 'method');
  const isIncoming = type === 'Deposit' || type === 'Credit';
  const isNegative = isNegativeDecimal(amount);
  const isOtherSign = isNegative === isIncoming && !isZeroDecimal(amount);
  const isOtherMethod =
    (type === 'Withdrawal' && method === 'Deposit') ||
    (type === 'Deposit' && method === 'Withdrawal');
  if (!isOtherSign && !isOtherMethod) return null;
  const what = `A ${type} with amount ${amount}${method === null ? '' : ` and method ${method}`}`;
  const booked = `${absoluteDecimal(amount)} is ${isIncoming ? 'added to' : 'subtracted from'} the balance`;
  const answered =
    method === null
      ? ` It is answered as method ${methodOf(amount)} (TXN-6); send method, or the other sign.`
      : '';
  return `${what}: when it settles, ${booked} (NS-43).${answered}`;
}

const localName =
  /^(?:localhost|.+\.(?:localhost|local|internal)|127\..+|10\..+|192\.168\..+|\[::1\])$/;

/** HOOK-7, HOOK-8: the platform cannot reach this machine, and the sandbox can. */
function findLocalUrl(context: RequestContext, reply: Reply | null): string | null {
  const { url } = context.body;
  if (context.operation !== 'createWebhook' || reply === null || reply.status < 400) return null;
  const parsed = typeof url === 'string' ? parseUrl(url) : null;
  if (typeof url !== 'string' || parsed === null) return null;
  const { protocol, hostname } = parsed;
  if (!/^https?:$/.test(protocol) || !localName.test(hostname)) return null;
  return `The platform takes public https urls only. To get deliveries at ${quote(url)} start with --forward-to, or subscribe an https url of your own and forward it: PUT /_sandbox/forwards with from and to.`;
}

/** A request that was on its way when the 429 came could not know of it. */
const onItsWayMs = 250;

/** LIM-7: a call that comes before the wait is over. */
function findEarlyCall(context: RequestContext): string | null {
  const { limits } = context.world.journal;
  const clientId = context.credential?.client_id;
  const limit = limits.size === 0 || clientId === undefined ? undefined : limits.get(clientId);
  if (limit === undefined || context.n === limit.n) return null;
  const { receivedAtMs } = context;
  const sinceMs = receivedAtMs - limit.atMs;
  if (receivedAtMs >= limit.untilMs) return null;
  const isRepeat = context.key !== null && limit.call === callText(context);
  if (!isRepeat && sinceMs < onItsWayMs) return null;
  return `Request ${limit.n} was limited and told to wait ${(limit.untilMs - limit.atMs) / 1000} s; this one came ${sinceMs} ms after it. Wait as Retry-After says.`;
}

/** Keeps what a 429 says, for the calls that come after it. */
function rememberLimit(context: RequestContext, reply: Reply): void {
  const { world, n } = context;
  const seconds = Number(reply.headers?.['retry-after']);
  const clientId = context.credential?.client_id;
  if (clientId === undefined || !(seconds > 0)) return;
  const untilMs = world.nowMs + seconds * 1000;
  const limit = { atMs: world.nowMs, untilMs, call: callText(context), n };
  own(world, 'journal').limits.set(clientId, limit);
}

function callText({ call, key }: RequestContext): string {
  return `${call.method} ${call.target} ${key}`;
}

/** NS-31: `/accounts`, `/v1/accounts` and `/api/v1/accounts/` all mean the same. */
function findPath({ path, behaviour, call }: RequestContext): string | null {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length > 8) return null;
  if (segments[0]?.toLowerCase() === 'api') segments.shift();
  if (/^v\d+$/i.test(segments[0] ?? '')) segments.shift();
  const [first = '', ...rest] = segments;
  const plain = first.toLowerCase();
  for (const name of [first, plain, `${plain}s`]) {
    const meant = `/api/v1/${[name, ...rest].join('/')}`;
    const methods = meant === path ? [] : methodsAt(behaviour.table, meant);
    if (methods.length === 0) continue;
    const takes = methods.includes(call.method) ? '' : `, which takes ${methods.join(' and ')}`;
    return `Did you mean ${quote(meant).slice(1, -1)}${takes}? The API is served under /api/v1.`;
  }
  return call.method === 'GET' && rest.length > 0 ? findReads(behaviour.table, first, rest) : null;
}

/** The reads below the same first segment: there is no `GET /accounts/{id}`, but there are others. */
function findReads(
  table: Readonly<Record<string, OperationRow>>,
  first: string,
  [id = '']: readonly string[],
): string | null {
  const reads = Object.values(table)
    .filter(
      ({ method, path, absent }) =>
        method === 'GET' && absent !== true && path.split('/')[0] === first,
    )
    .map(({ path }) => `GET /api/v1/${path.replace(':id', quote(id).slice(1, -1))}`);
  return reads.length === 0 ? null : `Read it with ${reads.join(' or ')}.`;
}

/** IDEM-8, IDEM-10, IDEM-11: how a repeat (replayed, or in flight) differs from the first call. */
function findUnlikeFirst(context: RequestContext): string | null {
  const { world, firstCall, call } = context;
  const first = firstCall === null ? undefined : findEntry(world.journal, firstCall);
  if (first === undefined) return null;
  const other = findOtherTransaction(context, first);
  if (other !== null) return other;
  const isRefused = first.reply !== null && first.reply.status >= 400;
  const differences = isRefused ? tagDifference(context, first) : [];
  const then = parse(first.call.body);
  if (then !== undefined && Buffer.compare(first.call.body, call.body) !== 0) {
    compare(then, context.body, '', differences);
  }
  if (differences.length === 0) return null;
  const what = someOf(differences);
  return isRefused
    ? `${what}: request ${first.n} was refused under this key; a corrected request needs a new Idempotency-Key.`
    : `${what}: request ${first.n} used this key first, and its response stands. Nothing of this one ran.`;
}

/** IDEM-10: on approve, reject and cancel the key belongs to the account alone. */
function findOtherTransaction(context: RequestContext, first: JournalEntry): string | null {
  const { path, operation } = context;
  const firstPath = first.call.target.split('?')[0] ?? '';
  if (firstPath === path || !/^(approve|reject|cancel)/.test(operation ?? '')) return null;
  const [here, there] = [path, firstPath].map((each) => quote(each.split('/').at(-2) ?? ''));
  return `Nothing was done to transaction ${here}: request ${first.n} used this key on ${there} of the same account, and its response was sent again. Use a key for each transaction.`;
}

function tagDifference(context: RequestContext, { call }: JournalEntry): string[] {
  if (context.operation !== 'updateAccount') return [];
  const then = call.headers['if-match'];
  const now = headerOf(context, 'if-match');
  return then === now ? [] : [`If-Match was ${then ?? 'left out'}, is ${now ?? 'left out'}`];
}

const mostFound = 20;

/** `first_name was "Ada", is "Eda"`, member by member. */
function compare(then: unknown, now: unknown, path: string, found: string[]): void {
  if (Object.is(then, now) || found.length >= mostFound) return;
  if (isContainer(then) && isContainer(now) && Array.isArray(then) === Array.isArray(now)) {
    for (const name of new Set([...Object.keys(then), ...Object.keys(now)])) {
      const [was, is] = [then, now].map((body) =>
        Object.hasOwn(body, name) ? body[name] : undefined,
      );
      compare(was, is, path === '' ? name : `${path}.${name}`, found);
    }
    return;
  }
  const [was, is] = [showValue(path, then), showValue(path, now)];
  found.push(
    was === is ? `${showName(path)} is another` : `${showName(path)} was ${was}, is ${is}`,
  );
}

function isContainer(value: unknown): value is Body {
  return typeof value === 'object' && value !== null;
}
