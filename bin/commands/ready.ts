// The ready event of a start, from the sandbox and the address it got.
import { renameSync, writeFileSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import type { Token } from '../../simulator/core/records.ts';
import { planRates } from '../../simulator/core/tables/plans.ts';
import type { World } from '../../simulator/core/world.ts';
import type { Sandbox } from '../../simulator/host/sandbox.ts';
import type { ReadyCredential, ReadyEvent } from './banner.ts';

/** What a person and a program need to begin; given out only when requests are served. */
export function readyEvent(sandbox: Sandbox, baseUrl: string): ReadyEvent {
  return {
    event: 'ready',
    version: manifest.version,
    pid: process.pid,
    base_url: baseUrl,
    control_url: `${baseUrl}/_sandbox`,
    dashboard_url: `${baseUrl}/`,
    openapi_url: `${baseUrl}/openapi.json`,
    world: sandbox.terms.worldName,
    credentials: credentialsOf(sandbox.first.world),
    subscription: null,
  };
}

function credentialsOf(world: World): ReadyCredential[] {
  const lasting = new Map<string, Token>();
  for (const token of world.tokens.values()) {
    if (token.expiresAtMs === null) lasting.set(token.clientId, token);
  }
  return [...world.credentials.values()].map((credential) => ({
    name: credential.name,
    kind: credential.kind,
    client_id: credential.clientId,
    client_secret: credential.clientSecret,
    token: lasting.get(credential.clientId)?.token ?? null,
    firm_id: credential.firmId,
    brand_id: credential.brandId,
    scopes: credential.scopes,
    read_only: credential.readOnly,
    account_id: credential.accountId,
    plan: credential.plan,
    rate_per_second: credential.ratePerSecond ?? planRates[credential.plan],
  }));
}

/** Writes the event where another program waits for it, whole or not at all. */
export function writeReadyFile(path: string, ready: ReadyEvent): void {
  const half = `${path}.${process.pid}`;
  writeFileSync(half, `${JSON.stringify(ready)}\n`);
  renameSync(half, path);
}
