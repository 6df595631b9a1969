// Credentials and firms: made and changed by an operator, and those of a copied world made anew.
import { evolve } from '../evolve.ts';
import type { Credential, CredentialKind, Firm, PlanName, Token } from '../records.ts';
import { copyWorld } from '../state/copy-world.ts';
import { scopeNames } from '../tables/operations.ts';
import { seededToken } from '../values/digest.ts';
import type { World } from '../world.ts';
import { type CommandContext, type CommandOutcome, done, refused } from './command.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface CreateCredential {
  readonly name?: string;
  readonly kind?: CredentialKind;
  readonly firm_id?: string;
  readonly brand_id?: string | null;
  readonly scopes: readonly string[];
  readonly read_only?: boolean;
  readonly account_id?: string | null;
  readonly minted_by?: string | null;
  readonly plan?: PlanName;
  readonly rate_per_second?: number | null;
  /** Taken as they are when a starting world names them. */
  readonly client_id?: string;
}

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
    { type: 'counted', counter: 'credential', to: count },
    { type: 'credential-set', credential },
    { type: 'token-issued', token },
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
    evolve(fork, [
      { type: 'credential-set', credential: { ...credential, client_secret: clientSecret } },
    ]);
  }
  for (const clientId of world.lastingTokens.keys()) {
    evolve(fork, [{ type: 'token-issued', token: lastingToken(fork, clientId) }]);
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
  // AUTH-6: nobody passes on what is out of reach, here as at the token endpoint.
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

export interface ChangeCredential {
  readonly client_id: string;
  readonly scopes?: readonly string[];
  readonly plan?: PlanName;
  readonly rate_per_second?: number | null;
}

export function changeCredential(
  { world }: CommandContext,
  args: ChangeCredential,
): CommandOutcome {
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
  evolve(world, [{ type: 'credential-set', credential }]);
  return done({ credential });
}

export interface ChangeFirm {
  readonly id: string;
  readonly permissions?: Readonly<Record<string, boolean>>;
  readonly rate_per_second?: number | null;
  readonly plan?: PlanName;
}

/** AUTH-8, LIM-3: what the firm may do, and how fast. */
export function changeFirm({ world }: CommandContext, args: ChangeFirm): CommandOutcome {
  const found = world.firms.get(args.id);
  if (found === undefined) return refused('id', `there is no firm ${args.id}`, 404);
  const firm: Firm = {
    ...found,
    permissions: { ...found.permissions, ...args.permissions },
    rate_per_second:
      args.rate_per_second === undefined ? found.rate_per_second : args.rate_per_second,
    plan: args.plan ?? found.plan,
  };
  evolve(world, [{ type: 'firm-set', firm }]);
  return done({ firm });
}
