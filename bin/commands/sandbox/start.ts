// `sandbox start`: reads what it is given, puts world, host and transport together, and serves.
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { StartingWorldError } from '../../../simulator/core/seed/start-world.ts';
import { StateError } from '../../../simulator/core/state/snapshot.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { undiciDeliverer } from '../../../simulator/host/delivery/undici-deliverer.ts';
import { Sandbox } from '../../../simulator/host/world/sandbox.ts';
import { controlPlane } from '../../../simulator/transports/control/control-plane.ts';
import { serve } from '../../../simulator/transports/serve.ts';
import { bannerLines } from './banner.ts';
import { readConfigFile } from './config-file.ts';
import { connectReceiver, withReceiver } from './forwards.ts';
import { logDeliveries } from './log/delivery-log.ts';
import { logRequests } from './log/request-log.ts';
import { openInBrowser } from './open-in-browser.ts';
import { dashboardFolder } from './package-folder.ts';
import { type ReadyEvent, readyEvent, writeReadyFile } from './ready.ts';
import { Busy, shutDown } from './shut-down.ts';
import { addStartOptions, readStartOptions, type StartOptions } from './start-options.ts';
import { findSavedWorld, keepWorld, restoreSavedWorld } from './state-and-record.ts';
import { readWorld } from './world-file.ts';
import {
  contradictions,
  originOf,
  type SavedWorld,
  unnamedOrigin,
  type WorldOrigin,
} from './world-origin.ts';

// Contract: what each exit code stands for.
const exits = { clean: 0, internal: 1, usage: 2, portInUse: 3, stateFile: 4 } as const;

export function startCommand(): Command {
  const command = new Command('start')
    .description('serve the API, its control plane and its documents')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? exits.usage : exitCode));
  return addStartOptions(command).action(() => start(readStartOptions(command)));
}

/** A sandbox that is being served. */
export interface Served {
  readonly sandbox: Sandbox;
  readonly ready: ReadyEvent;
  /** Finishes what is in flight, saves, and ends everything. */
  readonly close: () => Promise<void>;
}

async function start(options: StartOptions): Promise<void> {
  const { sandbox, ready, close } = await serveSandbox(options);
  // Before the word that it is ready: who waits for that may end it at once.
  endOnSignal(close);
  announce(options, ready, notesOn(sandbox));
  if (options.open) openInBrowser(ready.dashboard_url);
  if (!options.quiet) {
    logRequests(sandbox, { json: options.json, write: print });
    logDeliveries(sandbox, { json: options.json, write: print });
  }
}

/**
 * Everything but what a person sees; ends the program with its exit code where it cannot be done.
 */
export async function serveSandbox(options: StartOptions): Promise<Served> {
  const { sandbox, receiver } = await loadSandbox(options);
  const kept = await keepWorld(sandbox, { ...options, onTrouble: warn }).catch(refuseKept(options));
  const plane = controlPlane({
    sandbox,
    token: options.controlToken,
    hosts: [options.host],
    describe: () => ({ subscription: receiver }),
    judgeReceiver: async (order) =>
      (await import('../conformance/judge-receiver.ts')).judgeForPlane(order),
  });
  const dashboard = options.ui ? dashboardFolder() : undefined;
  const { version } = manifest;
  const http = serve({ sandbox, plane, version, ...(dashboard ? { dashboard } : {}) });
  const busy = new Busy(http.server);
  try {
    await http.listen({ host: options.host, port: options.port });
  } catch (error) {
    await kept.abandon();
    return refuseAddress(options, error as NodeJS.ErrnoException);
  }
  const baseUrl = baseUrlOf(options.host, http.server.address() as AddressInfo);
  const ready = readyEvent(sandbox, baseUrl, receiver);
  const cutHeld = () => {
    plane.close();
    for (const host of sandbox.worlds.values()) host.cutOff();
  };
  const close = async () => {
    await http.close();
    await kept.close();
    await sandbox.close();
  };
  if (options.readyFile !== undefined) {
    await placeReadyFile(options.readyFile, ready, kept.abandon);
  }
  return { sandbox, ready, close: () => shutDown({ server: http.server, cutHeld, close }, busy) };
}

/** The sandbox with the world that was kept, where there is one, and with its receiver. */
async function loadSandbox(options: StartOptions) {
  const saved = await findSavedWorld(options.stateFile).catch(refuseKept(options));
  const problems = saved === null ? [] : contradictions(options, saved);
  if (problems.length > 0) return fail(exits.usage, problems);
  const origin = originOf(options, saved);
  const { sandbox, told } = await makeSandbox(options, origin, saved);
  try {
    if (saved !== null) restoreSavedWorld(sandbox, saved, options.clock);
  } catch (error) {
    return refuseKept(options)(error as Error);
  }
  // Not before: a file that cannot be loaded is told of by that alone.
  if (told !== null) warn(told);
  const { first } = sandbox;
  const receiver = connectReceiver(sandbox, options.forwardTo);
  // A clock that stands wakes nobody up for what has come due until then.
  first.fireUntil(Math.max(first.clock.nowMs(), first.world.nowMs));
  return { sandbox, receiver };
}

interface Made {
  readonly sandbox: Sandbox;
  /** Where a reset may not lead to the world that the saved one began as. */
  readonly told: string | null;
}

async function makeSandbox(
  options: StartOptions,
  origin: WorldOrigin,
  saved: SavedWorld | null,
): Promise<Made> {
  const folder = process.cwd();
  const configured = readConfigFile(options.configFile, folder);
  if (configured.problems) return fail(exits.usage, configured.problems);
  const { world, ...begins } = origin;
  const { fixture, resets, told } = findFixture(world, folder, saved);
  const { settings, forwards, allow_local_webhooks } = configured.config;
  try {
    const sandbox = await Sandbox.create({
      ...begins,
      // What is served is the file's own world, which may say nothing of where it began.
      worldName: saved?.begun === null ? saved.path : world,
      fixture,
      begunAs: { world: resets, plan: begins.plan, clock: begins.clock },
      ...(options.forwardTo === undefined ? {} : { firstFixture: withReceiver(fixture) }),
      settings,
      // The command line is nearer to the person than the file: the last one counts.
      forwards: [...forwards, ...options.forwards],
      allowLocalWebhooks: allow_local_webhooks || options.allowLocalWebhooks,
      deviations: await findDeviations(options.deviations),
      deliverer: undiciDeliverer(),
    });
    return { sandbox, told };
  } catch (error) {
    if (!(error instanceof StartingWorldError)) throw error;
    const { field, message } = error;
    return fail(exits.usage, [field === 'clock' ? `--${message}` : `${resets}: ${message}`]);
  }
}

/** The starting world: of a saved one it is needed for resets only, and may be gone. */
function findFixture(world: string, folder: string, saved: SavedWorld | null) {
  const chosen = readWorld(world, folder);
  if (chosen.fixture) {
    const unsaid = `does not say as which world it began; a reset leads to "${world}"`;
    const told = saved?.begun === null ? `${saved.path} ${unsaid}` : null;
    return { fixture: chosen.fixture, resets: world, told };
  }
  if (!saved?.begun) return fail(exits.usage, chosen.problems);
  const { world: resets } = unnamedOrigin;
  const instead = readWorld(resets, folder);
  if (instead.problems) return fail(exits.internal, instead.problems);
  const lost = `${saved.path} began as ${world}, which cannot be read`;
  const told = `${lost}; a reset leads to "${resets}"`;
  return { fixture: instead.fixture, resets, told };
}

/** Where this sandbox departs from the conforming service. */
function notesOn({ options }: Sandbox): string[] {
  const local =
    'webhook urls may be http:// and local here, which the rules refuse (HOOK-7, HOOK-8)';
  const bent = (options.deviations ?? []).map(
    ({ id, story, breaks }) => `deviates on purpose: ${id} (breaks ${breaks.join(', ')}). ${story}`,
  );
  return [...(options.allowLocalWebhooks ? [local] : []), ...bent];
}

/**
 * The deviations of these ids, or the end of the program; their code is loaded only when asked for.
 */
async function findDeviations(ids: readonly string[]): Promise<readonly Deviation[]> {
  if (ids.length === 0) return [];
  const { findDeviation } = await import('../../../simulator/deviations/register.ts');
  return ids.map((id) => {
    const found = findDeviation(id);
    const remedy = '`sandbox deviations` lists them';
    return found ?? fail(exits.usage, [`--deviate: there is no deviation "${id}"; ${remedy}`]);
  });
}

function refuseKept({ stateFile, recordFile }: StartOptions): (error: Error) => never {
  return (error) => {
    if (error.name === 'RecordingError') {
      return fail(exits.usage, [`--record ${recordFile}: ${error.message}`]);
    }
    if (!(error instanceof StateError)) throw error;
    return fail(exits.stateFile, [`--state ${stateFile}: ${error.message}`]);
  };
}

function announce(options: StartOptions, ready: ReadyEvent, notes: readonly string[]): void {
  const banner = () => bannerLines(ready, notes).join('\n');
  print(`${options.json ? JSON.stringify(ready) : banner()}\n`);
}

/** Before the line that it is ready: who reads that may look for the file. */
async function placeReadyFile(
  path: string,
  ready: ReadyEvent,
  abandon: () => Promise<void>,
): Promise<void> {
  try {
    writeReadyFile(path, ready);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    await abandon();
    const why = `cannot be written (${code})`;
    fail(exits.usage, [`--ready-file ${path}: ${why}; give a path that can`]);
  }
}

function refuseAddress({ host, port }: StartOptions, error: NodeJS.ErrnoException): never {
  const { code } = error;
  if (code === 'EADDRINUSE') {
    const remedy = 'stop what runs there, or give another --port (0 picks a free one)';
    return fail(exits.portInUse, [`port ${port} on ${host} is in use: ${remedy}`]);
  }
  if (code === 'EACCES') {
    return fail(exits.usage, [`--port ${port} is not allowed for this user; take 1024 or above`]);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return fail(exits.usage, [`--host ${host}: this machine has no such address (${code})`]);
  }
  throw error;
}

function baseUrlOf(host: string, { port }: AddressInfo): string {
  // Who serves everywhere is called on this machine.
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${shown.includes(':') ? `[${shown.replace(/[[\]]/g, '')}]` : shown}:${port}`;
}

/** The first signal ends in order, a second one at once. */
function endOnSignal(end: () => Promise<void>): void {
  let ending = false;
  const stop = () => {
    if (ending) process.exit(exits.internal);
    ending = true;
    void end().then(() => process.exit(exits.clean));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
}

function print(text: string): void {
  process.stdout.write(text);
}

function warn(message: string): void {
  process.stderr.write(`sandbox: ${message}\n`);
}

function fail(exitCode: number, lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`sandbox: ${line}\n`);
  process.exit(exitCode);
}
