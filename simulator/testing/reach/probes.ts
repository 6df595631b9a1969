// Every field in which a call can name a record, with a call that does.

import { operationTable } from '../../../fixtures/operations.ts';
import { requestSchemas } from '../../../fixtures/schemas/requests.ts';

/** The records that a call names: out of reach, or unknown. */
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

/** Records of the caller, for the other fields. */
export type Own = Pick<Named, 'account' | 'trading' | 'transaction'> & {
  readonly brand: string | undefined;
};

export interface Probe {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type MakeProbe = (named: Named, own: Own) => Probe;
type Over = (named: Named) => object;

export const get = (path: string): Probe => ({ method: 'GET', path });
export const post = (path: string, body?: object): Probe => ({ method: 'POST', path, body });

const newAccount = (own: Own, over: object) => ({
  client_reference_id: 'probe',
  email: 'probe@example.com',
  brand_id: own.brand,
  ...over,
});

const creating =
  (over: Over): MakeProbe =>
  (named, own) =>
    post('accounts', newAccount(own, over(named)));

const creatingInBulk =
  (over: Over): MakeProbe =>
  (named, own) =>
    post('accounts/bulk', { accounts: [newAccount(own, over(named))] });

const recording =
  (over: Over): MakeProbe =>
  (named, own) =>
    post('transactions', {
      client_reference_id: 'probe',
      account_id: own.account,
      trading_account_id: own.trading,
      currency: 'USD',
      amount: '5.00',
      transaction_type: 'Deposit',
      ...over(named),
    });

const patch =
  (ifMatch: string, body: object): MakeProbe =>
  ({ account }) => ({
    method: 'PATCH',
    path: `accounts/${account}`,
    body,
    headers: ifMatch === '' ? {} : { 'if-match': ifMatch },
  });

const closing =
  (over: object, at?: 'named'): MakeProbe =>
  (named, own) =>
    post('positions/close', {
      trading_account_id: at === undefined ? own.trading : named.trading,
      position_id: named.position,
      ...over,
    });

function deciding(verb: string, body?: object): Readonly<Record<string, readonly MakeProbe[]>> {
  const decide = (transaction: string, account: string) =>
    post(`transactions/${transaction}/${verb}?account_id=${account}`, body);
  return {
    [`${verb}Transaction.path`]: [
      ({ transaction }, { account }) => decide(transaction, account),
      ({ transaction, account }) => decide(transaction, account),
    ],
    [`${verb}Transaction.account_id`]: [
      ({ account }, { transaction }) => decide(transaction, account),
    ],
  };
}

const webhook =
  (method: string, suffix: string): MakeProbe =>
  ({ subscription }) => ({ method, path: `webhooks/${subscription}${suffix}` });

const asking = (members: object): Probe =>
  post('oauth/token', { grant_type: 'client_credentials', ...members });

/** By operation and field; each with one or more ways to name a record there. */
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
    ...['"1"', '"0"', 'garbage', ''].map((tag) => patch(tag, { country: 'NO' })),
    patch('"1"', {}),
    patch('"1"', { status: null }),
  ],
  'openPosition.trading_account_id': [
    ({ trading }) => {
      const order = { instrument: 'EURUSD', side: 'buy', volume: '1.00' };
      return post('positions/open', { ...order, trading_account_id: trading });
    },
  ],
  'closePosition.trading_account_id': [closing({}, 'named')],
  'closePosition.position_id': [closing({}), closing({ volume: '99.00' })],
  'createTransaction.client_reference_id': [
    recording(({ transactionReference: name }) => ({ client_reference_id: name })),
    recording(({ transactionReference: name }) => ({ client_reference_id: name.toUpperCase() })),
    recording(({ transactionReference: name }) => ({ client_reference_id: name, amount: 'none' })),
    recording(({ transactionReference: name, account, trading }) => ({
      client_reference_id: name,
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
  'getWebhook.path': [webhook('GET', '')],
  'rotateWebhookSecret.path': [webhook('POST', '/rotate-secret')],
  'disableWebhook.path': [webhook('POST', '/disable')],
  'issueToken.client_id': [
    ({ client }) => asking({ client_id: client, client_secret: 'wrong' }),
    ({ client }, own) => asking({ client_id: client, client_secret: '', account_id: own.account }),
  ],
  'getAccountStatus.path': [({ account }) => get(`accounts/${account}/status`)],
  'listAccounts.after': [
    ({ account }) => get(`accounts?limit=1&after=${account}`),
    ({ account }) => get(`accounts?limit=1&after=${Number(account) - 1}`),
  ],
  'listTransactions.after': [({ transaction }) => get(`transactions?limit=1&after=${transaction}`)],
};

/** Query parameters, which have no schema. */
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

/** Every field of the API that can name a record, read from its tables. */
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
