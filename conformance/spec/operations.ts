// Every operation of the API, the scopes that allow it, and the scope rule.
import type { RuleId } from '../../fixtures/rules.ts';

/** AUTH-4: every scope. */
export const SCOPES = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
] as const;

type Scope = (typeof SCOPES)[number];

/** The scopes of a trader's token. */
export const TRADER_SCOPES: readonly Scope[] = ['trader:trade', 'trader:funds'];

const ACCOUNTS: readonly Scope[] = ['accounts:write'];
const TRADES: readonly Scope[] = ['trades:write', 'trader:trade'];
const FUNDS: readonly Scope[] = ['transactions:write', 'trader:funds'];

/** `line` is the method and the path below /api/v1; `words` name it in a sentence. */
function request(line: string, words: string) {
  const [method, path] = line.split(' ') as [string, string];
  return { method, path: `/api/v1${path}`, words };
}

/** One of the nine writes: it requires an idempotency key (IDEM-1a). */
function write(line: string, scopes: readonly Scope[], scopeRule: RuleId, words: string) {
  return { ...request(line, words), keyed: true, scopes, scopeRule } as const;
}

function ofWebhooks(line: string, words: string) {
  const scopes: readonly Scope[] = ['webhooks:manage'];
  return { ...request(line, words), keyed: false, scopes, scopeRule: 'HOOK-6' } as const;
}

function decision(verb: string, words: string) {
  return write(`POST /transactions/:id/${verb}`, FUNDS, 'TXS-17', words);
}

/** The specification names no scope for it. */
function unscoped(line: string, words: string) {
  return { ...request(line, words), keyed: false, scopes: [] as readonly Scope[] } as const;
}

/**
 * Every operation. AUTH-4: any one of its scopes is enough; `scopeRule` refuses a credential without
 * any of them.
 */
export const OPERATIONS = {
  createAccount: write('POST /accounts', ACCOUNTS, 'ACC-21', 'creating an account'),
  updateAccount: write('PATCH /accounts/:id', ACCOUNTS, 'UPD-13', 'updating an account'),
  bulkCreateAccounts: write(
    'POST /accounts/bulk',
    ACCOUNTS,
    'BULK-13',
    'creating accounts in bulk',
  ),
  openPosition: write('POST /positions/open', TRADES, 'POS-1', 'opening a position'),
  closePosition: write('POST /positions/close', TRADES, 'POS-1', 'closing a position'),
  createTransaction: write('POST /transactions', FUNDS, 'TXN-12', 'creating a transaction'),
  approveTransaction: decision('approve', 'approving a transaction'),
  rejectTransaction: decision('reject', 'rejecting a transaction'),
  cancelTransaction: decision('cancel', 'cancelling a transaction'),
  createWebhook: ofWebhooks('POST /webhooks', 'creating a subscription'),
  listWebhooks: ofWebhooks('GET /webhooks', 'listing subscriptions'),
  getWebhook: ofWebhooks('GET /webhooks/:id', 'reading a subscription'),
  rotateWebhookSecret: ofWebhooks('POST /webhooks/:id/rotate-secret', 'rotating a secret'),
  disableWebhook: ofWebhooks('POST /webhooks/:id/disable', 'disabling a subscription'),
  issueToken: unscoped('POST /oauth/token', 'asking for a token'),
  listAccounts: unscoped('GET /accounts', 'listing accounts'),
  listTransactions: unscoped('GET /transactions', 'listing transactions'),
  getAccountStatus: unscoped('GET /accounts/:id/status', 'reading the status of an account'),
};

export type OperationName = keyof typeof OPERATIONS;

const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

/** One of the nine write operations. */
export type WriteName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name]['keyed'] extends true ? Name : never;
}[OperationName];

/** All nine, in the order of the specification. */
export const WRITE_NAMES = OPERATION_NAMES.filter(
  (name): name is WriteName => OPERATIONS[name].keyed,
);

export type ScopedName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends { scopeRule: RuleId } ? Name : never;
}[OperationName];

/** Operations that require a scope, ordered so that each leaves what later ones need. */
export const SCOPED_NAMES = OPERATION_NAMES.filter(
  (name): name is ScopedName => 'scopeRule' in OPERATIONS[name],
);

/** On a transaction. */
export const DECISIONS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

export function isDecision(name: OperationName): name is (typeof DECISIONS)[number] {
  return DECISIONS.some((each) => each === name);
}

const WITHOUT_BODY = new Set<OperationName>([
  'approveTransaction',
  'rotateWebhookSecret',
  'disableWebhook',
]);

export function takesBody(name: OperationName): boolean {
  return OPERATIONS[name].method !== 'GET' && !WITHOUT_BODY.has(name);
}

const PATTERNS = OPERATION_NAMES.map((name) => {
  const { method, path } = OPERATIONS[name];
  return { name, method, pattern: new RegExp(`^${path.replace(':id', '[^/]+')}$`) };
});

/** The operation of a request, by its path without the query; undefined if there is none. */
export function operationOf(method: string, path: string): OperationName | undefined {
  // PATCH and POST share no path, and `/accounts/bulk` is a POST.
  return PATTERNS.find((each) => each.method === method && each.pattern.test(path))?.name;
}
