// The operations of the API: name, method, path, and what each of them asks of a caller before it
// runs.

export const operationNames = [
  'createAccount',
  'updateAccount',
  'bulkCreateAccounts',
  'openPosition',
  'closePosition',
  'createTransaction',
  'approveTransaction',
  'rejectTransaction',
  'cancelTransaction',
  'createWebhook',
  'listWebhooks',
  'getWebhook',
  'rotateWebhookSecret',
  'disableWebhook',
  'issueToken',
  'listAccounts',
  'listTransactions',
  'getAccountStatus',
  'streamEvents',
] as const;

export type OperationName = (typeof operationNames)[number];

/** What the stages need to know of an operation. */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path segments after `/api/v1`; `:id` stands for any one segment. */
  readonly path: string;
  /** The nine writes want an `Idempotency-Key`; webhook management and reads do not (HOOK-1). */
  readonly key: boolean;
  /** Who proves what: a bearer token, or a client with its secret at the token endpoint. */
  readonly auth: 'bearer' | 'client';
  /** Any one of these scopes serves; an empty list asks for none (AUTH-4). */
  readonly scopes: readonly string[];
  /** Changes something, so a read-only token is refused (AUTH-2). */
  readonly writes: boolean;
  readonly body: 'json' | 'form-or-json' | 'none';
  /** A setting says that there is no such operation: its path is unknown (NS-54). */
  readonly absent?: boolean;
}

const accounts = ['accounts:write'];
const trades = ['trades:write', 'trader:trade'];
const funds = ['transactions:write', 'trader:funds'];
const webhooks = ['webhooks:manage'];

const write = { key: true, auth: 'bearer', writes: true, method: 'POST' } as const;
const hook = { key: false, auth: 'bearer', scopes: webhooks } as const;
const read = {
  key: false,
  auth: 'bearer',
  writes: false,
  method: 'GET',
  scopes: [],
  body: 'none',
} as const;

// AUTH-4: one row an operation, so that no operation is served without its scopes being stated.
export const operationTable = {
  createAccount: { ...write, path: 'accounts', scopes: accounts, body: 'json' },
  updateAccount: {
    ...write,
    method: 'PATCH',
    path: 'accounts/:id',
    scopes: accounts,
    body: 'json',
  },
  bulkCreateAccounts: { ...write, path: 'accounts/bulk', scopes: accounts, body: 'json' },
  openPosition: { ...write, path: 'positions/open', scopes: trades, body: 'json' },
  closePosition: { ...write, path: 'positions/close', scopes: trades, body: 'json' },
  createTransaction: { ...write, path: 'transactions', scopes: funds, body: 'json' },
  approveTransaction: { ...write, path: 'transactions/:id/approve', scopes: funds, body: 'none' },
  rejectTransaction: { ...write, path: 'transactions/:id/reject', scopes: funds, body: 'json' },
  cancelTransaction: { ...write, path: 'transactions/:id/cancel', scopes: funds, body: 'json' },
  createWebhook: { ...hook, method: 'POST', path: 'webhooks', writes: true, body: 'json' },
  listWebhooks: { ...hook, method: 'GET', path: 'webhooks', writes: false, body: 'none' },
  getWebhook: { ...hook, method: 'GET', path: 'webhooks/:id', writes: false, body: 'none' },
  rotateWebhookSecret: {
    ...hook,
    method: 'POST',
    path: 'webhooks/:id/rotate-secret',
    writes: true,
    body: 'none',
  },
  disableWebhook: {
    ...hook,
    method: 'POST',
    path: 'webhooks/:id/disable',
    writes: true,
    body: 'none',
  },
  issueToken: {
    key: false,
    auth: 'client',
    scopes: [],
    writes: false,
    method: 'POST',
    path: 'oauth/token',
    body: 'form-or-json',
  },
  listAccounts: { ...read, path: 'accounts' },
  listTransactions: { ...read, path: 'transactions' },
  getAccountStatus: { ...read, path: 'accounts/:id/status' },
  streamEvents: { ...read, path: 'events' },
} as const satisfies Record<OperationName, OperationRow>;

/** Every scope the specification names (AUTH-4). */
export const scopeNames = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
] as const;
