// Records as JSON text, printed once and then sent and stored unchanged; and the ids of events and
// requests.

import * as schemas from '../../fixtures/schemas/records.ts';
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

/** A refusal before it is printed (ERR-1). */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

/** The members of a record that callers are shown, in their order; undefined is left out. */
function pick<R extends object>(members: object) {
  const names = Object.keys(members) as (keyof R & string)[];
  return (record: R, absent: '' | null | undefined): Record<string, unknown> => {
    const picked: Record<string, unknown> = {};
    for (const name of names) picked[name] = record[name] ?? absent;
    return picked;
  };
}

/** ACC-18: never includes the email. */
const pickAccount = pick<Account>(schemas.accountMembers.api);
/** TXN-8, TXN-9, TXS-19: without reason and operator. */
const pickTransaction = pick<Transaction>(schemas.transactionMembers.api);
const pickOrder = pick<Order>(schemas.orderMembers);
const pickPosition = pick<Position>(schemas.positionMembers.api);
const pickSubscription = pick<Subscription>(schemas.subscriptionMembers.api);

/** How records are shown, as JSON text. */
export function serializePolicy(settings: Settings) {
  /** NS-44: how a value that was never set is shown. */
  const absent = ({ null: null, empty: '', left_out: undefined } as const)[
    settings.absent_optionals
  ];
  const errorEntry = errorEntries[settings.error_entry];
  /** Many subscriptions get the same event at about the same time, so it is printed once. */
  const recentEnvelopes: { readonly event: EventRecord; readonly text: string }[] = [];
  return {
    account: (account: Account) => JSON.stringify(pickAccount(account, absent)),
    // CONV-3: the reads give these ids as numbers, the writes as strings.
    accountRead: (account: Account) => {
      const id = Number(account.id);
      return JSON.stringify({ record_id: id, account_id: id, ...pickAccount(account, absent) });
    },
    transaction: (transaction: Transaction) => JSON.stringify(pickTransaction(transaction, null)),
    transactionRead: (transaction: Transaction) =>
      JSON.stringify({
        record_id: Number(transaction.id),
        ...pickTransaction(transaction, null),
        account_id: Number(transaction.account_id),
      }),
    /** NS-1. */
    order: (order: Order) => JSON.stringify(pickOrder(order, null)),
    position: (position: Position) => {
      const status = position.closed_at === null ? 'open' : 'closed';
      return JSON.stringify({ ...pickPosition(position, null), status });
    },
    /** HOOK-3: only create and rotate pass a secret. */
    subscription: (subscription: Subscription, secret: string | null) => {
      const shown = pickSubscription(subscription, null);
      // NS-52.
      if (settings.subscription_brand_id === 'number' && subscription.brand_id !== null) {
        shown.brand_id = Number(subscription.brand_id);
      }
      return JSON.stringify(secret === null ? shown : { ...shown, secret });
    },
    /** ERR-1a, ERR-1b, NS-13. */
    problem: ({ title, status, code, detail, errors }: Problem, requestId: string) =>
      JSON.stringify({
        type: `${docsUrl}/errors/${code}`,
        ...{ title, status, code, detail, request_id: requestId },
        errors: errors.map(errorEntry),
      }),
    /** EVT-2a, NS-9: contains the record as the API showed it when it changed. */
    envelope: (event: EventRecord, world: World) => {
      const known = recentEnvelopes[event.seq % 64];
      if (known?.event === event) return known.text;
      const { seq, category, kind, occurred_at, firm_id, brand_id, account_id, body } = event;
      const head = JSON.stringify({
        id: eventId(world, seq),
        [settings.envelope_seq_name]: seq,
        ...{ category, kind, occurred_at, firm_id, brand_id, account_id },
      });
      const text = `${head.slice(0, -1)},"data":${body}}`;
      recentEnvelopes[seq % 64] = { event, text };
      return text;
    },
  };
}

type ErrorEntry = Problem['errors'][number];

const errorEntries: Readonly<Record<Settings['error_entry'], (entry: ErrorEntry) => unknown>> = {
  text: ({ field, message }) => `${field}: ${message}`,
  pointer_detail: ({ field, message: detail }) => ({
    pointer: `/${field.replaceAll('.', '/')}`,
    detail,
  }),
  field_message: ({ field, message }) => ({ field, message }),
};

/** NS-54, CONV-3. */
export const serializeAccountStatus = ({ id, status, revision }: Account): string =>
  JSON.stringify({ account_id: Number(id), status, revision });
