// How each member of an answer is compared: as it is, as a name for a record, as a time, as words.
import { type PROFILE, PROFILE_MEMBERS } from '../../engine/account-members.ts';
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
  /** Text or null as the model has it; which text is the service's own. */
  | { readonly kind: 'words' }
  /** NS-25: as sent, or made of the email where the account was given no name. */
  | { readonly kind: 'person name' }
  /** NS-24: the same number; in the same form, where the model has the target's. */
  | { readonly kind: 'phone' }
  /** EVT-11: told where the target of a subscription was at fault; after a request it is open. */
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
  /** A page of a list. */
  | { readonly kind: 'page'; readonly of: Extract<Shape, { readonly kind: 'known' }> }
  /** A list of records of which only those that the sequence has met are compared. */
  | { readonly kind: 'known'; readonly by: string; readonly space: Space; readonly of: Shape };

const same: Shape = { kind: 'same' };
const words: Shape = { kind: 'words' };
const open: Shape = { kind: 'open' };
const time: Shape = { kind: 'time' };
const amount: Shape = { kind: 'amount' };
const name = (space: Space): Shape => ({ kind: 'name', space });
const record = (members: Readonly<Record<string, Shape>>): Shape => ({ kind: 'record', members });

type Profile = Readonly<Record<keyof typeof PROFILE, Shape>>;

const accountMembers = {
  id: name('account'),
  revision: { kind: 'revision' },
  client_reference_id: same,
  ...(Object.fromEntries(PROFILE_MEMBERS.map((member) => [member, same])) as Profile),
  first_name: { kind: 'person name' },
  last_name: { kind: 'person name' },
  phone: { kind: 'phone' },
  status: same,
  brand_id: name('brand'),
  firm_id: name('firm'),
} as const satisfies Record<string, Shape>;

const transactionMembers = {
  id: name('transaction'),
  account_id: name('account'),
  trading_account_id: name('trading account'),
  currency: same,
  amount,
  method: same,
  transaction_type: same,
  status: same,
  is_ftd: same,
  created_at: time,
} as const satisfies Record<string, Shape>;

export const ACCOUNT = record(accountMembers);
export const TRANSACTION = record(transactionMembers);

/** NS-1: the specification shows none of it; what the model has and the target has is compared. */
const ORDER = record({
  id: name('order'),
  trading_account_id: name('trading account'),
  position_id: name('position'),
  instrument: same,
  side: same,
  volume: amount,
  price: open,
  status: same,
  created_at: time,
});

const subscriptionMembers = {
  id: name('subscription'),
  url: name('url'),
  brand_id: name('brand'),
  event_categories: { kind: 'set' },
  disabled: same,
  disabled_reason: { kind: 'reason' },
  last_delivered_seq: { kind: 'sequence number' },
  created_at: time,
  secret: { kind: 'secret' },
} as const satisfies Record<string, Shape>;

const SUBSCRIPTION = record(subscriptionMembers);

/** HOOK-4, NS-7: a rotation answers the new secret; what else stands there is open. */
const ROTATED = record({
  ...Object.fromEntries(
    Object.entries(subscriptionMembers).map(([member, of]) => [member, { kind: 'if there', of }]),
  ),
  secret: { kind: 'secret' },
});

/** The rows first: that they are counted wrong follows when one of them is wrong. */
const BULK = record({
  rows: {
    kind: 'list',
    of: record({
      client_reference_id: same,
      status: same,
      id: name('account'),
      code: { kind: 'refusal', words: false },
      detail: { kind: 'refusal', words: true },
    }),
  },
  total: same,
  created: same,
  failed: same,
});

const readAccount = record({
  ...accountMembers,
  record_id: name('account'),
  account_id: name('account'),
  id: open,
});
const readTransaction = record({
  ...transactionMembers,
  record_id: name('transaction'),
  id: open,
});

/** The list of each bulk read, and what its rows have where they are the API's records (NS-2). */
export const READ_ROWS: Readonly<
  Partial<Record<OperationName, { readonly list: string; readonly members: readonly string[] }>>
> = {
  listAccounts: { list: 'accounts', members: membersOfRow(accountMembers) },
  listTransactions: { list: 'transactions', members: membersOfRow(transactionMembers) },
};

function membersOfRow({ id: _, ...members }: Readonly<Record<string, Shape>>): readonly string[] {
  return Object.keys(members);
}

export const PROBLEM = record({
  type: open,
  title: words,
  status: same,
  code: same,
  detail: words,
  request_id: open,
  errors: open,
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
  listWebhooks: {
    kind: 'page',
    of: { kind: 'known', by: 'id', space: 'subscription', of: SUBSCRIPTION },
  },
  getWebhook: SUBSCRIPTION,
  rotateWebhookSecret: ROTATED,
  disableWebhook: SUBSCRIPTION,
  // NS-8: that the token works shows when it is used.
  issueToken: open,
  listAccounts: record({
    accounts: { kind: 'known', by: 'record_id', space: 'account', of: readAccount },
  }),
  listTransactions: record({
    transactions: { kind: 'known', by: 'record_id', space: 'transaction', of: readTransaction },
  }),
  getAccountStatus: record({
    account_id: name('account'),
    status: same,
    revision: { kind: 'revision' },
  }),
};

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
