// A valid call of each operation: on records that this run made, and the same each time that it is
// sent. Rows change one thing about it.

import type { Role } from '../engine/capabilities.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type {
  GivenAccount,
  GivenTransaction,
  GivenWebhook,
} from '../engine/scenario/scenario-setup.ts';
import { Blocked, MissingCapability } from '../engine/scenario-errors.ts';
import type { Answer, Json } from '../engine/send/answer.ts';
import type { CallOptions, RequestBody } from '../engine/send/client.ts';
import type { Credential, Place } from '../providers/target.ts';
import { closePosition, type OpenedPosition, openPosition } from '../scenarios/support/orders.ts';
import { OPERATIONS, type OperationName, type WriteName } from '../spec/operations.ts';

/** A request without its credential and its idempotency key. */
export interface Call {
  readonly operation: OperationName;
  /** The id in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string | null>>;
  readonly ifMatch?: string;
  readonly body?: RequestBody;
  /** Bytes to send instead of the body. */
  readonly raw?: string;
}

/** A valid call, with what it acts on. */
export interface ValidCall<Name extends OperationName = OperationName> extends Call {
  readonly operation: Name;
  readonly place?: Place;
  readonly account?: GivenAccount;
  readonly transaction?: GivenTransaction;
  readonly position?: OpenedPosition;
}

export type WriteCall = ValidCall<WriteName>;

export type Who = Role | Credential;

interface Sending extends Pick<CallOptions, 'key' | 'authorization' | 'unpaced'> {
  readonly who?: Who;
}

/** Sends it, under a fresh key if the operation requires one and none is given. */
export function sendCall(
  t: ScenarioContext,
  { operation, id = '', ...rest }: Call,
  { key, who = t.mainRole, ...options }: Sending = {},
): Promise<Answer> {
  const { method, path, keyed } = OPERATIONS[operation];
  const { query, ifMatch, body, raw } = rest;
  return t.as(who).send({
    ...options,
    ...{ method, path: path.replace(':id', encodeURIComponent(id)) },
    key: key === undefined && keyed ? t.fresh.key() : (key ?? null),
    ...(query && { query }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(body && { body }),
    ...(raw !== undefined && { raw }),
  });
}

/** Shows that a call is served. */
export async function controlCall(t: ScenarioContext, call: Call, who?: Who): Promise<Answer> {
  const { words, keyed } = OPERATIONS[call.operation];
  const key = keyed ? t.fresh.key() : null;
  const send = () => sendCall(t, call, { key, ...(who && { who }) });
  return t.control(words, send);
}

const REASON: RequestBody = { reason: 'conformance check' };

/** A new valid call of an operation; at the given place where the operation has one. */
export async function validCall<Name extends OperationName>(
  t: ScenarioContext,
  operation: Name,
  at?: Place,
  role: Role = t.mainRole,
): Promise<ValidCall<Name>> {
  return { operation, ...(await partsOf(t, operation, at, role)) };
}

type Parts = Omit<ValidCall, 'operation'>;

async function partsOf(
  t: ScenarioContext,
  operation: OperationName,
  at: Place | undefined,
  role: Role,
): Promise<Parts> {
  switch (operation) {
    case 'createAccount':
      return { body: t.newAccount({}, role) };
    case 'updateAccount': {
      const account = await t.given.account({}, role);
      const { id, etag: ifMatch } = account;
      return { account, id, ifMatch, body: { first_name: t.fresh.text() } };
    }
    case 'bulkCreateAccounts':
      return { body: batch([t.newAccount({}, role), t.newAccount({}, role)]) };
    case 'openPosition': {
      const place = at ?? (await t.given.place());
      const position = await openPosition(t, place);
      return { place, body: position.body };
    }
    case 'closePosition': {
      const place = at ?? (await t.given.place());
      // The first one shows in what form this target closes positions (NS-1).
      const { body } = await closePosition(t, await openPosition(t, place));
      const position = await openPosition(t, place);
      return { place, position, body: body(position) };
    }
    case 'createTransaction': {
      const place = at ?? (await t.given.place());
      return { place, body: t.newTransaction(place) };
    }
    case 'approveTransaction':
    case 'rejectTransaction':
    case 'cancelTransaction': {
      const transaction = await t.given.transaction(at ?? (await t.given.place()), {}, role);
      const { id, account_id } = transaction;
      const decision = { transaction, place: transaction, id, query: { account_id } };
      return operation === 'approveTransaction' ? decision : { ...decision, body: REASON };
    }
    case 'createWebhook':
      return { body: { url: await t.given.subscribable(), event_categories: ['order'] } };
    case 'getWebhook':
    case 'rotateWebhookSecret':
    case 'disableWebhook':
      return { id: (await subscriptionOf(t)).id };
    default:
      return {};
  }
}

const subscriptions = new WeakMap<ScenarioContext, Promise<GivenWebhook>>();

/** One for all calls of a scenario: a target may allow few. */
function subscriptionOf(t: ScenarioContext): Promise<GivenWebhook> {
  const known = subscriptions.get(t) ?? t.given.webhook(undefined, ['order']);
  subscriptions.set(t, known);
  return known;
}

/** Whether the target has what an operation acts on: a trading account, a URL to subscribe with. */
export async function isAvailable(t: ScenarioContext, operation: OperationName): Promise<boolean> {
  const { path } = OPERATIONS[operation];
  if (/transactions|positions/.test(path)) return t.has('trading_account');
  if (!path.includes('/webhooks') || t.has('receiver')) return true;
  try {
    await subscriptionOf(t);
    return true;
  } catch (error) {
    if (error instanceof Blocked || error instanceof MissingCapability) return false;
    throw error;
  }
}

export function batch(rows: readonly RequestBody[]): RequestBody {
  return { accounts: rows as Json[] };
}

export function rowsOf({ body }: Call): RequestBody[] {
  return (body?.accounts ?? []) as unknown as RequestBody[];
}

/**
 * What the record of a call reads now; undefined where nothing can be read. A create by a known
 * reference reads it (ACC-5, TXN-2); of a batch every row does.
 */
export async function readBack(
  t: ScenarioContext,
  call: ValidCall,
  role: Role = t.mainRole,
): Promise<Answer | undefined> {
  const { operation, account, transaction, body = {} } = call;
  if (account !== undefined) return t.given.reread(account, role);
  if (transaction !== undefined) return t.given.rereadTransaction(transaction, role);
  if (operation === 'createAccount') return t.given.reread({ body }, role);
  if (operation === 'createTransaction') return t.given.rereadTransaction({ body }, role);
  if (operation !== 'bulkCreateAccounts') return undefined;
  return t.sendUntilAnswered('the batch under a new key', () => sendCall(t, call, { who: role }));
}

/** Lets the record move on, so that an answer made again reads differently from the first. */
export async function moveOn(t: ScenarioContext, call: WriteCall, first: Answer): Promise<void> {
  const { operation, place } = call;
  const id = String(first.at('id'));
  const ifMatch = first.headers.get('etag') ?? null;
  switch (operation) {
    case 'createAccount':
      await t.api.updateAccount(id, { first_name: 'Overtaken' }, { ifMatch });
      break;
    case 'updateAccount':
      await t.api.updateAccount(call.id!, { language: 'fr' }, { ifMatch });
      break;
    case 'createTransaction':
      await t.api.rejectTransaction(id, place!.account_id);
      break;
    case 'approveTransaction':
      if (t.has('settle')) await t.operator.settle(call.id!);
      break;
    default:
  }
}
