// The operations of the API: path, scopes, members of the body, and handler.
import {
  bulkCreateAccounts,
  createAccount,
  listAccounts,
  readStatus,
  updateAccount,
} from './accounts.ts';
import type { Context, Operation } from './context.ts';
import { closePosition, openPosition } from './positions.ts';
import { PROFILE, type Reply } from './records.ts';
import type { Style } from './styles.ts';
import {
  approveTransaction,
  cancelTransaction,
  createTransaction,
  listTransactions,
  rejectTransaction,
} from './transactions.ts';
import {
  createWebhook,
  disableWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from './webhooks.ts';

export const ACCOUNT_FIELDS: readonly string[] = [
  ...['client_reference_id!', 'email!', 'phone', 'phone_region', ...PROFILE, 'brand_id'],
];
const TRANSACTION = [
  ...['client_reference_id!', 'account_id!', 'trading_account_id!', 'currency!', 'amount!'],
  ...['method', 'transaction_type!'],
];

const ACCOUNTS = ['accounts:write'];
const TRADES = ['trades:write', 'trader:trade'];
const FUNDS = ['transactions:write', 'trader:funds'];
const HOOKS = ['webhooks:manage'];

type Row = readonly [
  name: string,
  target: string,
  scopes: readonly string[],
  fields: readonly string[] | null,
  run: (context: Context) => Reply,
];

export function operationsOf({ position, reads }: Style): readonly Operation[] {
  const place = 'trading_account_id!';
  const opening = [place, `${position.instrument}!`, `${position.side}!`, `${position.volume}!`];
  const closing = [place, `${position.positionId}!`, position.volume];
  const get = (path: string) => `GET ${path.replace('/api/v1', '')}`;
  const rows: readonly Row[] = [
    ['createAccount', 'POST /accounts', ACCOUNTS, ACCOUNT_FIELDS, createAccount],
    ['updateAccount', 'PATCH /accounts/{id}', ACCOUNTS, [...PROFILE, 'status'], updateAccount],
    ['bulkCreateAccounts', 'POST /accounts/bulk', ACCOUNTS, ['accounts!'], bulkCreateAccounts],
    ['openPosition', 'POST /positions/open', TRADES, opening, openPosition],
    ['closePosition', 'POST /positions/close', TRADES, closing, closePosition],
    ['createTransaction', 'POST /transactions', FUNDS, TRANSACTION, createTransaction],
    ['approveTransaction', 'POST /transactions/{id}/approve', FUNDS, null, approveTransaction],
    ['rejectTransaction', 'POST /transactions/{id}/reject', FUNDS, ['reason!'], rejectTransaction],
    ['cancelTransaction', 'POST /transactions/{id}/cancel', FUNDS, ['reason!'], cancelTransaction],
    ['createWebhook', 'POST /webhooks', HOOKS, ['url!', 'event_categories!'], createWebhook],
    ['listWebhooks', 'GET /webhooks', HOOKS, null, listWebhooks],
    ['getWebhook', 'GET /webhooks/{id}', HOOKS, null, getWebhook],
    ['rotateWebhookSecret', 'POST /webhooks/{id}/rotate-secret', HOOKS, null, rotateWebhookSecret],
    ['disableWebhook', 'POST /webhooks/{id}/disable', HOOKS, null, disableWebhook],
    ['listAccounts', get(reads.accounts), [], null, listAccounts],
    ['listTransactions', get(reads.transactions), [], null, listTransactions],
    ['readAccountStatus', get(reads.status ?? ''), [], null, readStatus],
  ];
  return rows.map(([name, target, scopes, fields, run]): Operation => {
    const [method = '', path = ''] = target.split(' ');
    const takesKey = scopes.length > 0 && scopes !== HOOKS;
    return { name, method, path: `/api/v1${path}`, scopes, takesKey, fields, run };
  });
}
