// How each operation is called: method and path as the specification has them.

export interface OperationForm {
  readonly method: string;
  /** From the base URL; `:id` is the id in the path. */
  readonly path: string;
  /** IDEM-1: whether it requires an idempotency key. */
  readonly keyed: boolean;
  readonly body: boolean;
}

const write = (method: string, path: string, body = true): OperationForm => ({
  method,
  path,
  keyed: true,
  body,
});
const other = (method: string, path: string, body = false): OperationForm => ({
  method,
  path,
  keyed: false,
  body,
});

export const OPERATIONS = {
  createAccount: write('POST', '/api/v1/accounts'),
  updateAccount: write('PATCH', '/api/v1/accounts/:id'),
  bulkCreateAccounts: write('POST', '/api/v1/accounts/bulk'),
  openPosition: write('POST', '/api/v1/positions/open'),
  closePosition: write('POST', '/api/v1/positions/close'),
  createTransaction: write('POST', '/api/v1/transactions'),
  approveTransaction: write('POST', '/api/v1/transactions/:id/approve', false),
  rejectTransaction: write('POST', '/api/v1/transactions/:id/reject'),
  cancelTransaction: write('POST', '/api/v1/transactions/:id/cancel'),
  createWebhook: other('POST', '/api/v1/webhooks', true),
  listWebhooks: other('GET', '/api/v1/webhooks'),
  getWebhook: other('GET', '/api/v1/webhooks/:id'),
  rotateWebhookSecret: other('POST', '/api/v1/webhooks/:id/rotate-secret'),
  disableWebhook: other('POST', '/api/v1/webhooks/:id/disable'),
  issueToken: other('POST', '/api/v1/oauth/token', true),
  listAccounts: other('GET', '/api/v1/accounts'),
  listTransactions: other('GET', '/api/v1/transactions'),
  getAccountStatus: other('GET', '/api/v1/accounts/:id/status'),
} as const satisfies Readonly<Record<string, OperationForm>>;

export type OperationName = keyof typeof OPERATIONS;
