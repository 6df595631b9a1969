// The operations: what each is called by, who may, what its body must have, and what it does.
import { createAccount } from './operations/accounts.ts';
import { bulkCreate } from './operations/bulk.ts';
import { createHook, disableHook, listHooks, readHook, rotateHook } from './operations/hooks.ts';
import { closePosition, openPosition } from './operations/positions.ts';
import { listAccounts, listTransactions, readStatus } from './operations/reads.ts';
import { createTransaction } from './operations/transactions.ts';
import { approve, cancel, reject } from './operations/transitions.ts';
import { updateAccount } from './operations/updates.ts';
import type { RequestContext } from './request-context.ts';
import { type Answer, PROFILE } from './values/records.ts';
import type { Style } from './values/style.ts';

export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'decimal' | 'list' | 'rows';
  readonly required: boolean;
}

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Any one of these; none are needed where there are none. */
  readonly scopes: readonly string[];
  /** One of the nine writes. */
  readonly keyed: boolean;
  readonly fields: (style: Style) => readonly Field[] | null;
  readonly run: (ctx: RequestContext) => Answer;
}

const needs = (...names: string[]): Field[] =>
  names.map((name) => ({ name, kind: 'text', required: true }));
const may = (...names: string[]): Field[] =>
  names.map((name) => ({ name, kind: 'text', required: false }));

export const ACCOUNT_FIELDS: readonly Field[] = [
  ...needs('client_reference_id', 'email'),
  ...may('phone', 'phone_region', ...PROFILE, 'brand_id'),
];

const UPDATE_FIELDS = may(...PROFILE, 'status');

const TRANSACTION_FIELDS: readonly Field[] = [
  ...needs('client_reference_id', 'account_id', 'trading_account_id', 'currency'),
  { name: 'amount', kind: 'decimal', required: true },
  ...may('method'),
  ...needs('transaction_type'),
];

const ACCOUNTS = ['accounts:write'];
const TRADES = ['trades:write', 'trader:trade'];
const FUNDS = ['transactions:write', 'trader:funds'];
const HOOKS = ['webhooks:manage'];
const nothing = () => null;

function write(
  name: string,
  [method, path]: [string, string],
  scopes: readonly string[],
  fields: Operation['fields'],
  run: Operation['run'],
): Operation {
  return { name, method, path: `/api/v1${path}`, scopes, keyed: true, fields, run };
}

function other(
  name: string,
  [method, path]: [string, string],
  scopes: readonly string[],
  run: Operation['run'],
  fields: Operation['fields'] = nothing,
): Operation {
  return { name, method, path, scopes, keyed: false, fields, run };
}

const openFields = ({ position }: Style): Field[] => [
  ...needs('trading_account_id', position.instrument, position.side),
  { name: position.volume, kind: 'decimal', required: true },
];
const closeFields = ({ position }: Style): Field[] => [
  ...needs('trading_account_id', position.positionId),
  { name: position.volume, kind: 'decimal', required: false },
];
const hookFields = (): Field[] => [
  ...needs('url'),
  { name: 'event_categories', kind: 'list', required: true },
];

export function operationsOf(style: Style): Operation[] {
  const rows: Field[] = [{ name: 'accounts', kind: 'rows', required: true }];
  const reason = () => needs('reason');
  const of = (verb: string): [string, string] => ['POST', `/transactions/{id}/${verb}`];
  const hooks = '/api/v1/webhooks';
  return [
    write('createAccount', ['POST', '/accounts'], ACCOUNTS, () => ACCOUNT_FIELDS, createAccount),
    write(
      'updateAccount',
      ['PATCH', '/accounts/{id}'],
      ACCOUNTS,
      () => UPDATE_FIELDS,
      updateAccount,
    ),
    write('bulkCreateAccounts', ['POST', '/accounts/bulk'], ACCOUNTS, () => rows, bulkCreate),
    write('openPosition', ['POST', '/positions/open'], TRADES, openFields, openPosition),
    write('closePosition', ['POST', '/positions/close'], TRADES, closeFields, closePosition),
    write(
      'createTransaction',
      ['POST', '/transactions'],
      FUNDS,
      () => TRANSACTION_FIELDS,
      createTransaction,
    ),
    write('approveTransaction', of('approve'), FUNDS, nothing, approve),
    write('rejectTransaction', of('reject'), FUNDS, reason, reject),
    write('cancelTransaction', of('cancel'), FUNDS, reason, cancel),
    other('createWebhook', ['POST', hooks], HOOKS, createHook, hookFields),
    other('listWebhooks', ['GET', hooks], HOOKS, listHooks),
    other('getWebhook', ['GET', `${hooks}/{id}`], HOOKS, readHook),
    other('rotateWebhookSecret', ['POST', `${hooks}/{id}/rotate-secret`], HOOKS, rotateHook),
    other('disableWebhook', ['POST', `${hooks}/{id}/disable`], HOOKS, disableHook),
    other('listAccounts', ['GET', style.reads.accounts], [], listAccounts),
    other('listTransactions', ['GET', style.reads.transactions], [], listTransactions),
    other('readAccountStatus', ['GET', style.reads.status], [], readStatus),
  ];
}
