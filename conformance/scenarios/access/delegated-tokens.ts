// Delegated tokens of one account, as many as a scenario needs: each is limited to the Sandbox rate.

import type { Caller, Fault } from '../../cases/refusals.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Who } from '../../engine/send/call.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { TRADER_SCOPES } from '../../spec/operations.ts';

/**
 * LIM-10: while the clock stands still no allowance returns, so one token serves only five requests.
 */
const CALLS_EACH = 4;

const MINTER_SCOPES = ['trades:write', 'transactions:write', ...TRADER_SCOPES];

/** A token that can send the next call: the profile's, or a new one before the limit. */
export function delegatedTokens(t: ScenarioContext, accountId: string, readOnly = false) {
  let credential: Credential | undefined;
  let calls = 0;
  return async (): Promise<Who> => {
    if (!t.has('mint')) return readOnly ? 'read_only' : 'delegated';
    if (credential === undefined || calls % CALLS_EACH === 0) {
      credential = await mintDelegated(t, { accountId, readOnly, scopes: TRADER_SCOPES });
    }
    calls += 1;
    return credential;
  };
}

/** Trader tokens of an account that also has read-only tokens. */
export async function trader(t: ScenarioContext): Promise<Caller> {
  const place = await delegatedPlace(t, 'read_only');
  return { place, who: delegatedTokens(t, place.account_id) };
}

export const asTrader: Fault = async (t) => {
  const { account_id } = await delegatedPlace(t, 'delegated');
  return { as: await delegatedTokens(t, account_id)() };
};

/** As a read-only token of the account in the call. */
export const asReader: Fault = async (t, { place }) => ({
  as: await delegatedTokens(t, place!.account_id, true)(),
});

/** A delegated token of one account, minted by a server credential. Needs `mint`. */
export async function mintDelegated(
  t: ScenarioContext,
  options: Pick<CredentialOptions, 'accountId' | 'readOnly' | 'scopes'>,
  minter?: Credential,
): Promise<Credential> {
  const scopes = [...new Set([...MINTER_SCOPES, ...options.scopes])];
  const { clientId: mintedBy } = minter ?? (await t.operator.mint({ scopes }));
  return t.operator.mint({ kind: 'delegated', ...options, ...(mintedBy && { mintedBy }) });
}

export async function delegatedPlace(t: ScenarioContext, role: 'delegated' | 'read_only') {
  if (t.has('mint')) return t.given.freshPlace();
  const credential = await t.credential(role);
  const delegated = await t.credential('delegated');
  const seed = t.has('trading_account') ? await t.given.place() : undefined;
  const account_id = credential.accountId ?? delegated.accountId;
  const trading_account_id =
    credential.tradingAccountId ??
    (delegated.accountId === account_id ? delegated.tradingAccountId : undefined) ??
    (seed?.account_id === account_id ? seed?.trading_account_id : undefined);
  if (account_id !== undefined && trading_account_id !== undefined) {
    return { account_id, trading_account_id, currency: seed?.currency ?? 'USD' };
  }
  const words =
    role === 'read_only'
      ? 'credentials.read_only has to be of the account of credentials.delegated'
      : 'credentials.delegated: name its account_id and trading_account_id';
  throw new Blocked(`setup failed: ${words}`);
}
