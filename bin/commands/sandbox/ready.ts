// The ready event of a start: describes the sandbox and its address.
import manifest from '../../../package.json' with { type: 'json' };
import type { ForwardReceiver } from '../../../simulator/compose/forward-receiver.ts';
import {
  type CredentialShown,
  viewLastingCredentials,
} from '../../../simulator/control/records.ts';
import { findRealFile, replacePrivately } from '../../../simulator/host/storage/private-file.ts';
import type { Sandbox } from '../../../simulator/host/world/sandbox.ts';

/** The ready event, printed under `--json` and written to the ready file. */
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

/** The data that a client needs to start; published only when requests are served. */
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
 * Writes the event atomically, because another program may wait for the file. Throws a FileProblem
 * or the system's error.
 */
export async function writeReadyFile(path: string, ready: ReadyEvent): Promise<void> {
  const real = await findRealFile(path);
  // Only the owner of the process may read its tokens.
  await replacePrivately(real, (file) => file.writeFile(`${JSON.stringify(ready)}\n`));
}
