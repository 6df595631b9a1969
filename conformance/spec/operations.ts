// Every operation of the API: its method and path, the scopes that allow it, and the scope rule.
import type { RuleId } from '../../fixtures/rules.ts';

export interface Operation {
  readonly method: string;
  /** From the base URL; `:id` is the id in the path. */
  readonly path: string;
  /** One of the nine writes: it requires an idempotency key (IDEM-1a). */
  readonly keyed: boolean;
  readonly body: boolean;
  /** AUTH-4: any one of these is enough. Empty if the specification does not say. */
  readonly scopes: readonly string[];
  /** The rule that refuses a credential without any of its scopes. */
  readonly scopeRule?: RuleId;
  /** Its name in a sentence: "creating an account". */
  readonly words: string;
}

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
const HOOKS = { scopes: ['webhooks:manage'], scopeRule: 'HOOK-6', keyed: false } as const;
const READ = { method: 'GET', keyed: false, body: false, scopes: [] } as const;
const WRITE = { method: 'POST', keyed: true, body: true } as const;

export const OPERATIONS = {
  createAccount: {
    ...{ ...WRITE, path: '/api/v1/accounts', scopes: ACCOUNTS, scopeRule: 'ACC-21' },
    words: 'creating an account',
  },
  updateAccount: {
    ...{ ...WRITE, method: 'PATCH', path: '/api/v1/accounts/:id' },
    ...{ scopes: ACCOUNTS, scopeRule: 'UPD-13', words: 'updating an account' },
  },
  bulkCreateAccounts: {
    ...{ ...WRITE, path: '/api/v1/accounts/bulk', scopes: ACCOUNTS, scopeRule: 'BULK-13' },
    words: 'creating accounts in bulk',
  },
  openPosition: {
    ...{ ...WRITE, path: '/api/v1/positions/open', scopes: TRADES, scopeRule: 'POS-1' },
    words: 'opening a position',
  },
  closePosition: {
    ...{ ...WRITE, path: '/api/v1/positions/close', scopes: TRADES, scopeRule: 'POS-1' },
    words: 'closing a position',
  },
  createTransaction: {
    ...{ ...WRITE, path: '/api/v1/transactions', scopes: FUNDS, scopeRule: 'TXN-12' },
    words: 'creating a transaction',
  },
  approveTransaction: {
    ...{ ...WRITE, body: false, path: '/api/v1/transactions/:id/approve' },
    ...{ scopes: FUNDS, scopeRule: 'TXS-17', words: 'approving a transaction' },
  },
  rejectTransaction: {
    ...{ ...WRITE, path: '/api/v1/transactions/:id/reject', scopes: FUNDS, scopeRule: 'TXS-17' },
    words: 'rejecting a transaction',
  },
  cancelTransaction: {
    ...{ ...WRITE, path: '/api/v1/transactions/:id/cancel', scopes: FUNDS, scopeRule: 'TXS-17' },
    words: 'cancelling a transaction',
  },
  createWebhook: {
    ...{ ...HOOKS, method: 'POST', path: '/api/v1/webhooks', body: true },
    words: 'creating a subscription',
  },
  listWebhooks: {
    ...{ ...HOOKS, method: 'GET', path: '/api/v1/webhooks', body: false },
    words: 'listing subscriptions',
  },
  getWebhook: {
    ...{ ...HOOKS, method: 'GET', path: '/api/v1/webhooks/:id', body: false },
    words: 'reading a subscription',
  },
  rotateWebhookSecret: {
    ...{ ...HOOKS, method: 'POST', path: '/api/v1/webhooks/:id/rotate-secret', body: false },
    words: 'rotating a secret',
  },
  disableWebhook: {
    ...{ ...HOOKS, method: 'POST', path: '/api/v1/webhooks/:id/disable', body: false },
    words: 'disabling a subscription',
  },
  issueToken: {
    ...{ method: 'POST', path: '/api/v1/oauth/token', keyed: false, body: true, scopes: [] },
    words: 'asking for a token',
  },
  listAccounts: { ...READ, path: '/api/v1/accounts', words: 'listing accounts' },
  listTransactions: { ...READ, path: '/api/v1/transactions', words: 'listing transactions' },
  getAccountStatus: {
    ...{ ...READ, path: '/api/v1/accounts/:id/status', words: 'reading the status of an account' },
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;

const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

/** One of the nine write operations. */
export type WriteName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name]['keyed'] extends true ? Name : never;
}[OperationName];

/** All nine, in the order of the specification. */
export const WRITE_NAMES = OPERATION_NAMES.filter(isWriteName);

function isWriteName(name: OperationName): name is WriteName {
  return OPERATIONS[name].keyed;
}

/** Operations that require a scope, ordered so that each leaves what later ones need. */
export const SCOPED_NAMES = OPERATION_NAMES.filter(isScopedName);

export type ScopedName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends { scopeRule: RuleId } ? Name : never;
}[OperationName];

function isScopedName(name: OperationName): name is ScopedName {
  return OPERATIONS[name].scopes.length > 0;
}

/** The three decisions on a transaction. */
export const DECISIONS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;
type DecisionName = (typeof DECISIONS)[number];

export function isDecision(name: OperationName): name is DecisionName {
  return DECISIONS.some((each) => each === name);
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
