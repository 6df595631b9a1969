// The powers of an operator over the control plane: time, trading accounts, settlement, faults,
// names, permissions.
import { Blocked } from '../engine/scenario-errors.ts';
import type { ControlPlaneClient, Row } from './control-plane-client.ts';
import type { Credential, CredentialOptions, FirmRate, LedgerEntry, Operator } from './target.ts';

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
      const { deliveries } = await plane.ask('GET', 'deliveries?status=pending');
      const rows = (Array.isArray(deliveries) ? deliveries : []) as unknown as Row[];
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
      const entries = (Array.isArray(row.entries) ? row.entries : []) as unknown as LedgerEntry[];
      return { balance: textOf(row, 'balance'), entries };
    },
    transactions: (named) => recordsNamed(plane, 'transactions', named),
    accounts: (named) => recordsNamed(plane, 'accounts', named),
    async settings() {
      const { settings } = await plane.ask('GET', 'info');
      return (settings ?? {}) as Row;
    },
    async fault(options) {
      const made = await plane.ask('POST', 'faults', options);
      const id = String(made.id);
      return {
        async hits() {
          const { faults } = await plane.ask('GET', 'faults');
          const rows = (Array.isArray(faults) ? faults : []) as unknown as Row[];
          return Number(rows.find((each) => String(each.id) === id)?.hits ?? Number.NaN);
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
    async emit({ category, kind, accountId, brandId, data }) {
      const body: Record<string, unknown> = { category };
      if (kind !== undefined) body.kind = kind;
      if (accountId !== undefined) body.account_id = accountId;
      if (brandId !== undefined) body.brand_id = brandId;
      if (data !== undefined) body.data = data;
      return plane.ask('POST', 'events', body);
    },
    async events(afterSeq) {
      const { events } = await plane.ask('GET', `events?after_seq=${afterSeq}`);
      return (Array.isArray(events) ? events : []) as unknown as Row[];
    },
    async resume(subscriptionId) {
      await plane.ask('POST', `subscriptions/${subscriptionId}/resume`, {});
    },
    firmRate: (firmId, perSecond) => setFirmRate(plane, firmId, perSecond),
  };
}

/** Null puts it on Sandbox: it may have begun on a faster plan. Not every plane can do that. */
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
  const told = (done ?? (await plane.ask('PATCH', path, rate))).rate_per_second;
  return {
    perSecond: typeof told === 'number' ? told : undefined,
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
  const { [kind]: records } = await plane.ask('GET', kind);
  const rows = (Array.isArray(records) ? records : []) as unknown as Row[];
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
