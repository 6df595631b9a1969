// The store: what is kept, and how it is found again. Everything is found by a plain loop or by id.
import type {
  Account,
  Bucket,
  Credential,
  Delivery,
  EventRecord,
  KeyName,
  KeyRecord,
  Plan,
  Position,
  Subscription,
  Token,
  TradingAccount,
  Transaction,
} from './records.ts';
import type { Store, World } from './types.ts';

const PLANS: Record<Plan, number> = { sandbox: 5, standard: 50, pro: 200 };

const keyId = ({ owner, operation, subject, key }: KeyName): string =>
  JSON.stringify([owner, operation, subject, key]);

export function honestStore(world: World): Store {
  const { style } = world;
  const credentials = new Map<string, Credential>();
  const tokens = new Map<string, Token>();
  const accounts = new Map<string, Account>();
  const tradingAccounts = new Map<string, TradingAccount>();
  const transactions = new Map<string, Transaction>();
  const positions = new Map<string, Position>();
  const subscriptions = new Map<string, Subscription>();
  const events: EventRecord[] = [];
  const deliveries = new Map<string, Delivery>();
  const pending = new Map<string, Map<string, Delivery>>();
  const keys = new Map<string, KeyRecord>();
  const buckets = new Map<string, Bucket>();
  let lastId = style.firstId - 1n;

  const save = <T extends { readonly id: string }>(table: Map<string, T>, record: T): T => {
    table.set(record.id, record);
    return record;
  };
  const findAccount = (matches: (account: Account) => boolean): Account | undefined => {
    for (const account of accounts.values()) if (matches(account)) return account;
    return undefined;
  };
  const emailForm = (email: string) => (style.emailsByCase ? email : email.toLowerCase());

  const store: Store = {
    nextId: () => {
      lastId += 1n;
      return String(lastId);
    },
    credential: (clientId) => credentials.get(clientId),
    credentials: () => [...credentials.values()],
    saveCredential: (credential) => {
      credentials.set(credential.client_id, credential);
      return credential;
    },
    token: (value) => {
      const token = value === undefined ? undefined : tokens.get(value);
      const isOver = (token?.expires_ms ?? Number.POSITIVE_INFINITY) <= world.clock.now();
      return isOver ? undefined : token;
    },
    saveToken: (token) => {
      tokens.set(token.value, token);
    },
    reaches: (credential, account) =>
      account.firm_id === credential.firm_id &&
      (credential.brand_id === null || account.brand_id === credential.brand_id) &&
      (credential.kind === 'server' || account.id === credential.account_id),
    account: (id) => accounts.get(id),
    accounts: () => accounts.values(),
    saveAccount: (account) => save(accounts, account),
    accountByReference: ({ credential }, reference, brandId) => {
      const wanted = reference.toLowerCase();
      return findAccount(
        (each) =>
          each.firm_id === credential.firm_id &&
          each.client_reference_id.toLowerCase() === wanted &&
          (style.referencesPer === 'brand'
            ? each.brand_id === brandId
            : store.reaches(credential, each)),
      );
    },
    accountByEmail: (_, email, brandId) =>
      findAccount(
        (each) => each.brand_id === brandId && emailForm(each.email) === emailForm(email),
      ),
    accountByPhone: (_, phone, brandId) =>
      /\d/.test(phone)
        ? findAccount((each) => each.brand_id === brandId && each.phone === phone)
        : undefined,
    tradingAccount: (id) => tradingAccounts.get(id),
    saveTradingAccount: (account) => save(tradingAccounts, account),
    book: (tradingAccountId, entry) => {
      const place = tradingAccounts.get(tradingAccountId)!;
      store.saveTradingAccount({ ...place, entries: [...place.entries, entry] });
    },
    transaction: (id) => transactions.get(id),
    transactions: () => transactions.values(),
    saveTransaction: (transaction) => save(transactions, transaction),
    transactionByReference: ({ credential }, reference) => {
      const wanted = reference.toLowerCase();
      for (const each of transactions.values()) {
        if (each.client_reference_id.toLowerCase() !== wanted) continue;
        const account = store.account(each.account_id);
        if (account !== undefined && store.reaches(credential, account)) return each;
      }
      return undefined;
    },
    position: (id) => positions.get(id),
    savePosition: (position) => save(positions, position),
    subscription: (id) => subscriptions.get(id),
    subscriptions: () => [...subscriptions.values()],
    saveSubscription: (subscription) => save(subscriptions, subscription),
    sees: (credential, each) => {
      if (each.firm_id !== credential.firm_id) return false;
      if (credential.brand_id !== null) return each.brand_id === credential.brand_id;
      return style.firmSeesBrandHooks || each.brand_id === null;
    },
    events: () => events,
    saveEvent: (event) => {
      events.push(event);
    },
    delivery: (id) => deliveries.get(id),
    deliveries: () => deliveries.values(),
    pending: () => pending.values(),
    saveDelivery: (delivery) => {
      const { id, subscriptionId, status } = delivery;
      if (!pending.has(subscriptionId)) pending.set(subscriptionId, new Map());
      if (status === 'pending') pending.get(subscriptionId)!.set(id, delivery);
      else pending.get(subscriptionId)!.delete(id);
      return save(deliveries, delivery);
    },
    key: (name) => keys.get(keyId(name)),
    saveKey: (record) => {
      keys.set(keyId(record.name), record);
    },
    forgetKey: (name) => {
      keys.delete(keyId(name));
    },
    rateOf: (credential) => {
      // LIM-10: a delegated token has the Sandbox rate, whatever its minter has.
      if (credential.kind === 'delegated') return style.generosity * PLANS.sandbox;
      return style.generosity * (credential.rate_per_second ?? PLANS[credential.plan]);
    },
    firmRateOf: (firmId) => {
      const { rate_per_second: rate, plan } = world.firm(firmId);
      return style.generosity * (rate ?? 4 * PLANS[plan]);
    },
    burstOf: (_, rate) => Math.max(1, rate),
    bucket: (name, rate) => {
      const nowMs = world.clock.now();
      const { tokens, atMs } = buckets.get(name) ?? { tokens: store.burstOf(name, rate), atMs: 0 };
      const gained = ((nowMs - atMs) / 1000) * rate;
      return { tokens: Math.min(store.burstOf(name, rate), tokens + gained), atMs: nowMs };
    },
    saveBucket: (name, bucket) => {
      buckets.set(name, bucket);
    },
  };
  return store;
}
