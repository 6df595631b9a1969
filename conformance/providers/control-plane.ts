// A client of the sandbox's control plane and the operator commands on it: time, trading accounts,
// settlement, faults, names, permissions. Every failure here belongs to the setup, never to the target.
import { Blocked, RefusedByOperator, Unreachable } from '../engine/scenario-errors.ts';
import { idText, type Json, parseJson, textOf, writeJson } from '../engine/send/json.ts';
import type { Sender } from '../engine/send/sender.ts';
import { nothingAnswers } from '../engine/send/unreachable.ts';
import type { Credential, CredentialOptions, LedgerEntry, Place } from './target.ts';

export type Row = { readonly [name: string]: Json };

const TIMEOUT_MS = 30_000;
/** A control plane answers quickly if there is one. */
const PROBE_MS = 15_000;

export class ControlPlaneClient {
  readonly url: string;
  readonly #sender: Sender;
  readonly #token: string | undefined;

  constructor(url: string, sender: Sender, token?: string) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#sender = sender;
    this.#token = token;
  }

  /** The same control plane for one of its worlds. */
  at(url: string): ControlPlaneClient {
    return new ControlPlaneClient(url, this.#sender, this.#token);
  }

  /** Returns the JSON of a 2xx answer; any other answer throws Blocked. Drops undefined members. */
  async ask(method: string, path: string, body?: object, timeoutMs = TIMEOUT_MS): Promise<Row> {
    const headers: [string, string][] = [];
    if (this.#token !== undefined) headers.push(['authorization', `Bearer ${this.#token}`]);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    const answer = await this.#sender.send({
      // Its lists may be long, and an operator's plane is trusted.
      limitBytes: 64 * 1024 * 1024,
      method,
      url: `${this.url}/${path}`,
      headers,
      body: body === undefined ? undefined : Buffer.from(writeJson(body)),
      timeoutMs,
    });
    const text = textOf(answer.body);
    if (answer.status >= 300) {
      const words = `control plane: ${method} ${path}: ${answer.status} ${text.slice(0, 300)}`;
      throw new RefusedByOperator(answer.status, words);
    }
    const json = text === '' ? {} : parseJson(text);
    if (json !== undefined) return json as Row;
    throw new Blocked(`control plane: ${method} ${path}: the answer is not JSON`);
  }

  /** The rows of a list, which stand in the member that the list is named after. */
  async list(name: string, query = ''): Promise<Row[]> {
    const { [name]: rows } = await this.ask('GET', name + query);
    return (Array.isArray(rows) ? rows : []) as unknown as Row[];
  }

  /** Why there is no control plane here; null if there is one. */
  async absence(timeoutMs: number = PROBE_MS): Promise<string | null> {
    const none = `no control plane at ${this.url}`;
    try {
      const health = await this.ask('GET', 'health', undefined, Math.min(timeoutMs, PROBE_MS));
      return health.status === 'ready' ? null : `${none}: another service answers`;
    } catch (error) {
      if (error instanceof Unreachable && error.neverSent) return nothingAnswers(this.url, error);
      if (!(error instanceof Blocked || error instanceof Unreachable)) throw error;
      if (!(error instanceof RefusedByOperator)) return `${none}: ${error.message}`;
      if (error.status !== 401) return `${none}: responded with ${error.status}`;
      return this.#token === undefined
        ? `the control plane at ${this.url} needs a token (401): give --control-token-env NAME`
        : `the control plane at ${this.url} refuses the token of --control-token-env (401)`;
    }
  }
}

/** The commands of an operator. A scenario uses one only if the target offers that capability. */
export type Operator = ReturnType<typeof controlOperator>;

export function controlOperator(
  plane: ControlPlaneClient,
  mint: (options: CredentialOptions) => Promise<Credential>,
) {
  return {
    mint,
    /** Advances the clock of the target; deliveries that are due are answered when it returns. */
    async advance(byMs: number): Promise<void> {
      await plane.ask('POST', 'clock/advance', { by_ms: byMs });
    },
    async nowMs(): Promise<number> {
      const { now_ms: nowMs } = await plane.ask('GET', 'clock');
      if (typeof nowMs === 'number') return nowMs;
      throw new Blocked(`the control plane's answer has no "now_ms"`);
    },
    /** Deliveries that were sent and are not answered yet, if the target shows them. */
    async deliveriesInFlight(): Promise<number> {
      const rows = await plane.list('deliveries', '?status=pending');
      return rows.filter(({ in_flight: isInFlight }) => isInFlight === true).length;
    },
    async rescope(clientId: string, scopes: readonly string[]): Promise<void> {
      await plane.ask('PATCH', `credentials/${clientId}`, { scopes });
    },
    async openTradingAccount(
      accountId: string,
      options: { currency?: string; provider?: boolean } = {},
    ): Promise<Place> {
      const { currency = 'USD', provider: provider_payouts } = options;
      const path = `accounts/${accountId}/trading-accounts`;
      const row = await plane.ask('POST', path, { currency, provider_payouts });
      return {
        account_id: accountId,
        trading_account_id: member(row, 'id'),
        currency: member(row, 'currency'),
      };
    },
    /** The new status of the transaction, if the target shows it. */
    async settle(transactionId: string): Promise<string | undefined> {
      const { status } = await plane.ask('POST', `transactions/${transactionId}/settle`, {});
      return typeof status === 'string' ? status : undefined;
    },
    async ledger(tradingAccountId: string) {
      const row = await plane.ask('GET', `trading-accounts/${tradingAccountId}`);
      const entries = [row.entries ?? []].flat() as unknown as readonly LedgerEntry[];
      return { balance: member(row, 'balance'), entries };
    },
    /** The platform's records of each transaction with this id or reference, case-insensitively. */
    transactions: (named: string) => recordsNamed(plane, 'transactions', named),
    /** The same for accounts, by id, reference or email. */
    accounts: (named: string) => recordsNamed(plane, 'accounts', named),
    /** The target's own settings for the open questions. */
    async settings(): Promise<Row> {
      const { settings } = await plane.ask('GET', 'info');
      return (settings ?? {}) as Row;
    },
    /** Sets a fault; the result counts its hits and removes it. */
    async fault(options: {
      readonly match?: Readonly<Record<string, string | number>>;
      readonly phase?: 'before' | 'after';
      readonly effect: Readonly<Record<string, string | number>>;
      readonly times?: number;
    }) {
      const id = idText((await plane.ask('POST', 'faults', options)).id);
      return {
        async hits(): Promise<number> {
          const rows = await plane.list('faults');
          return Number(rows.find((each) => idText(each.id) === id)?.hits ?? Number.NaN);
        },
        async remove(): Promise<void> {
          await plane.ask('DELETE', `faults/${id}`);
        },
      };
    },
    async resolve(hostname: string, addresses: readonly string[]): Promise<void> {
      await plane.ask('PUT', `dns/${hostname}`, { addresses });
    },
    async permit(firmId: string, operation: string, allowed: boolean): Promise<void> {
      await plane.ask('PATCH', `firms/${firmId}`, { permissions: { [operation]: allowed } });
    },
    /** Emits an event, and returns its envelope. */
    emit: ({ accountId: account_id, brandId: brand_id, ...event }: EventOptions) =>
      plane.ask('POST', 'events', { ...event, account_id, brand_id }),
    /** Envelopes of every event after a sequence number, from the platform's own list. */
    events: (afterSeq: number) => plane.list('events', `?after_seq=${afterSeq}`),
    /**
     * The resulting rate. With null the firm has no explicit rate, and its rate follows from the
     * plan Sandbox; `isOnSandbox` is false if it could not be put on that plan.
     */
    async firmRate(firmId: string, perSecond: number | null): Promise<FirmRate> {
      const set = (more: object) =>
        plane.ask('PATCH', `firms/${firmId}`, { rate_per_second: perSecond, ...more });
      const onSandbox =
        perSecond === null ? await set({ plan: 'sandbox' }).catch(onlyBlocked) : undefined;
      const { rate_per_second: rate } = onSandbox ?? (await set({}));
      const isOnSandbox = onSandbox !== undefined;
      return { perSecond: typeof rate === 'number' ? rate : undefined, isOnSandbox };
    },
  };
}

export interface FirmRate {
  readonly perSecond: number | undefined;
  readonly isOnSandbox: boolean;
}

interface EventOptions {
  readonly category: string;
  readonly kind?: string;
  readonly accountId?: string;
  readonly brandId?: string;
  readonly data?: object;
}

function onlyBlocked(error: unknown): undefined {
  if (!(error instanceof Blocked)) throw error;
}

async function recordsNamed(
  plane: ControlPlaneClient,
  kind: 'accounts' | 'transactions',
  named: string,
): Promise<Row[]> {
  const rows = await plane.list(kind);
  const isNamed = (each: Json | undefined) =>
    typeof each === 'string' && each.toLowerCase() === named.toLowerCase();
  return rows.filter((row) => [row.id, row.client_reference_id, row.email].some(isNamed));
}

/** A text that the answer must have. */
function member(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === 'string') return value;
  throw new Blocked(`the control plane's answer has no "${name}"`);
}
