// A small control plane: what an operator does to one world, as far as judges ask for it.
import { randomBytes } from 'node:crypto';
import { rateOf } from '../checks/limits.ts';
import { emit } from '../events.ts';
import type { SecondMind } from '../mind.ts';
import { balanceOf, settle } from '../operations/money-moves.ts';
import { newToken } from '../operations/tokens.ts';
import { transactionBody } from '../operations/transactions.ts';
import { isObject, type Json, type JsonObject, textOr } from '../values/json.ts';
import type {
  Account,
  Credential,
  Fault,
  Firm,
  Plan,
  TradingAccount,
  Transaction,
} from '../values/records.ts';

export interface Order {
  readonly mind: SecondMind;
  /** The parts of the path behind the row's first word. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

export type Told = readonly [status: number, body: Json];

export const NONE: Told = [404, { code: 'not_found', detail: 'there is no such row or record' }];

const textAt = (body: JsonObject, name: string) => textOr(body[name], null);

/** The rows, by method and the first word of the path. */
export const ROWS: Readonly<Record<string, (order: Order) => Told>> = {
  'GET credentials': ({ mind }) => [
    200,
    { credentials: mind.credentials.map((each) => shownCredential(mind, each)) },
  ],
  'POST credentials': addCredential,
  'PATCH credentials': changeCredential,
  'GET firms': ({ mind, rest }) => firmOr(mind, rest[0]),
  'PATCH firms': changeFirm,
  'POST accounts': addTradingAccount,
  'GET accounts': ({ mind }) => [200, { accounts: mind.accounts.map(knownAccount) }],
  'GET trading-accounts': ({ mind, rest }) => {
    const found = mind.tradingAccounts.find((each) => each.id === rest[0]);
    return found === undefined ? NONE : [200, shownTradingAccount(found)];
  },
  'GET transactions': ({ mind }) => [200, { transactions: mind.transactions.map(knownOf) }],
  'POST transactions': ({ mind, rest }) => {
    const found = mind.transactions.find((each) => each.id === rest[0]);
    if (found === undefined || rest[1] !== 'settle') return NONE;
    settle(mind, found);
    return [200, transactionBody(found)];
  },
  'GET faults': ({ mind }) => [200, { faults: mind.faults.map(({ ...each }) => each) }],
  'POST faults': addFault,
  'DELETE faults': ({ mind, rest }) => {
    const isKept = (each: Fault) => rest[0] !== undefined && each.id !== rest[0];
    mind.faults.splice(0, mind.faults.length, ...mind.faults.filter(isKept));
    return [200, {}];
  },
  'PUT dns': ({ mind, rest, body }) => {
    const host = decodeURIComponent(rest[0] ?? '');
    const addresses = (Array.isArray(body.addresses) ? body.addresses : []).map(String);
    mind.names = [...mind.names.filter((each) => each.host !== host), { host, addresses }];
    return [200, { host, addresses }];
  },
  'DELETE dns': ({ mind, rest }) => {
    mind.names = mind.names.filter((each) => each.host !== decodeURIComponent(rest[0] ?? ''));
    return [200, {}];
  },
  'GET forwards': ({ mind }) => [200, { forwards: mind.forwards }],
  'PUT forwards': ({ mind, body }) => {
    const [from, to] = [textOr(body.from, ''), textOr(body.to, '')];
    mind.forwards = [...mind.forwards.filter((each) => each.from !== from), { from, to }];
    return [200, { from, to }];
  },
  'DELETE forwards': ({ mind, query }) => {
    mind.forwards = mind.forwards.filter((each) => each.from !== query.get('from'));
    return [200, {}];
  },
  'GET events': ({ mind, query }) => {
    const after = Number(query.get('after_seq') ?? 0);
    const seen = mind.events.filter((each) => each.seq > after);
    return [200, { events: seen.map((each) => mind.style.envelope(each)) }];
  },
  'POST events': makeEvent,
  'GET deliveries': ({ mind }) => [200, { deliveries: mind.deliveries.map(shownDelivery) }],
  'POST subscriptions': ({ mind, rest }) => {
    const found = mind.subscriptions.find((each) => String(each.id) === rest[0]);
    if (found === undefined || rest[1] !== 'resume') return NONE;
    found.stopped = false;
    return [200, {}];
  },
};

export function addServer(mind: SecondMind, body: JsonObject): Credential {
  const made: Credential = {
    name: textOr(body.name, 'made'),
    kind: body.kind === 'delegated' ? 'delegated' : 'server',
    clientId: `client_${randomBytes(8).toString('hex')}`,
    clientSecret: `secret_${randomBytes(12).toString('hex')}`,
    firmId: textOr(body.firm_id, '1'),
    brandId: textAt(body, 'brand_id'),
    scopes: (Array.isArray(body.scopes) ? body.scopes : []).map(String),
    readOnly: body.read_only === true,
    accountId: textAt(body, 'account_id'),
    mintedBy: textAt(body, 'minted_by'),
    plan: textOr(body.plan, 'sandbox') as Plan,
    ratePerSecond: typeof body.rate_per_second === 'number' ? body.rate_per_second : null,
  };
  mind.credentials.push(made);
  return made;
}

function addCredential({ mind, body }: Order): Told {
  const made = addServer(mind, body);
  return [201, { ...shownCredential(mind, made), token: newToken(mind, made.clientId, null) }];
}

function shownCredential(mind: SecondMind, each: Credential): JsonObject {
  return {
    name: each.name,
    kind: each.kind,
    client_id: each.clientId,
    client_secret: each.clientSecret,
    firm_id: each.firmId,
    brand_id: each.brandId,
    scopes: [...each.scopes],
    read_only: each.readOnly,
    account_id: each.accountId,
    plan: each.plan,
    rate_per_second: rateOf(mind, each),
  };
}

function changeCredential({ mind, rest, body }: Order): Told {
  const found = mind.credentials.find((each) => each.clientId === rest[0]);
  if (found === undefined) return NONE;
  if (Array.isArray(body.scopes)) found.scopes = body.scopes.map(String);
  if (typeof body.plan === 'string') found.plan = body.plan as Plan;
  if ('rate_per_second' in body) found.ratePerSecond = body.rate_per_second as number | null;
  return [200, shownCredential(mind, found)];
}

function firmOr(mind: SecondMind, id: string | undefined): Told {
  const found = mind.firms.find((each) => each.id === id);
  return found === undefined ? NONE : [200, shownFirm(found)];
}

function shownFirm({ id, brands, plan, ratePerSecond, permissions }: Firm): JsonObject {
  return { id, brands: [...brands], plan, rate_per_second: ratePerSecond, permissions };
}

function changeFirm({ mind, rest, body }: Order): Told {
  const found = mind.firms.find((each) => each.id === rest[0]);
  if (found === undefined) return NONE;
  if (isObject(body.permissions)) {
    for (const [name, allowed] of Object.entries(body.permissions)) {
      found.permissions[name] = allowed === true;
    }
  }
  if (typeof body.plan === 'string') found.plan = body.plan as Plan;
  if ('rate_per_second' in body) found.ratePerSecond = body.rate_per_second as number | null;
  return [200, shownFirm(found)];
}

function addTradingAccount({ mind, rest, body }: Order): Told {
  const account = mind.accounts.find((each) => each.id === rest[0]);
  if (account === undefined || rest[1] !== 'trading-accounts') return NONE;
  const made: TradingAccount = {
    id: mind.nextId(),
    accountId: account.id,
    currency: textOr(body.currency, 'USD'),
    providerPayouts: body.provider_payouts === true,
    entries: [],
  };
  mind.tradingAccounts.push(made);
  return [201, shownTradingAccount(made)];
}

function shownTradingAccount(each: TradingAccount): JsonObject {
  return {
    id: each.id,
    account_id: each.accountId,
    currency: each.currency,
    provider_payouts: each.providerPayouts,
    balance: balanceOf(each),
    entries: each.entries.map(({ transactionId, amount, kind, atMs }) => ({
      transaction_id: transactionId,
      amount,
      kind,
      at_ms: atMs,
    })),
  };
}

function knownAccount({ id, reference, email, brandId, revision }: Account): JsonObject {
  return { id, client_reference_id: reference, email, brand_id: brandId, revision };
}

function knownOf(each: Transaction): JsonObject {
  return {
    ...transactionBody(each),
    client_reference_id: each.reference,
    reason: each.reason,
    operator: each.actedBy,
  };
}

function addFault({ mind, body }: Order): Told {
  const made: Fault = {
    id: `fault_${mind.count('faults')}`,
    match: isObject(body.match) ? body.match : {},
    phase: body.phase === 'after' ? 'after' : 'before',
    effect: isObject(body.effect) ? body.effect : {},
    times: typeof body.times === 'number' ? body.times : Number.POSITIVE_INFINITY,
    hits: 0,
  };
  mind.faults.push(made);
  const { id, match, phase, effect, hits } = made;
  return [201, { id, match: { ...match }, phase, effect: { ...effect }, hits }];
}

function makeEvent({ mind, body }: Order): Told {
  const category = textOr(body.category, 'account');
  const accountId = textAt(body, 'account_id');
  const account = mind.accounts.find((each) => each.id === accountId);
  const brandId = textAt(body, 'brand_id') ?? account?.brandId ?? null;
  const firm = mind.firms.find((each) => brandId !== null && each.brands.includes(brandId));
  const about = { firmId: firm?.id ?? '1', brandId, id: accountId };
  const content = isObject(body.data) ? body.data : {};
  const kind = textOr(body.kind, `${category}.updated`);
  return [201, mind.style.envelope(emit(mind, category, kind, about, content))];
}

function shownDelivery(each: SecondMind['deliveries'][number]): JsonObject {
  return {
    id: each.id,
    subscription_id: each.subscriptionId,
    event_id: each.event.id,
    seq: each.event.seq,
    status: each.status,
    attempts: each.attempts.map(({ n, atMs, status, error, signature }) => ({
      n,
      at_ms: atMs,
      status,
      error,
      signature,
    })),
    next_due_ms: each.status === 'pending' ? each.dueAtMs : null,
  };
}
