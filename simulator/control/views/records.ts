// How the records of a world look to its operator: everything the platform knows of them.
import { nextDueMs } from '../../core/fire-timer.ts';
import { type Fault, isSpent } from '../../core/pipeline/find-fault.ts';
import type {
  Account,
  Credential,
  Delivery,
  Firm,
  Subscription,
  TradingAccount,
} from '../../core/records.ts';
import { eventId } from '../../core/serialize.ts';
import { findEvent } from '../../core/world.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import type {
  AccountShown,
  ClockShown,
  CredentialShown,
  DeliveryShown,
  FaultShown,
  FirmShown,
  SubscriptionShown,
  TradingAccountShown,
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
  const { minted_by: _, ...shown } = credential;
  return {
    ...shown,
    token: world.lastingTokens.get(credential.client_id) ?? null,
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
  const brands = [...world.brands.values()].filter(({ firm_id: firmId }) => firmId === firm.id);
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
  const brand = world.brands.get(account.brand_id)?.name ?? `brand ${account.brand_id}`;
  // ACC-22: the routing rules of these firms give every account of a brand to the brand's desk.
  return { ...account, owner: `${brand} desk`, created_via: 'api' };
}

export function viewTradingAccount(account: TradingAccount): TradingAccountShown {
  const { entries: _, ...shown } = account;
  return shown;
}

export function viewFault(fault: Fault): FaultShown {
  const { id, match, phase, effect, times, nth = null, probability = null, hits } = fault;
  return { id, match, phase, effect, times, nth, probability, hits, spent: isSpent(fault) };
}

export function viewSubscription(
  { world }: WorldHost,
  subscription: Subscription,
): SubscriptionShown {
  const { cursor_seq: _, ...shown } = subscription;
  return { ...shown, forwards_to: world.forwards.get(new URL(shown.url).origin) ?? null };
}

export function viewDelivery({ world }: WorldHost, delivery: Delivery): DeliveryShown {
  const { round_start: _, delayed: __, ...shown } = delivery;
  return {
    ...shown,
    event_id: eventId(world, delivery.seq),
    kind: findEvent(world, delivery.seq)?.kind ?? null,
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
