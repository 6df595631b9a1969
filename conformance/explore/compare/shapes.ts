// How each member of an answer is compared, derived from the response schemas: as it is, as a name
// for a record, as a time, as words. A new member of a record needs no change here.
import {
  accountRecordSchema,
  accountSchema,
  accountStatusSchema,
  bulkResultSchema,
  orderSchema,
  subscriptionWithSecretSchema,
  transactionRecordSchema,
  transactionSchema,
} from '../../../fixtures/schemas.ts';
import type { OperationName } from '../../engine/operations.ts';

/** What stands for what, by the kind of record it names. */
export type Space =
  | 'account'
  | 'transaction'
  | 'trading account'
  | 'position'
  | 'order'
  | 'subscription'
  | 'brand'
  | 'firm'
  | 'url';

export type Shape =
  | { readonly kind: 'same' }
  /** ACC-6: a reference in whichever case it was first sent. */
  | { readonly kind: 'reference' }
  /** Text or null as the model has it; which text is the service's own. */
  | { readonly kind: 'words' }
  /** NS-25: as sent, or made of the email where the account was given no name. */
  | { readonly kind: 'person name' }
  /** NS-24: the same number; in the same form, where the model has the target's. */
  | { readonly kind: 'phone' }
  /** EVT-11: given where the target of a subscription was at fault; after a request it is open. */
  | { readonly kind: 'reason' }
  | { readonly kind: 'name'; readonly space: Space }
  | { readonly kind: 'secret' }
  | { readonly kind: 'time' }
  | { readonly kind: 'amount' }
  | { readonly kind: 'revision' }
  | { readonly kind: 'sequence number' }
  /** The same members in any order. */
  | { readonly kind: 'set' }
  | { readonly kind: 'open' }
  /** Compared where the target has it: the specification does not say that it must. */
  | { readonly kind: 'if there'; readonly of: Shape }
  /** BULK-5: the code or words of a refused row; what a landed row says there is open. */
  | { readonly kind: 'refusal'; readonly words: boolean }
  | { readonly kind: 'record'; readonly members: Readonly<Record<string, Shape>> }
  | { readonly kind: 'list'; readonly of: Shape }
  /** A page of records under whatever name, of which only those that the sequence met count. */
  | { readonly kind: 'page'; readonly by: string; readonly space: Space; readonly of: RecordShape };

export type RecordShape = Extract<Shape, { readonly kind: 'record' }>;

const OPEN: Shape = { kind: 'open' };
const record = (members: Readonly<Record<string, Shape>>): RecordShape => {
  return { kind: 'record', members };
};

const BY_NAME: Readonly<Record<string, Shape>> = {
  account_id: { kind: 'name', space: 'account' },
  trading_account_id: { kind: 'name', space: 'trading account' },
  position_id: { kind: 'name', space: 'position' },
  brand_id: { kind: 'name', space: 'brand' },
  firm_id: { kind: 'name', space: 'firm' },
  url: { kind: 'name', space: 'url' },
  client_reference_id: { kind: 'reference' },
  first_name: { kind: 'person name' },
  last_name: { kind: 'person name' },
  phone: { kind: 'phone' },
  revision: { kind: 'revision' },
  secret: { kind: 'secret' },
  disabled_reason: { kind: 'reason' },
  last_delivered_seq: { kind: 'sequence number' },
  amount: { kind: 'amount' },
  volume: { kind: 'amount' },
  price: OPEN,
};

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function shapeOf(name: string, schema: Schema, space: Space): Shape {
  if (name === 'id' || name === 'record_id') return { kind: 'name', space };
  if (name.endsWith('_at')) return { kind: 'time' };
  return BY_NAME[name] ?? (schema.type === 'array' ? { kind: 'set' } : { kind: 'same' });
}

/** Of each member of the schema how it is compared. */
function recordOf(schema: unknown, space: Space, over: Readonly<Record<string, Shape>> = {}) {
  const { properties = {} } = schema as Schema;
  const members = Object.entries(properties).map(
    ([name, each]) => [name, over[name] ?? shapeOf(name, each, space)] as const,
  );
  return record(Object.fromEntries(members));
}

export const ACCOUNT = recordOf(accountSchema, 'account');
export const TRANSACTION = recordOf(transactionSchema, 'transaction');
// NS-1: the specification shows none of it.
const ORDER = recordOf(orderSchema, 'order');
const SUBSCRIPTION = recordOf(subscriptionWithSecretSchema('string'), 'subscription');

/** HOOK-4, NS-7: a rotation answers the new secret; what else stands there is open. */
const ROTATED = record({
  ...Object.fromEntries(
    Object.entries(SUBSCRIPTION.members).map(([name, of]) => [name, { kind: 'if there', of }]),
  ),
  secret: { kind: 'secret' },
});

const ROW = recordOf(bulkResultSchema.properties.rows.items, 'account', {
  code: { kind: 'refusal', words: false },
  detail: { kind: 'refusal', words: true },
});
/** The rows first: that they are counted wrong follows when one of them is wrong. */
const BULK = record({
  rows: { kind: 'list', of: ROW },
  ...recordOf(bulkResultSchema, 'account', { rows: { kind: 'list', of: ROW } }).members,
});

const page = (by: string, space: Space, of: RecordShape): Shape => ({
  ...{ kind: 'page', by, space, of },
});

export const PROBLEM = record({
  status: { kind: 'same' },
  code: { kind: 'same' },
  ...{ title: { kind: 'words' }, detail: { kind: 'words' } },
  ...{ type: OPEN, request_id: OPEN, errors: OPEN },
});

export const SUCCESS: Readonly<Record<OperationName, Shape>> = {
  createAccount: ACCOUNT,
  updateAccount: ACCOUNT,
  bulkCreateAccounts: BULK,
  openPosition: ORDER,
  closePosition: ORDER,
  createTransaction: TRANSACTION,
  approveTransaction: TRANSACTION,
  rejectTransaction: TRANSACTION,
  cancelTransaction: TRANSACTION,
  createWebhook: SUBSCRIPTION,
  listWebhooks: page('id', 'subscription', SUBSCRIPTION),
  getWebhook: SUBSCRIPTION,
  rotateWebhookSecret: ROTATED,
  disableWebhook: SUBSCRIPTION,
  // NS-8: that the token works shows when it is used.
  issueToken: OPEN,
  listAccounts: page(
    'record_id',
    'account',
    recordOf(accountRecordSchema, 'account', { id: OPEN }),
  ),
  listTransactions: page(
    'record_id',
    'transaction',
    recordOf(transactionRecordSchema, 'transaction', { id: OPEN }),
  ),
  getAccountStatus: recordOf(accountStatusSchema, 'account'),
};

/** NS-2, NS-54: reads whose rows may have any form beside the two numbers of CONV-3. */
export const isOpenRead = (operation: OperationName): boolean =>
  /^list(Accounts|Transactions)$|Status$/.test(operation);

/** ACC-18, TXN-9, HOOK-3: members that must not be there where the model has none of them. */
export const FORBIDDEN = [
  'email',
  'reason',
  'secret',
  'provider',
  'provider_reference',
  'operator',
  'reasoning',
] as const;
