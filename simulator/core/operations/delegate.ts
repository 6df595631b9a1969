// The credential of a delegated trader token: one account, the scopes its minter can pass on (NS-8,
// AUTH-5).
import type { RequestContext } from '../pipeline/request-context.ts';
import type { Credential } from '../records.ts';

/** Which of the minter's scopes stand for which trader scope. */
const passedOn: readonly (readonly [string, readonly string[]])[] = [
  ['trader:trade', ['trades:write', 'trader:trade']],
  ['trader:funds', ['transactions:write', 'trader:funds']],
];

/**
 * Whether a read-only token is asked for, in a form or in JSON; null for a value that says neither:
 * a guess would hand out a token that may write (AUTH-2). RFC 6749 §3.2: empty counts as left out.
 */
export function readOnlyAsked({ body }: RequestContext): boolean | null {
  const asked = body.read_only ?? '';
  if (asked === true || asked === 'true') return true;
  return asked === false || asked === 'false' || asked === '' ? false : null;
}

/**
 * Always the same credential for one minter, account and mode, so that keys and limits stay with it
 * over renewed tokens. Null when the account is out of the minter's reach.
 */
export function delegate(
  { world, behaviour }: RequestContext,
  minter: Credential,
  accountText: string,
  readOnly: boolean,
): Credential | null {
  const accountId = behaviour.values.id(accountText);
  const account = accountId === null ? undefined : world.accounts.get(accountId);
  if (account === undefined || !behaviour.reach.account(minter, account)) return null;
  const clientId = `${minter.client_id}/account-${account.id}${readOnly ? '/read-only' : ''}`;
  return {
    client_id: clientId,
    name: `${minter.name} for account ${account.id}${readOnly ? ', read-only' : ''}`,
    kind: 'delegated',
    client_secret: '',
    firm_id: minter.firm_id,
    brand_id: account.brand_id,
    scopes: passedOn
      .filter(([, from]) => from.some((scope) => minter.scopes.includes(scope)))
      .map(([scope]) => scope),
    read_only: readOnly,
    account_id: account.id,
    minted_by: minter.client_id,
    plan: 'sandbox',
    rate_per_second: null,
  };
}
