// Operator commands on the platform, as inputs like any other: named, with plain arguments, so that
// a run can be recorded. Each returns a value, or the reason why it is refused.
import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import { operationTable } from '../../../fixtures/operations.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { Behaviour } from '../behaviour.ts';
import { type Change, evolve, put, putAt, remove } from '../change.ts';
import {
  disableChanges,
  newSubscription,
  resumeChanges,
  startAttempt,
} from '../delivery/deliveries.ts';
import { transitionChanges } from '../operations/transactions.ts';
import {
  callEffects,
  concernsWebhooks,
  deliveryEffects,
  type Fault,
  type FaultMatch,
  findEffectProblem,
  type NewFault,
} from '../pipeline/find-fault.ts';
import type {
  Credential,
  EventRecord,
  Firm,
  Subscription,
  Token,
  TradingAccount,
} from '../records.ts';
import { copyWorld } from '../state/copy-world.ts';
import type { Effect, StepResult } from '../step.ts';
import { parseAddress } from '../values/address.ts';
import { seededSecret } from '../values/digest.ts';
import { findEvent, type World } from '../world.ts';

export interface CommandContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly atMs: number;
}

export type CommandOutcome<V = unknown> =
  | { readonly value: V; readonly effects?: readonly Effect[] }
  | { readonly refused: Refused };

interface Refused {
  readonly status: 404 | 409 | 422;
  readonly field: string;
  readonly message: string;
}

function refused(field: string, message: string, status: Refused['status'] = 422) {
  return { refused: { status, field, message } } as const;
}

const absent = (what: string, id: string, field = 'id') =>
  refused(field, `there is no ${what} ${id}`, 404);

function done<V extends object>({ world }: CommandContext, changes: readonly Change[], value: V) {
  evolve(world, changes);
  return { value };
}

interface Id {
  readonly id: string;
}

const commands = {
  createCredential,
  changeCredential,
  changeFirm,
  createTradingAccount,
  settle,
  makeFault,
  removeFault,
  clearFaults,
  setName,
  setForward,
  makeEvent,
  makeSubscription,
  disableSubscription,
  retryDelivery,
  resumeSubscription,
} as const;

export type CommandName = keyof typeof commands;
export type CommandArguments<N extends CommandName> = Parameters<(typeof commands)[N]>[1];
export type CommandValue<N extends CommandName> = Extract<
  ReturnType<(typeof commands)[N]>,
  { readonly value: unknown }
>['value'];

export interface CommandInput {
  readonly kind: 'command';
  readonly atMs: number;
  readonly name: CommandName;
  readonly args: unknown;
}

export function executeCommand(
  world: World,
  behaviour: Behaviour,
  { name, args }: CommandInput,
): StepResult {
  const run = commands[name] as
    | ((context: CommandContext, args: unknown) => CommandOutcome)
    | undefined;
  if (run === undefined) return { effects: [], outcome: refused('name', `no command ${name}`) };
  const outcome = run({ world, behaviour, atMs: world.nowMs }, args);
  return { effects: 'effects' in outcome ? (outcome.effects ?? []) : [], outcome };
}

type MakeFault = Omit<NewFault, 'effect'> & Pick<Fault, 'effect'>;

const methods = new Set(Object.values(operationTable).map(({ method }) => method as string));

/** Why no call or delivery can match; null if one can. */
function refuseMatch(world: World, match: FaultMatch) {
  const { method, client_id: clientId } = match;
  if (concernsWebhooks(match)) {
    const other = Object.keys(match).find((name) => name !== 'webhook');
    if (other === undefined) return null;
    return refused(`match.${other}`, 'is about calls, and does not go with webhook');
  }
  if (method !== undefined && !methods.has(method.toUpperCase())) {
    const words = `must be one of ${[...methods].join(', ')}: no operation has another`;
    return refused('match.method', words);
  }
  if (clientId === undefined || world.credentials.has(clientId)) return null;
  return refused('match.client_id', 'must be of a credential of this world');
}

function makeFault(context: CommandContext, args: MakeFault) {
  const { match, effect, phase, nth, probability } = args;
  const { kind } = effect;
  const wrong = refuseMatch(context.world, match);
  if (wrong !== null) return wrong;
  const problem = findEffectProblem(effect, 'effect');
  if (problem !== null) return refused(problem.field, problem.message);
  const isWebhook = concernsWebhooks(match);
  const kinds = Object.keys(isWebhook ? deliveryEffects : callEffects);
  if (!kinds.includes(kind)) {
    const what = isWebhook ? 'webhook deliveries' : 'calls';
    return refused('effect.kind', `for ${what} it is one of ${kinds.join(', ')}`);
  }
  if (isWebhook && phase === 'after') {
    return refused('phase', 'a webhook fault has no phase after');
  }
  // These effects change the body of an answer, so the call has already run.
  const isOnAnswer = kind === 'truncate' || kind === 'slow_body';
  if (isOnAnswer && phase === 'before') {
    return refused('phase', `is after with ${kind}: before it runs there is no response`);
  }
  if (kind === 'refuse' && phase === 'after') {
    return refused('phase', 'is before with refuse: what is refused has not run');
  }
  const count = context.world.counters.fault + 1;
  const fault: Fault = {
    id: String(count),
    match,
    phase: phase ?? (isOnAnswer ? 'after' : 'before'),
    effect,
    times: args.times ?? null,
    hits: 0,
    ...(nth == null ? {} : { nth }),
    ...(probability == null ? {} : { probability }),
  };
  return done(context, [put('faults', fault)], fault);
}

function removeFault(context: CommandContext, { id }: Id) {
  if (!context.world.faults.has(id)) return absent('fault', id);
  return done(context, [remove('faults', id)], {});
}

function clearFaults(context: CommandContext) {
  const changes = [...context.world.faults.keys()].map((id) => remove('faults', id));
  return done(context, changes, {});
}

type CreateTradingAccount = Pick<TradingAccount, 'account_id'> &
  Partial<Pick<TradingAccount, 'currency' | 'provider_payouts'>>;

function createTradingAccount(
  context: CommandContext,
  { account_id, currency = 'USD', provider_payouts = false }: CreateTradingAccount,
) {
  const { world } = context;
  if (!world.accounts.has(account_id)) return absent('account', account_id);
  const id = String(world.counters.tradingAccount + 1);
  const balance = '0.00';
  const tradingAccount = { id, account_id, currency, provider_payouts, balance, entries: [] };
  return done(context, [put('tradingAccounts', tradingAccount)], tradingAccount);
}

/** NS-3: settles an approved transaction now, even if its timer is later. */
function settle(context: CommandContext, { id }: Id) {
  const transaction = context.world.transactions.get(id);
  if (transaction === undefined) return absent('transaction', id);
  const { status } = transaction;
  const move = context.behaviour.transactions.transitions[status].settle;
  if (move.kind === 'refused') {
    return refused('id', `transaction ${id} is ${status}; only an approved one settles`, 409);
  }
  if (move.kind === 'unchanged') return { value: transaction };
  const moved = transitionChanges(context, transaction, move, 'settle');
  return done(context, moved.changes, moved.transaction);
}

interface SetName {
  readonly hostname: string;
  /** null: use the system's resolver again. */
  readonly addresses: readonly string[] | null;
}

function setName(context: CommandContext, { hostname: named, addresses }: SetName) {
  const hostname = parseHostname(named);
  if (hostname === null) return refused('hostname', `${named} is not a hostname`);
  const wrong = addresses?.find((address) => parseAddress(address) === null);
  if (wrong !== undefined) return refused('addresses', `${wrong} is not an IP address`);
  const change: Change =
    addresses === null ? remove('names', hostname) : putAt('names', hostname, addresses);
  if (addresses === null && !context.world.names.has(hostname)) {
    return refused('hostname', `nothing was set for ${hostname}`, 404);
  }
  return done(context, [change], { hostname, addresses: addresses ?? [] });
}

const hostnameForm = /^(?=.{1,253}$)[^.]{1,63}(\.[^.]{1,63})*$/;

/** As the URL parser writes it: lower case, international names in ASCII, no trailing dot. */
function parseHostname(text: string): string | null {
  const url = /^[^\s/?#@:[\]\\]+$/.test(text) ? parseUrl(`https://${text}`) : null;
  const hostname = url?.hostname.replace(/\.$/, '') ?? '';
  // An IP address is not a name: it is never resolved.
  return hostnameForm.test(hostname) && parseAddress(hostname) === null ? hostname : null;
}

interface SetForward {
  readonly from: string;
  readonly to: string | null;
}

function setForward(context: CommandContext, { from, to }: SetForward) {
  const url = /^https:\/\/[^/?#@\s]+\/?$/i.test(from) ? parseUrl(from) : null;
  if (url === null) {
    return refused('from', 'must be an https origin such as https://hooks.example.com');
  }
  const { origin } = url;
  if (to !== null && (!/^https?:\/\//i.test(to) || parseUrl(to) === null)) {
    return refused('to', 'must be a URL such as http://127.0.0.1:9000/hooks');
  }
  const change: Change = to === null ? remove('forwards', origin) : putAt('forwards', origin, to);
  if (to === null && !context.world.forwards.has(origin)) {
    return refused('from', `nothing is forwarded from ${origin}`, 404);
  }
  return done(context, [change], { from: origin, to: to ?? '' });
}

interface MakeEvent {
  readonly category: EventCategory;
  readonly kind?: string;
  readonly account_id?: string;
  readonly brand_id?: string;
  readonly firm_id?: string;
  readonly data?: unknown;
}

/** An event like any other: it gets the next sequence number and is delivered (EVT-2a). */
function makeEvent(context: CommandContext, args: MakeEvent) {
  const { world } = context;
  const { category, kind = `${category}.custom`, account_id, brand_id, firm_id } = args;
  const account = world.accounts.get(account_id ?? '');
  if (account_id !== undefined && account === undefined) {
    return refused('account_id', `there is no account ${account_id}`);
  }
  const brand = world.brands.get(brand_id ?? '');
  if (brand_id !== undefined && brand === undefined) {
    return refused('brand_id', `there is no brand ${brand_id}`);
  }
  if (account !== undefined && brand !== undefined && account.brand_id !== brand.id) {
    return refused('brand_id', `account ${account.id} is at brand ${account.brand_id}`);
  }
  const draft = {
    category,
    kind,
    firm_id: account?.firm_id ?? brand?.firm_id ?? firm_id ?? firstFirm(world),
    brand_id: account?.brand_id ?? brand?.id ?? null,
    account_id: account?.id ?? null,
    body: JSON.stringify(args.data ?? {}),
  };
  evolve(world, [{ type: 'event', draft }]);
  return { value: findEvent(world, world.events.lastSeq) as EventRecord };
}

const firstFirm = (world: World): string => world.firms.keys().next().value ?? '1';

type MakeSubscription = Pick<Subscription, 'firm_id' | 'url' | 'event_categories'>;

/** A firm-wide subscription made by an operator; it receives all later events. */
function makeSubscription(context: CommandContext, args: MakeSubscription) {
  const { world, behaviour } = context;
  const { firm_id: firmId, url } = args;
  if (!world.firms.has(firmId)) return refused('firm_id', `there is no firm ${firmId}`);
  const why = behaviour.webhooks.refuseTarget(url, null, world);
  if (why !== null) return refused('url', why);
  const draft = { ...args, brand_id: null, created_at: world.nowMs };
  const { subscription, changes } = newSubscription(world, behaviour, draft);
  return done(context, changes, subscription);
}

/** HOOK-5: ends deliveries, as the API's own operation does. */
function disableSubscription(
  context: CommandContext,
  { id, reason }: Id & { readonly reason: string },
) {
  const { world } = context;
  const found = world.subscriptions.get(Number(id));
  if (found === undefined) return absent('subscription', id);
  if (!found.disabled) evolve(world, disableChanges(world, found, reason));
  return { value: {} };
}

/** Attempts a waiting or exhausted delivery immediately. */
function retryDelivery({ world }: CommandContext, { id }: Id) {
  const delivery = world.deliveries.get(id);
  if (delivery === undefined) return absent('delivery', id);
  const subscription = world.subscriptions.get(delivery.subscription_id);
  if (subscription === undefined || subscription.disabled) {
    return refused('id', 'its subscription is disabled and stays so; make a new one', 409);
  }
  if (delivery.in_flight) return refused('id', 'an attempt is under way', 409);
  if (findEvent(world, delivery.seq) === undefined) {
    return refused('id', `event ${delivery.seq} is older than the seven days that are kept`, 409);
  }
  // NS-28: if this delivery blocks its subscription, the retry unblocks it. A delivery that has
  // arrived or was skipped is sent again on its own, so its receiver sees it twice (EVT-4).
  if (delivery.status === 'exhausted') evolve(world, resumeChanges(world, subscription));
  const begun = startAttempt(world, world.deliveries.get(id) ?? delivery);
  return { value: world.deliveries.get(id) ?? delivery, effects: [begun] };
}

/** NS-28: delivery resumes after it was stopped. */
function resumeSubscription({ world }: CommandContext, { id }: Id) {
  const subscription = world.subscriptions.get(Number(id));
  if (subscription === undefined) return absent('subscription', id);
  if (subscription.disabled) {
    return refused('id', 'it is disabled, and nothing resumes that (HOOK-13); make a new one', 409);
  }
  evolve(world, resumeChanges(world, subscription));
  return { value: world.subscriptions.get(subscription.id) ?? subscription };
}

/** The client_id is only given when a starting world is loaded. */
type CreateCredential = Pick<Credential, 'scopes'> & Partial<Omit<Credential, 'client_secret'>>;

/** A credential and its token, which does not expire. */
export function createCredential(context: CommandContext, args: CreateCredential) {
  const { world } = context;
  const { brand_id = null, account_id = null } = args;
  const account = world.accounts.get(account_id ?? '');
  const brand = world.brands.get(brand_id ?? '');
  const firmId = args.firm_id ?? brand?.firm_id ?? account?.firm_id ?? firstFirm(world);
  const wrong = refuseCredential(world, { ...args, firm_id: firmId });
  if (wrong !== null) return wrong;
  const count = world.counters.credential + 1;
  const clientId = args.client_id ?? `cl_${seeded(world, `client:${count}`, 16)}`;
  const credential: Credential = {
    client_id: clientId,
    name: args.name ?? `credential ${count}`,
    kind: args.kind ?? 'server',
    client_secret: clientSecretOf(world, clientId),
    firm_id: firmId,
    brand_id: brand_id ?? account?.brand_id ?? null,
    scopes: [...new Set(args.scopes)],
    read_only: args.read_only ?? false,
    account_id,
    minted_by: args.minted_by ?? null,
    // LIM-1: the plan of new credentials, independent of the plan of the starting world.
    plan: args.plan ?? 'sandbox',
    rate_per_second: args.rate_per_second ?? null,
  };
  const counted: Change = { type: 'counter', counter: 'credential', to: count };
  const token = put('tokens', lastingToken(world, clientId));
  return done(context, [counted, put('credentials', credential), token], credential);
}

const clientSecretOf = (world: World, clientId: string): string =>
  `cs_${seeded(world, `client-secret:${clientId}`)}`;

function lastingToken(world: World, clientId: string): Token {
  const token = `tok_${seeded(world, `token:${clientId}`)}`;
  return { token, client_id: clientId, expires_at_ms: null, scopes: null };
}

const seeded = (world: World, label: string, length?: number): string =>
  seededSecret(world.seed, `${world.name}:${label}`, length);

/** A copy of a world with another name, and with new secrets and lasting tokens. */
export function forkWorld(world: World, name: string): World {
  const { shared, ...copy } = copyWorld(world);
  shared?.delete('tokens');
  shared?.delete('lastingTokens');
  const fork: World = { ...copy, name, shared, tokens: new Map(), lastingTokens: new Map() };
  for (const credential of world.credentials.values()) {
    const clientSecret = clientSecretOf(fork, credential.client_id);
    evolve(fork, [put('credentials', { ...credential, client_secret: clientSecret })]);
  }
  for (const clientId of world.lastingTokens.keys()) {
    evolve(fork, [put('tokens', lastingToken(fork, clientId))]);
  }
  return fork;
}

/** Why this credential cannot be created; null if it can. */
function refuseCredential(world: World, args: CreateCredential & { readonly firm_id: string }) {
  const { client_id, firm_id, brand_id, account_id, minted_by, read_only } = args;
  if (!world.firms.has(firm_id)) return refused('firm_id', `there is no firm ${firm_id}`);
  if (client_id !== undefined && world.credentials.has(client_id)) {
    return refused('client_id', `there is a credential ${client_id} already`, 409);
  }
  if (brand_id != null && world.brands.get(brand_id)?.firm_id !== firm_id) {
    return refused('brand_id', `firm ${firm_id} has no brand ${brand_id}`);
  }
  const account = world.accounts.get(account_id ?? '');
  if (account_id != null && account?.firm_id !== firm_id) {
    return refused('account_id', `firm ${firm_id} has no account ${account_id}`);
  }
  if (args.kind !== 'delegated') {
    if (account_id != null) {
      return refused('account_id', 'only a delegated credential is for one account');
    }
    if (read_only === true) {
      return refused('read_only', 'only a delegated credential can be read-only');
    }
    if (minted_by != null) {
      return refused('minted_by', 'only a delegated credential is minted by another');
    }
    return null;
  }
  if (account === undefined) {
    return refused('account_id', 'a delegated credential is for one account: name it');
  }
  if (brand_id != null && account.brand_id !== brand_id) {
    return refused('brand_id', `account ${account.id} is at brand ${account.brand_id}`);
  }
  if (minted_by != null) {
    // LIM-10: it uses the allowance of a server credential of its firm.
    const minter = world.credentials.get(minted_by);
    if (minter?.kind !== 'server' || minter.firm_id !== firm_id) {
      return refused('minted_by', `firm ${firm_id} has no server credential ${minted_by}`);
    }
    // AUTH-6: a minter cannot delegate access that it does not have, as at the token endpoint.
    if (minter.brand_id !== null && minter.brand_id !== account.brand_id) {
      const reason = `${minted_by} is bound to brand ${minter.brand_id} and does not reach account`;
      return refused('minted_by', `${reason} ${account.id}`);
    }
  }
  return null;
}

type ChangeCredential = Pick<Credential, 'client_id'> &
  Partial<Pick<Credential, 'scopes' | 'plan' | 'rate_per_second'>>;

function changeCredential(context: CommandContext, args: ChangeCredential) {
  const { client_id: clientId, scopes, plan } = args;
  const found = context.world.credentials.get(clientId);
  if (found === undefined) return absent('credential', clientId, 'client_id');
  // A named plan replaces an individual limit, unless the call names a limit too.
  const { rate_per_second: rate = plan === undefined ? found.rate_per_second : null } = args;
  const credential: Credential = {
    ...found,
    scopes: scopes ?? found.scopes,
    plan: plan ?? found.plan,
    rate_per_second: rate,
  };
  return done(context, [put('credentials', credential)], credential);
}

type ChangeFirm = Pick<Firm, 'id'> & Partial<Omit<Firm, 'id' | 'name'>>;

/** AUTH-8, LIM-3: the permissions and the rate of the firm. */
function changeFirm(context: CommandContext, args: ChangeFirm) {
  const found = context.world.firms.get(args.id);
  if (found === undefined) return absent('firm', args.id);
  const { rate_per_second: rate = found.rate_per_second, plan = found.plan } = args;
  const permissions = { ...found.permissions, ...args.permissions };
  const firm: Firm = { ...found, permissions, rate_per_second: rate, plan };
  return done(context, [put('firms', firm)], firm);
}
