// The sandbox for the judge of clients: a world of its own for each run, with what `sandbox exec`
// tells a command of it.
import type { OpenWorld, SandboxWorld } from '../../../conformance/client/port.ts';
import type { WorldFixture } from '../../../fixtures/worlds.ts';
import { type CredentialShown, createSandbox } from '../../../simulator/index.ts';

type Account = NonNullable<WorldFixture['accounts']>[number];

export interface ClientSandboxOptions {
  readonly fixture: WorldFixture;
  readonly plan: 'sandbox' | 'standard' | 'pro';
}

export function openWorlds({ fixture, plan }: ClientSandboxOptions): OpenWorld {
  return async (seed): Promise<SandboxWorld> => {
    const sandbox = await createSandbox({ world: fixture, plan, seed });
    const { credentials } = (await sandbox.control('GET', 'credentials')) as {
      readonly credentials: readonly CredentialShown[];
    };
    const [own] = credentials;
    let served: Promise<{ base_url: string }> | null = null;
    return {
      fetch: (request) => sandbox.fetch(request),
      listen: async () => {
        served ??= sandbox.listen();
        const { hostname: host, port } = new URL((await served).base_url);
        return { host, port: Number(port) };
      },
      variables: own === undefined ? {} : variablesOf(fixture, own),
      secrets: credentials.flatMap(({ client_id: clientId, token, client_secret: secret }) =>
        [token, secret].filter((value) => value !== null).map((value) => ({ value, clientId })),
      ),
      otherToken: own?.token ?? '',
      close: () => sandbox.close(),
    };
  };
}

/** What a command finds in its environment, but for the two urls. */
export function variablesOf(
  fixture: WorldFixture,
  credential: CredentialShown,
): Record<string, string> {
  const [firm] = fixture.firms.filter(({ id }) => id === credential.firm_id);
  const brandId = credential.brand_id ?? firm?.brands[0]?.id;
  const account = fixture.accounts?.find(
    (each) => each.brand_id === brandId && paying(each) !== undefined,
  );
  const given = {
    SANDBOX_TOKEN: credential.token,
    SANDBOX_CLIENT_ID: credential.client_id,
    SANDBOX_CLIENT_SECRET: credential.client_secret,
    SANDBOX_BRAND_ID: brandId,
    SANDBOX_ACCOUNT_ID: account?.id,
    SANDBOX_TRADING_ACCOUNT_ID: account === undefined ? undefined : paying(account)?.id,
  };
  return Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** One whose withdrawals are not paid out by a provider, so that all of them can be approved. */
function paying({ trading_accounts: own = [] }: Account) {
  return own.find((each) => each.provider_payouts !== true) ?? own[0];
}
