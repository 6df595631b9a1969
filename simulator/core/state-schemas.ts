// What the records of a state are made of, as data: every member that the program will read later.
import type { Schema } from '../../fixtures/schemas/fit.ts';
import type { Call, Facts, Reply } from './call.ts';
import type { Fault, FaultMatch } from './faults.ts';
import type {
  Account,
  Brand,
  Bucket,
  Credential,
  Delivery,
  DeliveryAttempt,
  Entry,
  EventRecord,
  Firm,
  KeyRecord,
  Order,
  Position,
  Subscription,
  Token,
  TradingAccount,
  Transaction,
} from './records.ts';
import { operationNames } from './tables/operations.ts';
import { planRates } from './tables/plans.ts';
import type { Timer } from './timers.ts';
import type { Counters, Held, WorldOptions } from './world.ts';

/** The last time that a date can be made of. */
export const lastTimeMs = 8_640_000_000_000_000;

/** An object of these members at least; one per member of the type, so that none is forgotten. */
function record<T>(
  properties: Readonly<Record<keyof T & string, Schema>>,
  optional: readonly (keyof T & string)[] = [],
): Schema {
  const names = Object.keys(properties) as (keyof T & string)[];
  const required = names.filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const text: Schema = { type: 'string' };
const id: Schema = { type: 'string', minLength: 1 };
const flag: Schema = { type: 'boolean' };
const number: Schema = { type: 'number' };
const count: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const time: Schema = { type: 'integer', minimum: 0, maximum: lastTimeMs };
const rate: Schema = { type: ['number', 'null'], minimum: 0 };
const decimal: Schema = {
  type: 'string',
  // Sums may be longer than what a caller may send; the exponent is bounded as there (NS-49).
  pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d{1,3})?$',
  description: 'It is an exact decimal such as "10.50".',
};
const headerValue: Schema = {
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
  description: 'It is the value of a header.',
};

const orNull = (schema: Schema): Schema => ({
  ...schema,
  type: [...[schema.type ?? []].flat(), 'null'],
});
const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const mapOf = (values: Schema): Schema => ({
  type: 'object',
  properties: {},
  additionalProperties: values,
});
const plan = oneOf(...Object.keys(planRates));
const operation = oneOf(...operationNames);

const reply = record<Reply>(
  {
    status: { type: 'integer', minimum: 100, maximum: 999 },
    contentType: orNull(oneOf('application/json', 'application/problem+json', 'text/plain')),
    body: text,
    etag: headerValue,
    headers: mapOf(headerValue),
  },
  ['etag', 'headers'],
);

/** A call as it is written down: its body is base64. */
const call = record<Call>(
  {
    method: text,
    target: text,
    // One by one they are a text or a list of them.
    headers: mapOf({ type: ['string', 'array'], items: text }),
    body: text,
    oversize: flag,
    upgrade: flag,
  },
  ['oversize', 'upgrade'],
);

/** Records that are kept in lists, by the name of the list. */
export const recordSchemas = {
  firms: record<Firm>({
    id,
    name: text,
    plan,
    ratePerSecond: rate,
    permissions: mapOf(flag),
  }),
  brands: record<Brand>({ id, firmId: id, name: text }),
  credentials: record<Credential>({
    clientId: id,
    name: text,
    kind: oneOf('server', 'delegated'),
    clientSecret: text,
    firmId: id,
    brandId: orNull(id),
    scopes: listOf(text),
    readOnly: flag,
    accountId: orNull(id),
    mintedBy: orNull(id),
    plan,
    ratePerSecond: rate,
  }),
  tokens: record<Token>({
    token: id,
    clientId: id,
    expiresAtMs: orNull(time),
    scopes: orNull(listOf(text)),
  }),
  accounts: record<Account>({
    id,
    firmId: id,
    brandId: id,
    reference: text,
    email: text,
    phone: orNull(text),
    firstName: orNull(text),
    lastName: orNull(text),
    country: orNull(text),
    language: orNull(text),
    status: text,
    revision: count,
    createdAtMs: time,
    firstDepositId: orNull(id),
  }),
  tradingAccounts: record<TradingAccount>({
    id,
    accountId: id,
    currency: text,
    providerPayouts: flag,
    balance: decimal,
    entries: listOf(
      record<Entry>({
        transactionId: orNull(id),
        amount: decimal,
        kind: oneOf('movement', 'compensation'),
        atMs: time,
      }),
    ),
  }),
  transactions: record<Transaction>({
    id,
    firmId: id,
    brandId: id,
    accountId: id,
    tradingAccountId: id,
    reference: text,
    currency: text,
    amount: decimal,
    // A deviation may keep it as it was sent.
    method: orNull(text),
    transactionType: text,
    status: oneOf('pending', 'approved', 'settled', 'rejected', 'cancelled'),
    isFtd: flag,
    createdAtMs: time,
    reason: orNull(text),
    operator: orNull(text),
  }),
  positions: record<Position>({
    id,
    tradingAccountId: id,
    accountId: id,
    instrument: text,
    side: text,
    volume: decimal,
    openPrice: decimal,
    openedAtMs: time,
    closedAtMs: orNull(time),
  }),
  orders: record<Order>({
    id,
    tradingAccountId: id,
    positionId: id,
    instrument: text,
    side: text,
    volume: decimal,
    price: decimal,
    status: oneOf('filled'),
    createdAtMs: time,
  }),
  subscriptions: record<Subscription>({
    id: count,
    firmId: id,
    brandId: orNull(id),
    url: text,
    categories: listOf(text),
    disabled: flag,
    disabledReason: orNull(text),
    lastDeliveredSeq: count,
    createdAtMs: time,
    secret: text,
    previousSecret: orNull(text),
    rotatedAtMs: orNull(time),
    cursorSeq: count,
    stopped: flag,
  }),
  deliveries: record<Delivery>({
    id,
    subscriptionId: count,
    seq: count,
    status: oneOf('pending', 'delivered', 'exhausted', 'stopped'),
    attempts: listOf(
      record<DeliveryAttempt>({
        n: count,
        atMs: time,
        status: orNull(count),
        error: orNull(text),
        durationMs: orNull(number),
        signature: orNull(text),
      }),
    ),
    inFlight: flag,
    nextDueMs: orNull(time),
    roundStart: count,
  }),
  faults: record<Fault>({
    id,
    match: record<FaultMatch>(
      {
        operation,
        method: text,
        path: text,
        client_id: text,
        webhook: { type: ['boolean', 'string'] },
      },
      ['operation', 'method', 'path', 'client_id', 'webhook'],
    ),
    phase: oneOf('before', 'after'),
    effect: record<{ kind: string; status: number; ms: number }>(
      {
        kind: oneOf(
          ...['status', 'delay', 'hang', 'reset'],
          ...['drop', 'duplicate', 'bad_signature', 'stale_timestamp'],
        ),
        status: { type: 'integer', enum: [429, 500, 503] },
        ms: time,
      },
      ['status', 'ms'],
    ),
    times: orNull(count),
    hits: count,
  }),
  finishedDeliveries: id,
  timers: record<Timer>({
    dueAtMs: time,
    sequence: count,
    kind: oneOf('settle', 'wake', 'abandon', 'answer', 'deliver'),
    ref: id,
  }),
  held: record<Held>({
    id,
    n: count,
    requestId: text,
    askedAtMs: time,
    call,
    operation,
    clientId: orNull(id),
    keyId: orNull(text),
    subject: orNull(text),
    facts: record<Facts>({ addresses: orNull(listOf(text)) }),
    reply: orNull(reply),
    wakeAtMs: orNull(time),
    faultId: id,
    abandoned: flag,
  }),
} as const satisfies Readonly<Record<string, Schema>>;

export const eventSchema = record<EventRecord>({
  seq: count,
  category: text,
  kind: text,
  atMs: time,
  firmId: text,
  brandId: orNull(text),
  accountId: orNull(text),
  body: text,
});

export const keySchema = record<KeyRecord>({ atMs: time, reply: orNull(reply), attempt: count });

/** What stands beside the key in the pairs of a map, by the name of the map. */
export const pairSchemas = {
  buckets: record<Bucket>({ units: number, atMs: time }),
  tokenRequests: listOf(time),
  names: listOf(text),
  forwards: text,
} as const satisfies Readonly<Record<string, Schema>>;

/** The members that are no lists of records. Counters may be fewer: the rest begin anew. */
export const plainSchemas = {
  name: text,
  seed: text,
  startedAtMs: time,
  options: record<WorldOptions>({ allowLocalWebhooks: flag }),
  nowMs: time,
  counters: mapOf(count),
  keys: record<{ young: unknown; old: unknown; turnedAtMs: number }>({
    young: { type: 'array' },
    old: { type: 'array' },
    turnedAtMs: time,
  }),
  events: record<{ first: number; lastSeq: number; records: unknown }>({
    first: count,
    lastSeq: count,
    records: { type: 'array' },
  }),
} as const satisfies Readonly<Record<string, Schema>>;

/** Numbers that no id of these lists may be beyond: the next one would take its place. */
export const countedLists = {
  account: 'accounts',
  tradingAccount: 'tradingAccounts',
  transaction: 'transactions',
  position: 'positions',
  order: 'orders',
  subscription: 'subscriptions',
  delivery: 'deliveries',
  fault: 'faults',
  held: 'held',
} as const satisfies Readonly<Partial<Record<keyof Counters, keyof typeof recordSchemas>>>;
