// The operations of the API: path, scopes, the members of the body, and what each one does.
import { bulkCreateAccounts, createAccount, updateAccount } from './operations/accounts.ts';
import { closePosition, openPosition } from './operations/positions.ts';
import { listAccounts, listTransactions, readAccountStatus } from './operations/reads.ts';
import {
  approveTransaction,
  cancelTransaction,
  createTransaction,
  rejectTransaction,
} from './operations/transactions.ts';
import {
  createWebhook,
  disableWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from './operations/webhooks.ts';
import { PROFILE, type Reply } from './records.ts';
import type { Style } from './styles.ts';
import type { Context, Field, Operation } from './types.ts';

const needs = (...names: string[]): Field[] =>
  names.map((name) => ({ name, kind: 'text', isRequired: true }));
const may = (...names: string[]): Field[] =>
  names.map((name) => ({ name, kind: 'text', isRequired: false }));

export const ACCOUNT_FIELDS: readonly Field[] = [
  ...needs('client_reference_id', 'email'),
  ...may('phone', 'phone_region', ...PROFILE, 'brand_id'),
];

const ACCOUNTS = ['accounts:write'];
const TRADES = ['trades:write', 'trader:trade'];
const FUNDS = ['transactions:write', 'trader:funds'];
const HOOKS = ['webhooks:manage'];

type Row = readonly [
  string,
  string,
  readonly string[],
  readonly Field[] | null,
  (context: Context) => Reply,
];

export function operationsOf({ position, reads }: Style): readonly Operation[] {
  const transaction = [
    ...needs('client_reference_id', 'account_id', 'trading_account_id', 'currency'),
    { name: 'amount', kind: 'decimal', isRequired: true } as const,
    ...may('method'),
    ...needs('transaction_type'),
  ];
  const opening = [
    ...needs('trading_account_id', position.instrument, position.side),
    { name: position.volume, kind: 'decimal', isRequired: true } as const,
  ];
  const closing = [
    ...needs('trading_account_id', position.positionId),
    { name: position.volume, kind: 'decimal', isRequired: false } as const,
  ];
  const batch = [{ name: 'accounts', kind: 'rows', isRequired: true } as const];
  const update = may(...PROFILE, 'status');
  const hook = [
    ...needs('url'),
    { name: 'event_categories', kind: 'list', isRequired: true } as const,
  ];
  const writes: readonly Row[] = [
    ['createAccount', 'POST /accounts', ACCOUNTS, ACCOUNT_FIELDS, createAccount],
    ['updateAccount', 'PATCH /accounts/{id}', ACCOUNTS, update, updateAccount],
    ['bulkCreateAccounts', 'POST /accounts/bulk', ACCOUNTS, batch, bulkCreateAccounts],
    ['openPosition', 'POST /positions/open', TRADES, opening, openPosition],
    ['closePosition', 'POST /positions/close', TRADES, closing, closePosition],
    ['createTransaction', 'POST /transactions', FUNDS, transaction, createTransaction],
    ['approveTransaction', 'POST /transactions/{id}/approve', FUNDS, null, approveTransaction],
    [
      'rejectTransaction',
      'POST /transactions/{id}/reject',
      FUNDS,
      needs('reason'),
      rejectTransaction,
    ],
    [
      'cancelTransaction',
      'POST /transactions/{id}/cancel',
      FUNDS,
      needs('reason'),
      cancelTransaction,
    ],
  ];
  const others: readonly Row[] = [
    ['createWebhook', 'POST /webhooks', HOOKS, hook, createWebhook],
    ['listWebhooks', 'GET /webhooks', HOOKS, null, listWebhooks],
    ['getWebhook', 'GET /webhooks/{id}', HOOKS, null, getWebhook],
    ['rotateWebhookSecret', 'POST /webhooks/{id}/rotate-secret', HOOKS, null, rotateWebhookSecret],
    ['disableWebhook', 'POST /webhooks/{id}/disable', HOOKS, null, disableWebhook],
  ];
  const get = (path: string) => `GET ${path.replace('/api/v1', '')}`;
  const status = reads.status === null ? [] : [get(reads.status)];
  const readings: readonly Row[] = [
    ['listAccounts', get(reads.accounts), [], null, listAccounts],
    ['listTransactions', get(reads.transactions), [], null, listTransactions],
    ...status.map((path): Row => ['readAccountStatus', path, [], null, readAccountStatus]),
  ];
  const operation = ([name, target, scopes, fields, run]: Row, takesKey: boolean): Operation => {
    const [method = '', path = ''] = target.split(' ');
    return { name, method, path: `/api/v1${path}`, scopes, takesKey, fields, run };
  };
  return [
    ...writes.map((row) => operation(row, true)),
    ...[...others, ...readings].map((row) => operation(row, false)),
  ];
}
