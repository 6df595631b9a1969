// Puts a sandbox together from its options: world, host, control plane, files and server. Programs
// and commands get theirs from here alone.
import type { AddressInfo } from 'node:net';
import manifest from '../../package.json' with { type: 'json' };
import type { ControlPlaneOptions } from '../control/plane.ts';
import { StartingWorldError } from '../core/seed/start-world.ts';
import { StateError } from '../core/state/snapshot.ts';
import type { Deliverer } from '../host/delivery/deliverer.ts';
import { undiciDeliverer } from '../host/delivery/undici-deliverer.ts';
import { Sandbox } from '../host/world/sandbox.ts';
import { type ControlPlane, controlPlane } from '../transports/control.ts';
import { Door } from '../transports/door.ts';
import {
  connectReceiver,
  type ForwardReceiver,
  forwardToReceiver,
  withReceiver,
} from './forward-receiver.ts';
import {
  findSavedWorld,
  type KeptWorld,
  keepWorld,
  restoreSavedWorld,
  stateVersionOf,
} from './kept-world.ts';
import type { ReadListenOptions, ReadOptions } from './options.ts';
import { findNamedWorld, type NamedWorld, OptionsError } from './options.ts';
import { type Served, serveOn } from './serve-on.ts';
import { contradictions, originOf, type SavedWorld, unnamedOrigin } from './world-origin.ts';

/** What only some programs provide. */
export interface Companions {
  /** Folder of the built dashboard. */
  readonly dashboard?: string | undefined;
  readonly judgeReceiver?: ControlPlaneOptions['judgeReceiver'];
  /** Replaces the deliverer that sends over the network. */
  readonly deliverer?: Deliverer;
  /** Called with problems that do not stop the sandbox, such as a failed save. */
  readonly warn: (message: string) => void;
}

export interface Composition {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  /** The subscription of `forwardTo`. */
  readonly receiver: ForwardReceiver | null;
  /** Serves over HTTP, and answers where; may be called again when it fails. */
  readonly listen: (options: ReadListenOptions) => Promise<string>;
  /** Ends in order: requests in flight are answered, held ones cut off, the world is saved. */
  readonly close: () => Promise<void>;
  /** Nothing came of the start: as close, and a recording is removed. */
  readonly abandon: () => Promise<void>;
}

/** A file that the world should be kept in or recorded to cannot be used; it is as it was. */
export class KeptFileError extends Error {
  override readonly name = 'KeptFileError';
  readonly option: 'state' | 'record';

  constructor(option: 'state' | 'record', path: string | undefined, reason: string) {
    super(`${path}: ${reason}`);
    this.option = option;
  }
}

/** Throws an OptionsError, or a KeptFileError; nothing is left running then. */
export async function compose(options: ReadOptions, companions: Companions): Promise<Composition> {
  const stateVersion = await stateVersionOf(options.state).catch(refuseFile(options));
  const saved = await findSavedWorld(options.state).catch(refuseFile(options));
  const problems = saved === null ? [] : contradictions(options, saved);
  if (problems.length > 0) throw new OptionsError(problems);
  const deliverer =
    companions.deliverer ?? undiciDeliverer({ localOnly: !options.allowPublicDeliveries });
  const { sandbox, told } = await makeSandbox(options, saved, deliverer);
  try {
    if (saved !== null) restoreSavedWorld(sandbox, saved, options.clock);
    // Not before: a file that cannot be loaded is told of by that alone.
    if (told !== null) companions.warn(told);
    const receiver = connectReceiver(sandbox, options.forwardTo);
    const { first } = sandbox;
    // A frozen clock fires no timer for what is due already.
    first.fireUntil(Math.max(first.clock.nowMs(), first.world.nowMs));
    const onTrouble = companions.warn;
    const kept = await keepWorld(sandbox, { ...options, stateVersion, onTrouble });
    return join({ options, companions, sandbox, receiver, kept });
  } catch (error) {
    await sandbox.close();
    return refuseFile(options)(error as Error);
  }
}

interface Parts {
  readonly options: ReadOptions;
  readonly companions: Companions;
  readonly sandbox: Sandbox;
  readonly receiver: ForwardReceiver | null;
  readonly kept: KeptWorld;
}

function join({ options, companions, sandbox, receiver, kept }: Parts): Composition {
  const { dashboard, judgeReceiver } = companions;
  let served: Promise<Served> | null = null;
  const plane = controlPlane({
    sandbox,
    token: options.controlToken,
    describe: () => ({ subscription: receiver && { ...receiver } }),
    ...(judgeReceiver === undefined ? {} : { judgeReceiver }),
  });
  const end = async (keep: () => Promise<void>) => {
    // The caller of `listen` gets the error.
    const server = await served?.catch(() => null);
    plane.close();
    for (const host of sandbox.worlds.values()) host.cutOff();
    await server?.close();
    await keep();
    await sandbox.close();
  };
  return {
    sandbox,
    plane,
    receiver,
    listen: async (where) => {
      const { version } = manifest;
      const door = new Door(where);
      const parts = { sandbox, plane, version, door };
      served = serveOn({ ...parts, ...(dashboard ? { dashboard } : {}) }, where);
      return baseUrlOf(where.host, (await served).address);
    },
    close: () => end(kept.close),
    abandon: () => end(kept.abandon),
  };
}

interface Made {
  readonly sandbox: Sandbox;
  /** Where a reset may not lead to the world that the saved one began as. */
  readonly told: string | null;
}

async function makeSandbox(
  options: ReadOptions,
  saved: SavedWorld | null,
  deliverer: Deliverer,
): Promise<Made> {
  const { world, ...begins } = originOf(options, saved);
  const { named, told } = findBeginning(options, world, saved);
  const { settings, forwards, forwardTo, allowLocalWebhooks, deviations } = options;
  try {
    const sandbox = await Sandbox.create({
      ...begins,
      // What is served is the file's own world, which may say nothing of where it began.
      worldName: saved?.begun === null ? saved.path : world,
      fixture: named.fixture,
      begunAs: { world: named.name, plan: begins.plan, clock: begins.clock },
      ...(forwardTo === undefined ? {} : { firstFixture: withReceiver(named.fixture) }),
      settings,
      // The last one for an origin counts.
      forwards: forwardTo === undefined ? forwards : [...forwards, forwardToReceiver(forwardTo)],
      allowLocalWebhooks,
      deviations,
      deliverer,
    });
    return { sandbox, told };
  } catch (error) {
    await deliverer.close();
    if (!(error instanceof StartingWorldError)) throw error;
    const { field, message } = error;
    const said = message.slice(`${field}: `.length);
    if (field === 'clock') throw new OptionsError([{ field, message: said }]);
    const at = named.name === 'custom' ? '' : `${named.name}: `;
    throw new OptionsError([{ field: 'world', message: `${at}${field}: ${said}` }]);
  }
}

/** The starting world: of a saved one it is needed for resets only, and may be gone. */
function findBeginning(
  { world: asked }: ReadOptions,
  name: string,
  saved: SavedWorld | null,
): { readonly named: NamedWorld; readonly told: string | null } {
  const found = asked?.name === name ? asked : findNamedWorld(name);
  if (found.fixture !== undefined) {
    const unsaid = `does not say as which world it began; a reset leads to "${name}"`;
    const told = saved?.begun === null ? `${saved.path} ${unsaid}` : null;
    return { named: { name, fixture: found.fixture }, told };
  }
  // Asked for by another spelling of the same file.
  if (asked !== undefined) return { named: asked, told: null };
  const resets = unnamedOrigin.world;
  const instead = findNamedWorld(resets).fixture;
  if (instead === undefined || saved === null) throw new Error(found.problems.join('; '));
  const lost = `${saved.path} began as ${name}, which cannot be read`;
  const told = `${lost}; a reset leads to "${resets}"`;
  return { named: { name: resets, fixture: instead }, told };
}

function refuseFile({ state, record }: ReadOptions): (error: Error) => never {
  return (error) => {
    if (error.name === 'RecordingError') throw new KeptFileError('record', record, error.message);
    if (error instanceof StateError) throw new KeptFileError('state', state, error.message);
    throw error;
  };
}

function baseUrlOf(host: string, { port }: AddressInfo): string {
  // Who serves everywhere is called on this machine.
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${shown.includes(':') ? `[${shown.replace(/[[\]]/g, '')}]` : shown}:${port}`;
}
