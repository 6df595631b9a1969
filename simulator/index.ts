// The public entry point: a sandbox in your own program, with or without a socket.
import { object } from '../fixtures/schemas/kit.ts';
import type { Settings } from '../fixtures/settings.ts';
import type { WorldFixture } from '../fixtures/worlds.ts';
import { type Composition, compose } from './compose/compose.ts';
import {
  type ListenOptions,
  readListenOptions,
  readOptions,
  type SandboxOptions,
} from './compose/options.ts';
import { checkArgument, closedMessage } from './compose/waits.ts';
import { WebhookSinks } from './compose/webhook-sinks.ts';
import { type SandboxWorld, worldOf } from './compose/world-handle.ts';
import { StateError } from './core/state/snapshot.ts';
import type { Deviation } from './deviations/deviation.ts';
import type { Deliverer } from './host/delivery/deliverer.ts';
import { undiciDeliverer } from './host/delivery/undici-deliverer.ts';

export type {
  Envelope,
  EnvelopeOf,
  EventAccount,
  EventCategory,
  EventKind,
  EventOrder,
  EventPosition,
  EventTransaction,
} from '../fixtures/envelope.ts';
export { ControlError, type ControlRows, type SandboxControl } from './compose/control-methods.ts';
export type { QuietOptions, RequestMatch, RequestWaits, WaitOptions } from './compose/waits.ts';
export type {
  CollectedDelivery,
  CollectOptions,
  DeliveryMatch,
  SinkAnswer,
  WebhookSink,
} from './compose/webhook-sinks.ts';
export type {
  AdvanceOptions,
  AdvanceResult,
  CallFault,
  FaultOptions,
  NamedCredential,
  WebhookFault,
} from './compose/world-handle.ts';
export type { CredentialShown } from './control/records.ts';
export type { Deviation, ListenOptions, SandboxOptions, SandboxWorld, Settings, WorldFixture };

/** A running sandbox. Close it when you are done. */
export interface SandboxHandle extends SandboxWorld {
  /**
   * Serves over HTTP too, and resolves to the address. Rejects with a TypeError that names an
   * invalid option, or with the system's error if the port is not available; it can then be called
   * again.
   */
  readonly listen: (options?: ListenOptions) => Promise<{ readonly base_url: string }>;
}

/**
 * Makes a sandbox in this process. Throws a TypeError that names the option when one is wrong.
 *
 * @example
 * import { createSandbox } from 'trading-platform-sandbox';
 *
 * const sandbox = await createSandbox({ world: 'default', clock: 'frozen' });
 * const { base_url } = await sandbox.listen({ port: 0 });
 * const health = await fetch(`${base_url}/_sandbox/health`);
 * console.log(await health.json()); // { status: 'ready' }
 * const { from_ms, to_ms } = await sandbox.clock.advance({ by_ms: 86_400_000 });
 * console.log(to_ms - from_ms); // 86400000
 * await sandbox.close();
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<SandboxHandle> {
  const read = await readOptions(options);
  const sinks = new WebhookSinks(undiciDeliverer({ localOnly: !read.allowPublicDeliveries }));
  const composition = await compose(read, { warn, deliverer: sinks });
  return await handleOf(composition, sinks, read.controlToken);
}

/** The result of a replayed recording. */
export interface Replayed {
  /** The world at the end of the recording, including its journal; its clock is frozen. */
  readonly sandbox: SandboxHandle;
  /** Every answer, in the order in which they were sent. */
  readonly answers: readonly {
    readonly request_id: string;
    readonly status: number;
    readonly body: string;
  }[];
}

/**
 * Plays a file that `sandbox start --record FILE` wrote: the same world and the same answers, byte
 * for byte. Nothing is sent to any receiver, neither again nor for the first time. Throws a TypeError that says
 * what is wrong with the file. Deviations of your own, which a file cannot hold, are passed again.
 *
 * @example
 * // After: sandbox start --record bug.jsonl
 * import { replayRecording } from 'trading-platform-sandbox';
 *
 * const { sandbox, answers } = await replayRecording('bug.jsonl');
 * for (const { status, body } of answers) console.log(status, body);
 * console.log(await sandbox.control('GET', 'requests'));
 * await sandbox.close();
 */
export async function replayRecording(
  file: string,
  options: { readonly deviations?: readonly Deviation[] } = {},
): Promise<Replayed> {
  checkArgument(replaySchema, options, 'options');
  const { deviations: own = [] } = options;
  const { playRecording, readRecording } = await import('./host/storage/input-log.ts');
  try {
    const { lines, options: recorded } = await readRecording(file);
    const read = await readOptions({
      world: 'empty',
      clock: 'frozen',
      settings: recorded.settings,
      deviations: recorded.deviations.map((id) => own.find((one) => one.id === id) ?? id),
    });
    const sinks = new WebhookSinks(silentDeliverer);
    const composition = await compose(read, { warn, deliverer: sinks });
    const { sandbox } = composition;
    const { world, effects } = await playRecording(lines, sandbox.behaviour);
    sandbox.first.replace(world, { mode: 'frozen', nowMs: world.nowMs });
    const answers = effects.flatMap((effect) =>
      effect.kind === 'answer'
        ? [{ request_id: effect.requestId, status: effect.reply.status, body: effect.reply.body }]
        : [],
    );
    return { sandbox: await handleOf(composition, sinks, undefined), answers };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new TypeError(`${file}: ${error.message}`);
  }
}

const replaySchema = object('Options.', { 'deviations?': { type: 'array' } });

/** Sends nothing: attempts that were in flight in the recording stay so. */
const silentDeliverer: Deliverer = {
  deliver: () => new Promise(() => undefined),
  resolve: async () => [],
  close: async () => undefined,
};

function warn(message: string): void {
  process.emitWarning(message, 'SandboxWarning');
}

async function handleOf(
  composition: Composition,
  sinks: WebhookSinks,
  token: string | undefined,
): Promise<SandboxHandle> {
  const { sandbox } = composition;
  const plane = await composition.plane.load();
  sinks.follow(sandbox.first);
  sandbox.watchWorlds((_name, host) => {
    if (host === null) return;
    sinks.detach(host);
    sinks.follow(host);
  });
  let listening = false;
  let closed = false;
  const parts = { sandbox, plane, sinks, token, isClosed: () => closed };
  return {
    ...worldOf(parts, sandbox.first, null),
    listen: async (options) => {
      const read = readListenOptions(options, token);
      if (closed) throw new Error(closedMessage);
      if (listening) throw new Error('this sandbox listens already');
      listening = true;
      try {
        return { base_url: await composition.listen(read) };
      } catch (error) {
        listening = false;
        throw error;
      }
    },
    close: () => {
      closed = true;
      return composition.close();
    },
  };
}
