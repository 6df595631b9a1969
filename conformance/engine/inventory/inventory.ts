// What a run created on its target and what remains there, and the guard that prevents a run from
// writing to anything else. Every sender goes through it, so that no request bypasses it.
import { isIP } from 'node:net';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { WORLD_HEADER } from '../../spec/literals.ts';
import { isDecision, type OperationName } from '../../spec/operations.ts';
import { Unreachable, WriteRefused } from '../scenario-errors.ts';
import { Answer } from '../send/answer.ts';
import { Headers } from '../send/headers.ts';
import { idText, type Json, memberAt, membersIn, printJson } from '../send/json.ts';
import type { Sender, WireAnswer } from '../send/sender.ts';
import type { Exchange } from '../types.ts';

/** In the order in which reports list them. */
export const kindWords = {
  accounts: ['account', 'accounts'],
  bulk_accounts: ['account by bulk', 'accounts by bulk'],
  transactions: ['transaction', 'transactions'],
  positions: ['position', 'positions'],
  subscriptions: ['webhook subscription', 'webhook subscriptions'],
  tokens: ['token', 'tokens'],
} as const;

export type Kind = keyof typeof kindWords;
export const KINDS = Object.keys(kindWords) as Kind[];

/** Ids that no record has: probes may name them in every path and body. */
const UNKNOWN_IDS: ReadonlySet<string> = new Set(['2147483641', '999999999', '999999999999']);

/** The records that a profile names; a run writes only to these and to records that it created. */
export interface ProfileRecords {
  readonly accounts: readonly string[];
  readonly tradingAccounts: readonly string[];
  /** Settled transactions; each can be cancelled only once. */
  readonly transactions: readonly string[];
  /** Values of the template for closing a position. */
  readonly closing: readonly string[];
  /** The one host that subscriptions may point to. */
  readonly webhookHost: string | undefined;
}

/** A record that the run created. */
interface CreatedRecord {
  readonly kind: Kind;
  readonly id: string;
  /** The world of a target that has several, each with the same ids. */
  readonly world?: string;
  /** The last known status of a transaction; whether a subscription is enabled, a position open. */
  state?: string;
  /** The `Authorization` under which a subscription was made. */
  readonly authorization: string;
  /** Every value in the answer to the request that opened a position. */
  readonly values?: readonly string[];
}

/** The kind of record that a successful call creates, or changes if its path has an id, and its new state. */
const EFFECTS: Partial<Record<OperationName, readonly [kind: Kind, state?: string]>> = {
  createAccount: ['accounts'],
  createTransaction: ['transactions', 'pending'],
  approveTransaction: ['transactions', 'approved'],
  rejectTransaction: ['transactions', 'rejected'],
  cancelTransaction: ['transactions', 'cancelled'],
  createWebhook: ['subscriptions', 'enabled'],
  disableWebhook: ['subscriptions', 'disabled'],
  openPosition: ['positions', 'open'],
};

const SWEEP_TIMEOUT_MS = 10_000;
/** Members of a close that may name a position, whose form is open (NS-1). */
const POSITION_NAME = /id$|ticket|position|order|deal|number/i;

export class Inventory {
  readonly baseUrl: string;
  readonly #made = new Map<string, CreatedRecord>();
  /** Each URL that a create was sent with, by the `Authorization` that sent it. */
  readonly #urls = new Map<string, Set<string>>();
  #allowed: ProfileRecords | undefined;
  #tokens = 0;
  /** Writes without an answer: it is unknown whether they ran. */
  unanswered = 0;
  requests = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** From now on, blocks writes to records that neither the run created nor the profile names. */
  protect(allowed: ProfileRecords): void {
    this.#allowed = allowed;
  }

  /** A sender that checks, counts and notes every request. */
  watch(sender: Sender): Sender {
    return {
      ...sender,
      send: async (wire) => {
        if (!wire.url.startsWith(`${this.baseUrl}/api/`)) return sender.send(wire);
        this.#check(new Answer({ request: wire, response: null }));
        this.requests += 1;
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

  /** The number of records of each kind, including zeros. */
  get made(): Readonly<Record<Kind, number>> {
    const counts = KINDS.map((kind) => [kind, this.#of(kind).length]);
    return { ...(Object.fromEntries(counts) as Record<Kind, number>), tokens: this.#tokens };
  }

  /** What remains on the target after the run. */
  get left() {
    return {
      subscriptions: this.#ids('subscriptions', 'enabled'),
      positions: this.#ids('positions', 'open'),
      pending: this.#ids('transactions', 'pending'),
      approved: this.#ids('transactions', 'approved'),
    };
  }

  #of(kind: Kind, state?: string): CreatedRecord[] {
    return [...this.#made.values()].filter(
      (each) => each.kind === kind && (state === undefined || each.state === state),
    );
  }

  #ids(kind: Kind, state?: string): string[] {
    return this.#of(kind, state).map(({ id }) => id);
  }

  #accounts(): string[] {
    return [...this.#ids('accounts'), ...this.#ids('bulk_accounts')];
  }

  /**
   * Lists the subscriptions, notes those of this run that are enabled, and disables them. This
   * includes subscriptions whose create got no response.
   */
  async sweep(sender: Sender, pace: () => Promise<void> = async () => {}): Promise<void> {
    const watched = this.watch(sender);
    const send = async (method: string, path: string, authorization: string) => {
      await pace();
      const headers = [['authorization', authorization]] as const;
      const url = `${this.baseUrl}/api/v1/webhooks${path}`;
      const wire = { method, url, headers, body: undefined };
      const response = await watched.send({ ...wire, timeoutMs: SWEEP_TIMEOUT_MS });
      return new Answer({ request: wire, response });
    };
    try {
      for (const [authorization, urls] of this.#urls) {
        const list = await send('GET', '', authorization);
        for (const { id: rowId, url, disabled } of list.isServed ? rowsIn(list.json) : []) {
          const id = idText(rowId);
          if (id === undefined || typeof url !== 'string' || !urls.has(url)) continue;
          const state = disabled === true ? 'disabled' : 'enabled';
          this.#put({ kind: 'subscriptions', id, state, authorization });
        }
      }
      for (const { id, authorization } of this.#of('subscriptions', 'enabled')) {
        await send('POST', `/${encodeURIComponent(id)}/disable`, authorization);
      }
    } catch (error) {
      // Without an answer it stays in the report as enabled.
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  /**
   * Notes the record that an answer shows as created or changed. References are unique to a run, so a
   * record that a create names was created by this run, whether the status is 200 or 201 (ACC-1, ACC-5).
   */
  note(request: Exchange['request'], response: WireAnswer): void {
    const call = new Answer({ request, response });
    const { operation, authorization, namedId } = call;
    if (!call.isServed || operation === undefined) return;
    if (operation === 'issueToken') this.#tokens += 1;
    const world = new Headers(request.headers).get(WORLD_HEADER) ?? '';
    if (operation === 'bulkCreateAccounts') this.#noteRows(call.at('rows'), world);
    if (operation === 'closePosition') this.#noteClosed(call.sent);
    const [kind, otherwise] = EFFECTS[operation] ?? [];
    if (kind === undefined) return;
    // The answer to a decision may have any form; the path names its transaction.
    const known = namedId === undefined ? undefined : this.#made.get(keyOf(kind, namedId, world));
    if (namedId !== undefined && known === undefined) return;
    const isPosition = kind === 'positions';
    const id = known?.id ?? (isPosition ? positionIdOf(call.json) : call.idAt('id'));
    // An account may be created in a batch or by a single request.
    if (id === undefined) return;
    if (kind === 'accounts' && this.#made.has(keyOf('bulk_accounts', id, world))) return;
    const status = kind === 'transactions' ? call.at('status') : undefined;
    const state = typeof status === 'string' ? status : otherwise;
    const values = isPosition ? scalarsIn(call.json).map(([, value]) => value) : [];
    this.#put({ authorization, values, ...known, kind, id, world, ...(state && { state }) });
  }

  #put(record: CreatedRecord): void {
    this.#made.set(keyOf(record.kind, record.id, record.world), record);
  }

  #noteRows(rows: Json | undefined, world: string): void {
    for (const row of Array.isArray(rows) ? rows : []) {
      const id = idText(memberAt(row, 'id'));
      const isDone = [200, 201].includes(Number(memberAt(row, 'status')));
      if (!isDone || id === undefined || this.#made.has(keyOf('accounts', id, world))) continue;
      this.#put({ kind: 'bulk_accounts', id, world, authorization: '' });
    }
  }

  #noteClosed(body: Json | undefined): void {
    const named = positionNamesIn(body);
    for (const record of this.#made.values()) {
      if (named.some((each) => record.values?.includes(each))) record.state = 'closed';
    }
  }

  /** Throws instead of sending a write that names a record which is not ours. */
  #check(call: Answer): void {
    const { operation: known, method, path, namedId: id, authorization } = call;
    const url = known === 'createWebhook' ? memberAt(call.sent, 'url') : undefined;
    if (typeof url === 'string') {
      const urls = this.#urls.get(authorization) ?? new Set();
      this.#urls.set(authorization, urls.add(url));
    }
    // Any other request to a record, such as a PATCH that should not exist, is a write too.
    const others = { webhooks: 'disableWebhook', accounts: 'updateAccount' } as const;
    const operation = known ?? others[path.split('/')[3] as keyof typeof others];
    const allowed = this.#allowed;
    if (allowed === undefined || method === 'GET' || operation === undefined) return;
    const body = call.sent;
    const refuse = (why: string) => {
      throw new WriteRefused(`${method} ${path} was not sent: ${why}`);
    };
    const demand = (what: string, value: unknown, ...own: readonly string[]) => {
      if (isHarmless(value, new Set(own))) return;
      refuse(`${what} ${printJson(value)} is neither this run's nor the profile's`);
    };
    if (operation === 'updateAccount') demand('account', id, ...this.#accounts());
    if (isDecision(operation)) {
      demand('transaction', id, ...this.#ids('transactions'), ...allowed.transactions);
    }
    if (/Webhook/.test(operation)) demand('subscription', id, ...this.#ids('subscriptions'));
    if (operation === 'createTransaction' || /Position$/.test(operation)) {
      const account = memberAt(body, 'account_id');
      demand('account', account, ...this.#accounts(), ...allowed.accounts);
      const trading = memberAt(body, 'trading_account_id');
      demand('trading account', trading, ...allowed.tradingAccounts);
    }
    if (operation === 'closePosition') {
      const values = [...this.#made.values()].flatMap((each) => each.values ?? []);
      for (const name of positionNamesIn(body)) {
        demand('position', name, ...values, ...allowed.closing);
      }
    }
    if (operation === 'createWebhook' && !isOwnOrUnreachable(url, allowed.webhookHost)) {
      refuse(`${printJson(url)} is not a url of the profile's receiver`);
    }
  }
}

const keyOf = (kind: Kind, id: string, world = '') => `${kind} ${id} ${world}`;

/** No id at all, an unknown id, a known id, or a known id in an unusual spelling. */
function isHarmless(value: unknown, known: ReadonlySet<string>): boolean {
  const text = idText(value) ?? '';
  // No record has an id with more digits than a 64-bit integer.
  const isKnown = (each: string) => known.has(each) || UNKNOWN_IDS.has(each) || each.length > 20;
  return isKnown(text) || (text.match(/\d+/g) ?? []).every(isKnown);
}

/** The profile's own host, or a URL that is not public (HOOK-7, HOOK-8). */
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

/** Every text and number in a value, with its member name. */
function scalarsIn(json: Json | undefined): (readonly [name: string, value: string])[] {
  return membersIn(json).flatMap(([path, value]) => {
    const isScalar = ['string', 'number', 'bigint'].includes(typeof value);
    return isScalar ? [[path.at(-1)!, `${value}`] as const] : [];
  });
}

/** NS-7: the shape of the list is open; its rows are the objects with an id and a URL. */
function rowsIn(list: Json | undefined): { readonly [name: string]: Json }[] {
  const values = membersIn(list).map(([, value]) => value as { readonly [name: string]: Json });
  return values.filter((each) => Object(each).url !== undefined && Object(each).id !== undefined);
}
