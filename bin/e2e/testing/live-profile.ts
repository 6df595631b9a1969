// A profile of the sandbox's starting world, as a user without a control plane would write it: every
// credential, seeds, and a receiver that deliveries are forwarded to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxHandle } from '../../../simulator/index.ts';
import { freePort } from './program.ts';

const TUNNEL = 'https://tunnel.example.com';

export interface ProfileRates {
  /** The rate of the credentials, in the profile and in force. */
  readonly per_second: number;
  readonly firm_per_second?: number;
}

interface Listed {
  readonly credentials: readonly { readonly client_id: string; readonly kind: string }[];
}

/** Writes the profile into a folder and returns the file's name. */
export async function writeProfile(
  sandbox: SandboxHandle,
  folder: string,
  plan: ProfileRates,
): Promise<string> {
  const profile = await profileOfSandbox(sandbox, plan);
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile, null, 2));
  return 'profile.json';
}

/** Sets the rates, and the address that deliveries are forwarded to. */
export async function profileOfSandbox(
  sandbox: SandboxHandle,
  plan: ProfileRates,
): Promise<object> {
  const given = (name: string) => sandbox.credential(name);
  const token = (name: string) => ({ token: given(name).token });
  const port = await freePort();
  await sandbox.control('PUT', 'forwards', { from: TUNNEL, to: `http://127.0.0.1:${port}` });
  const place = (account: string, trading: string) => ({
    account_id: account,
    trading_account_id: trading,
    currency: 'USD',
  });
  const { client_id: id, client_secret: secret } = given('firm');
  const profile = {
    credentials: {
      firm: { ...token('firm'), brand_id: '10' },
      brand: { ...token('brand-a'), brand_id: '10' },
      other_brand: { ...token('brand-b'), brand_id: '11' },
      other_firm: { ...token('other-firm'), brand_id: '20' },
      no_scopes: token('no-scopes'),
      no_amend: token('no-amend'),
      amend_only: token('amend-only'),
      delegated: { ...token('delegated'), account_id: '1001', trading_account_id: '5001' },
      read_only: { ...token('delegated-read-only'), account_id: '1001' },
      client: { client_id: id, client_secret: secret },
    },
    seeds: {
      trading_account: place('1001', '5001'),
      second_trading_account: place('1002', '5002'),
      provider_trading_account: place('1001', '5003'),
      settled_transactions: [
        { id: '9001', account_id: '1001' },
        { id: '9002', account_id: '1001' },
        { id: '9006', account_id: '1002' },
      ],
    },
    plan,
    receiver: { listen: `127.0.0.1:${port}`, public_url: `${TUNNEL}/hooks` },
  };
  const { credentials } = (await sandbox.control('GET', 'credentials')) as Listed;
  for (const { client_id: clientId, kind } of credentials) {
    const rate = { rate_per_second: plan.per_second };
    if (kind === 'server') await sandbox.control('PATCH', `credentials/${clientId}`, rate);
  }
  for (const firm of ['1', '2']) {
    const rate = { rate_per_second: plan.firm_per_second ?? plan.per_second * 4 };
    await sandbox.control('PATCH', `firms/${firm}`, rate);
  }
  return profile;
}
