// How the records of a world look to its operator: everything the platform knows of them.
import { mapProfile } from '../../../fixtures/schemas/account-profile.ts';
import type {
  Account,
  Credential,
  Delivery,
  Firm,
  Subscription,
  TradingAccount,
  Transaction,
} from '../../core/records.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import { eventId, findEvent, nextDueMs, transactionFields } from '../../host/world/world-reads.ts';
import type {
  AccountShown,
  ClockShown,
  CredentialShown,
  DeliveryShown,
  FirmShown,
  LedgerShown,
  SubscriptionShown,
  TradingAccountShown,
  TransactionShown,
} from '../schemas/records.ts';

export function nowMs({ clock, world }: WorldHost): number {
  return Math.max(clock.nowMs(), world.nowMs);
}

export function viewClock(host: WorldHost): ClockShown {
  const { mode, speed } = host.clock;
  return { mode, speed, now_ms: nowMs(host), next_due_ms: nextDueMs(host.world) };
}

export function viewCredential(
  { world, behaviour }: WorldHost,
  credential: Credential,
): CredentialShown {
  return {
    name: credential.name,
    kind: credential.kind,
    client_id: credential.clientId,
    client_secret: credential.clientSecret,
    token: world.lastingTokens.get(credential.clientId) ?? null,
    firm_id: credential.firmId,
    brand_id: credential.brandId,
    scopes: credential.scopes,
    read_only: credential.readOnly,
    account_id: credential.accountId,
    plan: credential.plan,
    rate_per_second: behaviour.limits.rate(credential),
  };
}

/** Those with a token that lasts: the ones of the starting world, and what operators made. */
export function viewLastingCredentials(host: WorldHost): CredentialShown[] {
  const shown: CredentialShown[] = [];
  for (const clientId of host.world.lastingTokens.keys()) {
    const credential = host.world.credentials.get(clientId);
    if (credential !== undefined) shown.push(viewCredential(host, credential));
  }
  return shown;
}

export function viewFirm({ world, behaviour }: WorldHost, firm: Firm): FirmShown {
  const brands = [...world.brands.values()].filter(({ firmId }) => firmId === firm.id);
  const operations = Object.keys(behaviour.table) as (keyof typeof behaviour.table)[];
  return {
    id: firm.id,
    name: firm.name,
    plan: firm.plan,
    rate_per_second: behaviour.limits.firmRate(world, firm.id),
    permissions: Object.fromEntries(
      operations.map((name) => [name, firm.permissions[name] !== false]),
    ),
    brands: brands.map(({ id, name }) => ({ id, name })),
  };
}

export function viewAccount({ world }: WorldHost, account: Account): AccountShown {
  const brand = world.brands.get(account.brandId)?.name ?? `brand ${account.brandId}`;
  return {
    id: account.id,
    revision: account.revision,
    client_reference_id: account.reference,
    email: account.email,
    ...mapProfile((field) => account[field]),
    phone: account.phone,
    status: account.status,
    brand_id: account.brandId,
    firm_id: account.firmId,
    // ACC-22: the routing rules of these firms give every account of a brand to the brand's desk.
    owner: `${brand} desk`,
    created_via: 'api',
    created_at: account.createdAtMs,
    first_deposit_id: account.firstDepositId,
  };
}

export function viewTradingAccount(account: TradingAccount): TradingAccountShown {
  return {
    id: account.id,
    account_id: account.accountId,
    currency: account.currency,
    provider_payouts: account.providerPayouts,
    balance: account.balance,
  };
}

export function viewLedger(account: TradingAccount): LedgerShown {
  return {
    ...viewTradingAccount(account),
    entries: account.entries.map(({ transactionId, amount, kind, atMs }) => ({
      transaction_id: transactionId,
      amount,
      kind,
      at_ms: atMs,
    })),
  };
}

export function viewTransaction(transaction: Transaction): TransactionShown {
  return {
    ...transactionFields(transaction),
    client_reference_id: transaction.reference,
    brand_id: transaction.brandId,
    firm_id: transaction.firmId,
    reason: transaction.reason,
    operator: transaction.operator,
  };
}

export function viewSubscription(
  { world }: WorldHost,
  subscription: Subscription,
): SubscriptionShown {
  const { url } = subscription;
  return {
    id: subscription.id,
    firm_id: subscription.firmId,
    brand_id: subscription.brandId,
    url,
    event_categories: subscription.categories,
    disabled: subscription.disabled,
    disabled_reason: subscription.disabledReason,
    stopped: subscription.stopped,
    last_delivered_seq: subscription.lastDeliveredSeq,
    created_at: subscription.createdAtMs,
    secret: subscription.secret,
    previous_secret: subscription.previousSecret,
    rotated_at_ms: subscription.rotatedAtMs,
    forwards_to: world.forwards.get(new URL(url).origin) ?? null,
  };
}

export function viewDelivery({ world }: WorldHost, delivery: Delivery): DeliveryShown {
  return {
    id: delivery.id,
    subscription_id: delivery.subscriptionId,
    event_id: eventId(world, delivery.seq),
    seq: delivery.seq,
    kind: findEvent(world, delivery.seq)?.kind ?? null,
    status: delivery.status,
    in_flight: delivery.inFlight,
    attempts: delivery.attempts.map(({ n, atMs, status, error, durationMs, signature }) => ({
      n,
      at_ms: atMs,
      status,
      error,
      duration_ms: durationMs,
      signature,
    })),
    next_due_ms: delivery.nextDueMs,
  };
}

/** An event that waits behind others of its subscription. */
export function viewWaiting(
  host: WorldHost,
  subscription: Subscription,
  seq: number,
): DeliveryShown {
  return {
    id: null,
    subscription_id: subscription.id,
    event_id: eventId(host.world, seq),
    seq,
    kind: findEvent(host.world, seq)?.kind ?? null,
    status: 'pending',
    in_flight: false,
    attempts: [],
    next_due_ms: null,
  };
}
