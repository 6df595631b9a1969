// The control plane: operator commands on a world, as far as the judges use them.
import { randomBytes } from 'node:crypto';
import type { Credential, Delivery, Firm, Plan, TradingAccount } from './records.ts';
import { newToken } from './tokens.ts';
import { settle, transactionBody } from './transactions.ts';
import { isObject, type Json, type JsonObject, sumOf, textOr } from './values.ts';
import type { World } from './world.ts';

export type Answer = readonly [status: number, body: Json];

export const NONE: Answer = [404, { code: 'not_found', detail: 'there is no such row or record' }];

export interface ControlCall {
  readonly world: World;
  /** The remaining parts of the path after its first segment. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

const shown = (record: object): JsonObject => ({ ...record });
const allShown = (records: Iterable<object>): JsonObject[] => [...records].map(shown);

const ROWS: Readonly<Record<string, (call: ControlCall) => Answer | Promise<Answer>>> = {
  'GET health': () => [200, { status: 'ready' }],
  'GET info': ({ world: { style } }) => {
    return [200, { version: 'witness', settings: { events_path: style.channelPath } }];
  },
  'GET clock': ({ world }) => [200, { now_ms: world.clock.now() }],
  'POST clock': async ({ world, body }) => {
    await world.advance(Number(body.by_ms));
    return [200, { to_ms: world.clock.now() }];
  },
  'POST credentials': ({ world, body }) => {
    const credential = addCredential(world, body);
    return [201, { ...shown(credential), token: newToken(world, credential.client_id, null) }];
  },
  'PATCH credentials': ({ world, rest, body }) => {
    const found = world.store.credential(rest[0] ?? '');
    if (found === undefined) return NONE;
    const scopes = Array.isArray(body.scopes) ? { scopes: body.scopes.map(String) } : {};
    return [200, shown(world.store.saveCredential({ ...found, ...rateIn(body), ...scopes }))];
  },
  'PATCH firms': ({ world, rest, body }) => {
    const found = world.firm(rest[0] ?? '');
    const named = isObject(body.permissions) ? body.permissions : {};
    const permissions = { ...found.permissions, ...(named as Firm['permissions']) };
    return [200, shown(world.changeFirm(found.id, { ...rateIn(body), permissions }))];
  },
  'GET accounts': ({ world }) => [200, { accounts: allShown(world.store.accounts()) }],
  'POST accounts': ({ world, rest, body }) => {
    const account = world.store.account(rest[0] ?? '');
    if (account === undefined || rest[1] !== 'trading-accounts') return NONE;
    return [201, shownPlace(addTradingAccount(world, account.id, body))];
  },
  'GET trading-accounts': ({ world, rest }) => {
    const found = world.store.tradingAccount(rest[0] ?? '');
    return found === undefined ? NONE : [200, shownPlace(found)];
  },
  'GET transactions': ({ world }) => [200, { transactions: allShown(world.store.transactions()) }],
  'POST transactions': ({ world, rest }) => {
    const found = world.store.transaction(rest[0] ?? '');
    if (found === undefined || rest[1] !== 'settle') return NONE;
    return [200, transactionBody(settle(world, found))];
  },
  'GET faults': ({ world }) => [200, { faults: allShown(world.faults) }],
  'POST faults': ({ world, body }) => {
    const record = {
      id: `fault_${world.count('faults')}`,
      match: isObject(body.match) ? body.match : {},
      phase: body.phase === 'after' ? ('after' as const) : ('before' as const),
      effect: isObject(body.effect) ? body.effect : {},
      times: typeof body.times === 'number' ? body.times : Number.POSITIVE_INFINITY,
      hits: 0,
    };
    world.faults = [...world.faults, record];
    return [201, shown(record)];
  },
  'DELETE faults': ({ world, rest }) => {
    world.faults = world.faults.filter(({ id }) => id !== rest[0]);
    return [200, {}];
  },
  'PUT dns': ({ world, rest, body }) => {
    const addresses = (Array.isArray(body.addresses) ? body.addresses : []).map(String);
    world.names.set(decodeURIComponent(rest[0] ?? '').toLowerCase(), addresses);
    return [200, {}];
  },
  'PUT forwards': ({ world, body }) => {
    world.forwards.set(new URL(textOr(body.from, '')).origin, textOr(body.to, ''));
    return [200, {}];
  },
  'GET events': ({ world, query }) => {
    const after = Number(query.get('after_seq') ?? 0);
    const events = world.store.events().filter(({ seq }) => seq > after);
    return [200, { events: events.map((each) => world.style.envelope(each)) }];
  },
  'POST events': ({ world, body }) => {
    const category = textOr(body.category, 'account');
    const accountId = textOr(body.account_id, null);
    const account = world.store.account(accountId ?? '');
    const brandId = textOr(body.brand_id, null) ?? account?.brand_id ?? null;
    const about = { firmId: world.firmOfBrand(brandId)?.id ?? '1', brandId, accountId };
    const kind = textOr(body.kind, `${category}.updated`);
    const event = world.emit(category, kind, about, isObject(body.data) ? body.data : {});
    return [201, world.style.envelope(event)];
  },
  'GET deliveries': ({ world, query }) => {
    const isWanted = ({ status }: Delivery) => status === (query.get('status') ?? status);
    const deliveries = [...world.store.deliveries()].filter(isWanted);
    return [200, { deliveries: deliveries.map((each) => ({ in_flight: each.inFlight })) }];
  },
  'POST subscriptions': ({ world, rest }) => {
    const found = world.store.subscription(rest[0] ?? '');
    if (found === undefined || rest[1] !== 'resume') return NONE;
    world.store.saveSubscription({ ...found, stopped: false });
    return [200, {}];
  },
};

export async function operate(
  world: World,
  method: string,
  [first = '', ...rest]: readonly string[],
  call: Pick<ControlCall, 'query' | 'body'>,
): Promise<Answer> {
  const reply = (await ROWS[`${method} ${first}`]?.({ ...call, world, rest })) ?? NONE;
  world.pump();
  return reply;
}

function rateIn(body: JsonObject): { plan?: Plan; rate_per_second?: number | null } {
  const plan = typeof body.plan === 'string' ? { plan: body.plan as Plan } : {};
  if (!('rate_per_second' in body)) return plan;
  return { ...plan, rate_per_second: body.rate_per_second as number | null };
}

export function addCredential({ store }: World, body: JsonObject): Credential {
  return store.saveCredential({
    name: textOr(body.name, 'record'),
    kind: body.kind === 'delegated' ? 'delegated' : 'server',
    client_id: `client_${randomBytes(8).toString('hex')}`,
    client_secret: `secret_${randomBytes(12).toString('hex')}`,
    firm_id: textOr(body.firm_id, '1'),
    brand_id: textOr(body.brand_id, null),
    scopes: (Array.isArray(body.scopes) ? body.scopes : []).map(String),
    read_only: body.read_only === true,
    account_id: textOr(body.account_id, null),
    minted_by: textOr(body.minted_by, null),
    ...{ plan: 'sandbox', rate_per_second: null, ...rateIn(body) },
  });
}

export function addTradingAccount({ store }: World, account_id: string, body: JsonObject) {
  const currency = textOr(body.currency, 'USD');
  const provider_payouts = body.provider_payouts === true;
  const record = {
    id: store.nextId('trading account'),
    account_id,
    currency,
    provider_payouts,
    entries: [],
  };
  return store.saveTradingAccount(record);
}

function shownPlace({ entries, ...place }: TradingAccount): JsonObject {
  const balance = sumOf(entries.map(({ amount }) => amount));
  return { ...place, balance, entries: allShown(entries) };
}
