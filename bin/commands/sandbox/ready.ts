// The ready event of a start, from the sandbox and the address it got.
import manifest from '../../../package.json' with { type: 'json' };
import type { ForwardReceiver } from '../../../simulator/compose/forward-receiver.ts';
import type { CredentialShown } from '../../../simulator/control/records.ts';
import { viewLastingCredentials } from '../../../simulator/control/records.ts';
import { findRealFile, replacePrivately } from '../../../simulator/host/storage/private-file.ts';
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

/**
 * Writes the event where another program waits for it, whole or not at all. Throws a FileProblem
 * or the system's error.
 */
export async function writeReadyFile(path: string, ready: ReadyEvent): Promise<void> {
  const real = await findRealFile(path);
  // Its tokens are for the owner of the process.
  await replacePrivately(real, (file) => file.writeFile(`${JSON.stringify(ready)}\n`));
}
