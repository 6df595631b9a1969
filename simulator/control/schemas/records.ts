// The records of the control plane: schemas for its rows and description, and the types of both.

import type { Envelope } from '../../../fixtures/envelope.ts';
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import { type OperationName, operationNames } from '../../../fixtures/operations.ts';
import {
  centuryMs,
  flag,
  id,
  listOf,
  maxClockMs,
  object,
  ofType,
  oneOf,
  orNull,
  text,
  type ValueOf,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import {
  accountMembers,
  subscriptionMembers,
  transactionMembers,
} from '../../../fixtures/schemas/records.ts';
import { effectKinds, faultRefusals, faultStatuses } from '../../core/pipeline/find-fault.ts';

const anyWhole = (description: string) => ({ type: 'integer', description }) as const;
const anyText = (description: string) => ({ type: 'string', description }) as const;
const atMs = (description: string) => whole(`${description} In ms of the epoch.`, 0, 1e16);
const maybeText = (description: string) => orNull(anyText(description));
const maybeId = (description: string) => orNull(id(description));
const decimal = (description: string) =>
  ({ type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$', description }) as const;
const plan = oneOf('Rate plan.', ['sandbox', 'standard', 'pro']);

export const clockSchema = object('The clock of a world.', {
  mode: oneOf('A frozen clock stands until it is advanced.', ['real', 'frozen']),
  speed: { type: 'number', description: 'How many times as fast as the wall’s it runs.' } as const,
  now_ms: atMs('Its time.'),
  next_due_ms: orNull(atMs('When the next thing is due; null when nothing is.')),
});
export type ClockShown = ValueOf<typeof clockSchema>;

export const credentialSchema = object('A credential, secrets included.', {
  name: anyText('What people call it.'),
  kind: oneOf('Delegated ones are limited to one account.', ['server', 'delegated']),
  client_id: anyText('For the token endpoint.'),
  client_secret: anyText('For the token endpoint.'),
  token: maybeText('A token that does not expire; null when it has none.'),
  firm_id: id('The firm.'),
  brand_id: maybeId('The brand it is bound to; null is firm-wide.'),
  scopes: listOf(anyText('A scope.'), 'What it may do (AUTH-4).'),
  read_only: flag('Minted read-only (AUTH-2).'),
  account_id: maybeId('The one account of a delegated one (AUTH-5).'),
  plan,
  rate_per_second: whole('The allowance in force, in requests (LIM-1, LIM-4).', 0, 1e9),
});
export type CredentialShown = ValueOf<typeof credentialSchema>;

export const firmSchema = object('A firm with its brands.', {
  id: id('Firm id.'),
  name: anyText('Its name.'),
  plan,
  rate_per_second: whole('Allowance of the whole firm, in requests (LIM-3).', 0, 1e9),
  permissions: {
    type: 'object',
    description: 'By operation, whether the firm may use it (AUTH-8).',
    properties: {},
    additionalProperties: { type: 'boolean' },
  },
  brands: listOf(
    object('A brand.', { id: id('Brand id.'), name: anyText('Its name.') }),
    'Brands.',
  ),
});
export type FirmShown = ValueOf<typeof firmSchema>;

export const accountSchema = object('An account, with what the API does not show of it.', {
  ...accountMembers.api,
  ...accountMembers.operator,
  owner: anyText('Given by the routing of the firm, never by a request (ACC-22).'),
  created_via: oneOf('How it came to be.', ['api']),
});
export type AccountShown = ValueOf<typeof accountSchema>;

const tradingAccountMembers = {
  id: id('Trading account id.'),
  account_id: id('The account it belongs to.'),
  currency: anyText('Its currency.'),
  provider_payouts: flag('Its withdrawals pay out through a provider (NS-21).'),
  balance: decimal('The sum of its entries.'),
} as const;
export const tradingAccountSchema = object('A trading account.', tradingAccountMembers);
export const ledgerSchema = object('A trading account with its entries.', {
  ...tradingAccountMembers,
  entries: listOf(
    object('A movement of money.', {
      transaction_id: maybeId('The transaction behind it.'),
      amount: decimal('Signed.'),
      kind: oneOf('A compensation reverses a movement.', ['movement', 'compensation']),
      at_ms: atMs('When it was booked.'),
    }),
    'Oldest first.',
  ),
});
export type TradingAccountShown = ValueOf<typeof tradingAccountSchema>;
export type LedgerShown = ValueOf<typeof ledgerSchema>;

/** As sent: a setting lets in more forms of it (NS-49). */
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
  status: orNull(anyWhole('Status of the answer that repeats get.')),
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

export const deliverySchema = object('An event on its way to a subscription.', {
  id: maybeText('null while an earlier event holds it back and nothing has been tried (NS-28).'),
  subscription_id: anyWhole('The subscription.'),
  event_id: anyText('The event.'),
  seq: anyWhole('Its sequence number.'),
  kind: maybeText('What happened; null when the event is no longer kept.'),
  status: oneOf('Where it stands.', ['pending', 'delivered', 'exhausted', 'stopped']),
  in_flight: flag('An attempt is under way.'),
  attempts: listOf(
    object('An attempt.', {
      n: anyWhole('From 1.'),
      at_ms: atMs('When it began.'),
      status: orNull(anyWhole('What the receiver answered; null when nothing came.')),
      error: maybeText('What went wrong.'),
      duration_ms: orNull({ type: 'number', description: 'How long it took, by the wall.' }),
      signature: maybeText('The signature header as sent.'),
    }),
    'Oldest first.',
  ),
  next_due_ms: orNull(atMs('When the next attempt is due.')),
});
export type DeliveryShown = ValueOf<typeof deliverySchema>;

export const envelopeSchema = ofType<Envelope>({
  type: 'object',
  description: 'An event, as delivered and as sent on the events channel (EVT-2a, NS-9).',
  properties: {
    id: anyText('Its id (EVT-2b).'),
    seq: anyWhole('Its sequence number; a setting may name it otherwise (NS-9).'),
    category: { type: 'string', enum: eventCategories, description: 'Its category.' },
    kind: anyText('What happened (NS-11).'),
    occurred_at: atMs('When it happened.'),
    firm_id: id('The firm.'),
    brand_id: maybeId('The brand; null for what concerns the whole firm.'),
    account_id: maybeId('The account; null where it is about none.'),
    data: { type: 'object', description: 'The record as it is after the change.' },
  },
  required: ['id', 'category', 'kind', 'occurred_at', 'firm_id', 'brand_id', 'account_id', 'data'],
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

/** What worlds and snapshots are called. */
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

/** AUTH-8: by operation, whether the firm may use it. */
export const operationPermissions = {
  type: 'object',
  description: 'By operation, whether the firm may use it (AUTH-8).',
  properties: Object.fromEntries(
    operationNames.map((name) => [name, flag(`Whether ${name} works.`)]),
  ) as Readonly<Record<OperationName, { readonly type: 'boolean'; readonly description: string }>>,
  required: [],
  additionalProperties: false,
} as const;

const faultMatch = object('What it applies to: every member that is present must fit.', {
  'operation?': operationParameter,
  'method?': { ...text('An HTTP method.'), maxLength: 16 },
  'path?': {
    ...text('The path without query; a * at the end stands for any rest.'),
    pattern: '^/',
  },
  'client_id?': text('The caller.'),
  'webhook?': {
    type: ['boolean', 'string', 'integer'],
    maxLength: 100,
    description: 'true: any webhook delivery; an id: those of one subscription.',
  },
});

const faultEffect = object('What happens instead.', {
  kind: oneOf(
    'For calls: status, refuse, delay, hang, reset, truncate, slow_body; for webhooks: the others, and delay.',
    effectKinds,
  ),
  'status?': {
    type: 'integer',
    enum: faultStatuses,
    description:
      'With kind status: 429, 500 and 503 in the API’s own form, 502 and 504 as a gateway gives them, in HTML and without any of the API’s headers.',
  },
  'code?': oneOf(
    'With kind refuse: the refusal of this code in the API’s own form, kept for repeats like any other.',
    faultRefusals,
  ),
  'ms?': whole('With delay and slow_body: how long, on the sandbox’s clock.', 0, centuryMs),
  'bytes?': whole('With truncate: how much of the body arrives.', 0, 1e9),
});

const faultPhase = oneOf(
  'Before it runs, or after: then only the answer is lost, late or replaced.',
  ['before', 'after'],
);
const faultTimes = orNull(whole('How often it applies; until it is removed by default.', 1, 1e9));
const faultNth = orNull(whole('It applies from this matching call on.', 1, 1e9));
const faultProbability = orNull({
  type: 'number',
  minimum: 0,
  maximum: 1,
  description: 'How likely it applies to a matching call; drawn from the seed of the world.',
});

export const newFaultSchema = object('What, when, how often.', {
  match: faultMatch,
  'phase?': faultPhase,
  effect: faultEffect,
  'times?': faultTimes,
  'nth?': faultNth,
  'probability?': faultProbability,
});
export type NewFault = ValueOf<typeof newFaultSchema>;

export const faultSchema = object('A fault.', {
  id: text('Its id.'),
  match: faultMatch,
  phase: faultPhase,
  effect: faultEffect,
  times: faultTimes,
  nth: faultNth,
  probability: faultProbability,
  hits: whole('How often it has applied.', 0, 1e15),
  spent: flag('It has applied as often as it was to, and is off.'),
});
export type FaultShown = ValueOf<typeof faultSchema>;
