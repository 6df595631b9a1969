// Puts a sandbox together from its options: world, host, control plane, files and server. Programs
// and commands both use it.
import type { AddressInfo } from 'node:net';
import manifest from '../../package.json' with { type: 'json' };
import { behaviourWith } from '../core/behaviour.ts';
import { StartingWorldError } from '../core/seed/start-world.ts';
import { StateError } from '../core/state/snapshot.ts';
import type { Deliverer } from '../host/delivery/deliverer.ts';
import { undiciDeliverer } from '../host/delivery/undici-deliverer.ts';
import type { Recording } from '../host/storage/input-log.ts';
import { FileProblem } from '../host/storage/private-file.ts';
import type { StateFile } from '../host/storage/state-file.ts';
import { loadState } from '../host/storage/world-document.ts';
import { Sandbox } from '../host/world/sandbox.ts';
import { Guard } from '../transports/access-guard.ts';
import { type ControlPlane, controlPlane } from '../transports/control.ts';
import type { HttpServer } from '../transports/http.ts';
import {
  connectReceiver,
  type ForwardReceiver,
  forwardToReceiver,
  withReceiver,
} from './forward-receiver.ts';
import { type Beginning, beginningOf, continueKeptWorld, contradictions } from './kept-world.ts';
import { OptionsError, type ReadListenOptions, type ReadOptions } from './options.ts';

/** Parts that only some programs provide. */
export interface Companions {
  /** Folder of the built dashboard. */
  readonly dashboard?: string | undefined;
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
  /** Serves over HTTP, and answers the base URL; may be called again when it fails. */
  readonly listen: (options: ReadListenOptions) => Promise<string>;
  /** Ends in order: requests in flight are answered, held ones cut off, the world is saved. */
  readonly close: () => Promise<void>;
  /** The same after a start that failed: a recording is removed. */
  readonly abandon: () => Promise<void>;
}

/** The file that stores or records the world cannot be used; it is unchanged. */
export class KeptFileError extends Error {
  override readonly name = 'KeptFileError';
  readonly option: 'state' | 'record';

  constructor(option: 'state' | 'record', path: string | undefined, reason: string) {
    super(`${path}: ${reason}`);
    this.option = option;
  }
}

/** Throws an OptionsError or a KeptFileError; nothing is left running in that case. */
export async function compose(options: ReadOptions, companions: Companions): Promise<Composition> {
  const { state: path, record } = options;
  const refuse = (error: Error): never => {
    if (error instanceof StateError) throw new KeptFileError('state', path, error.message);
    if (error instanceof FileProblem) throw new KeptFileError('record', record, error.message);
    throw error;
  };
  const deviations = options.deviations.map(({ id }) => id);
  const state = await openState(options, companions.warn, deviations).catch(refuse);
  let sandbox: Sandbox | null = null;
  try {
    const found = state?.document ?? null;
    const behaviour = behaviourWith(options.settings, options.deviations);
    const saved = found === null ? null : { path: path ?? '', ...loadState(found, behaviour) };
    const problems = saved === null ? [] : contradictions(options, saved);
    if (problems.length > 0) throw new OptionsError(problems);
    const beginning = beginningOf(options, saved);
    sandbox = await makeSandbox(options, beginning, companions);
    if (saved !== null) continueKeptWorld(sandbox, saved, options.clock);
    // Reported last: if a file cannot be loaded, only that error is reported.
    if (beginning.note !== null) companions.warn(beginning.note);
    const receiver = connectReceiver(sandbox, options.forwardTo);
    const { first } = sandbox;
    // A frozen clock does not fire timers that are already due.
    first.fireUntil(first.nowMs);
    if (state !== null) {
      await state.keep(first);
      sandbox.beforeAnswers.add(() => state.flush());
    }
    let recording: Recording | null = null;
    if (record !== undefined) {
      const { recordWorld } = await import('../host/storage/input-log.ts');
      recording = await recordWorld(first, record, companions.warn, deviations);
    }
    return serving(options, companions, sandbox, receiver, async (isAbandoned) => {
      await state?.close();
      await (isAbandoned ? recording?.discard() : recording?.close());
    });
  } catch (error) {
    await state?.close();
    await sandbox?.close();
    return refuse(error as Error);
  }
}

async function openState(
  { state: path, stateSync: sync }: ReadOptions,
  onTrouble: (message: string) => void,
  deviations: readonly string[],
): Promise<StateFile | null> {
  if (path === undefined) return null;
  const { StateFile: File } = await import('../host/storage/state-file.ts');
  return File.open(path, { onTrouble, sync, deviations });
}

/** `endFiles` closes the state file and the recording. */
function serving(
  options: ReadOptions,
  { dashboard }: Companions,
  sandbox: Sandbox,
  receiver: ForwardReceiver | null,
  endFiles: (isAbandoned: boolean) => Promise<unknown>,
): Composition {
  let served: Promise<HttpServer> | null = null;
  const subscription = receiver && { ...receiver };
  const plane = controlPlane({ sandbox, token: options.controlToken, subscription });
  const end = async (isAbandoned: boolean) => {
    // The caller of `listen` gets the error.
    const server = await served?.catch(() => null);
    plane.close();
    for (const host of sandbox.worlds.values()) host.cutOff();
    await server?.close();
    await endFiles(isAbandoned);
    await sandbox.close();
  };
  return {
    ...{ sandbox, plane, receiver },
    listen: async ({ port, host, ...names }) => {
      const guard = new Guard({ host, ...names });
      const { version } = manifest;
      served = import('../transports/serve.ts').then(async ({ serve }) => {
        const http = serve({ sandbox, plane, version, guard, dashboard });
        // A name can have several addresses: every client can connect to this one.
        await http.listen({ port, host: host === 'localhost' ? '127.0.0.1' : host });
        return http;
      });
      const { server } = await served;
      return baseUrlOf(host, server.address() as AddressInfo);
    },
    close: () => end(false),
    abandon: () => end(true),
  };
}

function baseUrlOf(host: string, { port }: AddressInfo): string {
  // A server on every address is reached by a loopback address on this machine.
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${shown.includes(':') ? `[${shown.replace(/[[\]]/g, '')}]` : shown}:${port}`;
}

async function makeSandbox(
  { settings, forwards, forwardTo, ...options }: ReadOptions,
  { fixture, begunAs, seed, worldName }: Beginning,
  companions: Companions,
): Promise<Sandbox> {
  const { plan, clock } = begunAs;
  const deliverer =
    companions.deliverer ?? undiciDeliverer({ localOnly: !options.allowPublicDeliveries });
  try {
    return await Sandbox.create({
      ...{ worldName, fixture, begunAs, seed, plan, clock, settings, deliverer },
      ...(forwardTo === undefined ? {} : { firstFixture: withReceiver(fixture) }),
      // The last forward for an origin wins.
      forwards: forwardTo === undefined ? forwards : [...forwards, forwardToReceiver(forwardTo)],
      allowLocalWebhooks: options.allowLocalWebhooks,
      deviations: options.deviations,
    });
  } catch (error) {
    await deliverer.close();
    if (!(error instanceof StartingWorldError)) throw error;
    const { field, message } = error;
    const reason = message.slice(`${field}: `.length);
    if (field === 'clock') throw new OptionsError([{ field, message: reason }]);
    const at = begunAs.world === 'custom' ? '' : `${begunAs.world}: `;
    throw new OptionsError([{ field: 'world', message: `${at}${field}: ${reason}` }]);
  }
}
