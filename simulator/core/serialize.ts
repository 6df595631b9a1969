// How records look on the wire, as JSON text that is made once and then sent and stored as it is; and
// the ids of events and requests.

import { mapProfile } from '../../fixtures/schemas/account-profile.ts';
import type { Settings } from '../../fixtures/settings.ts';
import type {
  Account,
  EventRecord,
  Order,
  Position,
  Subscription,
  Transaction,
} from './records.ts';
import { seededToken } from './values/digest.ts';
import type { IdEra, World } from './world.ts';

const letters = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * What a world begins with. The nonce is of the host's making, and empty where all is to be the
 * same each time: then seed and name alone decide.
 */
export function firstIdEra(name: string, seed: string, nonce: string): IdEra {
  return { afterSeq: 0, afterRequest: 0, tag: tagOf(name, seed, nonce) };
}

const tagOf = (name: string, seed: string, nonce: string): string =>
  seededToken(seed, `tag:${name}${nonce === '' ? '' : `:${nonce}`}`, 6, letters);

/**
 * From here on ids are others: what a saved world goes on with may have happened before, otherwise,
 * and a receiver that remembers ids must not take it for that. What is past keeps its ids (EVT-2b).
 */
export function beginIdEra(world: World, nonce: string): void {
  const tag = tagOf(world.name, world.seed, nonce);
  const last = world.idEras[world.idEras.length - 1];
  if (last?.tag === tag) return;
  const era = { afterSeq: world.events.lastSeq, afterRequest: world.counters.request, tag };
  // Of one that nothing happened in nothing is left to name.
  const isIdle = last?.afterSeq === era.afterSeq && last.afterRequest === era.afterRequest;
  const kept = isIdle ? world.idEras.slice(0, -1) : world.idEras;
  // An era is over once its events are forgotten.
  const begin = kept.findLastIndex(({ afterSeq }) => afterSeq < world.events.first);
  world.idEras = [...kept.slice(Math.max(0, begin)), era];
}

/** EVT-2b: made of the sequence number, so every delivery of an event carries the same id. */
export function eventId({ idEras }: World, seq: number): string {
  const era = idEras.findLast(({ afterSeq }) => afterSeq < seq) ?? idEras[0];
  return `evt_${era?.tag}${seq.toString(36).padStart(8, '0')}`;
}

export function requestId({ idEras }: World, n: number): string {
  const last = idEras[idEras.length - 1];
  const era =
    last !== undefined && last.afterRequest < n
      ? last
      : (idEras.findLast(({ afterRequest }) => afterRequest < n) ?? idEras[0]);
  return `req_${era?.tag}${n.toString(36).padStart(6, '0')}`;
}

/** ERR-1b: where the documentation of each error lives. */
const docsUrl = 'https://docs.trading-platform.example';

/** NS-44: how what was never given reads; a member that is undefined is not printed. */
const ABSENT: Readonly<Record<Settings['absent_optionals'], Absent>> = {
  null: null,
  empty: '',
  left_out: undefined,
};

type Absent = '' | null | undefined;

/** A refusal before it is printed (ERR-1). */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

/** How records are shown, as JSON text. */
export function serializePolicy(settings: Settings) {
  const absent = ABSENT[settings.absent_optionals];
  return {
    account: (account: Account) => JSON.stringify(accountFields(account, absent)),
    // CONV-3: the reads give these ids as numbers, the writes as strings.
    accountRead: (account: Account) => {
      const id = Number(account.id);
      return JSON.stringify({ record_id: id, account_id: id, ...accountFields(account, absent) });
    },
    transaction: (transaction: Transaction) => JSON.stringify(transactionFields(transaction)),
    transactionRead: (transaction: Transaction) =>
      JSON.stringify({
        record_id: Number(transaction.id),
        ...transactionFields(transaction),
        account_id: Number(transaction.account_id),
      }),
    order: serializeOrder,
    position: serializePosition,
    subscription: (subscription: Subscription, secret: string | null) =>
      JSON.stringify(subscriptionFields(subscription, secret, settings)),
    problem: (problem: Problem, requestId: string) =>
      serializeProblem(problem, requestId, settings.error_entry),
    envelope: recentEnvelopes(settings),
  };
}

/** NS-54, CONV-3. */
export const serializeAccountStatus = ({ id, status, revision }: Account): string =>
  JSON.stringify({ account_id: Number(id), status, revision });

/**
 * ACC-18: exactly these fields; the email is never among them.
 */
function accountFields(account: Account, absent: Absent) {
  return {
    id: account.id,
    revision: account.revision,
    client_reference_id: account.client_reference_id,
    ...mapProfile((field) => account[field] ?? absent),
    phone: account.phone ?? absent,
    status: account.status,
    brand_id: account.brand_id,
    firm_id: account.firm_id,
  };
}

/** TXN-8, TXN-9, TXS-19: exactly these fields; reason and operator stay inside. */
function transactionFields(transaction: Transaction) {
  return {
    id: transaction.id,
    account_id: transaction.account_id,
    trading_account_id: transaction.trading_account_id,
    currency: transaction.currency,
    amount: transaction.amount,
    method: transaction.method,
    transaction_type: transaction.transaction_type,
    status: transaction.status,
    is_ftd: transaction.is_ftd,
    created_at: transaction.created_at,
  };
}

/** NS-1. */
const serializeOrder = (order: Order): string =>
  JSON.stringify({
    id: order.id,
    trading_account_id: order.trading_account_id,
    position_id: order.position_id,
    instrument: order.instrument,
    side: order.side,
    volume: order.volume,
    price: order.price,
    status: order.status,
    created_at: order.created_at,
  });

/** NS-1. */
const serializePosition = (position: Position): string =>
  JSON.stringify({
    id: position.id,
    trading_account_id: position.trading_account_id,
    instrument: position.instrument,
    side: position.side,
    volume: position.volume,
    open_price: position.open_price,
    status: position.closed_at === null ? 'open' : 'closed',
    opened_at: position.opened_at,
    closed_at: position.closed_at,
  });

/** HOOK-2, HOOK-3: the secret is shown only by the two operations that pass one. */
function subscriptionFields(subscription: Subscription, secret: string | null, settings: Settings) {
  const { brand_id: brandId } = subscription;
  return {
    id: subscription.id,
    url: subscription.url,
    // NS-52.
    brand_id:
      brandId !== null && settings.subscription_brand_id === 'number' ? Number(brandId) : brandId,
    event_categories: subscription.event_categories,
    disabled: subscription.disabled,
    disabled_reason: subscription.disabled_reason,
    last_delivered_seq: subscription.last_delivered_seq,
    created_at: subscription.created_at,
    ...(secret === null ? {} : { secret }),
  };
}

/** ERR-1a, ERR-1b, NS-13. */
function serializeProblem(
  problem: Problem,
  requestId: string,
  entryForm: Settings['error_entry'],
): string {
  return JSON.stringify({
    type: `${docsUrl}/errors/${problem.code}`,
    title: problem.title,
    status: problem.status,
    code: problem.code,
    detail: problem.detail,
    request_id: requestId,
    errors: problem.errors.map((entry) => {
      if (entryForm === 'text') return `${entry.field}: ${entry.message}`;
      if (entryForm === 'pointer_detail') {
        return { pointer: `/${entry.field.replaceAll('.', '/')}`, detail: entry.message };
      }
      return { field: entry.field, message: entry.message };
    }),
  });
}

/** Many subscriptions get the same event at about the same time: it is printed once for them. */
function recentEnvelopes(settings: Settings) {
  interface Printed {
    readonly event: EventRecord;
    readonly text: string;
  }
  const recent: (Printed | undefined)[] = new Array(64).fill(undefined);
  return (event: EventRecord, world: World): string => {
    const slot = event.seq % recent.length;
    const known = recent[slot];
    if (known?.event === event) return known.text;
    const text = serializeEnvelope(event, world, settings);
    recent[slot] = { event, text };
    return text;
  };
}

/** EVT-2a, NS-9: the record stands in it as the API showed it when it changed. */
function serializeEnvelope(event: EventRecord, world: World, settings: Settings): string {
  const head = JSON.stringify({
    id: eventId(world, event.seq),
    [settings.envelope_seq_name]: event.seq,
    category: event.category,
    kind: event.kind,
    occurred_at: event.occurred_at,
    firm_id: event.firm_id,
    brand_id: event.brand_id,
    account_id: event.account_id,
  });
  return `${head.slice(0, -1)},"data":${event.body}}`;
}
