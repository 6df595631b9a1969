// What a judge without a control plane has to be given: credentials, seeds, and a way to be told.

import type { SecondMind } from '../mind.ts';
import { settle } from '../operations/money-moves.ts';
import { newToken } from '../operations/tokens.ts';
import type { JsonObject } from '../values/json.ts';
import type { Account, Credential, TradingAccount, Transaction } from '../values/records.ts';
import { addServer } from './control.ts';

export const SCOPES = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];
const TRADER = ['trader:trade', 'trader:funds'];
const RATE = { plan: 'standard' };

/** Makes everything that a profile can name, and gives the profile. */
export function profileOf(mind: SecondMind, baseUrl: string, receiverPort: number): JsonObject {
  mind.firms[0]!.plan = 'standard';
  const tokenOf = (each: Credential) => newToken(mind, each.clientId, null);
  const made = (over: JsonObject) => addServer(mind, { ...RATE, firm_id: '1', ...over });
  const server = (over: JsonObject) => ({ token: tokenOf(made({ scopes: SCOPES, ...over })) });
  const firm = made({ scopes: SCOPES });
  const traded = addAccount(mind, 'traded');
  const second = addAccount(mind, 'second');
  const place = addTrading(mind, traded, false);
  const secondPlace = addTrading(mind, second, false);
  const delegated = (readOnly: boolean, account: Account, at: TradingAccount) => {
    const minter = made({ scopes: SCOPES });
    const token = tokenOf(
      made({
        kind: 'delegated',
        scopes: TRADER,
        account_id: account.id,
        read_only: readOnly,
        minted_by: minter.clientId,
      }),
    );
    const own = { token, account_id: account.id };
    return readOnly ? own : { ...own, trading_account_id: at.id };
  };
  const client = made({ scopes: SCOPES });
  mind.forwards.push({
    from: 'https://hooks.example.com',
    to: `http://127.0.0.1:${receiverPort}`,
  });
  return {
    base_url: baseUrl,
    credentials: {
      firm: { token: tokenOf(firm), brand_id: '10' },
      brand: { ...server({ brand_id: '10' }), brand_id: '10' },
      other_brand: { ...server({ brand_id: '11' }), brand_id: '11' },
      other_firm: { ...server({ firm_id: '2' }), brand_id: '20' },
      no_scopes: server({ scopes: [] }),
      no_amend: server({ scopes: SCOPES.filter((each) => each !== 'transactions:amend') }),
      amend_only: server({ scopes: ['transactions:amend'] }),
      delegated: delegated(false, traded, place),
      read_only: delegated(true, traded, place),
      client: { client_id: client.clientId, client_secret: client.clientSecret },
    },
    seeds: {
      trading_account: seedOf(place),
      second_trading_account: seedOf(secondPlace),
      provider_trading_account: seedOf(addTrading(mind, traded, true)),
      settled_transactions: [1, 2, 3, 4].map((n) => {
        const { id, accountId } = addSettled(mind, traded, place, n);
        return { id, account_id: accountId };
      }),
    },
    plan: { per_second: 50, firm_per_second: 200 },
    receiver: {
      listen: `127.0.0.1:${receiverPort}`,
      public_url: 'https://hooks.example.com/hooks',
    },
  };
}

function seedOf({ id, accountId, currency }: TradingAccount): JsonObject {
  return { account_id: accountId, trading_account_id: id, currency };
}

function addAccount(mind: SecondMind, name: string): Account {
  const account: Account = {
    id: mind.nextId(),
    firmId: '1',
    brandId: '10',
    reference: `seed-${name}`,
    email: `${name}@seed.example.com`,
    phone: null,
    first_name: name,
    last_name: 'Seed',
    country: null,
    language: null,
    status: 'New',
    revision: mind.style.firstRevision,
    createdAtMs: mind.now(),
    changedAtMs: mind.now(),
  };
  mind.accounts.push(account);
  return account;
}

function addTrading(mind: SecondMind, { id }: Account, providerPayouts: boolean): TradingAccount {
  const made: TradingAccount = {
    id: mind.nextId(),
    accountId: id,
    currency: 'USD',
    providerPayouts,
    entries: [],
  };
  mind.tradingAccounts.push(made);
  return made;
}

function addSettled(mind: SecondMind, account: Account, place: TradingAccount, n: number) {
  const made: Transaction = {
    id: mind.nextId(),
    firmId: account.firmId,
    brandId: account.brandId,
    reference: `seed-settled-${n}`,
    accountId: account.id,
    tradingAccountId: place.id,
    currency: place.currency,
    amount: '10.00',
    method: 'Deposit',
    transactionType: 'Deposit',
    status: 'approved',
    isFtd: n === 1,
    createdAtMs: mind.now(),
    approvedAtMs: mind.now(),
    settlesAtMs: null,
    reason: null,
    actedBy: null,
    hadSettled: false,
    changedAtMs: mind.now(),
  };
  mind.transactions.push(made);
  settle(mind, made);
  return made;
}
