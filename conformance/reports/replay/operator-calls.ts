// What an operator did in a recorded scenario, as requests to a control plane.

export interface ControlCall {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

type Given = readonly unknown[];
type Making = (given: Given) => ControlCall;

const text = (value: unknown) => String(value);
/** A report may come from anybody: what is no object has no members. */
const json = (value: unknown) => (typeof value === 'object' && value !== null ? value : {});

/** The identities that the control plane's contract fixes. */
export const FIRMS = { firm: '1', other_firm: '2' } as const;
export const BRANDS = { brand: '10', other_brand: '11' } as const;
const AMPLE_PER_SECOND = 100_000;

const CALLS: Readonly<Record<string, Making>> = {
  advance: ([byMs]) => ({ method: 'POST', path: 'clock/advance', body: { by_ms: byMs } }),
  settle: ([id]) => ({ method: 'POST', path: `transactions/${text(id)}/settle`, body: {} }),
  ledger: ([id]) => ({ method: 'GET', path: `trading-accounts/${text(id)}` }),
  fault: ([wish]) => ({ method: 'POST', path: 'faults', body: json(wish) }),
  removeFault: () => ({ method: 'DELETE', path: 'faults' }),
  resolve: ([host, addresses]) => ({
    method: 'PUT',
    path: `dns/${text(host)}`,
    body: { addresses },
  }),
  transactions: () => ({ method: 'GET', path: 'transactions' }),
  accounts: () => ({ method: 'GET', path: 'accounts' }),
  events: ([afterSeq]) => ({ method: 'GET', path: `events?after_seq=${text(afterSeq)}` }),
  permit: ([firm, operation, allowed]) => ({
    method: 'PATCH',
    path: `firms/${text(firm)}`,
    body: { permissions: { [text(operation)]: allowed } },
  }),
  firmRate: ([firm, perSecond]) => ({
    method: 'PATCH',
    path: `firms/${text(firm)}`,
    body: { rate_per_second: perSecond },
  }),
  rescope: ([client, scopes]) => ({
    method: 'PATCH',
    path: `credentials/${text(client)}`,
    body: { scopes },
  }),
  resume: ([id]) => ({ method: 'POST', path: `subscriptions/${text(id)}/resume`, body: {} }),
  emit: ([event]) => {
    const { accountId, brandId, ...rest } = json(event) as Record<string, unknown>;
    return {
      method: 'POST',
      path: 'events',
      body: { ...rest, account_id: accountId, brand_id: brandId },
    };
  },
  mint: ([wish]) => {
    const {
      kind,
      firm = 'firm',
      brand,
      plan,
      perSecond,
      ...rest
    } = json(wish) as {
      readonly [name: string]: unknown;
    };
    const own = plan === undefined && kind !== 'delegated' ? AMPLE_PER_SECOND : undefined;
    return {
      method: 'POST',
      path: 'credentials',
      body: {
        kind,
        firm_id: FIRMS[firm as keyof typeof FIRMS],
        brand_id: brand === undefined ? undefined : BRANDS[brand as keyof typeof BRANDS],
        scopes: rest.scopes,
        read_only: rest.readOnly,
        account_id: rest.accountId,
        minted_by: rest.mintedBy,
        plan,
        rate_per_second: perSecond ?? own,
      },
    };
  },
  openTradingAccount: ([account, wish]) => {
    const { currency = 'USD', provider } = json(wish) as Record<string, unknown>;
    return {
      method: 'POST',
      path: `accounts/${text(account)}/trading-accounts`,
      body: { currency, provider_payouts: provider },
    };
  },
};

/** Asking for these, an operator is shown what proves a rule: its answer is compared. */
const EVIDENCE = new Set(['ledger', 'transactions', 'accounts', 'events']);

export function evidenceVerb(verb: string): string | undefined {
  return EVIDENCE.has(verb) ? verb : undefined;
}

/** Where the control plane's answer has what the recording names otherwise. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mint: { '.clientId': '.client_id', '.accountId': '.account_id' },
  openTradingAccount: { '.trading_account_id': '.id' },
};

export function pathInAnswer(verb: string, path: string): string {
  return RENAMED[verb]?.[path] ?? path;
}

/** Undefined for what only looks, or cannot be said to a control plane. */
export function controlCall(verb: string, given: Given): ControlCall | undefined {
  return Object.hasOwn(CALLS, verb) ? CALLS[verb]!(given) : undefined;
}
