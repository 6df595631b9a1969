// The operations of the API as the judge of clients needs them: how a call is recognised, what its
// subject is, and which of its members are references, amounts or ids.
import { OPERATIONS, type OperationName } from '../engine/operations.ts';
import type { ApiCall } from './call.ts';
import { canonical } from './json.ts';

const patterns = Object.entries(OPERATIONS).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  // `accounts/bulk` stands before `accounts/:id`, which would match it as well.
  pattern: new RegExp(`^${path.replace(':id', '[^/]+')}$`),
}));

export function findOperation(method: string, path: string): OperationName | null {
  return patterns.find((row) => row.method === method && row.pattern.test(path))?.name ?? null;
}

/** One of the nine that take an Idempotency-Key. */
export function isWrite(operation: OperationName | null): boolean {
  return operation !== null && OPERATIONS[operation].keyed;
}

/** `POST /api/v1/transactions/{id}/approve`. */
export function routeOf(operation: OperationName): string {
  const { method, path } = OPERATIONS[operation];
  return `${method} ${path.replace(':id', '{id}')}`;
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

/** A member may be anything that JSON can hold. */
const folded = (value: unknown) => (textOrNull(value) ?? canonical(value)).toLowerCase();

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
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? `${value}` : null;
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
