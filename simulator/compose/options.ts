// Reads what a sandbox is told, whether a program or a command line tells it: each option is
// checked here once, and named with its remedy when it is wrong.
import { type Config, type Forward, parseConfig } from '../../fixtures/config.ts';
import type { Settings } from '../../fixtures/settings.ts';
import type { WorldFixture, WorldName } from '../../fixtures/worlds.ts';
import type { PlanName } from '../core/records.ts';
import { planRates } from '../core/tables/rate-plans.ts';
import type { Deviation } from '../deviations/deviation.ts';
import { isLoopbackHost } from '../host/delivery/loopback.ts';
import { parseClock } from '../host/world/parse-clock.ts';
import type { ClockOptions } from '../host/world/sandbox.ts';
import { Findings, type Given, readFlag, readList, readNames, readText, say } from './findings.ts';
import { readDeviations, readOwnDeviation } from './read-deviations.ts';
import { type NamedWorld, readWorld } from './read-world.ts';

/** How a sandbox begins. Everything has the default of `sandbox start`. */
export interface SandboxOptions {
  /** A world under fixtures by name, a file, or one written out. Default: `default`. */
  readonly world?: WorldName | WorldFixture;
  /** `real`, `frozen`, or an ISO time at which the clock stands. Default: `real`. */
  readonly clock?: 'real' | 'frozen' | (string & {});
  /** With the world's name, decides every generated id, token and secret. */
  readonly seed?: number | string;
  readonly plan?: PlanName;
  /** Choices for open questions, by the names of `sandbox questions`. */
  readonly settings?: Partial<Settings>;
  /** Webhook origins whose deliveries go to a local URL instead. */
  readonly forwards?: readonly { readonly from: string; readonly to: string }[];
  /** Makes a subscription to everything of the first firm that delivers to this local URL. */
  readonly forwardTo?: string;
  /** Accepts http:// and loopback webhook URLs, which the platform refuses. */
  readonly allowLocalWebhooks?: boolean;
  /** Delivers webhooks to public hosts that have no forward; otherwise such attempts fail. */
  readonly allowPublicDeliveries?: boolean;
  /** Deliberate deviations: by the ids of `sandbox deviations`, or functions of your own. */
  readonly deviations?: readonly (string | Deviation)[];
  /** The control plane then wants it as a bearer token. */
  readonly controlToken?: string;
  /** File that the world is kept in: loaded at the start, saved as it changes and at the end. */
  readonly state?: string;
  /** An answer leaves when its change is in that file, and not at most 100 ms later. */
  readonly stateSync?: boolean;
  /** New file for every input of the world, to be replayed. */
  readonly record?: string;
}

export interface ListenOptions {
  /** 0, the default, picks a free one. */
  readonly port?: number;
  /** Default: 127.0.0.1. Where other machines reach it, the control plane needs a token. */
  readonly host?: string;
  /** Names to be called by besides those of this machine and `host`; others are refused. */
  readonly allowHosts?: readonly string[];
  /** Origins whose pages may follow the events, such as `http://localhost:3000`. */
  readonly allowOrigins?: readonly string[];
}

/** Options that are good. What undefined says was not named, which a kept world decides. */
export interface ReadOptions {
  readonly world: NamedWorld | undefined;
  readonly clock: ClockOptions | undefined;
  readonly seed: string | undefined;
  readonly plan: PlanName | undefined;
  readonly settings: Settings;
  readonly forwards: readonly Forward[];
  readonly forwardTo: string | undefined;
  readonly allowLocalWebhooks: boolean;
  readonly allowPublicDeliveries: boolean;
  readonly deviations: readonly Deviation[];
  readonly controlToken: string | undefined;
  readonly state: string | undefined;
  readonly stateSync: boolean;
  readonly record: string | undefined;
}

export type ReadListenOptions = Required<ListenOptions>;

const optionNames = [
  'world',
  'clock',
  'seed',
  'plan',
  'settings',
  'forwards',
  'forwardTo',
  'allowLocalWebhooks',
  'allowPublicDeliveries',
  'deviations',
  'controlToken',
  'state',
  'stateSync',
  'record',
] as const satisfies readonly (keyof SandboxOptions)[];

export const planNames = Object.keys(planRates) as readonly PlanName[];
const defaultConfig = (parseConfig({}) as { readonly config: Config }).config;

/** The options of a sandbox; throws an OptionsError that names each one that is wrong. */
export async function readOptions(options: unknown): Promise<ReadOptions> {
  const found = new Findings();
  const given = readNames(found, options, optionNames);
  const { settings, forwards } = readConfig(found, given);
  const read = {
    world: readWorld(found, given.world),
    clock: readClock(found, given.clock),
    seed: readSeed(found, given.seed),
    plan: readPlan(found, given.plan),
    settings,
    forwards,
    forwardTo: readReceiver(found, given.forwardTo),
    allowLocalWebhooks: readFlag(found, 'allowLocalWebhooks', given.allowLocalWebhooks),
    allowPublicDeliveries: readFlag(found, 'allowPublicDeliveries', given.allowPublicDeliveries),
    deviations: await readDeviations(found, given.deviations),
    controlToken: readControlToken(found, given.controlToken),
    state: readText(found, 'state', given.state, 'the path of a file'),
    stateSync: readFlag(found, 'stateSync', given.stateSync),
    record: readText(found, 'record', given.record, 'the path of a new file'),
  };
  found.settle();
  return read;
}

/**
 * The options of `listen`; throws an OptionsError that names each one that is wrong. Whoever
 * reaches the control plane owns the sandbox, so where other machines do it wants a token.
 */
export function readListenOptions(
  options: unknown,
  controlToken: string | undefined,
): ReadListenOptions {
  const found = new Findings();
  const names = ['port', 'host', 'allowHosts', 'allowOrigins'];
  const given = readNames(found, options, names);
  const { port = 0, host = '127.0.0.1' } = given;
  const allowHosts = readList(found, 'allowHosts', given.allowHosts, readHostName(found));
  const allowOrigins = readList(found, 'allowOrigins', given.allowOrigins, readOrigin(found));
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    const remedy = '0 picks a free one';
    found.add('port', `must be a whole number from 0 to 65535, not ${say(port)}; ${remedy}`);
  }
  const address = readText(found, 'host', host, 'an address to bind, such as "127.0.0.1"');
  if (address !== undefined && !isLoopbackHost(address) && controlToken === undefined) {
    found.add(
      'controlTokenFile',
      `(or controlToken) is needed with host ${address}, which other machines can reach`,
    );
  }
  found.settle();
  return { port, host, allowHosts, allowOrigins } as ReadListenOptions;
}

const readHostName = (found: Findings) => (name: unknown, field: string) => {
  if (typeof name === 'string' && /^[\w.:[\]-]{1,253}$/.test(name) && !/:\d+$/.test(name))
    return name;
  found.add(field, `must be a name without scheme and port, such as "sandbox", not ${say(name)}`);
  return null;
};

const readOrigin = (found: Findings) => (origin: unknown, field: string) => {
  const isOrigin = typeof origin === 'string' && /^https?:\/\/[^/?#@\s]+\/?$/i.test(origin);
  if (isOrigin && URL.canParse(origin)) return new URL(origin).origin;
  found.add(field, `must be an origin such as "http://localhost:3000", not ${say(origin)}`);
  return null;
};

/** The deviations of `replayRecording`, all of them a program's own. */
export function readReplayOptions(options: unknown): readonly Deviation[] {
  const found = new Findings();
  const { deviations } = readNames(found, options, ['deviations']);
  const own = readList(found, 'deviations', deviations, (each, field) =>
    readOwnDeviation(found, each, field),
  );
  found.settle();
  return own;
}

function readClock(found: Findings, clock: unknown): ClockOptions | undefined {
  if (clock === undefined) return undefined;
  const options = typeof clock === 'string' ? parseClock(clock) : null;
  if (options !== null) return options;
  const forms = 'real, frozen or an ISO time with its zone, such as "2026-01-31T12:00:00Z"';
  found.add('clock', `must be ${forms}, not ${say(clock)}`);
  return undefined;
}

function readSeed(found: Findings, seed: unknown): string | undefined {
  if (seed === undefined) return undefined;
  const isNumber = typeof seed === 'number' && Number.isSafeInteger(seed);
  const isText = typeof seed === 'string' && seed.trim() !== '';
  if (!isNumber && !isText) {
    found.add('seed', `must be a whole number or a string that is not blank, not ${say(seed)}`);
  }
  return String(seed);
}

function readPlan(found: Findings, plan: unknown): PlanName | undefined {
  if (plan !== undefined && !planNames.includes(plan as PlanName)) {
    const names = planNames.map((name) => JSON.stringify(name)).join(', ');
    found.add('plan', `must be one of ${names}, not ${say(plan)}`);
  }
  return plan as PlanName | undefined;
}

/** What a config file holds too, read as there. */
function readConfig(found: Findings, { settings, forwards }: Given): Config {
  const parsed = parseConfig({ settings, forwards });
  found.addAll(parsed.problems ?? []);
  return parsed.config ?? defaultConfig;
}

function readReceiver(found: Findings, url: unknown): string | undefined {
  if (url === undefined) return undefined;
  const isUrl = typeof url === 'string' && /^https?:\/\/[^/\s]/i.test(url) && URL.canParse(url);
  if (!isUrl) {
    found.add('forwardTo', `must be a URL such as "http://localhost:3000/hooks", not ${say(url)}`);
  } else if (new URL(url).username !== '' || new URL(url).password !== '') {
    found.add('forwardTo', 'must be a URL without a user name and password');
  }
  return url as string;
}

function readControlToken(found: Findings, token: unknown): string | undefined {
  if (token === undefined) return undefined;
  // It has to fit into an Authorization header.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    const form = 'must be visible ASCII characters without spaces';
    // A secret is not repeated.
    found.add('controlToken', typeof token === 'string' ? form : `${form}, not ${say(token)}`);
  }
  return token as string;
}
