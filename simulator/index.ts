// The public door: a sandbox in your own program, with or without a socket.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../fixtures/settings.ts';
import type { WorldFixture } from '../fixtures/worlds.ts';
import manifest from '../package.json' with { type: 'json' };
import { StartingWorldError } from './core/seed/start-world.ts';
import { StateError } from './core/state/snapshot.ts';
import type { Deviation } from './deviations/deviation.ts';
import type { Deliverer } from './host/delivery/deliverer.ts';
import { undiciDeliverer } from './host/delivery/undici-deliverer.ts';
import { findStartingWorld } from './host/world/find-starting-world.ts';
import { Sandbox, type SandboxHostOptions } from './host/world/sandbox.ts';
import { operatorOf, type SandboxOperator } from './operator.ts';
import {
  findDeviations,
  type ListenOptions,
  readListenOptions,
  readOptions,
  readReplayOptions,
  readSettings,
  type SandboxOptions,
} from './options.ts';
import { type ControlPlane, controlPlane } from './transports/control/control-plane.ts';
import { fetchCall, standardRequest } from './transports/fetch.ts';

export type { CredentialShown } from './control/schemas/records.ts';
export type { AdvanceOptions, FaultOptions } from './operator.ts';
export type { Deviation, ListenOptions, SandboxOptions, Settings, WorldFixture };

/** A running sandbox. Close it when you are done. */
export interface SandboxHandle extends SandboxOperator {
  /**
   * Answers a request of the API or of the control plane without a socket. Takes what the global
   * `fetch` takes, so that a client can be given it instead; the host in the URL does not matter.
   * Rejects with a TypeError when a fault cuts the connection.
   *
   * @example
   * import { createSandbox } from 'trading-platform-sandbox';
   *
   * const sandbox = await createSandbox({ clock: 'frozen' });
   * const { token } = sandbox.credential('brand-a');
   * const response = await sandbox.fetch('http://sandbox/api/v1/accounts', {
   *   method: 'POST',
   *   headers: {
   *     authorization: `Bearer ${token}`,
   *     'idempotency-key': 'one',
   *     'content-type': 'application/json',
   *   },
   *   body: JSON.stringify({ client_reference_id: 'ada', email: 'ada@example.com' }),
   * });
   * console.log(response.status); // 201
   * await sandbox.close();
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Serves over HTTP too, and answers where. Rejects with a TypeError that names the option when
   * one is wrong, and with the system's error when the port cannot be had; it may then be called
   * again.
   */
  readonly listen: (options?: ListenOptions) => Promise<{ readonly base_url: string }>;
  /** Ends everything: the server, suspended calls, deliveries under way. */
  readonly close: () => Promise<void>;
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
  const { config, controlToken: token, ...terms } = await readOptions(options);
  const sandbox = await begin({
    ...terms,
    settings: config.settings,
    forwards: config.forwards,
    allowLocalWebhooks: config.allow_local_webhooks,
    deliverer: undiciDeliverer(),
  });
  const plane = controlPlane({ sandbox, ...(token === undefined ? {} : { token }) });
  return handleOf(sandbox, plane, token);
}

/** Some of what a world may say shows to be wrong only when the world is begun. */
async function begin(options: SandboxHostOptions): Promise<Sandbox> {
  try {
    return await Sandbox.create(options);
  } catch (error) {
    await options.deliverer.close();
    if (!(error instanceof StartingWorldError)) throw error;
    throw new TypeError(`world.${error.message}`);
  }
}

/** What a recording said again. */
export interface Replayed {
  /** The world as the recording left it, its journal included; its clock stands. */
  readonly sandbox: SandboxHandle;
  /** Every answer, in the order in which they were given. */
  readonly answers: readonly {
    readonly request_id: string;
    readonly status: number;
    readonly body: string;
  }[];
}

/**
 * Plays a file that `sandbox start --record FILE` wrote: the same world and the same answers, byte
 * for byte. Nothing is sent to any receiver, neither again nor anew. Throws a TypeError that says
 * what is wrong with the file. Deviations of your own, which a file cannot hold, are given anew.
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
  const own = readReplayOptions(options);
  const { playRecording, readRecording } = await import('./host/storage/recording.ts');
  try {
    const { lines, terms } = await readRecording(file);
    const sandbox = await Sandbox.create({
      worldName: 'recorded',
      fixture: findStartingWorld('empty'),
      seed: '1',
      clock: { mode: 'frozen', nowMs: null },
      plan: 'sandbox',
      settings: readSettings(terms.settings),
      deviations: await findDeviations(
        terms.deviations.map((id) => own.find((one) => one.id === id) ?? id),
      ),
      deliverer: silentDeliverer,
    });
    const { world, effects } = await playRecording(lines, sandbox.behaviour);
    sandbox.first.replace(world, { mode: 'frozen', nowMs: world.nowMs });
    const answers = effects.flatMap((effect) =>
      effect.kind === 'answer'
        ? [{ request_id: effect.requestId, status: effect.reply.status, body: effect.reply.body }]
        : [],
    );
    return { sandbox: handleOf(sandbox, controlPlane({ sandbox }), undefined), answers };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new TypeError(`${file}: ${error.message}`);
  }
}

/** What was sent has been sent: attempts that were under way stay so. */
const silentDeliverer: Deliverer = {
  deliver: () => new Promise(() => undefined),
  resolve: async () => [],
  close: async () => undefined,
};

function handleOf(sandbox: Sandbox, plane: ControlPlane, token: string | undefined): SandboxHandle {
  let served: Promise<Served> | null = null;
  let closed = false;
  return {
    ...operatorOf(sandbox, plane, token),
    fetch: async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input, 'http://sandbox');
      return pathname.startsWith('/_sandbox')
        ? plane.fetch(standardRequest(input, init))
        : fetchCall(sandbox, input, init);
    },
    listen: async (options) => {
      const terms = readListenOptions(options);
      if (closed) throw new Error('this sandbox is closed; create another one');
      if (served !== null) throw new Error('this sandbox listens already');
      served = listenOn(sandbox, plane, terms);
      try {
        return { base_url: (await served).baseUrl };
      } catch (error) {
        served = null;
        throw error;
      }
    },
    close: async () => {
      closed = true;
      // Whoever called `listen` hears why it failed.
      const listening = await served?.catch(() => null);
      await listening?.app.close();
      await sandbox.close();
    },
  };
}

interface Served {
  readonly app: FastifyInstance;
  readonly baseUrl: string;
}

/** A server that listens; when it cannot, nothing of it is left. */
async function listenOn(
  sandbox: Sandbox,
  plane: ControlPlane,
  options: Required<ListenOptions>,
): Promise<Served> {
  const { serve } = await import('./transports/serve.ts');
  let listening = false;
  // A server that never listened ends no streams of those who read them without a socket.
  const close = () => {
    if (listening) plane.close();
  };
  const app = serve({ sandbox, plane: { ...plane, close }, version: manifest.version });
  try {
    await app.listen(options);
  } catch (error) {
    await app.close();
    throw error;
  }
  listening = true;
  const address = app.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { app, baseUrl: `http://${name}:${address.port}` };
}
