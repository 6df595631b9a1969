// What an operator does to the platform, as inputs like any other: named, with plain arguments, so
// that a run can be recorded. Each answers a value, or why it cannot be done.

import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import { scopeNames } from '../../../fixtures/operations.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { Behaviour } from '../behaviour.ts';
import { put, putAt } from '../change.ts';
import {
  disableChanges,
  newSubscription,
  resumeChanges,
  startAttempt,
} from '../delivery/deliveries.ts';
import { evolve } from '../evolve.ts';
import { transitionChanges } from '../operations/transactions.ts';
import { callEffects, deliveryEffects, type Fault } from '../pipeline/find-fault.ts';
import type { Credential, Firm, Token, TradingAccount } from '../records.ts';
import { copyWorld } from '../state/copy-world.ts';
import type { Effect, StepResult } from '../step.ts';
import type { Transition } from '../tables/transitions.ts';
import { parseAddress } from '../values/address.ts';
import { seededToken } from '../values/digest.ts';
import { findEvent, type World } from '../world.ts';

export interface CommandContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly atMs: number;
}

export type CommandOutcome =
  | { readonly value: unknown; readonly effects?: readonly Effect[] }
  | { readonly refused: Refused };

interface Refused {
  readonly status: 404 | 409 | 422;
  readonly field: string;
  readonly message: string;
}

// Each command has arguments of its own; the table only holds them.
// biome-ignore lint/suspicious/noExplicitAny: see above.
type AnyCommand = (context: CommandContext, args: any) => CommandOutcome;

type CommandTable = Readonly<Record<string, AnyCommand>>;

function done(value: unknown, effects?: readonly Effect[]): CommandOutcome {
  return effects === undefined ? { value } : { value, effects };
}

function refused(field: string, message: string, status: Refused['status'] = 422): CommandOutcome {
  return { refused: { status, field, message } };
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
} as const satisfies CommandTable;

export type CommandName = keyof typeof commands;
export type CommandArguments<N extends CommandName> = Parameters<(typeof commands)[N]>[1];

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
  const context: CommandContext = { world, behaviour, atMs: world.nowMs };
  const run = commands[name] as
    | ((context: CommandContext, args: unknown) => CommandOutcome)
    | undefined;
  if (run === undefined) return { effects: [], outcome: refused('name', `no command ${name}`) };
  const outcome = run(context, args);
  return { effects: 'effects' in outcome ? (outcome.effects ?? []) : [], outcome };
}

interface MakeFault extends Pick<Fault, 'match' | 'effect'> {
  readonly phase?: Fault['phase'];
  readonly times?: number | null;
  readonly nth?: number | null;
  readonly probability?: number | null;
}

/** Effects on the body of an answer: something has run by then. */
const answerKinds = ['truncate', 'slow_body'];

function makeFault({ world }: CommandContext, args: MakeFault): CommandOutcome {
  const { match, effect } = args;
  const webhook = match.webhook !== undefined && match.webhook !== false;
  const kinds = Object.keys(webhook ? deliveryEffects : callEffects);
  if (!kinds.includes(effect.kind)) {
    const what = webhook ? 'webhook deliveries' : 'calls';
    return refused('effect.kind', `for ${what} it is one of ${kinds.join(', ')}`);
  }
  if (webhook && args.phase === 'after') {
    return refused('phase', 'a webhook fault has no phase after');
  }
  const onAnswer = answerKinds.includes(effect.kind);
  if (onAnswer && args.phase === 'before') {
    return refused('phase', `is after with ${effect.kind}: before it runs there is no answer`);
  }
  if (effect.kind === 'refuse' && args.phase === 'after') {
    return refused('phase', 'is before with refuse: what is refused has not run');
  }
  const { nth, probability } = args;
  const fault: Fault = {
    id: String(world.counters.fault + 1),
    match,
    phase: args.phase ?? (onAnswer ? 'after' : 'before'),
    effect,
    times: args.times ?? null,
    hits: 0,
    ...(nth === undefined || nth === null ? {} : { nth }),
    ...(probability === undefined || probability === null ? {} : { probability }),
  };
  evolve(world, [
    { type: 'counter', counter: 'fault', to: world.counters.fault + 1 },
    put('faults', fault),
  ]);
  return done({ fault });
}

function removeFault({ world }: CommandContext, args: { readonly id: string }): CommandOutcome {
  if (!world.faults.has(args.id)) return refused('id', `there is no fault ${args.id}`, 404);
  evolve(world, [{ type: 'remove', table: 'faults', key: args.id }]);
  return done({});
}

function clearFaults({ world }: CommandContext): CommandOutcome {
  for (const id of [...world.faults.keys()])
    evolve(world, [{ type: 'remove', table: 'faults', key: id }]);
  return done({});
}

type CreateTradingAccount = Pick<TradingAccount, 'account_id'> &
  Partial<Pick<TradingAccount, 'currency' | 'provider_payouts'>>;

function createTradingAccount(
  { world }: CommandContext,
  args: CreateTradingAccount,
): CommandOutcome {
  if (!world.accounts.has(args.account_id)) {
    return refused('id', `there is no account ${args.account_id}`, 404);
  }
  const tradingAccount: TradingAccount = {
    id: String(world.counters.tradingAccount + 1),
    account_id: args.account_id,
    currency: args.currency ?? 'USD',
    provider_payouts: args.provider_payouts ?? false,
    balance: '0.00',
    entries: [],
  };
  evolve(world, [put('tradingAccounts', tradingAccount)]);
  return done({ tradingAccount });
}

/** NS-3: settles an approved transaction now, whatever its timer says. */
function settle(context: CommandContext, args: { readonly id: string }): CommandOutcome {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(args.id);
  if (transaction === undefined) return refused('id', `there is no transaction ${args.id}`, 404);
  const move: Transition = behaviour.transactions.transitions[transaction.status].settle;
  if (move.kind === 'refused') {
    const message = `transaction ${args.id} is ${transaction.status}; only an approved one settles`;
    return refused('id', message, 409);
  }
  if (move.kind === 'unchanged') return done({ transaction });
  const moved = transitionChanges(context, transaction, move, 'settle');
  evolve(world, moved.changes);
  return done({ transaction: moved.transaction });
}

interface SetName {
  readonly hostname: string;
  /** null: the system's resolver again. */
  readonly addresses: readonly string[] | null;
}

function setName({ world }: CommandContext, args: SetName): CommandOutcome {
  const hostname = parseHostname(args.hostname);
  if (hostname === null) return refused('hostname', `${args.hostname} is not a hostname`);
  const wrong = args.addresses?.find((address) => parseAddress(address) === null);
  if (wrong !== undefined) return refused('addresses', `${wrong} is not an IP address`);
  if (args.addresses === null && !world.names.has(hostname)) {
    return refused('hostname', `nothing was set for ${hostname}`, 404);
  }
  evolve(world, [
    args.addresses === null
      ? { type: 'remove', table: 'names', key: hostname }
      : putAt('names', hostname, args.addresses),
  ]);
  return done({ hostname, addresses: args.addresses });
}

/** As a webhook url spells it: lower case, international names in their ASCII form, no last dot. */
function parseHostname(text: string): string | null {
  const url = `https://${text}`;
  if (!/^[^\s/?#@:[\]\\]+$/.test(text) || parseUrl(url) === null) return null;
  const hostname = new URL(url).hostname.replace(/\.$/, '');
  // An address is no name: nothing resolves it.
  return hostname === '' || parseAddress(hostname) !== null ? null : hostname;
}

interface SetForward {
  readonly from: string;
  readonly to: string | null;
}

function setForward({ world }: CommandContext, args: SetForward): CommandOutcome {
  if (!/^https:\/\/[^/?#@\s]+\/?$/i.test(args.from) || parseUrl(args.from) === null) {
    return refused('from', 'must be an https origin such as https://hooks.example.com');
  }
  const from = new URL(args.from).origin;
  if (args.to !== null && (!/^https?:\/\//i.test(args.to) || parseUrl(args.to) === null)) {
    return refused('to', 'must be a URL such as http://127.0.0.1:9000/hooks');
  }
  if (args.to === null && !world.forwards.has(from)) {
    return refused('from', `nothing is forwarded from ${from}`, 404);
  }
  evolve(world, [
    args.to === null
      ? { type: 'remove', table: 'forwards', key: from }
      : putAt('forwards', from, args.to),
  ]);
  return done({ from, to: args.to });
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
function makeEvent({ world, behaviour }: CommandContext, args: MakeEvent): CommandOutcome {
  if (!behaviour.webhooks.categories.includes(args.category)) {
    return refused('category', `it is one of ${behaviour.webhooks.categories.join(', ')}`);
  }
  const account = args.account_id === undefined ? undefined : world.accounts.get(args.account_id);
  if (args.account_id !== undefined && account === undefined) {
    return refused('account_id', `there is no account ${args.account_id}`);
  }
  const brand = args.brand_id === undefined ? undefined : world.brands.get(args.brand_id);
  if (args.brand_id !== undefined && brand === undefined) {
    return refused('brand_id', `there is no brand ${args.brand_id}`);
  }
  if (account !== undefined && brand !== undefined && account.brand_id !== brand.id) {
    return refused('brand_id', `account ${account.id} is at brand ${account.brand_id}`);
  }
  const draft = {
    category: args.category,
    kind: args.kind ?? `${args.category}.custom`,
    firm_id:
      account?.firm_id ?? brand?.firm_id ?? args.firm_id ?? world.firms.keys().next().value ?? '1',
    brand_id: account?.brand_id ?? brand?.id ?? null,
    account_id: account?.id ?? null,
    body: JSON.stringify(args.data ?? {}),
  };
  evolve(world, [{ type: 'event', draft }]);
  return done({ event: findEvent(world, world.events.lastSeq) });
}

interface MakeSubscription {
  readonly firm_id: string;
  readonly url: string;
  readonly event_categories: readonly EventCategory[];
}

/** A firm-wide subscription made by an operator; it gets what happens from now on. */
function makeSubscription(
  { world, behaviour }: CommandContext,
  { firm_id: firmId, url, event_categories: categories }: MakeSubscription,
): CommandOutcome {
  if (!world.firms.has(firmId)) return refused('firm_id', `there is no firm ${firmId}`);
  const why = behaviour.webhooks.refuseTarget(url, null, world);
  if (why !== null) return refused('url', why);
  const { subscription, changes } = newSubscription(world, behaviour, {
    firm_id: firmId,
    brand_id: null,
    url,
    event_categories: categories,
    created_at: world.nowMs,
  });
  evolve(world, changes);
  return done({ subscription });
}

/** HOOK-5: ends deliveries, as the API's own operation does. */
function disableSubscription(
  { world }: CommandContext,
  { id, reason }: { readonly id: string; readonly reason: string },
): CommandOutcome {
  const subscription = world.subscriptions.get(Number(id));
  if (subscription === undefined) return refused('id', `there is no subscription ${id}`, 404);
  if (!subscription.disabled) evolve(world, disableChanges(world, subscription, reason));
  return done({ subscription: world.subscriptions.get(subscription.id) });
}

/** Attempts a waiting or exhausted delivery at once. */
function retryDelivery({ world }: CommandContext, args: { readonly id: string }): CommandOutcome {
  const delivery = world.deliveries.get(args.id);
  if (delivery === undefined) return refused('id', `there is no delivery ${args.id}`, 404);
  const subscription = world.subscriptions.get(delivery.subscription_id);
  if (subscription === undefined || subscription.disabled) {
    return refused('id', 'its subscription is disabled and stays so; make a new one', 409);
  }
  if (delivery.in_flight) return refused('id', 'an attempt is under way', 409);
  if (findEvent(world, delivery.seq) === undefined) {
    return refused('id', `event ${delivery.seq} is older than the seven days that are kept`, 409);
  }
  // NS-28: where delivery stands still because of it, this is what makes it go on. One that has
  // arrived, or was skipped, is sent again by itself: its receiver sees it twice (EVT-4).
  if (delivery.status === 'exhausted') evolve(world, resumeChanges(world, subscription));
  const begun = startAttempt(world, world.deliveries.get(args.id) ?? delivery);
  return done({ delivery: world.deliveries.get(args.id) }, [begun]);
}

/** NS-28: delivery goes on after it had stopped. */
function resumeSubscription(
  { world }: CommandContext,
  args: { readonly id: string },
): CommandOutcome {
  const subscription = world.subscriptions.get(Number(args.id));
  if (subscription === undefined) return refused('id', `there is no subscription ${args.id}`, 404);
  if (subscription.disabled) {
    return refused('id', 'it is disabled, and nothing resumes that (HOOK-13); make a new one', 409);
  }
  evolve(world, resumeChanges(world, subscription));
  return done({ subscription: world.subscriptions.get(subscription.id) });
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A starting world gives the client_id. */
export type CreateCredential = Pick<Credential, 'scopes'> &
  Partial<Omit<Credential, 'client_secret'>>;

/** A credential and its token, which does not expire. */
export function createCredential(context: CommandContext, args: CreateCredential): CommandOutcome {
  const { world } = context;
  const wrong = findWrong(context, args);
  if (wrong !== null) return wrong;
  const firmId = firmOf(context, args);
  const count = world.counters.credential + 1;
  const clientId = args.client_id ?? `cl_${seeded(world, `client:${count}`, 16)}`;
  const credential: Credential = {
    client_id: clientId,
    name: args.name ?? `credential ${count}`,
    kind: args.kind ?? 'server',
    client_secret: clientSecretOf(world, clientId),
    firm_id: firmId,
    brand_id: args.brand_id ?? world.accounts.get(args.account_id ?? '')?.brand_id ?? null,
    scopes: [...new Set(args.scopes)],
    read_only: args.read_only ?? false,
    account_id: args.account_id ?? null,
    minted_by: args.minted_by ?? null,
    // LIM-1: the plan of new credentials, whatever the starting world was given.
    plan: args.plan ?? 'sandbox',
    rate_per_second: args.rate_per_second ?? null,
  };
  const token = lastingToken(world, clientId);
  evolve(world, [
    { type: 'counter', counter: 'credential', to: count },
    put('credentials', credential),
    put('tokens', token),
  ]);
  return done({ credential, token: token.token });
}

const clientSecretOf = (world: World, clientId: string): string =>
  `cs_${seeded(world, `client-secret:${clientId}`, 40)}`;

function lastingToken(world: World, clientId: string): Token {
  const token = `tok_${seeded(world, `token:${clientId}`, 40)}`;
  return { token, client_id: clientId, expires_at_ms: null, scopes: null };
}

/**
 * A copy of a world under another name, with secrets of its own, and another lasting token for each
 * of those: none reaches both.
 */
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

function seeded(world: World, label: string, length: number): string {
  return seededToken(world.seed, `${world.name}:${label}`, length, alphabet);
}

/** The firm named, the firm of the brand named, or the first one. */
function firmOf({ world }: CommandContext, args: CreateCredential): string {
  if (args.firm_id !== undefined) return args.firm_id;
  const byBrand = world.brands.get(args.brand_id ?? '')?.firm_id;
  const byAccount = world.accounts.get(args.account_id ?? '')?.firm_id;
  return byBrand ?? byAccount ?? world.firms.keys().next().value ?? '1';
}

function findWrong(context: CommandContext, args: CreateCredential): CommandOutcome | null {
  const { world } = context;
  const firmId = firmOf(context, args);
  if (!world.firms.has(firmId)) return refused('firm_id', `there is no firm ${firmId}`);
  if (args.client_id !== undefined && world.credentials.has(args.client_id)) {
    return refused('client_id', `there is a credential ${args.client_id} already`, 409);
  }
  if (args.brand_id != null && world.brands.get(args.brand_id)?.firm_id !== firmId) {
    return refused('brand_id', `firm ${firmId} has no brand ${args.brand_id}`);
  }
  if (args.account_id != null && world.accounts.get(args.account_id)?.firm_id !== firmId) {
    return refused('account_id', `firm ${firmId} has no account ${args.account_id}`);
  }
  if (args.kind === 'delegated' && args.account_id == null) {
    return refused('account_id', 'a delegated credential is for one account: name it');
  }
  if (args.kind !== 'delegated' && args.account_id != null) {
    return refused('account_id', 'only a delegated credential is for one account');
  }
  if (args.kind !== 'delegated' && args.read_only === true) {
    return refused('read_only', 'only a delegated credential can be read-only');
  }
  return findWrongMinter(context, args, firmId) ?? findUnknownScope(args.scopes);
}

/** LIM-10: a delegated credential is metered against a server credential of its own firm. */
function findWrongMinter(
  { world }: CommandContext,
  { kind, minted_by: mintedBy, account_id: accountId, brand_id: brandId }: CreateCredential,
  firmId: string,
): CommandOutcome | null {
  const account = world.accounts.get(accountId ?? '');
  if (account !== undefined && brandId != null && account.brand_id !== brandId) {
    return refused('brand_id', `account ${account.id} is at brand ${account.brand_id}`);
  }
  if (mintedBy == null) return null;
  if (kind !== 'delegated') {
    return refused('minted_by', 'only a delegated credential is minted by another');
  }
  const minter = world.credentials.get(mintedBy);
  if (minter?.kind !== 'server' || minter.firm_id !== firmId) {
    return refused('minted_by', `firm ${firmId} has no server credential ${mintedBy}`);
  }
  // AUTH-6: a minter cannot pass on what is out of its reach, as at the token endpoint.
  if (minter.brand_id === null || minter.brand_id === account?.brand_id) return null;
  const reason = `${mintedBy} is bound to brand ${minter.brand_id} and does not reach account`;
  return refused('minted_by', `${reason} ${accountId}`);
}

function findUnknownScope(scopes: readonly string[]): CommandOutcome | null {
  const known: readonly string[] = scopeNames;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown === undefined) return null;
  return refused('scopes', `there is no scope ${unknown}; there are ${known.join(', ')}`);
}

type ChangeCredential = Pick<Credential, 'client_id'> &
  Partial<Pick<Credential, 'scopes' | 'plan' | 'rate_per_second'>>;

function changeCredential({ world }: CommandContext, args: ChangeCredential): CommandOutcome {
  const found = world.credentials.get(args.client_id);
  if (found === undefined) {
    return refused('client_id', `there is no credential ${args.client_id}`, 404);
  }
  const unknown = args.scopes === undefined ? null : findUnknownScope(args.scopes);
  if (unknown !== null) return unknown;
  const credential: Credential = {
    ...found,
    scopes: args.scopes ?? found.scopes,
    plan: args.plan ?? found.plan,
    // A plan that is named takes the place of an own limit, unless one is named with it.
    rate_per_second:
      args.rate_per_second !== undefined
        ? args.rate_per_second
        : args.plan === undefined
          ? found.rate_per_second
          : null,
  };
  evolve(world, [put('credentials', credential)]);
  return done({ credential });
}

type ChangeFirm = Pick<Firm, 'id'> & Partial<Omit<Firm, 'id' | 'name'>>;

/** AUTH-8, LIM-3: what the firm may do, and how fast. */
function changeFirm({ world }: CommandContext, args: ChangeFirm): CommandOutcome {
  const found = world.firms.get(args.id);
  if (found === undefined) return refused('id', `there is no firm ${args.id}`, 404);
  const firm: Firm = {
    ...found,
    permissions: { ...found.permissions, ...args.permissions },
    rate_per_second:
      args.rate_per_second === undefined ? found.rate_per_second : args.rate_per_second,
    plan: args.plan ?? found.plan,
  };
  evolve(world, [put('firms', firm)]);
  return done({ firm });
}
