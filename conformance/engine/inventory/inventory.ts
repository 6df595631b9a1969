// What a run made on its target and what is left there, and the guard that lets a run write to
// nothing else. It sits below everything that sends, so that no request escapes it.

import { isIP } from 'node:net';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { isDecision, type OperationName, operationOf } from '../../spec/operations.ts';
import { Unreachable, WriteRefused } from '../scenario-errors.ts';
import { apiPathOf } from '../send/client.ts';
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

interface MadeRecord {
  readonly kind: Kind;
  readonly id: string;
}

/** One call and its answer, as far as they matter here. */
export interface AnsweredCall {
  readonly method: string;
  /** From `/api/v1`, with or without a query. */
  readonly target: string;
  readonly status: number;
  readonly body: Uint8Array;
}

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
const DECIDED: Readonly<Partial<Record<OperationName, string>>> = {
  approveTransaction: 'approved',
  rejectTransaction: 'rejected',
  cancelTransaction: 'cancelled',
};

export class Inventory {
  readonly baseUrl: string;
  readonly #ids = new Map<Kind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
  /** The last known status of each transaction that was made. */
  readonly #statuses = new Map<string, string>();
  /** Each open position with every value of the answer that opened it. */
  readonly #positions = new Map<string, ReadonlySet<string>>();
  readonly #positionValues = new Set<string>();
  /** The `Authorization` under which each enabled subscription was made. */
  readonly #subscriptions = new Map<string, string>();
  /** Each URL that a create was sent with, by the `Authorization` that sent it. */
  readonly #urls = new Map<string, Set<string>>();
  #allowed: ProfileRecords | undefined;
  #unanswered = 0;
  #requests = 0;

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
        this.#requests += 1;
        if (call.operation === 'createWebhook') this.#noteUrl(call);
        try {
          const answer = await sender.send(wire);
          this.#note(call, answer);
          return answer;
        } catch (error) {
          const isLost = error instanceof Unreachable && !error.neverSent;
          if (isLost && wire.method !== 'GET') this.#unanswered += 1;
          throw error;
        }
      },
    };
  }

  get requests(): number {
    return this.#requests;
  }

  /** How many of each kind, none left out. */
  get made(): Readonly<Record<Kind, number>> {
    const counts = KINDS.map((kind) => [kind, this.#of(kind).size]);
    return Object.fromEntries(counts) as Record<Kind, number>;
  }

  /** Writes without an answer: whether they ran is unknown. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get left(): LeftOnTarget {
    const withStatus = (wanted: string) =>
      [...this.#statuses].filter(([, status]) => status === wanted).map(([id]) => id);
    return {
      subscriptions: [...this.#subscriptions.keys()],
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
      return watched.send({
        method,
        url: `${this.baseUrl}${path}`,
        headers: [['authorization', authorization]],
        body: undefined,
        timeoutMs: SWEEP_TIMEOUT_MS,
      });
    };
    try {
      for (const [authorization, urls] of this.#urls) {
        const list = await send('GET', '/api/v1/webhooks', authorization);
        const rows = list.status < 300 ? rowsWithUrl(parseJson(list.body)) : [];
        for (const { id: rowId, url, disabled } of rows) {
          const id = idText(rowId);
          if (id === undefined || typeof url !== 'string' || !urls.has(url)) continue;
          this.#of('subscriptions').add(id);
          if (disabled === true) this.#subscriptions.delete(id);
          else this.#subscriptions.set(id, authorization);
        }
      }
      for (const [id, authorization] of [...this.#subscriptions]) {
        await send('POST', `/api/v1/webhooks/${encodeURIComponent(id)}/disable`, authorization);
      }
    } catch (error) {
      // What is not answered now stays in the report as enabled.
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  #of(kind: Kind): Set<string> {
    return this.#ids.get(kind)!;
  }

  #noteUrl({ authorization, body }: Call): void {
    const url = memberAt(body, 'url');
    if (typeof url !== 'string' || authorization === undefined) return;
    const urls = this.#urls.get(authorization) ?? new Set();
    this.#urls.set(authorization, urls.add(url));
  }

  #note(call: Call, { status, body }: WireAnswer): void {
    if (status < 200 || status >= 300) return;
    const { operation, authorization = '' } = call;
    const made = { ...call, status, body };
    for (const { kind, id } of [...madeBy(made), ...this.#foundBy(made)]) {
      this.#of(kind).add(id === '' ? `#${this.#of(kind).size}` : id);
      if (kind === 'subscriptions') this.#subscriptions.set(id, authorization);
      if (kind === 'transactions') this.#statuses.set(id, 'pending');
    }
    const answer = parseJson(body);
    if (operation === 'disableWebhook') this.#subscriptions.delete(call.id ?? '');
    if (operation === 'openPosition') this.#noteOpened(answer);
    if (operation === 'closePosition') this.#noteClosed(call.body);
    // The answer to a decision may be of any form; the path names its transaction.
    const isDecided = operation !== undefined && isDecision(operation);
    const id = isDecided ? call.id : idText(memberAt(answer, 'id'));
    if (id === undefined || !this.#of('transactions').has(id)) return;
    const state = memberAt(answer, 'status');
    if (typeof state === 'string') this.#statuses.set(id, state);
    else if (isDecided) this.#statuses.set(id, DECIDED[operation]!);
  }

  /**
   * What a create names as there before. Every reference of a run is its own, so what none of its
   * calls made until then was made by this one, on a target that breaks ACC-1.
   */
  #foundBy(call: AnsweredCall): MadeRecord[] {
    return recordsOf(call, (status) => status === 200).filter(({ kind, id }) => {
      // An account may come by a batch or by itself.
      if (kind === 'accounts' || kind === 'bulk_accounts') return !this.#accounts().includes(id);
      return kind === 'transactions' && !this.#of('transactions').has(id);
    });
  }

  #accounts(): string[] {
    return [...this.#of('accounts'), ...this.#of('bulk_accounts')];
  }

  #noteOpened(answer: Json | undefined): void {
    const id = positionIdOf(answer);
    if (id === undefined) return;
    const values = new Set(scalarsIn(answer).map(([, value]) => value));
    for (const value of values) this.#positionValues.add(value);
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
    const demand = (what: string, value: unknown, ...known: readonly string[]) => {
      if (isHarmless(value, new Set(known))) return;
      const why = `${what} ${printJson(value)} is neither this run's nor the profile's`;
      throw new WriteRefused(`${method} ${target.split('?')[0]} was not sent: ${why}`);
    };
    if (operation === 'updateAccount') demand('account', id, ...this.#accounts());
    if (isDecision(operation)) {
      demand('transaction', id, ...this.#of('transactions'), ...allowed.transactions);
    }
    if (/Webhook/.test(operation)) demand('subscription', id, ...this.#of('subscriptions'));
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
      const why = `${printJson(url)} is not a url of the profile's receiver`;
      throw new WriteRefused(`${method} ${target.split('?')[0]} was not sent: ${why}`);
    }
  }
}

interface Call {
  readonly operation: OperationName | undefined;
  readonly method: string;
  readonly target: string;
  /** The id in the path. */
  readonly id: string | undefined;
  readonly body: Json | undefined;
  readonly authorization: string | undefined;
}

function callOf({ method, url, headers, body }: WireRequest): Call {
  const target = apiPathOf(url);
  const [, , , collection, id] = target.split('/');
  return {
    method,
    target,
    operation: operationOf(method, target) ?? otherWrite(method, collection),
    id: id === undefined ? undefined : decoded(id),
    body: body === undefined || method === 'GET' ? undefined : parseJson(body),
    authorization: headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1],
  };
}

/** Anything else that is sent to a record, such as a PATCH that should not exist, is a write too. */
function otherWrite(method: string, collection: string | undefined): OperationName | undefined {
  if (method === 'GET') return undefined;
  if (collection === 'webhooks') return 'disableWebhook';
  return collection === 'accounts' ? 'updateAccount' : undefined;
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
  if (parsed === null) return true;
  const { protocol, hostname } = parsed;
  if (protocol !== 'https:') return true;
  const host = hostname.replace(/\.$/, '');
  const isLocal = /(^|\.)(localhost|internal|local)$/.test(host) || host === 'metadata';
  return host === own || isLocal || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

const KIND_OF: Readonly<Partial<Record<OperationName, Kind>>> = {
  createAccount: 'accounts',
  createTransaction: 'transactions',
  openPosition: 'positions',
  createWebhook: 'subscriptions',
};

/** ACC-5, TXN-2: 200 names what was there before; a subscription's status is open (NS-7). */
export function madeBy(call: AnsweredCall): MadeRecord[] {
  return recordsOf(call, (status) => status !== 200);
}

function recordsOf(
  { method, target, status, body }: AnsweredCall,
  isWanted: (status: unknown) => boolean,
): MadeRecord[] {
  const operation = operationOf(method, apiPathOf(target));
  if (operation === undefined || status < 200 || status >= 300) return [];
  // Its text is a secret, so tokens are only counted.
  if (operation === 'issueToken') return isWanted(201) ? [{ kind: 'tokens', id: '' }] : [];
  const answer = parseJson(body);
  if (operation === 'bulkCreateAccounts') {
    const rows = memberAt(answer, 'rows');
    return (Array.isArray(rows) ? rows : []).flatMap((row): MadeRecord[] => {
      const [id, own] = [idText(memberAt(row, 'id')), memberAt(row, 'status')];
      const isDone = (own === 200 || own === 201) && isWanted(own);
      return isDone && id !== undefined ? [{ kind: 'bulk_accounts', id }] : [];
    });
  }
  const kind = KIND_OF[operation];
  const isAlways = kind === 'subscriptions' || kind === 'positions';
  if (kind === undefined || !(isWanted(status) || isAlways)) return [];
  const id = kind === 'positions' ? positionIdOf(answer) : idText(memberAt(answer, 'id'));
  return id === undefined ? [] : [{ kind, id }];
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
