// What a run made on its target and what is left there, and the guard that lets a run write to
// nothing else. It sits below everything that sends, so that no request escapes it.

import { isIP } from 'node:net';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { isDecision, type OperationName, operationOf } from '../../spec/operations.ts';
import { Unreachable, WriteRefused } from '../scenario-errors.ts';
import { apiPathOf } from '../send/client.ts';
import { Headers } from '../send/headers.ts';
import { idText, type Json, memberAt, parseJson, printJson } from '../send/json.ts';
import type { Sender, WireAnswer, WireRequest } from '../send/sender.ts';

/** In the order in which reports list them. */
export const KINDS = [
  'accounts',
  'bulk_accounts',
  'transactions',
  'positions',
  'subscriptions',
  'tokens',
] as const;

export type Kind = (typeof KINDS)[number];

export const kindWords: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  accounts: ['account', 'accounts'],
  bulk_accounts: ['account by bulk', 'accounts by bulk'],
  transactions: ['transaction', 'transactions'],
  positions: ['position', 'positions'],
  subscriptions: ['webhook subscription', 'webhook subscriptions'],
  tokens: ['token', 'tokens'],
};

/** Ids that no record has: probes may name them in every path and body. */
const UNKNOWN_IDS: ReadonlySet<string> = new Set(['2147483641', '999999999', '999999999999']);

/** What a profile names; a run writes only to these records and to those that it made. */
export interface ProfileRecords {
  readonly accounts: readonly string[];
  readonly tradingAccounts: readonly string[];
  /** Settled transactions, which cancelling uses up. */
  readonly transactions: readonly string[];
  /** Values of the template that closes a position. */
  readonly closing: readonly string[];
  /** The one host that subscriptions may point to. */
  readonly webhookHost: string | undefined;
}

/** What stays on the target when the run is over. */
interface LeftOnTarget {
  readonly subscriptions: readonly string[];
  readonly positions: readonly string[];
  readonly pending: readonly string[];
  readonly approved: readonly string[];
}

const SWEEP_TIMEOUT_MS = 10_000;
/** Members of a close that may name a position, whose form is open (NS-1). */
const POSITION_NAME = /id$|ticket|position|order|deal|number/i;
/** The state that a decision leads to, if its answer does not say. */
const DECIDED = {
  approveTransaction: 'approved',
  rejectTransaction: 'rejected',
  cancelTransaction: 'cancelled',
};

export class Inventory {
  readonly baseUrl: string;
  readonly #ids: Readonly<Record<Kind, Set<string>>> = {
    ...{ accounts: new Set(), bulk_accounts: new Set(), transactions: new Set() },
    ...{ positions: new Set(), subscriptions: new Set(), tokens: new Set() },
  };
  /** The last known status of each transaction that was made. */
  readonly #statuses = new Map<string, string>();
  /** Each open position with every value of the answer that opened it. */
  readonly #positions = new Map<string, ReadonlySet<string>>();
  readonly #positionValues = new Set<string>();
  /** The `Authorization` under which each enabled subscription was made. */
  readonly #enabled = new Map<string, string>();
  /** Each URL that a create was sent with, by the `Authorization` that sent it. */
  readonly #urls = new Map<string, Set<string>>();
  #allowed: ProfileRecords | undefined;
  /** Writes without an answer: whether they ran is unknown. */
  unanswered = 0;
  requests = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** From now on only writes to what the run made and what the profile names are sent. */
  protect(allowed: ProfileRecords): void {
    this.#allowed = allowed;
  }

  /** A sender whose every request is checked, counted and noted here. */
  watch(sender: Sender): Sender {
    return {
      ...sender,
      send: async (wire) => {
        if (!wire.url.startsWith(`${this.baseUrl}/api/`)) return sender.send(wire);
        const call = callOf(wire);
        this.#check(call);
        this.requests += 1;
        if (call.operation === 'createWebhook') this.#noteUrl(call);
        try {
          const answer = await sender.send(wire);
          this.note(wire, answer);
          return answer;
        } catch (error) {
          const isLost = error instanceof Unreachable && !error.neverSent;
          if (isLost && wire.method !== 'GET') this.unanswered += 1;
          throw error;
        }
      },
    };
  }

  /** How many of each kind, none left out. */
  get made(): Readonly<Record<Kind, number>> {
    const counts = KINDS.map((kind) => [kind, this.#ids[kind].size]);
    return Object.fromEntries(counts) as Record<Kind, number>;
  }

  get left(): LeftOnTarget {
    const withStatus = (wanted: string) =>
      [...this.#statuses].filter(([, status]) => status === wanted).map(([id]) => id);
    return {
      subscriptions: [...this.#enabled.keys()],
      positions: [...this.#positions.keys()],
      pending: withStatus('pending'),
      approved: withStatus('approved'),
    };
  }

  /**
   * Lists the subscriptions, notes those of this run that are enabled, and disables them: also those
   * whose creating answer was lost.
   */
  async sweep(sender: Sender, pace: () => Promise<void> = async () => {}): Promise<void> {
    const watched = this.watch(sender);
    const send = async (method: string, path: string, authorization: string) => {
      await pace();
      const headers = [['authorization', authorization]] as const;
      const url = `${this.baseUrl}/api/v1/webhooks${path}`;
      return watched.send({ method, url, headers, body: undefined, timeoutMs: SWEEP_TIMEOUT_MS });
    };
    try {
      for (const [authorization, urls] of this.#urls) {
        const list = await send('GET', '', authorization);
        const rows = list.status < 300 ? rowsWithUrl(parseJson(list.body)) : [];
        for (const { id: rowId, url, disabled } of rows) {
          const id = idText(rowId);
          if (id === undefined || typeof url !== 'string' || !urls.has(url)) continue;
          this.#ids.subscriptions.add(id);
          if (disabled === true) this.#enabled.delete(id);
          else this.#enabled.set(id, authorization);
        }
      }
      for (const [id, authorization] of [...this.#enabled]) {
        await send('POST', `/${encodeURIComponent(id)}/disable`, authorization);
      }
    } catch (error) {
      // What is not answered now stays in the report as enabled.
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  #noteUrl({ authorization, body }: Call): void {
    const url = memberAt(body, 'url');
    if (typeof url !== 'string') return;
    const urls = this.#urls.get(authorization) ?? new Set();
    this.#urls.set(authorization, urls.add(url));
  }

  /**
   * Notes what an answer says was made or changed. Every reference of a run is its own, so a record
   * that a create names was made by this run, whether it is answered 200 or 201 (ACC-1, ACC-5).
   */
  note(wire: Omit<WireRequest, 'timeoutMs'>, { status, body }: WireAnswer): void {
    if (status < 200 || status >= 300) return;
    const call = callOf(wire);
    const answer = parseJson(body);
    const id = idText(memberAt(answer, 'id'));
    switch (call.operation) {
      case 'issueToken':
        // Its text is a secret, so tokens are only counted.
        this.#ids.tokens.add(`#${this.#ids.tokens.size}`);
        break;
      case 'createAccount':
        this.#addAccount('accounts', id);
        break;
      case 'bulkCreateAccounts':
        this.#noteRows(memberAt(answer, 'rows'));
        break;
      case 'createTransaction':
        if (id !== undefined) this.#ids.transactions.add(id);
        this.#noteStatus(id, answer, 'pending');
        break;
      // The answer to a decision may be of any form; the path names its transaction.
      case 'approveTransaction':
      case 'rejectTransaction':
      case 'cancelTransaction':
        this.#noteStatus(call.id, answer, DECIDED[call.operation]);
        break;
      case 'createWebhook':
        if (id === undefined) break;
        this.#ids.subscriptions.add(id);
        this.#enabled.set(id, call.authorization);
        break;
      case 'disableWebhook':
        this.#enabled.delete(call.id ?? '');
        break;
      case 'openPosition':
        this.#noteOpened(answer);
        break;
      case 'closePosition':
        this.#noteClosed(call.body);
        break;
      default:
    }
  }

  #noteStatus(id: string | undefined, answer: Json | undefined, otherwise: string): void {
    if (id === undefined || !this.#ids.transactions.has(id)) return;
    const status = memberAt(answer, 'status');
    this.#statuses.set(id, typeof status === 'string' ? status : otherwise);
  }

  #noteRows(rows: Json | undefined): void {
    for (const row of Array.isArray(rows) ? rows : []) {
      const isDone = [200, 201].includes(Number(memberAt(row, 'status')));
      if (isDone) this.#addAccount('bulk_accounts', idText(memberAt(row, 'id')));
    }
  }

  /** An account may come by a batch or by itself. */
  #addAccount(kind: 'accounts' | 'bulk_accounts', id: string | undefined): void {
    if (id !== undefined && !this.#accounts().includes(id)) this.#ids[kind].add(id);
  }

  #accounts(): string[] {
    return [...this.#ids.accounts, ...this.#ids.bulk_accounts];
  }

  #noteOpened(answer: Json | undefined): void {
    const id = positionIdOf(answer);
    if (id === undefined) return;
    const values = new Set(scalarsIn(answer).map(([, value]) => value));
    for (const value of values) this.#positionValues.add(value);
    this.#ids.positions.add(id);
    this.#positions.set(id, values);
  }

  #noteClosed(body: Json | undefined): void {
    const named = positionNamesIn(body);
    for (const [id, values] of this.#positions) {
      if (named.some((each) => values.has(each))) this.#positions.delete(id);
    }
  }

  /** Throws instead of sending a write that names a record of others. */
  #check({ operation, method, target, id, body }: Call): void {
    const allowed = this.#allowed;
    if (allowed === undefined || method === 'GET' || operation === undefined) return;
    const refuse = (why: string) => {
      throw new WriteRefused(`${method} ${target.split('?')[0]} was not sent: ${why}`);
    };
    const demand = (what: string, value: unknown, ...known: readonly string[]) => {
      if (isHarmless(value, new Set(known))) return;
      refuse(`${what} ${printJson(value)} is neither this run's nor the profile's`);
    };
    if (operation === 'updateAccount') demand('account', id, ...this.#accounts());
    if (isDecision(operation)) {
      demand('transaction', id, ...this.#ids.transactions, ...allowed.transactions);
    }
    if (/Webhook/.test(operation)) demand('subscription', id, ...this.#ids.subscriptions);
    if (operation === 'createTransaction' || /Position$/.test(operation)) {
      const account = memberAt(body, 'account_id');
      demand('account', account, ...this.#accounts(), ...allowed.accounts);
      const trading = memberAt(body, 'trading_account_id');
      demand('trading account', trading, ...allowed.tradingAccounts);
    }
    if (operation === 'closePosition') {
      for (const name of positionNamesIn(body)) {
        demand('position', name, ...this.#positionValues, ...allowed.closing);
      }
    }
    const url = memberAt(body, 'url');
    if (operation === 'createWebhook' && !isOwnOrUnreachable(url, allowed.webhookHost)) {
      refuse(`${printJson(url)} is not a url of the profile's receiver`);
    }
  }
}

interface Call {
  /** Anything else that is sent to a record, such as a PATCH that should not exist, is a write too. */
  readonly operation: OperationName | undefined;
  readonly method: string;
  readonly target: string;
  /** The id in the path. */
  readonly id: string | undefined;
  readonly body: Json | undefined;
  readonly authorization: string;
}

function callOf({ method, url, headers, body }: Omit<WireRequest, 'timeoutMs'>): Call {
  const target = apiPathOf(url);
  const [, , , collection, id] = target.split('/');
  const isWrite = method !== 'GET';
  const otherwise = { webhooks: 'disableWebhook', accounts: 'updateAccount' } as const;
  const others = isWrite ? otherwise[collection as keyof typeof otherwise] : undefined;
  return {
    ...{ method, target, operation: operationOf(method, target) ?? others },
    id: id === undefined ? undefined : decoded(id),
    body: body === undefined || !isWrite ? undefined : parseJson(body),
    authorization: new Headers(headers).get('authorization') ?? '',
  };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** No id at all, an unknown one, a known one, or a known one in an odd spelling. */
function isHarmless(value: unknown, known: ReadonlySet<string>): boolean {
  const text = idText(value) ?? '';
  // No record has an id of more digits than a 64-bit integer.
  const isKnown = (each: string) => known.has(each) || UNKNOWN_IDS.has(each) || each.length > 20;
  return isKnown(text) || (text.match(/\d+/g) ?? []).every(isKnown);
}

/** The profile's own host, or a URL that leads nowhere public (HOOK-7, HOOK-8). */
function isOwnOrUnreachable(url: unknown, own: string | undefined): boolean {
  const parsed = typeof url === 'string' ? parseUrl(url) : null;
  if (parsed === null || parsed.protocol !== 'https:') return true;
  const host = parsed.hostname.replace(/\.$/, '');
  const isLocal = /(^|\.)(localhost|internal|local)$/.test(host) || host === 'metadata';
  return host === own || isLocal || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

/** NS-1: the specification leaves the form of the answer open. */
function positionIdOf(answer: Json | undefined): string | undefined {
  const named = scalarsIn(answer).find(([name]) => /^(position_?id|ticket)$/i.test(name));
  return named?.[1] ?? idText(memberAt(answer, 'id'));
}

function positionNamesIn(body: Json | undefined): string[] {
  return scalarsIn(body)
    .filter(([name]) => POSITION_NAME.test(name) && !/account/i.test(name))
    .map(([, value]) => value);
}

/** Every text and number of a value with the name that it has there. */
function scalarsIn(value: Json | undefined, name = ''): [name: string, value: string][] {
  if (value === null || value === undefined || typeof value === 'boolean') return [];
  if (typeof value !== 'object') return [[name, `${value}`]];
  return Object.entries(value).flatMap(([inner, each]) => scalarsIn(each, inner));
}

/** NS-7: the shape of the list is open; its rows are the objects with an id and a URL. */
function rowsWithUrl(value: Json | undefined, depth = 4): { readonly [name: string]: Json }[] {
  if (value === null || typeof value !== 'object' || depth < 0) return [];
  if (!Array.isArray(value) && value.url !== undefined && value.id !== undefined) return [value];
  return Object.values(value).flatMap((each) => rowsWithUrl(each, depth - 1));
}
