// Records as JSON text, printed once and then sent and stored unchanged; and the ids of events and
// requests.

import {
  accountMembers,
  orderMembers,
  positionMembers,
  subscriptionMembers,
  transactionMembers,
} from '../../fixtures/schemas/records.ts';
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

/** If the nonce is empty, seed and name alone determine the ids. */
export function firstIdEra(name: string, seed: string, nonce: string): IdEra {
  return { afterSeq: 0, afterRequest: 0, tag: tagOf(name, seed, nonce) };
}

const tagOf = (name: string, seed: string, nonce: string): string =>
  seededToken(seed, `tag:${name}${nonce === '' ? '' : `:${nonce}`}`, 6, letters);

/**
 * Changes all later ids: a restored world uses the same numbers for other events, and a receiver
 * that remembers ids must not mistake them for known ones. Past events keep their ids (EVT-2b).
 */
export function beginIdEra(world: World, nonce: string): void {
  const tag = tagOf(world.name, world.seed, nonce);
  const last = world.idEras[world.idEras.length - 1];
  if (last?.tag === tag) return;
  const era = { afterSeq: world.events.lastSeq, afterRequest: world.counters.request, tag };
  // Without new ids since the last change there is nothing to protect.
  const isIdle = last?.afterSeq === era.afterSeq && last.afterRequest === era.afterRequest;
  const kept = isIdle ? world.idEras.slice(0, -1) : world.idEras;
  // An era can be dropped when its events are forgotten.
  const begin = kept.findLastIndex(({ afterSeq }) => afterSeq < world.events.first);
  world.idEras = [...kept.slice(Math.max(0, begin)), era];
}

/** EVT-2b: derived from the sequence number, so every delivery of an event has the same id. */
export function eventId({ idEras }: World, seq: number): string {
  const era = idEras.findLast(({ afterSeq }) => afterSeq < seq) ?? idEras[0];
  return `evt_${era?.tag}${seq.toString(36).padStart(8, '0')}`;
}

export function requestId({ idEras }: World, n: number): string {
  const era = idEras.findLast(({ afterRequest }) => afterRequest < n) ?? idEras[0];
  return `req_${era?.tag}${n.toString(36).padStart(6, '0')}`;
}

/** ERR-1b: base URL of the error documentation. */
const docsUrl = 'https://docs.trading-platform.example';

/** NS-44: how a value that was never set is shown; an undefined member is omitted. */
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
  /** Many subscriptions get the same event at about the same time, so it is printed once. */
  const recentEnvelopes: { readonly event: EventRecord; readonly text: string }[] = [];
  return {
    account: (account: Account) => JSON.stringify(pickAccount(account, absent)),
    // CONV-3: the reads give these ids as numbers, the writes as strings.
    accountRead: (account: Account) => {
      const id = Number(account.id);
      return JSON.stringify({ record_id: id, account_id: id, ...pickAccount(account, absent) });
    },
    transaction: (transaction: Transaction) => JSON.stringify(pickTransaction(transaction)),
    transactionRead: (transaction: Transaction) =>
      JSON.stringify({
        record_id: Number(transaction.id),
        ...pickTransaction(transaction),
        account_id: Number(transaction.account_id),
      }),
    /** NS-1. */
    order: (order: Order) => JSON.stringify(pickOrder(order)),
    position: (position: Position) => {
      const status = position.closed_at === null ? 'open' : 'closed';
      return JSON.stringify({ ...pickPosition(position), status });
    },
    /** HOOK-3: only create and rotate pass a secret. */
    subscription: (subscription: Subscription, secret: string | null) => {
      const shown = pickSubscription(subscription);
      // NS-52.
      if (settings.subscription_brand_id === 'number' && subscription.brand_id !== null) {
        shown.brand_id = Number(subscription.brand_id);
      }
      return JSON.stringify(secret === null ? shown : { ...shown, secret });
    },
    problem: (problem: Problem, requestId: string) =>
      serializeProblem(problem, requestId, settings.error_entry),
    envelope: (event: EventRecord, world: World) => {
      const known = recentEnvelopes[event.seq % 64];
      if (known?.event === event) return known.text;
      const text = serializeEnvelope(event, world, settings);
      recentEnvelopes[event.seq % 64] = { event, text };
      return text;
    },
  };
}

/** NS-54, CONV-3. */
export const serializeAccountStatus = ({ id, status, revision }: Account): string =>
  JSON.stringify({ account_id: Number(id), status, revision });

/** The members of a record that callers are shown, in their order. */
function pick<R extends object>(members: object): (record: R) => Record<string, unknown> {
  const names = Object.keys(members) as (keyof R & string)[];
  return (record) => {
    const picked: Record<string, unknown> = {};
    for (const name of names) picked[name] = record[name];
    return picked;
  };
}

/** TXN-8, TXN-9, TXS-19: without reason and operator. */
const pickTransaction = pick<Transaction>(transactionMembers.api);
const pickOrder = pick<Order>(orderMembers);
const pickPosition = pick<Position>(positionMembers.api);
const pickSubscription = pick<Subscription>(subscriptionMembers.api);
const accountNames = Object.keys(accountMembers.api) as (keyof typeof accountMembers.api)[];

/** ACC-18: never includes the email. */
function pickAccount(account: Account, absent: Absent): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of accountNames) picked[name] = account[name] ?? absent;
  return picked;
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

/** EVT-2a, NS-9: contains the record as the API showed it when it changed. */
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
