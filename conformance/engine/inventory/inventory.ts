// What a run made on its target and what is left there, and the guard that lets a run write to
// nothing else. It sits below everything that sends, so that no request escapes it.
import { isIP } from 'node:net';
import { OPERATIONS, type OperationName } from '../operations.ts';
import { Unreachable, WriteRefused } from '../scenario-errors.ts';
import { idText, type Json, memberAt, parseJson } from '../send/json.ts';
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

export interface MadeRecord {
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

/** What a profile names, beside which a run writes only to what it made. */
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
export interface LeftBehind {
  readonly subscriptions: readonly string[];
  readonly positions: readonly string[];
  readonly pending: readonly string[];
  readonly approved: readonly string[];
}

interface Subscription {
  readonly id: string;
  /** The `Authorization` under which it was made. */
  readonly authorization: string;
}

const SWEEP_TIMEOUT_MS = 10_000;
/** Members of a close that may name a position, in whatever form the target takes (NS-1). */
const POSITION_NAME = /id$|ticket|position|order|deal|number/i;

export class Inventory {
  readonly baseUrl: string;
  readonly #ids = new Map<Kind, Set<string>>();
  readonly #statuses = new Map<string, string>();
  /** Each open position with every value of the answer that opened it. */
  readonly #positions = new Map<string, ReadonlySet<string>>();
  readonly #positionValues = new Set<string>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** Each url that a create was sent with, by the authorization that sent it. */
  readonly #urls = new Map<string, Set<string>>();
  #allowed: ProfileRecords | undefined;
  #unanswered = 0;
  #requests = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** From now on nothing is written to but what the run made and what the profile names. */
  protect(allowed: ProfileRecords): void {
    this.#allowed = allowed;
  }

  /** A sender whose every request is checked, counted and noted here. */
  watch(sender: Sender): Sender {
    return {
      ...sender,
      send: async (wire) => {
        if (!wire.url.startsWith(`${this.baseUrl}/api/`)) return sender.send(wire);
        const call = callOf(wire, this.baseUrl);
        this.#check(call);
        this.#requests += 1;
        if (call.operation === 'createWebhook') this.#noteUrl(wire, call.body);
        try {
          const answer = await sender.send(wire);
          this.#note(wire, call, answer);
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
    const counts = KINDS.map((kind) => [kind, this.#ids.get(kind)?.size ?? 0]);
    return Object.fromEntries(counts) as Record<Kind, number>;
  }

  /** Writes without an answer: whether they ran is unknown. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get left(): LeftBehind {
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
        for (const row of rows.filter(({ url }) => urls.has(String(url)))) {
          const id = idText(row.id);
          if (id === undefined) continue;
          this.#made('subscriptions', id);
          if (row.disabled === true) this.#subscriptions.delete(id);
          else if (!this.#subscriptions.has(id)) this.#subscriptions.set(id, { id, authorization });
        }
      }
      for (const { id, authorization } of [...this.#subscriptions.values()]) {
        await send('POST', `/api/v1/webhooks/${encodeURIComponent(id)}/disable`, authorization);
      }
    } catch (error) {
      // What is not answered now stays in the report as enabled.
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  #noteUrl({ headers }: WireRequest, body: Json | undefined): void {
    const url = memberAt(body, 'url');
    const authorization = authorizationOf(headers);
    if (typeof url !== 'string' || authorization === undefined) return;
    const urls = this.#urls.get(authorization) ?? new Set();
    this.#urls.set(authorization, urls.add(url));
  }

  #note(wire: WireRequest, call: Call, { status, body }: WireAnswer): void {
    if (status < 200 || status >= 300) return;
    const answered = { method: wire.method, target: call.target, status, body };
    const found = foundBy(answered).filter((each) => !this.#isKnown(each));
    for (const { kind, id } of [...madeBy(answered), ...found]) {
      this.#made(kind, id);
      if (kind === 'subscriptions') {
        const authorization = authorizationOf(wire.headers) ?? '';
        this.#subscriptions.set(id, { id, authorization });
      }
    }
    const answer = parseJson(body);
    const id = idText(memberAt(answer, 'id'));
    if (call.operation === 'disableWebhook') this.#subscriptions.delete(call.id ?? '');
    if (call.operation === 'openPosition') this.#noteOpened(answer);
    if (call.operation === 'closePosition') this.#noteClosed(call.body);
    if (id === undefined || !this.#ids.get('transactions')?.has(id)) return;
    const state = memberAt(answer, 'status');
    if (typeof state === 'string') this.#statuses.set(id, state);
  }

  #made(kind: Kind, id: string): void {
    const known = this.#ids.get(kind) ?? new Set();
    this.#ids.set(kind, known.add(id === '' ? `#${known.size}` : id));
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

  /** An account may come by a batch or by itself. */
  #isKnown({ kind, id }: MadeRecord): boolean {
    const kinds: Kind[] = kind === 'transactions' ? [kind] : ['accounts', 'bulk_accounts'];
    return kinds.some((each) => this.#ids.get(each)?.has(id) === true);
  }

  /** Throws instead of sending a write that names a record of others. */
  #check({ operation, method, target, id, body }: Call): void {
    const allowed = this.#allowed;
    if (allowed === undefined || method === 'GET' || operation === undefined) return;
    const line = `${method} ${target.split('?')[0]}`;
    const refuse = (what: string) => {
      throw new WriteRefused(`${line} was not sent: ${what}`);
    };
    const own = (...kinds: Kind[]) => kinds.flatMap((kind) => [...(this.#ids.get(kind) ?? [])]);
    const demand = (what: string, value: unknown, ...known: readonly (readonly string[])[]) => {
      if (!isHarmless(value, new Set(known.flat()))) {
        refuse(`${what} ${String(idText(value))} is neither this run's nor the profile's`);
      }
    };
    if (operation === 'updateAccount') demand('account', id, own('accounts', 'bulk_accounts'));
    if (/^(approve|reject|cancel)Transaction$/.test(operation)) {
      demand('transaction', id, own('transactions'), allowed.transactions);
    }
    if (/Webhook/.test(operation)) demand('subscription', id, own('subscriptions'));
    if (operation === 'createTransaction' || /Position$/.test(operation)) {
      const accounts = own('accounts', 'bulk_accounts');
      demand('account', memberAt(body, 'account_id'), accounts, allowed.accounts);
      const trading = memberAt(body, 'trading_account_id');
      demand('trading account', trading, allowed.tradingAccounts);
    }
    if (operation === 'closePosition') {
      for (const name of positionNamesIn(body)) {
        demand('position', name, [...this.#positionValues], allowed.closing);
      }
    }
    const url = memberAt(body, 'url');
    if (operation === 'createWebhook' && !isOwnOrUnreachable(url, allowed.webhookHost)) {
      refuse(`${String(url)} is not a url of the profile's receiver`);
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
}

const PATHS = Object.entries(OPERATIONS).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  pattern: new RegExp(`^${path.replace(':id', '([^/]*)')}$`),
}));

function callOf({ method, url, body }: WireRequest, baseUrl: string): Call {
  const target = url.slice(baseUrl.length);
  const [path = ''] = target.split('?');
  const json = body === undefined || method === 'GET' ? undefined : parseJson(body);
  for (const each of PATHS) {
    const match = each.method === method ? each.pattern.exec(path) : null;
    if (match === null) continue;
    return { operation: each.name, method, target, id: decoded(match[1]), body: json };
  }
  // Whatever else is sent to a subscription, such as a PATCH that should not exist, is a write too.
  const other = /^\/api\/v1\/(webhooks|accounts)\/([^/]*)/.exec(path);
  const operation = { webhooks: 'disableWebhook', accounts: 'updateAccount' } as const;
  if (other === null || method === 'GET') {
    return { operation: undefined, method, target, id: undefined, body: json };
  }
  const kind = other[1] as keyof typeof operation;
  return { operation: operation[kind], method, target, id: decoded(other[2]), body: json };
}

function decoded(id: string | undefined): string | undefined {
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** No id at all, an unknown one, a known one, or a known one in an odd spelling. */
function isHarmless(value: unknown, known: ReadonlySet<string>): boolean {
  const digits = idText(value)?.match(/\d+/g) ?? [];
  const text = idText(value) ?? '';
  // No record has an id of more digits than a 64-bit integer.
  const isKnown = (each: string) => known.has(each) || UNKNOWN_IDS.has(each) || each.length > 20;
  return isKnown(text) || digits.every(isKnown);
}

/** The profile's own host, or a url that leads nowhere public (HOOK-7, HOOK-8). */
function isOwnOrUnreachable(url: unknown, own: string | undefined): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return true;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:') return true;
  const host = hostname.replace(/\.$/, '');
  const isLocal = /(^|\.)(localhost|internal|local)$/.test(host) || host === 'metadata';
  return host === own || isLocal || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

const SINGLE: Readonly<Record<string, Kind>> = {
  '/api/v1/accounts': 'accounts',
  '/api/v1/transactions': 'transactions',
  '/api/v1/positions/open': 'positions',
  '/api/v1/webhooks': 'subscriptions',
};

/** ACC-5, TXN-2: 200 names what was there before; a subscription's status is open (NS-7). */
export function madeBy(call: AnsweredCall): MadeRecord[] {
  return recordsOf(call, (status) => status !== 200);
}

/**
 * What a create names as there before. Every reference of a run is its own, so what none of its
 * calls made until then was made by this one, on a target that breaks ACC-1.
 */
function foundBy(call: AnsweredCall): MadeRecord[] {
  const findable = new Set<Kind>(['accounts', 'bulk_accounts', 'transactions']);
  return recordsOf(call, (status) => status === 200).filter(({ kind }) => findable.has(kind));
}

function recordsOf(
  { method, target, status, body }: AnsweredCall,
  isWanted: (status: unknown) => boolean,
): MadeRecord[] {
  if (method !== 'POST' || status < 200 || status >= 300) return [];
  const path = target.split('?')[0]!;
  if (path === '/api/v1/accounts/bulk') return recordsOfRows(parseJson(body), isWanted);
  // Its text is a secret, so tokens are only counted.
  if (path === '/api/v1/oauth/token') return [{ kind: 'tokens', id: '' }];
  const kind = SINGLE[path];
  const always = kind === 'subscriptions' || kind === 'positions';
  if (kind === undefined || !(isWanted(status) || always)) return [];
  const answer = parseJson(body);
  const id = kind === 'positions' ? positionIdOf(answer) : idText(memberAt(answer, 'id'));
  return id === undefined ? [] : [{ kind, id }];
}

function recordsOfRows(
  answer: Json | undefined,
  isWanted: (status: unknown) => boolean,
): MadeRecord[] {
  const rows = memberAt(answer, 'rows');
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row): MadeRecord[] => {
    const id = idText(memberAt(row, 'id'));
    const status = memberAt(row, 'status');
    const isDone = (status === 200 || status === 201) && isWanted(status);
    return isDone && id !== undefined ? [{ kind: 'bulk_accounts', id }] : [];
  });
}

/** NS-1: of whatever form the answer is. */
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
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([inner, each]) => scalarsIn(each, inner));
}

/** NS-7: the rows of a list of whatever shape: objects with an id and a url. */
function rowsWithUrl(value: Json | undefined, depth = 4): { readonly [name: string]: Json }[] {
  if (value === null || typeof value !== 'object' || depth < 0) return [];
  if (!Array.isArray(value) && value.url !== undefined && value.id !== undefined) return [value];
  return Object.values(value).flatMap((each) => rowsWithUrl(each, depth - 1));
}

function authorizationOf(headers: WireRequest['headers']): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
}
