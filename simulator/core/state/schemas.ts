// What a saved state consists of, by the name of each member: lists of records, maps kept as pairs,
// and the rest.
import { ofType, type Schema } from '../../../fixtures/schemas/kit.ts';
import { faultSchema } from '../pipeline/find-fault.ts';
import { count, id, listOf, mapOf, record, text, time } from '../record-kit.ts';
import {
  accountSchema,
  brandSchema,
  bucketSchema,
  credentialSchema,
  deliverySchema,
  firmSchema,
  keySchema,
  orderSchema,
  positionSchema,
  subscriptionSchema,
  tokenSchema,
  tradingAccountSchema,
  transactionSchema,
} from '../records.ts';
import { timerSchema } from '../timers.ts';
import { type Counters, idEraSchema, suspendedCallSchema, worldOptionsSchema } from '../world.ts';

/** Records that a world keeps by id: in a state a list, each found again under this member. */
export const lists = {
  firms: 'id',
  brands: 'id',
  credentials: 'client_id',
  tokens: 'token',
  accounts: 'id',
  tradingAccounts: 'id',
  transactions: 'id',
  positions: 'id',
  orders: 'id',
  subscriptions: 'id',
  deliveries: 'id',
  faults: 'id',
} as const;

/** Records that are kept in lists, by the name of the list. */
export const recordSchemas = {
  firms: firmSchema,
  brands: brandSchema,
  credentials: credentialSchema,
  tokens: tokenSchema,
  accounts: accountSchema,
  tradingAccounts: tradingAccountSchema,
  transactions: transactionSchema,
  positions: positionSchema,
  orders: orderSchema,
  subscriptions: subscriptionSchema,
  deliveries: deliverySchema,
  faults: faultSchema,
  finishedDeliveries: id,
  timers: timerSchema,
  suspendedCalls: suspendedCallSchema,
} as const satisfies Readonly<Record<string, Schema>>;

/** Maps kept as pairs: what stands beside the key, by the name of the map. */
export const pairSchemas = {
  keys: keySchema,
  buckets: bucketSchema,
  tokenRequests: listOf(time),
  names: listOf(text),
  forwards: text,
} as const satisfies Readonly<Record<string, Schema>>;

const anyList = ofType<readonly unknown[]>({ type: 'array' });

/** The members that are no lists of records. Counters may be fewer: the rest begin anew. */
export const plainSchemas = {
  name: text,
  seed: text,
  startedAtMs: time,
  idEras: listOf(idEraSchema),
  options: worldOptionsSchema,
  nowMs: time,
  counters: mapOf(count),
  events: record({ first: count, lastSeq: count, records: anyList }),
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
  suspendedCall: 'suspendedCalls',
} as const satisfies Readonly<Partial<Record<keyof Counters, keyof typeof recordSchemas>>>;
