// Hints point out a likely mistake in a request, whether it was served or refused. They are computed
// when a call is journalled, and affect no answer.
import { parseJson } from '../../../fixtures/lenient.ts';
import type { OperationName } from '../../../fixtures/operations.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { profileFields } from '../../../fixtures/schemas/account-profile.ts';
import { bodyOperations, requestSchemas } from '../../../fixtures/schemas/requests.ts';
import { findNearest } from '../../../fixtures/schemas/validate.ts';
import type { Reply } from '../call.ts';
import { findEntry } from '../journal.ts';
import { optionalText } from '../operations/members.ts';
import { type Body, headerOf, type RequestContext } from '../pipeline/request-context.ts';
import { methodsAt } from '../pipeline/stages.ts';
import { own } from '../state/copy-world.ts';
import { compareDecimals, isNegativeDecimal, isZeroDecimal } from '../values/decimal.ts';

/** What each hint means, in one sentence, with the rule or question behind it. */
export const hintWords = {
  unknown_member: 'The body has a member that the operation does not use; it was ignored. (NS-27)',
  unknown_parameter:
    'The query has a parameter that the operation does not know; it was ignored. (NS-2)',
  body_unlike_first:
    'The key was used before with another request; the first response was sent again. (IDEM-8)',
  converged_unlike:
    'The reference names an existing record, and the body differs from it. (IDEM-12)',
  local_url:
    'A subscription to this machine was refused; a forward sends deliveries there. (HOOK-8)',
  sign_against_type:
    'The sign of the amount, or the method, disagrees with the type, which decides. (NS-43)',
  path_beside_api: 'Nothing is served at this path; a similar one of the API is. (NS-31)',
  before_retry_after:
    'The caller was limited, and called again before Retry-After was over. (LIM-7)',
  frozen_clock: 'The caller was limited, and waiting does not help: the clock is frozen. (LIM-2)',
} as const;

export type HintCode = keyof typeof hintWords;
export const hintCodes = Object.keys(hintWords) as HintCode[];

/** One hint on one call. */
export interface Hint {
  readonly code: HintCode;
  /** The details: the member, the difference, what to do instead. */
  readonly words: string;
}

const noHints: readonly Hint[] = Object.freeze([]);

/** The codes in one line each, for descriptions. */
export const describeHints = (): string =>
  hintCodes.map((code) => `\`${code}\`: ${hintWords[code]}`).join('\n');

/** The text of each hint, or null if there is nothing to say. */
type Finder = (context: RequestContext, reply: Reply | null) => string | null;

const finders: Readonly<Record<HintCode, Finder>> = {
  unknown_member: findIgnoredMembers,
  unknown_parameter: findUnknownParameters,
  body_unlike_first: findUnlikeFirst,
  converged_unlike: findUnlikeRecord,
  local_url: findLocalUrl,
  sign_against_type: findSignAgainstType,
  path_beside_api: findPath,
  before_retry_after: findEarlyCall,
  frozen_clock: findFrozenLimit,
};

const offRoute: readonly HintCode[] = ['path_beside_api'];
const onRepeats: readonly HintCode[] = ['body_unlike_first', 'before_retry_after'];
const onFirst = hintCodes.filter((code) => code !== 'body_unlike_first' && code !== offRoute[0]);

/** `reply` is null if it was lost or is late. */
export function findHints(context: RequestContext, reply: Reply | null): readonly Hint[] {
  let hints = noHints;
  const routed = context.firstCall === null ? onFirst : onRepeats;
  for (const code of context.operation === null ? offRoute : routed) {
    const words = finders[code](context, reply);
    if (words !== null) hints = [...hints, { code, words }];
  }
  if (reply?.status === 429) rememberLimit(context, reply);
  return hints;
}

/** `a, b, c and 4 more`; untrusted texts are cut and escaped. */
function someOf(names: readonly string[]): string {
  const most = 3;
  const listed = names.slice(0, most).join(', ');
  return names.length > most ? `${listed} and ${names.length - most} more` : listed;
}

/** Untrusted text: unchanged if it looks like a name, otherwise shortened and quoted. */
const showName = (name: string): string =>
  /^[\w./-]{1,80}$/.test(name) ? name : JSON.stringify(name.slice(0, 80));

const membersOf = ({ properties }: { readonly properties: object }): ReadonlySet<string> =>
  new Set(Object.keys(properties));
const rowMembers = membersOf(requestSchemas.createAccount);
const operationMembers = new Map<OperationName | null, ReadonlySet<string>>(
  bodyOperations.map((name) => [name, membersOf(requestSchemas[name])]),
);

/** What to do instead of sending this member, by operation and member. */
const insteadOf: Readonly<Record<string, string>> = {
  'createAccount.status': 'a new account is New (ACC-20); an update sets its status',
  'updateAccount.email': 'it cannot be changed through the API (UPD-11)',
  'updateAccount.phone': 'it cannot be changed through the API (UPD-11)',
  'createTransaction.status': 'a transaction always begins as pending (TXN-1)',
  'createTransaction.brand_id': 'the transaction has the brand of its account',
  'createTransaction.reason': 'reject and cancel take a reason',
  'createWebhook.events': 'did you mean event_categories?',
  'createWebhook.brand_id': 'a subscription is bound as its credential is (HOOK-10)',
  'openPosition.account_id': 'the trading account says whose it is',
};

/** NS-27, NS-55: unknown members and nulls are ignored, so only this hint points out a typo. */
function findIgnoredMembers(context: RequestContext, reply: Reply | null): string | null {
  const { operation, behaviour } = context;
  const known = operationMembers.get(operation);
  if (known === undefined) return null;
  // An unreadable member is refused, so it was not copied from the call.
  const body = reply?.contentType === 'text/plain' ? readBody(context.call.body) : context.body;
  const ignored: string[] = [];
  addUnknown(ignored, body, known, `${operation}`, '');
  if (operation === 'bulkCreateAccounts' && Array.isArray(body.accounts)) {
    for (let index = 0; index < body.accounts.length && ignored.length === 0; index += 1) {
      addUnknown(ignored, body.accounts[index], rowMembers, 'createAccount', `accounts.${index}.`);
    }
  }
  if (operation === 'updateAccount' && behaviour.settings.update_null === 'not_sent') {
    for (const name in body) {
      if (body[name] === null) ignored.push(`${showName(name)} (null clears nothing: NS-55)`);
    }
  }
  return ignored.length === 0 ? null : `${operation} ignores ${someOf(ignored)}.`;
}

function addUnknown(
  ignored: string[],
  body: Body,
  known: ReadonlySet<string>,
  operation: string,
  where: string,
): void {
  for (const name in body) {
    if (known.has(name)) continue;
    const nearest = findNearest(name.replace(/[A-Z]/g, '_$&'), [...known]);
    const meant = nearest === null ? undefined : `did you mean ${nearest}?`;
    const why = insteadOf[`${operation}.${name}`] ?? meant;
    ignored.push(`${showName(where + name)}${why === undefined ? '' : ` (${why})`}`);
  }
}

const utf8 = new TextDecoder();

/** The members of a body; none if it is not a JSON object. */
function readBody(bytes: Uint8Array): Body {
  const parsed = parseJson(utf8.decode(bytes));
  return typeof parsed === 'object' && !Array.isArray(parsed) ? ((parsed ?? {}) as Body) : {};
}

const knownParameters: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  listAccounts: ['after', 'limit'],
  listTransactions: ['after', 'limit'],
  approveTransaction: ['account_id'],
  rejectTransaction: ['account_id'],
  cancelTransaction: ['account_id'],
  streamEvents: ['after_seq', 'access_token'],
};

/** NS-2: an unknown parameter is ignored, so such a request always returns the first page. */
function findUnknownParameters({ operation, path, call, query }: RequestContext): string | null {
  if (path.length === call.target.length) return null;
  const known = knownParameters[operation as OperationName] ?? [];
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const takes = known.length === 0 ? 'takes none' : `takes ${known.join(' and ')}`;
  return `${operation} ${takes}: ${someOf(unknown.map(showName))} in the query is ignored.`;
}

const accountMembers = ['email', 'phone', ...profileFields];
const transactionMembers = Object.keys(requestSchemas.createTransaction.properties).filter(
  (name) => name !== 'client_reference_id',
);

/** ACC-5, TXN-2: the rest of a create with a known reference is ignored. */
function findUnlikeRecord(context: RequestContext, reply: Reply | null): string | null {
  if (context.idempotency !== 'converged' || reply === null || reply.status >= 400) return null;
  const { world, body, behaviour } = context;
  const { values } = behaviour;
  const { id } = JSON.parse(reply.body) as { readonly id: string };
  const isAccount = context.operation === 'createAccount';
  const record: Body | undefined = (isAccount ? world.accounts : world.transactions).get(id);
  if (record === undefined) return null;
  const unlike = (isAccount ? accountMembers : transactionMembers).filter((name) => {
    const sent = optionalText(body, name);
    const stored = record[name];
    if (sent === null || sent === stored) return false;
    if (name === 'email') return values.emailKey(sent) !== values.emailKey(String(stored));
    if (name === 'phone') return values.phone(sent, optionalText(body, 'phone_region')) !== stored;
    if (name.endsWith('_id')) return values.id(sent) !== stored;
    if (name !== 'amount' || !values.isDecimal(sent)) return true;
    return compareDecimals(sent, String(stored)) !== 0;
  });
  if (unlike.length === 0) return null;
  return isAccount
    ? `The reference names account ${id}, which has another ${someOf(unlike)}. Nothing was changed: update it with PATCH, or use another reference for another person.`
    : `The reference names transaction ${id}, which has another ${someOf(unlike)}. Nothing was recorded: another payment needs another reference.`;
}

/** TXN-6, NS-43: the type decides what is booked. */
function findSignAgainstType(context: RequestContext, reply: Reply | null): string | null {
  const { body, behaviour, operation, idempotency } = context;
  if (operation !== 'createTransaction' || idempotency === 'converged') return null;
  const amount = optionalText(body, 'amount');
  // A response that is lost or late may be a refusal of the amount.
  if ((reply !== null && reply.status !== 201) || amount === null) return null;
  if (!behaviour.values.isDecimal(amount)) return null;
  const { transaction_type: type, method } = body;
  const isIncoming = type === 'Deposit' || type === 'Credit';
  const isOtherSign = isNegativeDecimal(amount) === isIncoming && !isZeroDecimal(amount);
  const isOtherMethod =
    (type === 'Withdrawal' && method === 'Deposit') ||
    (type === 'Deposit' && method === 'Withdrawal');
  if (!isOtherSign && !isOtherMethod) return null;
  const booked = isIncoming ? 'added to' : 'subtracted from';
  return `The type decides (NS-43): when it settles, a ${type} is ${booked} the balance, whatever the sign and the method. Send the other sign, or the method that you mean.`;
}

const localName =
  /^(?:localhost|.+\.(?:localhost|local|internal)|127\..+|10\..+|192\.168\..+|\[::1\])$/;

/** HOOK-7, HOOK-8: the platform cannot reach this machine; the sandbox can. */
function findLocalUrl(context: RequestContext, reply: Reply | null): string | null {
  const { url } = context.body;
  if (context.operation !== 'createWebhook' || reply === null || reply.status < 400) return null;
  const parsed = typeof url === 'string' ? parseUrl(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !localName.test(parsed.hostname)) {
    return null;
  }
  return 'The platform takes public https urls only. To get deliveries on this machine start with --forward-to, or subscribe an https url of your own and forward it: PUT /_sandbox/forwards with from and to.';
}

/** A request that was sent just before the 429 arrived could not take it into account. */
const onItsWayMs = 250;

/** LIM-7: a call that is sent before Retry-After is over. */
function findEarlyCall(context: RequestContext): string | null {
  const { limits } = context.world.journal;
  // Under a frozen clock, a client that waited cannot be told from one that did not.
  if (context.facts.frozen) return null;
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

/** LIM-2: an allowance refills by the clock of the sandbox. A fault's 429 has another remedy. */
function findFrozenLimit({ facts, faults }: RequestContext, reply: Reply | null): string | null {
  if (!facts.frozen || reply?.status !== 429 || faults.length > 0) return null;
  const waitMs = Number(reply.headers?.['retry-after']) * 1000;
  return `The clock is frozen, so the allowance does not refill: advance it by Retry-After (${waitMs} ms).`;
}

/** Stores the Retry-After of a 429, for later calls. */
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
function findPath({ path, behaviour: { table }, call }: RequestContext): string | null {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length > 8) return null;
  if (segments[0]?.toLowerCase() === 'api') segments.shift();
  if (/^v\d+$/i.test(segments[0] ?? '')) segments.shift();
  const [first = '', ...rest] = segments;
  const plain = first.toLowerCase();
  const known = Object.values(table).flatMap((row) => row.path.split('/')[0] ?? []);
  for (const name of [first, plain, findNearest(plain, known) ?? plain]) {
    const meant = `/api/v1/${[name, ...rest].join('/')}`;
    const methods = meant === path ? [] : methodsAt(table, meant);
    if (methods.length === 0) continue;
    const takes = methods.includes(call.method) ? '' : `, which takes ${methods.join(' and ')}`;
    return `Did you mean ${showName(meant)}${takes}? The API is served under /api/v1.`;
  }
  if (call.method !== 'GET' || rest.length === 0) return null;
  // There is no `GET /accounts/{id}`, but there are other reads below the same first segment.
  const reads = Object.values(table).filter(
    (row) => row.method === 'GET' && row.absent !== true && row.path.split('/')[0] === first,
  );
  const lines = reads.map(
    (row) => `GET /api/v1/${row.path.replace(':id', showName(`${rest[0]}`))}`,
  );
  return lines.length === 0 ? null : `Read it with ${lines.join(' or ')}.`;
}

/** IDEM-8, IDEM-10, IDEM-11: how a repeat (replayed, or in flight) differs from the first call. */
function findUnlikeFirst(context: RequestContext): string | null {
  const { world, firstCall, call, path, operation } = context;
  const first = firstCall === null ? undefined : findEntry(world.journal, firstCall);
  if (first === undefined) return null;
  const firstPath = first.call.target.split('?')[0] ?? '';
  // IDEM-10: on approve, reject and cancel the subject of the key is the account alone.
  if (firstPath !== path && /^(approve|reject|cancel)/.test(operation ?? '')) {
    return `Nothing was done to this transaction: request ${first.requestId} used this key on another one of the same account, and its response was sent again. Use a key for each transaction.`;
  }
  const isRefused = first.reply !== null && first.reply.status >= 400;
  const tag = first.call.headers['if-match'] === headerOf(context, 'if-match');
  const differences = isRefused && operation === 'updateAccount' && !tag ? ['If-Match'] : [];
  if (Buffer.compare(first.call.body, call.body) !== 0) {
    const [then, now] = [readBody(first.call.body), context.body];
    for (const name of new Set([...Object.keys(then), ...Object.keys(now)])) {
      if (!isAlike(then[name], now[name])) differences.push(showName(name));
    }
  }
  if (differences.length === 0) return null;
  const what = `Request ${first.requestId} used this key first, with another ${someOf(differences)}`;
  return isRefused
    ? `${what}, and was refused: a corrected request needs a new Idempotency-Key.`
    : `${what}. Its response stands, and nothing of this request ran.`;
}

function isAlike(then: unknown, now: unknown): boolean {
  return Object.is(then, now) || JSON.stringify(then) === JSON.stringify(now);
}
