// The operations of the API: path, scopes, members of the body, and handler.
import * as accounts from './accounts.ts';
import type { Operation } from './context.ts';
import * as positions from './positions.ts';
import { PROFILE, UPDATABLE } from './records.ts';
import type { Style } from './styles.ts';
import * as transactions from './transactions.ts';
import * as webhooks from './webhooks.ts';

const ACCOUNT = ['client_reference_id!', 'email!', 'phone', 'phone_region', ...PROFILE, 'brand_id'];
const TRANSACTION = [
  ...['client_reference_id!', 'account_id!', 'trading_account_id!', 'currency!', 'amount!'],
  ...['method', 'transaction_type!'],
];

const nameOf = (field: string): string => field.replace('!', '');
export const ACCOUNT_FIELDS: readonly string[] = ACCOUNT.map(nameOf);

const ACCOUNTS = ['accounts:write'];
const TRADES = ['trades:write', 'trader:trade'];
const FUNDS = ['transactions:write', 'trader:funds'];
const HOOKS = ['webhooks:manage'];

/** Its target, scopes, and fields with ! if required, and the handler that gives it its name. */
type Row = readonly [string, readonly string[], Operation['fields'], Operation['run']];

export function operationsOf({ position, reads }: Style): readonly Operation[] {
  const place = 'trading_account_id!';
  const opening = [place, `${position.instrument}!`, `${position.side}!`, `${position.volume}!`];
  const closing = [place, `${position.positionId}!`, position.volume];
  const get = (path: string) => `GET ${path.replace('/api/v1', '')}`;
  const rows: readonly Row[] = [
    ['POST /accounts', ACCOUNTS, ACCOUNT, accounts.createAccount],
    ['PATCH /accounts/{id}', ACCOUNTS, UPDATABLE, accounts.updateAccount],
    ['POST /accounts/bulk', ACCOUNTS, ['accounts!'], accounts.bulkCreateAccounts],
    ['POST /positions/open', TRADES, opening, positions.openPosition],
    ['POST /positions/close', TRADES, closing, positions.closePosition],
    ['POST /transactions', FUNDS, TRANSACTION, transactions.createTransaction],
    ['POST /transactions/{id}/approve', FUNDS, null, transactions.approveTransaction],
    ['POST /transactions/{id}/reject', FUNDS, ['reason!'], transactions.rejectTransaction],
    ['POST /transactions/{id}/cancel', FUNDS, ['reason!'], transactions.cancelTransaction],
    ['POST /webhooks', HOOKS, ['url!', 'event_categories!'], webhooks.createWebhook],
    ['GET /webhooks', HOOKS, null, webhooks.listWebhooks],
    ['GET /webhooks/{id}', HOOKS, null, webhooks.getWebhook],
    ['POST /webhooks/{id}/rotate-secret', HOOKS, null, webhooks.rotateWebhookSecret],
    ['POST /webhooks/{id}/disable', HOOKS, null, webhooks.disableWebhook],
    [get(reads.accounts), [], null, accounts.listAccounts],
    [get(reads.transactions), [], null, transactions.listTransactions],
    [get(reads.status ?? ''), [], null, accounts.readAccountStatus],
  ];
  return rows.map(([target, scopes, members, run]) => {
    const [method = '', path = ''] = target.split(' ');
    const takesKey = scopes.length > 0 && scopes !== HOOKS;
    const fields = members?.map(nameOf) ?? null;
    const required = members?.filter((each) => each.endsWith('!')).map(nameOf) ?? [];
    const named = { name: run.name, method, path: `/api/v1${path}` };
    return { ...named, scopes, takesKey, fields, required, run };
  });
}
