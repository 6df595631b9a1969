// The control plane: what an operator does to a world, as far as the judges ask for it.
import { randomBytes } from 'node:crypto';
import { newToken } from './operations/tokens.ts';
import type { Credential, Delivery, Firm, Plan, TradingAccount, Transaction } from './records.ts';
import { settle, transactionBody } from './settlement.ts';
import type { World } from './types.ts';
import { isObject, type Json, type JsonObject, sumOf, textOr } from './values.ts';
import type { WitnessWorld } from './world.ts';

export type Told = readonly [status: number, body: Json];

export const NONE: Told = [404, { code: 'not_found', detail: 'there is no such row or record' }];

export interface ControlCall {
  readonly world: WitnessWorld;
  /** The parts of the path after the row's first word. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

type Row = (call: ControlCall) => Told | Promise<Told>;

const ROWS: Readonly<Record<string, Row>> = {
  'GET health': () => [200, { status: 'ready' }],
  'GET info': ({ world }) => [
    200,
    {
      version: 'witness',
      clock: clockOf(world),
      settings: { events_path: world.style.channelPath, style: world.style.name },
      deviations: [],
    },
  ],
  'GET clock': ({ world }) => [200, clockOf(world)],
  'PUT clock': ({ world, body }) => {
    const nowMs = typeof body.now_ms === 'number' ? body.now_ms : world.clock.now();
    world.freeze(body.mode === 'frozen' ? nowMs : null);
    return [200, clockOf(world)];
  },
  'POST clock': async ({ world, body }) => {
    const from_ms = world.clock.now();
    const number = (name: string) =>
      typeof body[name] === 'number' ? (body[name] as number) : undefined;
    const fired = await world.advance({ toMs: number('to_ms'), byMs: number('by_ms') });
    return [200, { from_ms, to_ms: world.clock.now(), fired }];
  },
  'GET credentials': ({ world }) => [200, { credentials: world.store.credentials().map(shown) }],
  'POST credentials': ({ world, body }) => {
    const made = addCredential(world, body);
    return [201, { ...shown(made), token: newToken(world, made.client_id, null) }];
  },
  'PATCH credentials': ({ world, rest, body }) => {
    const found = world.store.credential(rest[0] ?? '');
    if (found === undefined) return NONE;
    const scopes = Array.isArray(body.scopes) ? { scopes: body.scopes.map(String) } : {};
    return [200, shown(world.store.saveCredential({ ...found, ...rateIn(body), ...scopes }))];
  },
  'GET firms': ({ world, rest }) => [200, shown(world.firm(rest[0] ?? ''))],
  'PATCH firms': ({ world, rest, body }) => {
    const found = world.firm(rest[0] ?? '');
    const named = isObject(body.permissions) ? body.permissions : {};
    const permissions = { ...found.permissions, ...(named as Firm['permissions']) };
    return [200, shown(world.changeFirm(found.id, { ...rateIn(body), permissions }))];
  },
  'GET accounts': ({ world }) => [200, { accounts: [...world.store.accounts()].map(shown) }],
  'POST accounts': ({ world, rest, body }) => {
    const account = world.store.account(rest[0] ?? '');
    if (account === undefined || rest[1] !== 'trading-accounts') return NONE;
    return [201, shownPlace(addTradingAccount(world, account.id, body))];
  },
  'GET trading-accounts': ({ world, rest }) => {
    const found = world.store.tradingAccount(rest[0] ?? '');
    return found === undefined ? NONE : [200, shownPlace(found)];
  },
  'GET transactions': ({ world }) => [
    200,
    { transactions: [...world.store.transactions()].map(shown) },
  ],
  'POST transactions': ({ world, rest }) => {
    const found: Transaction | undefined = world.store.transaction(rest[0] ?? '');
    if (found === undefined || rest[1] !== 'settle') return NONE;
    return [200, transactionBody(settle(world, found))];
  },
  'GET faults': ({ world }) => [200, { faults: world.faults.map(shown) }],
  'POST faults': ({ world, body }) => {
    const made = {
      id: `fault_${world.count('faults')}`,
      match: isObject(body.match) ? body.match : {},
      phase: body.phase === 'after' ? ('after' as const) : ('before' as const),
      effect: isObject(body.effect) ? body.effect : {},
      times: typeof body.times === 'number' ? body.times : Number.POSITIVE_INFINITY,
      hits: 0,
    };
    world.faults.push(made);
    return [201, shown(made)];
  },
  'DELETE faults': ({ world, rest }) => {
    world.faults = world.faults.filter(({ id }) => rest[0] !== undefined && id !== rest[0]);
    return [200, {}];
  },
  'PUT dns': ({ world, rest, body }) => {
    const host = decodeURIComponent(rest[0] ?? '').toLowerCase();
    const addresses = (Array.isArray(body.addresses) ? body.addresses : []).map(String);
    world.names.set(host, addresses);
    return [200, { host, addresses }];
  },
  'DELETE dns': ({ world, rest }) => {
    world.names.delete(decodeURIComponent(rest[0] ?? '').toLowerCase());
    return [200, {}];
  },
  'GET forwards': ({ world }) => [
    200,
    { forwards: [...world.forwards].map(([from, to]) => ({ from, to })) },
  ],
  'PUT forwards': ({ world, body }) => {
    const [from, to] = [textOr(body.from, ''), textOr(body.to, '')];
    world.forwards.set(new URL(from).origin, to);
    return [200, { from, to }];
  },
  'DELETE forwards': ({ world, query }) => {
    world.forwards.delete(query.get('from') ?? '');
    return [200, {}];
  },
  'GET events': ({ world, query }) => {
    const after = Number(query.get('after_seq') ?? 0);
    const events = world.store.events().filter(({ seq }) => seq > after);
    return [200, { events: events.map((each) => world.style.envelope(each)) }];
  },
  'POST events': makeEvent,
  'GET deliveries': ({ world, query }) => {
    const status = query.get('status');
    const all = [...world.store.deliveries()];
    const wanted = all.filter((each) => status === null || each.status === status);
    return [200, { deliveries: wanted.map(shownDelivery) }];
  },
  'POST subscriptions': ({ world, rest }) => {
    const found = world.store.subscription(rest[0] ?? '');
    if (found === undefined || rest[1] !== 'resume') return NONE;
    world.store.saveSubscription({ ...found, stopped: false });
    return [200, {}];
  },
};

export async function inWorld(
  world: WitnessWorld,
  method: string,
  [first = '', ...rest]: readonly string[],
  { query, body }: Pick<ControlCall, 'query' | 'body'>,
): Promise<Told> {
  const row = ROWS[`${method} ${first}`];
  if (row === undefined) return NONE;
  const told = await row({ world, rest, query, body });
  world.pump();
  return told;
}

const shown = (record: object): JsonObject => ({ ...record });

function clockOf(world: WitnessWorld): JsonObject {
  const mode = world.isFrozen() ? 'frozen' : 'real';
  return { mode, now_ms: world.clock.now(), next_due_ms: null };
}

function rateIn(body: JsonObject): { plan?: Plan; rate_per_second?: number | null } {
  const plan = typeof body.plan === 'string' ? { plan: body.plan as Plan } : {};
  if (!('rate_per_second' in body)) return plan;
  return { ...plan, rate_per_second: body.rate_per_second as number | null };
}

export function addCredential(world: World, body: JsonObject): Credential {
  return world.store.saveCredential({
    name: textOr(body.name, 'made'),
    kind: body.kind === 'delegated' ? 'delegated' : 'server',
    client_id: `client_${randomBytes(8).toString('hex')}`,
    client_secret: `secret_${randomBytes(12).toString('hex')}`,
    firm_id: textOr(body.firm_id, '1'),
    brand_id: textOr(body.brand_id, null),
    scopes: (Array.isArray(body.scopes) ? body.scopes : []).map(String),
    read_only: body.read_only === true,
    account_id: textOr(body.account_id, null),
    minted_by: textOr(body.minted_by, null),
    plan: 'sandbox',
    rate_per_second: null,
    ...rateIn(body),
  });
}

export function addTradingAccount(
  world: WitnessWorld,
  account_id: string,
  body: JsonObject,
): TradingAccount {
  return world.store.saveTradingAccount({
    id: world.store.nextId(),
    account_id,
    currency: textOr(body.currency, 'USD'),
    provider_payouts: body.provider_payouts === true,
    entries: [],
  });
}

function shownPlace({ entries, ...place }: TradingAccount): JsonObject {
  const balance = sumOf(entries.map(({ amount }) => amount));
  return { ...place, balance, entries: entries.map((each) => ({ ...each })) };
}

function makeEvent({ world, body }: ControlCall): Told {
  const category = textOr(body.category, 'account');
  const accountId = textOr(body.account_id, null);
  const account = accountId === null ? undefined : world.store.account(accountId);
  const brandId = textOr(body.brand_id, null) ?? account?.brand_id ?? null;
  const firm = brandId === null ? undefined : world.firmOfBrand(brandId);
  const content = isObject(body.data) ? body.data : {};
  const kind = textOr(body.kind, `${category}.updated`);
  const about = { firmId: firm?.id ?? '1', brandId, accountId };
  return [201, world.style.envelope(world.emit(category, kind, about, content))];
}

function shownDelivery(each: Delivery): JsonObject {
  return {
    id: each.id,
    subscription_id: BigInt(each.subscriptionId),
    event_id: each.event.id,
    seq: each.event.seq,
    status: each.status,
    in_flight: each.inFlight,
    attempts: each.attempts.map((attempt) => ({ ...attempt })),
    next_due_ms: each.status === 'pending' ? each.dueAtMs : null,
  };
}
