// The ready event of a start, from the sandbox and the address it got.
import { renameSync, writeFileSync } from 'node:fs';
import manifest from '../../../package.json' with { type: 'json' };
import type { ForwardReceiver } from '../../../simulator/compose/forward-receiver.ts';
import type { CredentialShown } from '../../../simulator/control/schemas/records.ts';
import { viewLastingCredentials } from '../../../simulator/control/views/records.ts';
import type { Sandbox } from '../../../simulator/host/world/sandbox.ts';

/** The ready event, as it is printed under `--json` and written to the ready file. */
export interface ReadyEvent {
  readonly event: 'ready';
  readonly version: string;
  readonly pid: number;
  readonly base_url: string;
  readonly control_url: string;
  readonly dashboard_url: string;
  readonly openapi_url: string;
  readonly world: string;
  readonly credentials: readonly CredentialShown[];
  readonly subscription: ForwardReceiver | null;
}

/** What a person and a program need to begin; given out only when requests are served. */
export function readyEvent(
  sandbox: Sandbox,
  baseUrl: string,
  subscription: ReadyEvent['subscription'] = null,
): ReadyEvent {
  return {
    event: 'ready',
    version: manifest.version,
    pid: process.pid,
    base_url: baseUrl,
    control_url: `${baseUrl}/_sandbox`,
    dashboard_url: `${baseUrl}/`,
    openapi_url: `${baseUrl}/openapi.json`,
    world: sandbox.options.worldName,
    credentials: viewLastingCredentials(sandbox.first),
    subscription,
  };
}

/** Writes the event where another program waits for it, whole or not at all. */
export function writeReadyFile(path: string, ready: ReadyEvent): void {
  const half = `${path}.${process.pid}`;
  // Its tokens are for whoever started it.
  writeFileSync(half, `${JSON.stringify(ready)}\n`, { mode: 0o600 });
  renameSync(half, path);
}
