// The records of the control plane, each with its schema, its type, and how it is shown: everything
// that the platform knows about it.

import type { Envelope } from '../../fixtures/envelope.ts';
import { type OperationName, operationNames } from '../../fixtures/operations.ts';
import {
  anyText,
  anyWhole,
  flag,
  id,
  listOf,
  mapOf,
  maxClockMs,
  maybeText,
  object,
  ofType,
  oneOf,
  orNull,
  type Schema,
  text,
  type ValueOf,
  whole,
} from '../../fixtures/schemas/kit.ts';
import {
  accountMembers,
  credentialMembers,
  deliveryMembers,
  entryMembers,
  plan,
  subscriptionMembers,
  tradingAccountMembers,
  transactionMembers,
} from '../../fixtures/schemas/records.ts';
import { envelopeSchema as apiEnvelopeSchema } from '../../fixtures/schemas/responses.ts';
import {
  type Fault,
  faultEffect,
  faultMatch,
  faultTerms,
  isSpent,
} from '../core/pipeline/find-fault.ts';
import type {
  Account,
  Credential,
  Delivery,
  Firm,
  Subscription,
  TradingAccount,
} from '../core/records.ts';
import { eventId } from '../core/serialize.ts';
import { nextDueMs } from '../core/step.ts';
import { findEvent } from '../core/world.ts';
import { clockModes } from '../host/world/clock.ts';
import type { WorldHost } from '../host/world/world-host.ts';

const atMs = (description: string) => whole(`${description} In ms of the epoch.`, 0, 1e16);

export const clockMode = oneOf('A frozen clock stands until it is advanced.', clockModes);
export const clockSchema = object('The clock of a world.', {
  mode: clockMode,
  speed: { type: 'number', description: 'How many times as fast as the wall’s it runs.' } as const,
  now_ms: atMs('Its time.'),
  next_due_ms: orNull(atMs('When the next thing is due; null when nothing is.')),
});
export type ClockShown = ValueOf<typeof clockSchema>;

export function viewClock(host: WorldHost): ClockShown {
  const { mode, speed } = host.clock;
  return { mode, speed, now_ms: host.nowMs, next_due_ms: nextDueMs(host.world) };
}

export const credentialSchema = object('A credential, secrets included.', {
  ...credentialMembers,
  token: maybeText('A token that does not expire; null when it has none.'),
  rate_per_second: whole('The allowance in force, in requests (LIM-1, LIM-4).', 0, 1e9),
});
export type CredentialShown = ValueOf<typeof credentialSchema>;

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

/** Credentials with a token that does not expire: from the starting world, or made by operators. */
export function viewLastingCredentials(host: WorldHost): CredentialShown[] {
  const { credentials, lastingTokens } = host.world;
  return [...lastingTokens.keys()].flatMap((clientId) => {
    const credential = credentials.get(clientId);
    return credential === undefined ? [] : [viewCredential(host, credential)];
  });
}

export const firmSchema = object('A firm with its brands.', {
  id: id('Firm id.'),
  name: anyText('Its name.'),
  plan,
  rate_per_second: whole('Allowance of the whole firm, in requests (LIM-3).', 0, 1e9),
  permissions: mapOf('By operation, whether the firm may use it (AUTH-8).', { type: 'boolean' }),
  brands: listOf(
    object('A brand.', { id: id('Brand id.'), name: anyText('Its name.') }),
    'Brands.',
  ),
});
export type FirmShown = ValueOf<typeof firmSchema>;

export function viewFirm({ world, behaviour }: WorldHost, firm: Firm): FirmShown {
  const brands = [...world.brands.values()].filter((brand) => brand.firm_id === firm.id);
  const { id, name, plan, permissions } = firm;
  return {
    ...{ id, name, plan },
    rate_per_second: behaviour.limits.firmRate(world, id),
    permissions: Object.fromEntries(
      operationNames.map((operation) => [operation, permissions[operation] !== false]),
    ),
    brands: brands.map((brand) => ({ id: brand.id, name: brand.name })),
  };
}

export const accountSchema = object('An account, with what the API does not show of it.', {
  ...accountMembers.api,
  ...accountMembers.operator,
  owner: anyText('Given by the routing of the firm, never by a request (ACC-22).'),
  created_via: oneOf('How it came to be.', ['api']),
});
export type AccountShown = ValueOf<typeof accountSchema>;

export function viewAccount({ world }: WorldHost, account: Account): AccountShown {
  const brand = world.brands.get(account.brand_id)?.name ?? `brand ${account.brand_id}`;
  // ACC-22: these firms route every account of a brand to the brand's desk.
  return { ...account, owner: `${brand} desk`, created_via: 'api' };
}

export const tradingAccountSchema = object('A trading account.', tradingAccountMembers);
export const ledgerSchema = object('A trading account with its entries.', {
  ...tradingAccountMembers,
  entries: listOf(object('A movement of money.', entryMembers), 'Oldest first.'),
});
export type TradingAccountShown = ValueOf<typeof tradingAccountSchema>;
export type LedgerShown = ValueOf<typeof ledgerSchema>;

export function viewTradingAccount(account: TradingAccount): TradingAccountShown {
  const { entries: _, ...shown } = account;
  return shown;
}

/** As sent: a setting allows more forms of it (NS-49). */
const amount = anyText('As sent (CONV-2a).');
export const apiTransactionSchema = object('A transaction as the API shows it.', {
  ...transactionMembers.api,
  amount,
});
export const transactionSchema = object('A transaction, with what the API never shows of it.', {
  ...transactionMembers.api,
  ...transactionMembers.operator,
  method: anyText('Deposit, Withdrawal or Bonus.'),
  transaction_type: anyText('Deposit, Withdrawal, Credit or Debit.'),
  amount,
});
export type TransactionShown = ValueOf<typeof transactionSchema>;

export const keySchema = object('An idempotency key with what it stands for.', {
  client_id: maybeText('The credential; null when only a digest is kept.'),
  operation: maybeText('The operation.'),
  key: maybeText('The key; null when only a digest is kept.'),
  subject: maybeText('What it stands together with (IDEM-2c).'),
  state: oneOf('Whether its attempt still runs (IDEM-14a).', ['in_flight', 'recorded']),
  status: orNull(anyWhole('Status of the response that repeats get.')),
  first_attempt: anyWhole('Number of the request that it comes from.'),
  recorded_at_ms: atMs('When its age began (NS-42).'),
  age_ms: anyWhole('How old it is.'),
  expires_at_ms: orNull(atMs('When a repeat would run again (IDEM-7b); null while it runs.')),
});
export type KeyShown = ValueOf<typeof keySchema>;

export const bucketSchema = object('An allowance.', {
  name: anyText('Its name inside the simulator.'),
  of: oneOf('Whose it is.', ['credential', 'firm']),
  client_ids: listOf(anyText('A client id.'), 'The credentials that draw from it.'),
  firm_id: id('The firm.'),
  rate_per_second: whole('How fast it fills, in requests.', 0, 1e9),
  level: { type: 'number', description: 'Requests that may be sent now.' },
  full: whole('Requests it can hold (LIM-2).', 0, 1e9),
});
export type BucketShown = ValueOf<typeof bucketSchema>;

export const subscriptionSchema = object('A webhook subscription, secrets included.', {
  ...subscriptionMembers.api,
  ...subscriptionMembers.operator,
  forwards_to: maybeText('Where deliveries really go, under a forward.'),
});
export type SubscriptionShown = ValueOf<typeof subscriptionSchema>;

export function viewSubscription(
  { world }: WorldHost,
  subscription: Subscription,
): SubscriptionShown {
  const { cursor_seq: _, ...shown } = subscription;
  return { ...shown, forwards_to: world.forwards.get(new URL(shown.url).origin) ?? null };
}

export const deliverySchema = object('An event on its way to a subscription.', {
  id: maybeText('null while an earlier event holds it back and nothing has been tried (NS-28).'),
  ...deliveryMembers,
  event_id: anyText('The event.'),
  kind: maybeText('What happened; null when the event is no longer kept.'),
});
export type DeliveryShown = ValueOf<typeof deliverySchema>;

/** An event that waits behind others of its subscription. */
export interface Waiting extends Pick<Delivery, 'subscription_id' | 'seq' | 'status'> {
  readonly id: null;
}

const untried = { in_flight: false, attempts: [], next_due_ms: null };

export function viewDelivery({ world }: WorldHost, delivery: Delivery | Waiting): DeliveryShown {
  const { round_start: _, delayed: __, ...shown } = { ...untried, ...delivery } as Delivery;
  return {
    ...shown,
    id: delivery.id,
    event_id: eventId(world, delivery.seq),
    kind: findEvent(world, delivery.seq)?.kind ?? null,
  };
}

const { required, properties } = apiEnvelopeSchema('seq') as Required<Schema>;
/** A setting may give `seq` another name (NS-9). */
export const envelopeSchema = ofType<Envelope>({
  type: 'object',
  description: 'An event, as delivered and as sent on the events channel (EVT-2a, NS-9).',
  properties,
  required: required.filter((name) => name !== 'seq'),
});

export const madeEnvelopeSchema = ofType<Envelope & { readonly hint?: string }>({
  ...envelopeSchema,
  properties: { ...properties, hint: anyText('Only if the kind looks misspelt.') },
});

export const worldSchema = object('A world.', {
  name: anyText('Its name.'),
  control_url: anyText('Its control plane.'),
  clock: clockSchema,
  credentials: listOf(credentialSchema, 'Its credentials with lasting tokens.'),
});
export type WorldShown = ValueOf<typeof worldSchema>;

export const nameSchema = object('What a hostname resolves to.', {
  hostname: anyText('The hostname.'),
  addresses: listOf(anyText('An IP address.'), 'None: it does not resolve.'),
});
export const forwardSchema = object('Where deliveries for an origin go instead.', {
  from: text('An https origin.'),
  to: text('A URL; a bare origin keeps path and query.'),
});

/** Names of worlds and snapshots. */
export const worldNameParameter = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  description: 'Up to 64 letters, digits, dots, hyphens and underscores.',
} as const;

export const snapshotSchema = object('A world as it stood.', {
  name: text('Its name.'),
  now_ms: whole('The time in that world.', 0, maxClockMs),
  accounts: whole('Accounts in it.', 0, 1e15),
  transactions: whole('Transactions in it.', 0, 1e15),
  last_seq: whole('Its last event.', 0, 1e15),
});
export type SnapshotShown = ValueOf<typeof snapshotSchema>;

export const operationParameter = oneOf('An operation of the API.', operationNames);

/** AUTH-8: for each operation, whether the firm may use it. */
export const operationPermissions = object(
  'By operation, whether the firm may use it (AUTH-8).',
  Object.fromEntries(
    operationNames.map((name) => [`${name}?`, flag(`Whether ${name} works.`)]),
  ) as Readonly<Record<`${OperationName}?`, ReturnType<typeof flag>>>,
);

export { type NewFault, newFaultSchema } from '../core/pipeline/find-fault.ts';

export const faultSchema = object('A fault.', {
  id: text('Its id.'),
  match: faultMatch,
  effect: faultEffect,
  ...faultTerms,
  hits: whole('How often it has applied.', 0, 1e15),
  spent: flag('It has applied as often as it was to, and is off.'),
});
export type FaultShown = ValueOf<typeof faultSchema>;

export function viewFault(fault: Fault): FaultShown {
  const { id, match, phase, effect, times, nth = null, probability = null, hits } = fault;
  return { id, match, phase, effect, times, nth, probability, hits, spent: isSpent(fault) };
}
