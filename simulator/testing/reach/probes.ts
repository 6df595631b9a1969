// Every place where a call can name a record, with a call that names one there.

import { operationTable } from '../../../fixtures/operations.ts';
import { requestSchemas } from '../../../fixtures/schemas/requests.ts';

/** What a call names: records of others, or values that no one has. */
export interface Named {
  readonly account: string;
  readonly trading: string;
  readonly transaction: string;
  readonly position: string;
  readonly subscription: string;
  readonly brand: string;
  readonly client: string;
  readonly reference: string;
  readonly transactionReference: string;
  readonly email: string;
  readonly phone: string;
  readonly seq: string;
}

/** Records of the one who asks, for the fields beside the one in question. */
export type Own = Pick<Named, 'account' | 'trading' | 'transaction'> & {
  readonly brand: string | undefined;
};

export interface Probe {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** It asks for a WebSocket. */
  readonly upgrade?: boolean;
}

const newAccount = (own: Own, over: object) => ({
  client_reference_id: 'probe',
  email: 'probe@example.com',
  brand_id: own.brand,
  ...over,
});

const creating = (over: (named: Named) => object) => (named: Named, own: Own) =>
  ({ method: 'POST', path: 'accounts', body: newAccount(own, over(named)) }) as Probe;

const creatingInBulk = (over: (named: Named) => object) => (named: Named, own: Own) =>
  ({
    method: 'POST',
    path: 'accounts/bulk',
    body: { accounts: [newAccount(own, over(named))] },
  }) as Probe;

const recording = (over: (named: Named) => object) => (named: Named, own: Own) =>
  ({
    method: 'POST',
    path: 'transactions',
    body: {
      client_reference_id: 'probe',
      account_id: own.account,
      trading_account_id: own.trading,
      currency: 'USD',
      amount: '5.00',
      transaction_type: 'Deposit',
      ...over(named),
    },
  }) as Probe;

const order = { instrument: 'EURUSD', side: 'buy', volume: '1.00' };
const patch = (ifMatch: string, body: object) => (named: Named) =>
  ({
    method: 'PATCH',
    path: `accounts/${named.account}`,
    body,
    headers: ifMatch === '' ? {} : { 'if-match': ifMatch },
  }) as Probe;

const deciding = (verb: string, body?: object) => ({
  [`${verb}Transaction.path`]: [
    (named: Named, own: Own) =>
      ({
        method: 'POST',
        path: `transactions/${named.transaction}/${verb}?account_id=${own.account}`,
        body,
      }) as Probe,
    (named: Named) =>
      ({
        method: 'POST',
        path: `transactions/${named.transaction}/${verb}?account_id=${named.account}`,
        body,
      }) as Probe,
  ],
  [`${verb}Transaction.account_id`]: [
    (named: Named, own: Own) =>
      ({
        method: 'POST',
        path: `transactions/${own.transaction}/${verb}?account_id=${named.account}`,
        body,
      }) as Probe,
  ],
});

const webhook = (method: string, suffix: string) => [
  (named: Named) => ({ method, path: `webhooks/${named.subscription}${suffix}` }) as Probe,
];

const form = (members: Record<string, string>): Probe => ({
  method: 'POST',
  path: 'oauth/token',
  body: { grant_type: 'client_credentials', ...members },
});

type MakeProbe = (named: Named, own: Own) => Probe;

/** By operation and the place in its call; each with one or more ways to name a record there. */
export const probes: Readonly<Record<string, readonly MakeProbe[]>> = {
  'createAccount.client_reference_id': [
    creating(({ reference }) => ({ client_reference_id: reference })),
    creating(({ reference }) => ({ client_reference_id: reference.toUpperCase() })),
    creating(({ reference }) => ({ client_reference_id: reference, email: 'no at sign' })),
  ],
  'createAccount.email': [creating(({ email }) => ({ email }))],
  'createAccount.phone': [creating(({ phone }) => ({ phone }))],
  'createAccount.brand_id': [creating(({ brand }) => ({ brand_id: brand }))],
  'bulkCreateAccounts.client_reference_id': [
    creatingInBulk(({ reference }) => ({ client_reference_id: reference })),
  ],
  'bulkCreateAccounts.email': [creatingInBulk(({ email }) => ({ email }))],
  'bulkCreateAccounts.phone': [creatingInBulk(({ phone }) => ({ phone }))],
  'bulkCreateAccounts.brand_id': [creatingInBulk(({ brand }) => ({ brand_id: brand }))],
  'updateAccount.path': [
    patch('"1"', { country: 'NO' }),
    patch('"0"', { country: 'NO' }),
    patch('garbage', { country: 'NO' }),
    patch('', { country: 'NO' }),
    patch('"1"', {}),
    patch('"1"', { status: null }),
  ],
  'openPosition.trading_account_id': [
    ({ trading }) =>
      ({
        method: 'POST',
        path: 'positions/open',
        body: { ...order, trading_account_id: trading },
      }) as Probe,
  ],
  'closePosition.trading_account_id': [
    ({ trading, position }) =>
      ({
        method: 'POST',
        path: 'positions/close',
        body: { trading_account_id: trading, position_id: position },
      }) as Probe,
  ],
  'closePosition.position_id': [
    ({ position }, own) =>
      ({
        method: 'POST',
        path: 'positions/close',
        body: { trading_account_id: own.trading, position_id: position },
      }) as Probe,
    ({ position }, own) =>
      ({
        method: 'POST',
        path: 'positions/close',
        body: { trading_account_id: own.trading, position_id: position, volume: '99.00' },
      }) as Probe,
  ],
  'createTransaction.client_reference_id': [
    recording(({ transactionReference }) => ({ client_reference_id: transactionReference })),
    recording(({ transactionReference }) => ({
      client_reference_id: transactionReference.toUpperCase(),
    })),
    recording(({ transactionReference }) => ({
      client_reference_id: transactionReference,
      amount: 'none',
    })),
    recording(({ transactionReference, account, trading }) => ({
      client_reference_id: transactionReference,
      account_id: account,
      trading_account_id: trading,
    })),
  ],
  'createTransaction.account_id': [
    recording(({ account }) => ({ account_id: account })),
    recording(({ account, trading }) => ({ account_id: account, trading_account_id: trading })),
  ],
  'createTransaction.trading_account_id': [
    recording(({ trading }) => ({ trading_account_id: trading })),
    recording(({ trading }) => ({ trading_account_id: trading, currency: 'CHF' })),
  ],
  ...deciding('approve'),
  ...deciding('reject', { reason: 'because' }),
  ...deciding('cancel', { reason: '' }),
  'getWebhook.path': webhook('GET', ''),
  'rotateWebhookSecret.path': webhook('POST', '/rotate-secret'),
  'disableWebhook.path': webhook('POST', '/disable'),
  'issueToken.client_id': [
    ({ client }) => form({ client_id: client, client_secret: 'wrong' }),
    ({ client }, own) => form({ client_id: client, client_secret: '', account_id: own.account }),
  ],
  'getAccountStatus.path': [
    ({ account }) => ({ method: 'GET', path: `accounts/${account}/status` }),
  ],
  'listAccounts.after': [
    ({ account }) => ({ method: 'GET', path: `accounts?limit=1&after=${account}` }),
    ({ account }) => ({ method: 'GET', path: `accounts?limit=1&after=${Number(account) - 1}` }),
  ],
  'listTransactions.after': [
    ({ transaction }) => ({ method: 'GET', path: `transactions?limit=1&after=${transaction}` }),
  ],
};

/** Places in a query, which no schema tells of. */
const queries = [
  'approveTransaction.account_id',
  'rejectTransaction.account_id',
  'cancelTransaction.account_id',
  'listAccounts.after',
  'listTransactions.after',
];

const naming = /^(email|phone|.*_id)$/;

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

function membersOf({ properties = {}, items }: Shape): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [name, ...membersOf(inner)]),
    ...(items === undefined ? [] : membersOf(items)),
  ];
}

/** Every place of the API in which a record can be named, read off its tables. */
export function placesThatName(): string[] {
  const paths = Object.entries(operationTable)
    .filter(([, { path }]) => path.includes(':id'))
    .map(([name]) => `${name}.path`);
  const bodies = Object.entries(requestSchemas as Readonly<Record<string, unknown>>).flatMap(
    ([name, shape]) =>
      membersOf(shape as Shape)
        .filter((member) => naming.test(member))
        .map((member) => `${name}.${member}`),
  );
  return [...new Set([...paths, ...bodies, ...queries])].sort();
}
