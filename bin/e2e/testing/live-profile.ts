// A profile of the sandbox's starting world, as a user without a control plane would write it: every
// credential, seeds, and a receiver that deliveries are forwarded to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../../../conformance/providers/profile.ts';
import type { SandboxHandle, SandboxOptions } from '../../../simulator/index.ts';
import { type Given, withFolder } from '../../commands/conformance/testing/run-judge.ts';
import { freePort } from './program.ts';
import { behindGateway, type Gateway, sandboxed } from './sandboxed.ts';

const TUNNEL = 'https://tunnel.example.com';

export interface ProfileRates {
  /** The rate of the credentials, in the profile and in force. */
  readonly per_second: number;
  readonly firm_per_second?: number;
}

interface LiveTarget {
  readonly rates: ProfileRates;
  readonly sandbox?: SandboxOptions;
  readonly gateway?: Gateway;
  /** The profile that is written instead. */
  readonly change?: (profile: Profile, sandbox: SandboxHandle) => Profile | Promise<Profile>;
}

interface LivePlay {
  /** Options of a run: the target, and its profile in `p.json`. */
  readonly given: Given;
  readonly cwd: string;
  readonly baseUrl: string;
  readonly sandbox: SandboxHandle;
}

/** A sandbox that is judged without its control plane. */
export function onLiveTarget<T>(
  { rates, sandbox: options = {}, gateway, change = (profile) => profile }: LiveTarget,
  play: (live: LivePlay) => Promise<T>,
): Promise<T> {
  const prepared = (baseUrl: string, sandbox: SandboxHandle) =>
    withFolder(async (cwd) => {
      const profile = await change(await profileOfSandbox(sandbox, rates), sandbox);
      writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile));
      const given = { baseUrl, controlUrl: 'none', profile: 'p.json', json: true };
      return await play({ given, cwd, baseUrl, sandbox });
    });
  return gateway ? behindGateway(options, gateway, prepared) : sandboxed(options, prepared);
}

/** Sets the rates, and the address that deliveries are forwarded to. */
export async function profileOfSandbox(
  sandbox: SandboxHandle,
  plan: ProfileRates,
): Promise<Profile> {
  const token = (name: string) => ({ token: String(sandbox.credential(name).token) });
  const port = await freePort();
  await sandbox.control('PUT', 'forwards', { from: TUNNEL, to: `http://127.0.0.1:${port}` });
  const place = (account: string, trading: string) => ({
    account_id: account,
    trading_account_id: trading,
    currency: 'USD',
  });
  const { client_id, client_secret } = sandbox.credential('firm');
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
      client: { client_id: String(client_id), client_secret: String(client_secret) },
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
  const { credentials } = await sandbox.control.listCredentials();
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
