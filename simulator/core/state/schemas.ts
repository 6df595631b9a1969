// What the records of a state are made of, as data: every member that the program will read later.
import { mapProfile } from '../../../fixtures/schemas/account-profile.ts';
import type { Schema } from '../../../fixtures/schemas/validate.ts';
import type { Facts } from '../call.ts';
import {
  type Fault,
  type FaultMatch,
  faultRefusals,
  faultStatuses,
} from '../pipeline/find-fault.ts';
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
} from '../records.ts';
import type { Timer } from '../timers.ts';
import type { Counters, IdEra, SuspendedCall, WorldOptions } from '../world.ts';
import {
  call,
  count,
  decimal,
  flag,
  id,
  listOf,
  mapOf,
  number,
  oneOf,
  operation,
  orNull,
  plan,
  rate,
  record,
  reply,
  text,
  time,
} from './schema-parts.ts';

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
    ...mapProfile(() => orNull(text)),
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
  faults: record<Fault>(
    {
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
      effect: record<{ kind: string; status: number; ms: number; code: string; bytes: number }>(
        {
          kind: oneOf(
            ...['status', 'refuse', 'delay', 'hang', 'reset', 'truncate', 'slow_body'],
            ...['drop', 'duplicate', 'bad_signature', 'stale_timestamp'],
          ),
          status: { type: 'integer', enum: faultStatuses },
          ms: time,
          code: oneOf(...faultRefusals),
          bytes: count,
        },
        ['status', 'ms', 'code', 'bytes'],
      ),
      times: orNull(count),
      hits: count,
      nth: count,
      probability: number,
      matches: count,
    },
    ['nth', 'probability', 'matches'],
  ),
  finishedDeliveries: id,
  timers: record<Timer>({
    dueAtMs: time,
    sequence: count,
    kind: oneOf('settle', 'wake', 'abandon', 'answer', 'piece', 'deliver'),
    ref: id,
  }),
  held: record<SuspendedCall>({
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
  idEras: listOf(record<IdEra>({ afterSeq: count, afterRequest: count, tag: text })),
  options: record<WorldOptions>({ allowLocalWebhooks: flag, begun_as: {} }, ['begun_as']),
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
