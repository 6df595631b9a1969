// The operations of the API as a judge of clients needs them: how a call is told, what it is about,
// and which of its members are references, amounts or ids.
import type { ApiCall } from './call.ts';

interface Row {
  readonly method: string;
  /** Below `/api/v1`; `:id` stands for one segment. */
  readonly path: string;
  /** One of the nine that take an Idempotency-Key. */
  readonly writes?: true;
}

const rows = {
  createAccount: { method: 'POST', path: 'accounts', writes: true },
  bulkCreateAccounts: { method: 'POST', path: 'accounts/bulk', writes: true },
  updateAccount: { method: 'PATCH', path: 'accounts/:id', writes: true },
  openPosition: { method: 'POST', path: 'positions/open', writes: true },
  closePosition: { method: 'POST', path: 'positions/close', writes: true },
  createTransaction: { method: 'POST', path: 'transactions', writes: true },
  approveTransaction: { method: 'POST', path: 'transactions/:id/approve', writes: true },
  rejectTransaction: { method: 'POST', path: 'transactions/:id/reject', writes: true },
  cancelTransaction: { method: 'POST', path: 'transactions/:id/cancel', writes: true },
  createWebhook: { method: 'POST', path: 'webhooks' },
  listWebhooks: { method: 'GET', path: 'webhooks' },
  getWebhook: { method: 'GET', path: 'webhooks/:id' },
  rotateWebhookSecret: { method: 'POST', path: 'webhooks/:id/rotate-secret' },
  disableWebhook: { method: 'POST', path: 'webhooks/:id/disable' },
  issueToken: { method: 'POST', path: 'oauth/token' },
  listAccounts: { method: 'GET', path: 'accounts' },
  listTransactions: { method: 'GET', path: 'transactions' },
} as const satisfies Readonly<Record<string, Row>>;

export type OperationName = keyof typeof rows;

const patterns = Object.entries(rows).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  // `accounts/bulk` stands before `accounts/:id`, which would match it as well.
  pattern: new RegExp(`^/api/v1/${path.replace(':id', '[^/]+')}$`),
}));

export function findOperation(method: string, path: string): OperationName | null {
  return patterns.find((row) => row.method === method && row.pattern.test(path))?.name ?? null;
}

export function isWrite(operation: OperationName | null): boolean {
  if (operation === null) return false;
  const row: Row = rows[operation];
  return row.writes === true;
}

/** `POST /api/v1/transactions/{id}/approve`. */
export function routeOf(operation: OperationName): string {
  const { method, path } = rows[operation];
  return `${method} /api/v1/${path.replace(':id', '{id}')}`;
}

export type Members = Readonly<Record<string, unknown>>;

export function membersOf(json: unknown): Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Members) : {};
}

/** The rows of a bulk create. */
function rowsOf({ operation, json }: Pick<ApiCall, 'operation' | 'json'>): Members[] {
  const { accounts } = membersOf(json);
  return operation === 'bulkCreateAccounts' && Array.isArray(accounts)
    ? accounts.map(membersOf)
    : [];
}

/** Every `client_reference_id` of a call, as sent. */
export function referencesOf(call: Pick<ApiCall, 'operation' | 'json'>): string[] {
  return [membersOf(call.json), ...rowsOf(call)]
    .map(({ client_reference_id: reference }) => reference)
    .filter((reference) => typeof reference === 'string');
}

const folded = (value: unknown) => String(value ?? '').toLowerCase();

/**
 * IDEM-2c: what the key of a write belongs to, in text; null where it cannot be read. References
 * and emails match in any case of their letters.
 */
export function subjectOf(call: Pick<ApiCall, 'operation' | 'json' | 'path' | 'query'>) {
  const body = membersOf(call.json);
  switch (call.operation) {
    case 'createAccount':
    case 'createTransaction':
      return textOrNull(body.client_reference_id)?.toLowerCase() ?? null;
    case 'bulkCreateAccounts':
      return rowsOf(call)
        .map((row) => [row.client_reference_id, row.email, row.brand_id].map(folded).join('|'))
        .join('\n');
    case 'openPosition':
    case 'closePosition':
      return textOrNull(body.trading_account_id);
    case 'updateAccount':
      return call.path.split('/').at(-1) ?? null;
    case 'approveTransaction':
    case 'rejectTransaction':
    case 'cancelTransaction':
      return call.query.get('account_id');
    default:
      return null;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** Members of requests that hold an amount, a volume or a price. */
export const amountNames: readonly string[] = [
  'amount',
  'volume',
  'price',
  'size',
  'quantity',
  'stop_loss',
  'take_profit',
];
