// The environment variables, besides the two addresses, of a command that runs against a sandbox:
// one list for `sandbox exec` and the judge of clients.
import type { ControlRows, CredentialShown } from '../../simulator/index.ts';

/** Every possible name; a variable without a value in the world is not set. */
export const variableNames = [
  'SANDBOX_TOKEN',
  'SANDBOX_CLIENT_ID',
  'SANDBOX_CLIENT_SECRET',
  'SANDBOX_BRAND_ID',
  'SANDBOX_ACCOUNT_ID',
  'SANDBOX_TRADING_ACCOUNT_ID',
] as const;

export type CommandVariables = Readonly<Partial<Record<(typeof variableNames)[number], string>>>;

type ControlReads = Pick<
  ControlRows,
  'listCredentials' | 'getFirm' | 'listAccounts' | 'listTradingAccounts'
>;

const maxLooked = 1000;

export async function findVariables(control: ControlReads): Promise<CommandVariables> {
  const { credentials } = await control.listCredentials();
  const own = credentials.find(isFirmWide) ?? credentials.find(({ token }) => token !== null);
  if (own === undefined) return {};
  const firm = await control.getFirm({ id: own.firm_id });
  const brandId = own.brand_id ?? firm.brands[0]?.id;
  const found = {
    SANDBOX_TOKEN: own.token,
    SANDBOX_CLIENT_ID: own.client_id,
    SANDBOX_CLIENT_SECRET: own.client_secret,
    SANDBOX_BRAND_ID: brandId,
    ...(brandId === undefined ? {} : await findAccount(control, brandId)),
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => typeof value === 'string'),
  ) as CommandVariables;
}

function isFirmWide({ kind, brand_id: brandId, token }: CredentialShown): boolean {
  return kind === 'server' && brandId === null && token !== null;
}

/** The first account of the brand with a trading account that accepts deposits. */
async function findAccount(control: ControlReads, brandId: string): Promise<CommandVariables> {
  const { accounts } = await control.listAccounts({ brand_id: brandId, limit: maxLooked });
  const { trading_accounts: all } = await control.listTradingAccounts({ limit: maxLooked });
  for (const { id } of accounts) {
    const own = all.filter(({ account_id: owner }) => owner === id);
    // Prefer one without provider payouts, so that all of its withdrawals can be approved.
    const one = own.find(({ provider_payouts: paysOut }) => !paysOut) ?? own[0];
    if (one !== undefined) return { SANDBOX_ACCOUNT_ID: id, SANDBOX_TRADING_ACCOUNT_ID: one.id };
  }
  return {};
}
