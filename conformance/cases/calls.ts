// A valid call of each write operation: on records that this run made, and the same each time that
// it is sent. Rows change one thing about it.

import type { Role } from '../engine/capabilities.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { GivenAccount, GivenTransaction } from '../engine/scenario/scenario-setup.ts';
import type { Answer, Json } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/client.ts';
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

/** A valid call of a write operation, with what it acts on. */
export interface WriteCall extends Call {
  readonly operation: WriteName;
  readonly place?: Place;
  readonly account?: GivenAccount;
  readonly transaction?: GivenTransaction;
  readonly position?: OpenedPosition;
}

export type Who = Role | Credential;

/** Sends it, under a fresh key if the operation requires one and none is given. */
export function sendCall(
  t: ScenarioContext,
  { operation, id = '', ...rest }: Call,
  { key, who = t.mainRole }: { readonly key?: string | null; readonly who?: Who } = {},
): Promise<Answer> {
  const { method, path, keyed } = OPERATIONS[operation];
  const { query, ifMatch, body, raw } = rest;
  return t.as(who).send({
    ...{ method, path: path.replace(':id', encodeURIComponent(id)) },
    key: key === undefined && keyed ? t.fresh.key() : (key ?? null),
    ...(query && { query }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(body && { body }),
    ...(raw !== undefined && { raw }),
  });
}

const REASON: RequestBody = { reason: 'conformance check' };

/** A new valid call of an operation; at the given place where the operation has one. */
export async function validCall(
  t: ScenarioContext,
  operation: WriteName,
  at?: Place,
  role: Role = t.mainRole,
): Promise<WriteCall> {
  switch (operation) {
    case 'createAccount':
      return { operation, body: t.newAccount({}, role) };
    case 'updateAccount': {
      const account = await t.given.account({}, role);
      const { id, etag: ifMatch } = account;
      return { operation, account, id, ifMatch, body: { first_name: t.fresh.text() } };
    }
    case 'bulkCreateAccounts':
      return { operation, body: batch([t.newAccount({}, role), t.newAccount({}, role)]) };
    case 'openPosition': {
      const place = at ?? (await t.given.place());
      const position = await openPosition(t, place);
      return { operation, place, body: position.body };
    }
    case 'closePosition': {
      const place = at ?? (await t.given.place());
      // The first one shows in what form this target closes positions (NS-1).
      const { body } = await closePosition(t, await openPosition(t, place));
      const position = await openPosition(t, place);
      return { operation, place, position, body: body(position) };
    }
    case 'createTransaction': {
      const place = at ?? (await t.given.place());
      return { operation, place, body: t.newTransaction(place) };
    }
    case 'approveTransaction':
    case 'rejectTransaction':
    case 'cancelTransaction': {
      const transaction = await t.given.transaction(at ?? (await t.given.place()), {}, role);
      if (operation === 'approveTransaction') return decisionOn(operation, transaction);
      return { ...decisionOn(operation, transaction), body: REASON };
    }
  }
}

/** The decision on a transaction, without a body. */
function decisionOn(operation: WriteName, transaction: GivenTransaction): WriteCall {
  const { id, account_id } = transaction;
  return { operation, transaction, place: transaction, id, query: { account_id } };
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
  call: WriteCall,
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
