// A valid call of each operation, on records of this run. It does the same each time it is sent.
// Rows change one part of it.
import type { Role } from '../engine/capabilities.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type {
  GivenAccount,
  GivenTransaction,
  GivenWebhook,
} from '../engine/scenario/scenario-setup.ts';
import { Blocked, MissingCapability } from '../engine/scenario-errors.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { OperationCall } from '../engine/send/call.ts';
import type { Place } from '../providers/target.ts';
import { closePosition, type OpenedPosition, openPosition } from '../scenarios/support/orders.ts';
import { OPERATIONS, type OperationName, type WriteName } from '../spec/operations.ts';

/** A valid call, with the records that it acts on. */
export interface ValidCall<Name extends OperationName = OperationName> extends OperationCall {
  readonly operation: Name;
  readonly place?: Place;
  readonly account?: GivenAccount;
  readonly transaction?: GivenTransaction;
  readonly position?: OpenedPosition;
}

export type WriteCall = ValidCall<WriteName>;

/** A new valid call of an operation, at the given place if the operation has one. */
export async function validCall<Name extends OperationName>(
  t: ScenarioContext,
  operation: Name,
  at?: Place,
  role: Role = t.mainRole,
): Promise<ValidCall<Name>> {
  return { operation, ...(await partsOf(t, operation, at, role)) };
}

/** The same with a key, so that each time after the first it is a repeat. */
export async function keyedCall<Name extends WriteName>(
  t: ScenarioContext,
  operation: Name,
): Promise<ValidCall<Name> & { readonly key: string }> {
  return { ...(await validCall(t, operation)), key: t.fresh.key() };
}

async function partsOf(
  t: ScenarioContext,
  operation: OperationName,
  at: Place | undefined,
  role: Role,
): Promise<Omit<ValidCall, 'operation'>> {
  switch (operation) {
    case 'createAccount':
      return { body: t.newAccount({}, role) };
    case 'updateAccount': {
      const account = await t.given.account({}, role);
      const { id, etag: ifMatch } = account;
      return { account, id, ifMatch, body: { first_name: t.fresh.text() } };
    }
    case 'bulkCreateAccounts':
      return { rows: [t.newAccount({}, role), t.newAccount({}, role)] };
    case 'openPosition': {
      const place = at ?? (await t.given.place());
      const position = await openPosition(t, place);
      return { place, body: position.body };
    }
    case 'closePosition': {
      const place = at ?? (await t.given.place());
      // Closing one position first finds out how this target closes positions (NS-1).
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
      return { transaction, place: transaction, id, account_id };
    }
    case 'createWebhook':
      return { body: { url: await t.given.subscribable(), event_categories: ['order'] } };
    case 'disableWebhook':
      // Whether a disabled subscription can be disabled again is open.
      return { id: (await t.given.webhook(undefined, ['order'])).id };
    case 'getWebhook':
    case 'rotateWebhookSecret':
      return { id: (await subscriptionOf(t)).id };
    default:
      return {};
  }
}

const subscriptions = new WeakMap<ScenarioContext, Promise<GivenWebhook>>();

/** One subscription for most calls of a scenario, because a target may limit their number. */
function subscriptionOf(t: ScenarioContext): Promise<GivenWebhook> {
  const known = subscriptions.get(t) ?? t.given.webhook(undefined, ['order']);
  subscriptions.set(t, known);
  return known;
}

/** Whether the target has what an operation needs: a trading account, a URL to subscribe with. */
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

/**
 * The current state of the record of a call; undefined if nothing can be read. A create with a known
 * reference reads the record (ACC-5, TXN-2); in a batch, every row does.
 */
export async function readBack(
  t: ScenarioContext,
  call: ValidCall,
  role: Role = t.mainRole,
): Promise<Answer | undefined> {
  // Under its key it would get its first answer again.
  const { key, ...unkeyed } = call;
  const { operation, account, transaction, body = {} } = unkeyed;
  if (account !== undefined) return t.given.reread(account, role);
  if (transaction !== undefined) return t.given.rereadTransaction(transaction, role);
  if (operation === 'createAccount') return t.given.reread({ body }, role);
  if (operation === 'createTransaction') return t.given.rereadTransaction({ body }, role);
  return operation === 'bulkCreateAccounts' ? t.answered(unkeyed, { as: role }) : undefined;
}

/** Changes the record, so that a second execution returns another body than the first. */
export async function moveOn(t: ScenarioContext, call: WriteCall, first: Answer): Promise<void> {
  const { operation, place } = call;
  const id = first.idAt('id');
  const ifMatch = first.headers.get('etag');
  if (operation === 'createAccount') {
    await t.update(id, { first_name: 'Overtaken' }, ifMatch);
  } else if (operation === 'updateAccount') {
    await t.update(call.id, { language: 'fr' }, ifMatch);
  } else if (operation === 'createTransaction') {
    await t.call('rejectTransaction', { id, account_id: place?.account_id });
  } else if (operation === 'approveTransaction' && t.has('settle')) {
    await t.operator.settle(call.transaction!.id);
  }
}
