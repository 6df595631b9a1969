// The store: keeps all records, and finds them by a plain loop or by id.
import type { Context } from './context.ts';
import {
  type Account,
  aboutOf,
  type Credential,
  type Delivery,
  type Entry,
  type EventRecord,
  isSeen,
  type KeyName,
  type KeyRecord,
  type Position,
  type Subscription,
  type Token,
  type TradingAccount,
  type Transaction,
} from './records.ts';
import type { World } from './world.ts';

const PLANS = { sandbox: 5, standard: 50, pro: 200 };

/** A trait or a defect replaces some of its functions. */
export type Store = ReturnType<typeof honestStore>;

function table<T>(idOf: (row: T) => string) {
  const rows = new Map<string, T>();
  return {
    get: (id: string): T | undefined => rows.get(id),
    all: (): Iterable<T> => rows.values(),
    find: (matches: (row: T) => boolean): T | undefined => {
      for (const row of rows.values()) if (matches(row)) return row;
      return undefined;
    },
    save: (row: T): T => {
      rows.set(idOf(row), row);
      return row;
    },
    drop: (id: string) => void rows.delete(id),
  };
}

const keyId = ({ owner, operation, subject, key }: KeyName): string =>
  JSON.stringify([owner, operation, subject, key]);

export function honestStore(world: World) {
  const { style } = world;
  const idOf = (row: { readonly id: string }) => row.id;
  const credentials = table<Credential>((row) => row.client_id);
  const tokens = table<Token>((row) => row.value);
  const accounts = table<Account>(idOf);
  const tradingAccounts = table<TradingAccount>(idOf);
  const transactions = table<Transaction>(idOf);
  const positions = table<Position>(idOf);
  const subscriptions = table<Subscription>(idOf);
  const deliveries = table<Delivery>(idOf);
  const keys = table<KeyRecord>((row) => keyId(row.name));
  const events: EventRecord[] = [];
  const pending = new Map<string, Map<string, Delivery>>();
  const buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();
  let lastId = style.firstId - 1n;

  const store = {
    /** One sequence for every kind of record. */
    nextId: (_kind: string): string => {
      lastId += 1n;
      return String(lastId);
    },
    credential: credentials.get,
    credentials: credentials.all,
    saveCredential: credentials.save,
    token: (value: string): Token | undefined => {
      const token = tokens.get(value);
      const isOver = (token?.expires_ms ?? Number.POSITIVE_INFINITY) <= world.clock.now();
      return isOver ? undefined : token;
    },
    saveToken: tokens.save,
    reaches: (credential: Credential, account: Account) => isSeen(credential, aboutOf(account)),
    account: accounts.get,
    accounts: accounts.all,
    saveAccount: (account: Account, _context?: Context): Account => accounts.save(account),
    /** ACC-5, ACC-6, NS-20 */
    accountByReference: ({ credential }: Context, reference: string, brandId: string) => {
      const wanted = reference.toLowerCase();
      return accounts.find(
        (each) =>
          each.client_reference_id.toLowerCase() === wanted &&
          each.firm_id === credential.firm_id &&
          (style.referencesPer === 'brand'
            ? each.brand_id === brandId
            : store.reaches(credential, each)),
      );
    },
    /** ACC-8, ACC-10 */
    accountByEmail: (_: Context, email: string, brandId: string): Account | undefined => {
      const form = (each: string) => (style.emailsByCase ? each : each.toLowerCase());
      const wanted = form(email);
      return accounts.find((each) => each.brand_id === brandId && form(each.email) === wanted);
    },
    /** ACC-9, ACC-10 */
    accountByPhone: (_: Context, phone: string, brandId: string): Account | undefined =>
      /\d/.test(phone)
        ? accounts.find((each) => each.brand_id === brandId && each.phone === phone)
        : undefined,
    tradingAccount: tradingAccounts.get,
    saveTradingAccount: tradingAccounts.save,
    book: (tradingAccountId: string, entry: Entry): void => {
      const place = tradingAccounts.get(tradingAccountId)!;
      tradingAccounts.save({ ...place, entries: [...place.entries, entry] });
    },
    transaction: transactions.get,
    transactions: transactions.all,
    saveTransaction: transactions.save,
    /** TXN-2, NS-20: the oldest one in the credential's scope. */
    transactionByReference: ({ credential }: Context, reference: string) => {
      const wanted = reference.toLowerCase();
      return transactions.find(
        (each) =>
          each.client_reference_id.toLowerCase() === wanted &&
          store.reaches(credential, accounts.get(each.account_id)!),
      );
    },
    position: positions.get,
    savePosition: positions.save,
    subscription: subscriptions.get,
    subscriptions: (): readonly Subscription[] => [...subscriptions.all()],
    saveSubscription: subscriptions.save,
    /** HOOK-11, HOOK-12, NS-38 */
    sees: (credential: Credential, each: Subscription): boolean => {
      if (each.firm_id !== credential.firm_id) return false;
      if (credential.brand_id !== null) return each.brand_id === credential.brand_id;
      return style.firmSeesBrandHooks || each.brand_id === null;
    },
    events: (): readonly EventRecord[] => events,
    saveEvent: (event: EventRecord) => void events.push(event),
    delivery: deliveries.get,
    deliveries: deliveries.all,
    /** Pending deliveries, by subscription. */
    pending: (): Iterable<ReadonlyMap<string, Delivery>> => pending.values(),
    saveDelivery: (delivery: Delivery): Delivery => {
      const queue = pending.get(delivery.subscriptionId) ?? new Map<string, Delivery>();
      pending.set(delivery.subscriptionId, queue);
      if (delivery.status === 'pending') queue.set(delivery.id, delivery);
      else queue.delete(delivery.id);
      return deliveries.save(delivery);
    },
    key: (name: KeyName, _: Context): KeyRecord | undefined => keys.get(keyId(name)),
    saveKey: (record: KeyRecord, _: Context): void => void keys.save(record),
    forgetKey: (name: KeyName, _: Context): void => keys.drop(keyId(name)),
    /** LIM-10: a delegated token has the Sandbox rate, whatever rate its minter has. */
    rateOf: ({ kind, plan, rate_per_second: rate }: Credential): number =>
      style.generosity * (kind === 'delegated' ? PLANS.sandbox : (rate ?? PLANS[plan])),
    firmRateOf: (firmId: string): number => {
      const { rate_per_second: rate, plan } = world.firm(firmId);
      return style.generosity * (rate ?? 4 * PLANS[plan]);
    },
    /** LIM-2: at most one second's allowance accumulates. */
    bucket: (name: string, rate: number) => {
      const [most, atMs] = [Math.max(1, rate), world.clock.now()];
      const before = buckets.get(name) ?? { tokens: most, atMs };
      return { tokens: Math.min(most, before.tokens + ((atMs - before.atMs) / 1000) * rate), atMs };
    },
    saveBucket: buckets.set.bind(buckets),
  };
  return store;
}
