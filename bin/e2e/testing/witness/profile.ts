// The profile for a judge without a control plane: credentials, seeds and a receiver.
import { addCredential, addTradingAccount } from './control.ts';
import { profileIn } from './records.ts';
import { newToken } from './tokens.ts';
import { settle } from './transactions.ts';
import type { JsonObject } from './values.ts';
import type { World } from './world.ts';

const SCOPES = [
  ...['accounts:write', 'trades:write', 'trader:trade', 'transactions:write', 'trader:funds'],
  ...['transactions:amend', 'webhooks:manage'],
];
const TRADER = ['trader:trade', 'trader:funds'];
const RECEIVER = 'https://hooks.example.com';

export function addProfile(world: World, base_url: string, port: number): JsonObject {
  world.changeFirm('1', { plan: 'standard' });
  world.forwards.set(RECEIVER, `http://127.0.0.1:${port}`);
  const credential = (over: JsonObject) =>
    addCredential(world, { plan: 'standard', scopes: SCOPES, ...over });
  const token = (over: JsonObject = {}) => newToken(world, credential(over).client_id, null);
  const account_id = addAccount(world, 'traded');
  const place = addPlace(world, account_id);
  const trader = { kind: 'delegated', scopes: TRADER, account_id };
  const delegated = (read_only: boolean) =>
    token({ ...trader, read_only, minted_by: credential({}).client_id });
  const { client_id, client_secret } = credential({});
  const { trading_account_id } = place;
  return {
    base_url,
    credentials: {
      firm: { token: token(), brand_id: '10' },
      brand: { token: token({ brand_id: '10' }), brand_id: '10' },
      other_brand: { token: token({ brand_id: '11' }), brand_id: '11' },
      other_firm: { token: token({ firm_id: '2' }), brand_id: '20' },
      no_scopes: { token: token({ scopes: [] }) },
      no_amend: { token: token({ scopes: SCOPES.filter((each) => !each.endsWith(':amend')) }) },
      amend_only: { token: token({ scopes: ['transactions:amend'] }) },
      delegated: { token: delegated(false), account_id, trading_account_id },
      read_only: { token: delegated(true), account_id },
      client: { client_id, client_secret },
    },
    seeds: {
      trading_account: place,
      second_trading_account: addPlace(world, addAccount(world, 'second')),
      provider_trading_account: addPlace(world, account_id, true),
      settled_transactions: [1, 2, 3, 4].map((n) => addSettled(world, place, n)),
    },
    plan: { per_second: 50, firm_per_second: 200 },
    receiver: { listen: `127.0.0.1:${port}`, public_url: `${RECEIVER}/hooks` },
  };
}

function addAccount({ store, style, clock }: World, name: string): string {
  const account = store.saveAccount({
    ...{ id: store.nextId('account'), firm_id: '1', brand_id: '10', revision: style.firstRevision },
    ...{ client_reference_id: `seed-${name}`, email: `${name}@seed.example.com`, phone: null },
    ...{ ...profileIn({ first_name: name, last_name: 'Seed' }), status: 'New' },
    ...{ created_ms: clock.now(), changed_ms: clock.now() },
  });
  return account.id;
}

function addPlace(world: World, account_id: string, provider_payouts = false) {
  const { id, currency } = addTradingAccount(world, account_id, { provider_payouts });
  return { account_id, trading_account_id: id, currency };
}

function addSettled(world: World, place: ReturnType<typeof addPlace>, n: number): JsonObject {
  const { store, clock } = world;
  const transaction = store.saveTransaction({
    ...{ id: store.nextId('transaction'), ...place, client_reference_id: `seed-settled-${n}` },
    ...{ amount: '10.00', method: 'Deposit', transaction_type: 'Deposit', status: 'approved' },
    ...{ is_ftd: n === 1, created_at: clock.now(), changed_ms: clock.now() },
    ...{ settles_ms: null, reason: null, operator: null },
  });
  settle(world, transaction);
  return { id: transaction.id, account_id: transaction.account_id };
}
