// Reads what a program gives to the public door, naming every option that is wrong and its remedy.
import { type Config, parseConfig } from '../fixtures/config.ts';
import { findNearest, isRecord, shown, unknownField } from '../fixtures/settings/parse.ts';
import type { FieldProblem, Settings } from '../fixtures/settings.ts';
import type { WorldFixture } from '../fixtures/worlds.ts';
import type { PlanName } from './core/records.ts';
import { StartingWorldError } from './core/seed/start-world.ts';
import { planRates } from './core/tables/rate-plans.ts';
import type { Deviation } from './deviations/deviation.ts';
import { findStartingWorld } from './host/world/find-starting-world.ts';
import { parseClock } from './host/world/parse-clock.ts';
import type { ClockOptions } from './host/world/sandbox.ts';

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

/** Options that are good, defaults filled in. */
export interface ReadOptions {
  readonly worldName: string;
  readonly fixture: WorldFixture;
  readonly clock: ClockOptions;
  readonly seed: string;
  readonly plan: PlanName;
  readonly config: Config;
  readonly deviations: readonly Deviation[];
  readonly controlToken: string | undefined;
}

type Given = Readonly<Record<string, unknown>>;

const optionNames = [
  'world',
  'clock',
  'seed',
  'plan',
  'settings',
  'forwards',
  'allowLocalWebhooks',
  'deviations',
  'controlToken',
] as const satisfies readonly (keyof SandboxOptions)[];

const planNames = Object.keys(planRates);
const defaultConfig = (parseConfig({}) as { readonly config: Config }).config;

/** Everything that was found wrong while options were read. */
class Findings {
  readonly #problems: FieldProblem[] = [];

  add(field: string, message: string): void {
    this.#problems.push({ field, message });
  }

  /** Throws a TypeError when there is anything. */
  settle(): void {
    if (this.#problems.length === 0) return;
    throw new TypeError(
      this.#problems.map(({ field, message }) => `${field} ${message}`).join('; '),
    );
  }
}

/** The options of `createSandbox`; throws a TypeError that names each one that is wrong. */
export async function readOptions(options: unknown): Promise<ReadOptions> {
  const found = new Findings();
  const given = readNames(found, options, optionNames);
  const read = {
    ...readWorld(found, given.world),
    clock: readClock(found, given.clock),
    seed: readSeed(found, given.seed),
    plan: readPlan(found, given.plan),
    config: readConfig(found, given),
    deviations: await readDeviations(found, given.deviations),
    controlToken: readControlToken(found, given.controlToken),
  };
  found.settle();
  return read;
}

/** The options of `listen`; throws a TypeError that names each one that is wrong. */
export function readListenOptions(options: unknown): Required<ListenOptions> {
  const found = new Findings();
  const { port = 0, host = '127.0.0.1' } = readNames(found, options, ['port', 'host']);
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    const remedy = '0 picks a free one';
    found.add('port', `must be a whole number from 0 to 65535, not ${say(port)}; ${remedy}`);
  }
  if (typeof host !== 'string' || host.trim() === '') {
    found.add('host', `must be an address to bind, such as "127.0.0.1", not ${say(host)}`);
  }
  found.settle();
  return { port, host } as Required<ListenOptions>;
}

/** The deviations of `replayRecording`, all of them a program's own. */
export function readReplayOptions(options: unknown): readonly Deviation[] {
  const found = new Findings();
  const { deviations = [] } = readNames(found, options, ['deviations']);
  if (!Array.isArray(deviations)) found.add('deviations', `must be a list, not ${say(deviations)}`);
  else for (const [at, each] of deviations.entries()) readOwnDeviation(found, each, at);
  found.settle();
  return deviations as readonly Deviation[];
}

/** The settings of a recording; throws a TypeError that names each one that is wrong. */
export function readSettings(settings: unknown): Settings {
  const found = new Findings();
  const config = readConfig(found, { settings });
  found.settle();
  return config.settings;
}

/** The deviations of these ids or objects; throws a TypeError for one that is none. */
export async function findDeviations(given: unknown): Promise<readonly Deviation[]> {
  const found = new Findings();
  const deviations = await readDeviations(found, given);
  found.settle();
  return deviations;
}

function readNames(found: Findings, options: unknown, known: readonly string[]): Given {
  if (options === undefined) return {};
  if (!isRecord(options)) {
    found.add('options', `must be an object such as {${known[0]}: …}, not ${say(options)}`);
    return {};
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const { field, message } = unknownField(name, name, known);
    found.add(field, message);
  }
  return options;
}

function readWorld(found: Findings, world: unknown = 'default') {
  const worldName = typeof world === 'string' ? world : 'custom';
  try {
    if (typeof world === 'string' || isRecord(world)) {
      return { worldName, fixture: findStartingWorld(world) };
    }
    found.add('world', `must be a world's name or a world written out, not ${say(world)}`);
  } catch (error) {
    if (!(error instanceof StartingWorldError)) throw error;
    found.add(`${error.field}:`, error.message.slice(error.field.length + 2));
  }
  return { worldName, fixture: findStartingWorld('empty') };
}

function readClock(found: Findings, clock: unknown = 'real'): ClockOptions {
  const options = typeof clock === 'string' ? parseClock(clock) : null;
  if (options !== null) return options;
  const forms = 'real, frozen or an ISO time with its zone, such as "2026-01-31T12:00:00Z"';
  found.add('clock', `must be ${forms}, not ${say(clock)}`);
  return { mode: 'frozen', nowMs: null };
}

function readSeed(found: Findings, seed: unknown = 1): string {
  const isNumber = typeof seed === 'number' && Number.isSafeInteger(seed);
  const isText = typeof seed === 'string' && seed.trim() !== '';
  if (!isNumber && !isText) {
    found.add('seed', `must be a whole number or a string that is not blank, not ${say(seed)}`);
  }
  return String(seed);
}

function readPlan(found: Findings, plan: unknown = 'sandbox'): PlanName {
  if (!planNames.includes(plan as string)) {
    const names = planNames.map((name) => JSON.stringify(name)).join(', ');
    found.add('plan', `must be one of ${names}, not ${say(plan)}`);
  }
  return plan as PlanName;
}

/** What a config file holds too, read as there. */
function readConfig(found: Findings, given: Given): Config {
  const { settings, forwards, allowLocalWebhooks } = given;
  const parsed = parseConfig({ settings, forwards, allow_local_webhooks: allowLocalWebhooks });
  for (const { field, message } of parsed.problems ?? []) {
    found.add(field === 'allow_local_webhooks' ? 'allowLocalWebhooks' : field, message);
  }
  return parsed.config ?? defaultConfig;
}

async function readDeviations(found: Findings, given: unknown = []): Promise<readonly Deviation[]> {
  if (!Array.isArray(given)) {
    found.add('deviations', `must be a list of ids or deviations, not ${say(given)}`);
    return [];
  }
  if (given.length === 0) return [];
  const { deviations, findDeviation } = await import('./deviations/register.ts');
  const ids = deviations.map(({ id }) => id);
  return given.flatMap((each: unknown, at) => {
    if (typeof each !== 'string') return readOwnDeviation(found, each, at);
    const known = findDeviation(each);
    if (known === undefined) found.add(`deviations[${at}]`, adviseOn(each, ids));
    return known ?? [];
  });
}

function adviseOn(id: string, ids: readonly string[]): string {
  // Names are compared with underscores, and ids have hyphens.
  const nearest = findNearest(
    id,
    ids.map((known) => known.replaceAll('-', '_')),
  );
  const advice = nearest === null ? '' : `did you mean "${nearest.replaceAll('_', '-')}"? `;
  return `names none: there is no ${say(id)}; ${advice}\`sandbox deviations\` lists them`;
}

function readOwnDeviation(found: Findings, given: unknown, at: number): readonly Deviation[] {
  const field = `deviations[${at}]`;
  if (!isRecord(given)) {
    found.add(field, `must be a deviation {id, breaks, story, bend}, not ${say(given)}`);
    return [];
  }
  const { id, breaks, story, bend } = given;
  const isId = typeof id === 'string' && /^[\x21-\x7e]+$/.test(id);
  if (!isId) found.add(`${field}.id`, `must be words joined by hyphens, not ${say(id)}`);
  if (!Array.isArray(breaks) || breaks.some((rule) => typeof rule !== 'string')) {
    found.add(`${field}.breaks`, `must be a list of rule ids, not ${say(breaks)}`);
  }
  if (typeof story !== 'string') found.add(`${field}.story`, `must be a text, not ${say(story)}`);
  if (typeof bend !== 'function') {
    const form = 'must be a function from a behaviour to the bent one';
    found.add(`${field}.bend`, `${form}, not ${say(bend)}`);
  }
  return [given as unknown as Deviation];
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

/** The value as it may be shown; what JSON cannot say is named by its kind. */
function say(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  try {
    return shown(value);
  } catch {
    return `a ${typeof value}`;
  }
}
