// The public door: a sandbox in your own program, with or without a socket.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { parseSettings, type Settings } from '../fixtures/settings.ts';
import type { WorldFixture } from '../fixtures/worlds.ts';
import manifest from '../package.json' with { type: 'json' };
import { type ControlPlane, controlPlane } from './control/index.ts';
import type { PlanName } from './core/records.ts';
import { StateError } from './core/state.ts';
import type { Deviation } from './deviations/deviation.ts';
import { parseClock } from './host/clock-terms.ts';
import type { Deliverer } from './host/deliverer.ts';
import { type ClockTerms, Sandbox } from './host/sandbox.ts';
import { findStartingWorld } from './host/starting-point.ts';
import { undiciDeliverer } from './host/undici-deliverer.ts';
import { operatorOf, type SandboxOperator } from './operator.ts';
import { fetchCall, standardRequest } from './transports/fetch.ts';

export type { CredentialShown } from './control/shapes.ts';
export type { AdvanceTerms, FaultTerms } from './operator.ts';
export type { Deviation, Settings, WorldFixture };

/** How a sandbox begins. Everything has the default of `sandbox start`. */
export interface SandboxOptions {
  /** A world under fixtures by name, or one written out. Default: `default`. */
  readonly world?: string | WorldFixture;
  /** `real`, `frozen`, or an ISO time at which the clock stands. Default: `real`. */
  readonly clock?: string;
  /** With the world's name, decides every generated id, token and secret. */
  readonly seed?: number | string;
  readonly plan?: PlanName;
  /** Choices for open questions, by the names of `sandbox questions`. */
  readonly settings?: Partial<Settings>;
  /** Webhook origins whose deliveries go to a local URL instead. */
  readonly forwards?: readonly { readonly from: string; readonly to: string }[];
  readonly allowLocalWebhooks?: boolean;
  /** Deliberate deviations: by the ids of `sandbox deviations`, or functions of your own. */
  readonly deviations?: readonly (string | Deviation)[];
  /** The control plane then wants it as a bearer token. */
  readonly controlToken?: string;
}

export interface ListenOptions {
  /** 0, the default, picks a free one. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
}

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
  /** Serves over HTTP too, and answers where. */
  readonly listen: (options?: ListenOptions) => Promise<{ readonly base_url: string }>;
  /** Ends everything: the server, calls that are held back, deliveries under way. */
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
  const sandbox = await Sandbox.create({
    worldName: typeof options.world === 'object' ? 'custom' : (options.world ?? 'default'),
    fixture: findStartingWorld(options.world ?? 'default'),
    seed: String(options.seed ?? 1),
    clock: readClock(options.clock ?? 'real'),
    plan: options.plan ?? 'sandbox',
    settings: readSettings(options.settings ?? {}),
    deviations: await findDeviations(options.deviations ?? []),
    forwards: options.forwards ?? [],
    allowLocalWebhooks: options.allowLocalWebhooks ?? false,
    deliverer: undiciDeliverer(),
  });
  const token = options.controlToken;
  const plane = controlPlane({ sandbox, ...(token === undefined ? {} : { token }) });
  return handleOf(sandbox, plane, token);
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
  const { playRecording, readRecording } = await import('./host/recording.ts');
  try {
    const { lines, terms } = await readRecording(file);
    const own = options.deviations ?? [];
    const sandbox = await Sandbox.create({
      worldName: 'recorded',
      fixture: findStartingWorld('empty'),
      seed: '1',
      clock: { mode: 'frozen', nowMs: null },
      plan: 'sandbox',
      settings: readSettings(terms.settings as Partial<Settings>),
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
  let app: FastifyInstance | null = null;
  return {
    ...operatorOf(sandbox, plane, token),
    fetch: async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input, 'http://sandbox');
      return pathname.startsWith('/_sandbox')
        ? plane.fetch(standardRequest(input, init))
        : fetchCall(sandbox, input, init);
    },
    listen: async ({ port = 0, host = '127.0.0.1' } = {}) => {
      if (app !== null) throw new Error('this sandbox listens already');
      const { serve } = await import('./transports/serve.ts');
      const served = serve({ sandbox, plane, version: manifest.version });
      app = served;
      await served.listen({ port, host });
      const address = served.server.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      return { base_url: `http://${name}:${address.port}` };
    },
    close: async () => {
      await app?.close();
      await sandbox.close();
    },
  };
}

function readClock(text: string): ClockTerms {
  const terms = parseClock(text);
  if (terms !== null) return terms;
  throw new TypeError(`clock: "${text}" is not real, frozen or an ISO time with its zone`);
}

function readSettings(given: Partial<Settings>): Settings {
  const parsed = parseSettings(given);
  if (parsed.settings !== undefined) return parsed.settings;
  const words = parsed.problems.map(({ field, message }) => `settings.${field} ${message}`);
  throw new TypeError(words.join('; '));
}

async function findDeviations(
  given: readonly (string | Deviation)[],
): Promise<readonly Deviation[]> {
  if (given.length === 0) return [];
  const { findDeviation } = await import('./deviations/all.ts');
  return given.map((each) => {
    const found = typeof each === 'string' ? findDeviation(each) : each;
    if (found !== undefined) return found;
    throw new TypeError(`deviations: there is none called "${each}"; see sandbox deviations`);
  });
}
