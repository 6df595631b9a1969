// A client of the sandbox's control plane and the operator's powers over it: time, trading accounts,
// settlement, faults, names, permissions. Every failure here is the setup's, never the target's.
import { Blocked, RefusedByOperator, Unreachable } from '../engine/scenario-errors.ts';
import { idText, type Json, parseJson } from '../engine/send/json.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Credential, CredentialOptions, FirmRate, LedgerEntry, Operator } from './target.ts';

export type Row = { readonly [name: string]: Json };

const TIMEOUT_MS = 30_000;
/** Whether there is one shows quickly. */
const PROBE_MS = 15_000;
const decoder = new TextDecoder();

export class ControlPlaneClient {
  readonly url: string;
  readonly #sender: Sender;
  readonly #token: string | undefined;

  constructor(url: string, sender: Sender, token?: string) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#sender = sender;
    this.#token = token;
  }

  /** The same plane for a world in it. */
  at(url: string): ControlPlaneClient {
    return new ControlPlaneClient(url, this.#sender, this.#token);
  }

  /** Asks, and gives the JSON of a 2xx answer; anything else is Blocked, in words. */
  async ask(
    method: string,
    path: string,
    body?: object,
    timeoutMs: number = TIMEOUT_MS,
  ): Promise<Row> {
    const headers: [string, string][] = [];
    if (this.#token !== undefined) headers.push(['authorization', `Bearer ${this.#token}`]);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    const answer = await this.#sender.send({
      // Its lists may be long, and it is the target's operator who answers.
      limitBytes: 64 * 1024 * 1024,
      method,
      url: `${this.url}/${path}`,
      headers,
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      timeoutMs,
    });
    const text = decoder.decode(answer.body);
    if (answer.status >= 300) {
      const words = `control plane: ${method} ${path}: ${answer.status} ${text.slice(0, 300)}`;
      throw new RefusedByOperator(answer.status, words);
    }
    const json = text === '' ? {} : parseJson(text);
    if (json !== undefined) return json as Row;
    throw new Blocked(`control plane: ${method} ${path}: the answer is not JSON`);
  }

  /** The rows of a list under a name. */
  async list(path: string, name: string): Promise<Row[]> {
    const { [name]: rows } = await this.ask('GET', path);
    return (Array.isArray(rows) ? rows : []) as unknown as Row[];
  }

  /** Why no control plane answers here, in words; null where one does. */
  async absence(timeoutMs: number = PROBE_MS): Promise<string | null> {
    try {
      const health = await this.ask('GET', 'health', undefined, Math.min(timeoutMs, PROBE_MS));
      return health.status === 'ready' ? null : 'what answers is no control plane';
    } catch (error) {
      if (error instanceof Unreachable) return error.message;
      if (!(error instanceof Blocked)) throw error;
      if (!(error instanceof RefusedByOperator)) return error.message;
      if (error.status !== 401) return `answered ${error.status}`;
      return this.#token === undefined
        ? 'answered 401: where that is one, name its token with --control-token-env'
        : 'answered 401: the token of --control-token-env is not the one it wants';
    }
  }
}

export function controlOperator(
  plane: ControlPlaneClient,
  mint: (options: CredentialOptions) => Promise<Credential>,
): Operator {
  return {
    mint,
    async advance(byMs) {
      await plane.ask('POST', 'clock/advance', { by_ms: byMs });
    },
    async nowMs() {
      return numberOf(await plane.ask('GET', 'clock'), 'now_ms');
    },
    async deliveriesInFlight() {
      const rows = await plane.list('deliveries?status=pending', 'deliveries');
      return rows.filter(({ in_flight: isInFlight }) => isInFlight === true).length;
    },
    async rescope(clientId, scopes) {
      await plane.ask('PATCH', `credentials/${clientId}`, { scopes });
    },
    async openTradingAccount(accountId, options = {}) {
      const body: Record<string, unknown> = { currency: options.currency ?? 'USD' };
      if (options.provider !== undefined) body.provider_payouts = options.provider;
      const row = await plane.ask('POST', `accounts/${accountId}/trading-accounts`, body);
      return {
        account_id: accountId,
        trading_account_id: textOf(row, 'id'),
        currency: textOf(row, 'currency'),
      };
    },
    async settle(transactionId) {
      const { status } = await plane.ask('POST', `transactions/${transactionId}/settle`, {});
      return typeof status === 'string' ? status : undefined;
    },
    async ledger(tradingAccountId) {
      const row = await plane.ask('GET', `trading-accounts/${tradingAccountId}`);
      const { entries } = row;
      const rows = (Array.isArray(entries) ? entries : []) as unknown as LedgerEntry[];
      return { balance: textOf(row, 'balance'), entries: rows };
    },
    transactions: (named) => recordsNamed(plane, 'transactions', named),
    accounts: (named) => recordsNamed(plane, 'accounts', named),
    async settings() {
      const { settings } = await plane.ask('GET', 'info');
      return (settings ?? {}) as Row;
    },
    async fault(options) {
      const made = await plane.ask('POST', 'faults', options);
      const id = idText(made.id);
      return {
        async hits() {
          const rows = await plane.list('faults', 'faults');
          return Number(rows.find((each) => idText(each.id) === id)?.hits ?? Number.NaN);
        },
        async remove() {
          await plane.ask('DELETE', `faults/${id}`);
        },
      };
    },
    async resolve(hostname, addresses) {
      await plane.ask('PUT', `dns/${hostname}`, { addresses });
    },
    async permit(firmId, operation, allowed) {
      await plane.ask('PATCH', `firms/${firmId}`, { permissions: { [operation]: allowed } });
    },
    emit: ({ category, kind, accountId, brandId, data }) =>
      // Members that are undefined are left out of JSON.
      plane.ask('POST', 'events', {
        category,
        kind,
        account_id: accountId,
        brand_id: brandId,
        data,
      }),
    events: (afterSeq) => plane.list(`events?after_seq=${afterSeq}`, 'events'),
    firmRate: (firmId, perSecond) => setFirmRate(plane, firmId, perSecond),
  };
}

/** Null puts the firm on the plan Sandbox, which not every plane can do. */
async function setFirmRate(
  plane: ControlPlaneClient,
  firmId: string,
  perSecond: number | null,
): Promise<FirmRate> {
  const path = `firms/${firmId}`;
  const rate = { rate_per_second: perSecond };
  const onSandbox = { ...rate, plan: 'sandbox' };
  const done =
    perSecond === null ? await plane.ask('PATCH', path, onSandbox).catch(onlyBlocked) : undefined;
  const { rate_per_second: shown } = done ?? (await plane.ask('PATCH', path, rate));
  return {
    perSecond: typeof shown === 'number' ? shown : undefined,
    isOnSandbox: done !== undefined,
  };
}

function onlyBlocked(error: unknown): undefined {
  if (!(error instanceof Blocked)) throw error;
}

async function recordsNamed(
  plane: ControlPlaneClient,
  kind: 'accounts' | 'transactions',
  named: string,
): Promise<Row[]> {
  const rows = await plane.list(kind, kind);
  const wanted = named.toLowerCase();
  return rows.filter(({ id, client_reference_id: reference, email }) =>
    [id, reference, email].some(
      (each) => typeof each === 'string' && each.toLowerCase() === wanted,
    ),
  );
}

function textOf(row: Row, field: string): string {
  const value = row[field];
  if (typeof value === 'string') return value;
  throw new Blocked(`the control plane's answer has no "${field}"`);
}

function numberOf(row: Row, field: string): number {
  const value = row[field];
  if (typeof value === 'number') return value;
  throw new Blocked(`the control plane's answer has no "${field}"`);
}
