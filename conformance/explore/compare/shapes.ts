// How each member of an answer is compared, derived from the response schemas: as a literal, as the
// name of a record, as a time, as wording. A new member of a record needs no change here.
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
import type { OperationName } from '../../spec/operations.ts';
import type { Space } from './match.ts';
import {
  amount,
  folded,
  ifThere,
  list,
  name,
  open,
  type Page,
  page,
  personName,
  phone,
  type RecordShape,
  reason,
  record,
  reference,
  revision,
  rowRefusal,
  type Shape,
  same,
  secret,
  sequenceNumber,
  set,
  time,
  wording,
} from './values.ts';

const BY_NAME: Readonly<Record<string, Shape>> = {
  account_id: name('account'),
  trading_account_id: name('trading account'),
  position_id: name('position'),
  brand_id: name('brand'),
  firm_id: name('firm'),
  url: name('url'),
  client_reference_id: reference,
  ...{ first_name: personName, last_name: personName },
  ...{ phone, revision, secret, amount, currency: folded },
  disabled_reason: reason,
  last_delivered_seq: sequenceNumber,
  volume: amount,
  price: open,
};

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function shapeOf(member: string, { type }: Schema, space: Space): Shape {
  if (member === 'id' || member === 'record_id') return name(space);
  if (member.endsWith('_at')) return time;
  return BY_NAME[member] ?? (type === 'array' ? set : same);
}

/** How each member of the schema is compared. */
function shapeIn(schema: unknown, space: Space, over: RecordShape['members'] = {}): RecordShape {
  const { properties = {} } = schema as Schema;
  const members = Object.entries(properties).map(
    ([member, each]) => [member, over[member] ?? shapeOf(member, each, space)] as const,
  );
  return { members: Object.fromEntries(members) };
}

export const ACCOUNT = shapeIn(accountSchema, 'account');
export const TRANSACTION = shapeIn(transactionSchema, 'transaction');
// NS-1: orders are not specified.
const ORDER = shapeIn(orderSchema, 'order');
const SUBSCRIPTION = shapeIn(subscriptionWithSecretSchema('string'), 'subscription');

/** HOOK-4, NS-7: a rotation returns the new secret; its other members are open. */
const ROTATED: RecordShape = {
  members: {
    ...Object.fromEntries(
      Object.entries(SUBSCRIPTION.members).map(([member, of]) => [member, ifThere(of)]),
    ),
    secret,
  },
};

const ROW = shapeIn(bulkResultSchema.properties.rows.items, 'account', {
  ...{ code: rowRefusal(false), detail: rowRefusal(true) },
});
const rows = list(record(ROW));
/** The rows first: a wrong row explains a wrong count. */
const BULK: RecordShape = {
  members: { rows, ...shapeIn(bulkResultSchema, 'account', { rows }).members },
};

export const PROBLEM = record({
  members: {
    ...{ status: same, code: same, title: wording, detail: wording },
    ...{ type: open, request_id: open, errors: open },
  },
});

export const PAGES: Readonly<Partial<Record<OperationName, Page>>> = {
  listWebhooks: { by: 'id', space: 'subscription', of: SUBSCRIPTION },
  listAccounts: {
    ...{ by: 'record_id', space: 'account' },
    of: shapeIn(accountRecordSchema, 'account', { id: open }),
  },
  listTransactions: {
    ...{ by: 'record_id', space: 'transaction' },
    of: shapeIn(transactionRecordSchema, 'transaction', { id: open }),
  },
};

export const SUCCESS: Readonly<Record<OperationName, Shape>> = {
  createAccount: record(ACCOUNT),
  updateAccount: record(ACCOUNT),
  bulkCreateAccounts: record(BULK),
  openPosition: record(ORDER),
  closePosition: record(ORDER),
  createTransaction: record(TRANSACTION),
  approveTransaction: record(TRANSACTION),
  rejectTransaction: record(TRANSACTION),
  cancelTransaction: record(TRANSACTION),
  createWebhook: record(SUBSCRIPTION),
  listWebhooks: page(PAGES.listWebhooks!),
  getWebhook: record(SUBSCRIPTION),
  rotateWebhookSecret: record(ROTATED),
  disableWebhook: record(SUBSCRIPTION),
  // NS-8: whether the token works shows when it is used.
  issueToken: open,
  listAccounts: page(PAGES.listAccounts!),
  listTransactions: page(PAGES.listTransactions!),
  getAccountStatus: record(shapeIn(accountStatusSchema, 'account')),
};

/** NS-2, NS-54: reads whose rows may have any form except for the two numbers of CONV-3. */
export const isOpenRead = (operation: OperationName): boolean =>
  /^list(Accounts|Transactions)$|Status$/.test(operation);
