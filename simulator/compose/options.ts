// Reads the options of a sandbox, from a program or from a command line: each option is checked here
// once, and named with its remedy when it is wrong.

import { resolve } from 'node:path';
import { type Config, type Forward, parseConfig } from '../../fixtures/config.ts';
import { parseUrl } from '../../fixtures/parse-url.ts';
import { findRule } from '../../fixtures/rules.ts';
import {
  findNearest,
  isRecord,
  shown,
  shownAs,
  typeWords,
  unknownField,
} from '../../fixtures/settings/parse.ts';
import type { FieldProblem, Settings } from '../../fixtures/settings.ts';
import {
  findWorld,
  parseWorld,
  type WorldFixture,
  type WorldName,
  worldNames,
} from '../../fixtures/worlds.ts';
import type { PlanName } from '../core/records.ts';
import { planRates } from '../core/tables/rate-plans.ts';
import type { Deviation } from '../deviations/deviation.ts';
import { isLoopbackHost } from '../host/delivery/loopback.ts';
import { parseClock } from '../host/world/parse-clock.ts';
import type { ClockOptions } from '../host/world/sandbox.ts';
import { readJsonFile } from './json-file.ts';

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

/** Names every option that is wrong; a command shows the same under its own names. */
export class OptionsError extends TypeError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.problems = problems;
  }
}

/** Reads options one by one and collects everything that is wrong with them. */
class OptionReader {
  readonly problems: FieldProblem[] = [];
  readonly given: Readonly<Record<string, unknown>>;

  constructor(options: unknown, known: readonly string[]) {
    this.given = isRecord(options) ? options : {};
    if (options !== undefined && !isRecord(options)) {
      this.add('options', `must be an object such as {${known[0]}: …}, not ${typeWords(options)}`);
    }
    for (const name of Object.keys(this.given)) {
      if (!known.includes(name)) this.problems.push(unknownField(name, name, known));
    }
  }

  add(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  /** `read` returns null for a wrong value; undefined counts as left out. */
  value<T>(name: string, form: string, read: (value: unknown) => T | null): T | undefined {
    return this.one(name, this.given[name], form, read);
  }

  one<T>(
    name: string,
    value: unknown,
    form: string,
    read: (value: unknown, name: string) => T | null,
  ): T | undefined {
    if (value === undefined) return undefined;
    const good = read(value, name);
    if (good === null) this.add(name, `must be ${form}, not ${shownAs('string', value)}`);
    return good ?? undefined;
  }

  flag(name: string): boolean {
    const isFlag = (value: unknown) => (typeof value === 'boolean' ? value : null);
    return this.value(name, 'true or false', isFlag) ?? false;
  }

  text(name: string, form: string): string | undefined {
    return this.value(name, form, (value) =>
      typeof value === 'string' && value.trim() !== '' ? value : null,
    );
  }

  list<T>(
    name: string,
    form: string,
    read: (value: unknown, name: string) => T | null,
  ): readonly T[] {
    const entries = this.value(name, 'a list', (value) => (Array.isArray(value) ? value : null));
    return (entries ?? []).flatMap((entry: unknown, at) => {
      const good = this.one(`${name}[${at}]`, entry ?? null, form, read);
      return good === undefined ? [] : [good];
    });
  }

  /** Throws an OptionsError if anything is wrong. */
  settle(): void {
    if (this.problems.length > 0) throw new OptionsError(this.problems);
  }
}

/** The options of a sandbox. Throws an OptionsError. */
export async function readOptions(options: unknown): Promise<ReadOptions> {
  const reader = new OptionReader(options, optionNames);
  const { settings, forwards } = reader.given;
  const { config = defaultConfig, problems = [] } = parseConfig({ settings, forwards });
  reader.problems.push(...problems);
  const read = {
    world: readWorld(reader),
    clock: reader.value(
      'clock',
      'real, frozen or an ISO time with its zone, such as "2026-01-31T12:00:00Z"',
      (value) => (typeof value === 'string' ? parseClock(value) : null),
    ),
    seed: reader.value('seed', 'a whole number or a string that is not blank', (value) => {
      const isText = typeof value === 'string' && value.trim() !== '';
      return Number.isSafeInteger(value) || isText ? String(value) : null;
    }),
    plan: reader.value('plan', `one of ${planNames.map(shown).join(', ')}`, (value) =>
      planNames.includes(value as PlanName) ? (value as PlanName) : null,
    ),
    settings: config.settings,
    forwards: config.forwards,
    forwardTo: readReceiver(reader),
    allowLocalWebhooks: reader.flag('allowLocalWebhooks'),
    allowPublicDeliveries: reader.flag('allowPublicDeliveries'),
    deviations: await readDeviations(reader),
    controlToken: readControlToken(reader),
    state: reader.text('state', 'the path of a file'),
    stateSync: reader.flag('stateSync'),
    record: reader.text('record', 'the path of a new file'),
  };
  reader.settle();
  return read;
}

/**
 * The options of `listen`. A client that reaches the control plane owns the sandbox, so other
 * machines need a token for it. Throws an OptionsError.
 */
export function readListenOptions(
  options: unknown,
  controlToken: string | undefined,
): ReadListenOptions {
  const reader = new OptionReader(options, ['port', 'host', 'allowHosts', 'allowOrigins']);
  const { given } = reader;
  const read = {
    port: reader.one(
      'port',
      given.port ?? 0,
      'a whole number from 0 to 65535 (0 picks a free one)',
      (value) =>
        Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
          ? (value as number)
          : null,
    ),
    host: reader.text('host', 'an address to bind, such as "127.0.0.1"') ?? '127.0.0.1',
    allowHosts: reader.list(
      'allowHosts',
      'a name without scheme and port, such as "sandbox"',
      (name) =>
        typeof name === 'string' && /^[\w.:[\]-]{1,253}$/.test(name) && !/:\d+$/.test(name)
          ? name
          : null,
    ),
    allowOrigins: reader.list(
      'allowOrigins',
      'an origin such as "http://localhost:3000"',
      (origin) => {
        const isOrigin = typeof origin === 'string' && /^https?:\/\/[^/?#@\s]+\/?$/i.test(origin);
        return isOrigin ? (parseUrl(origin)?.origin ?? null) : null;
      },
    ),
  };
  if (!isLoopbackHost(read.host) && controlToken === undefined) {
    const words = `is needed with host ${read.host}, which other machines can reach`;
    reader.add('controlTokenFile', `(or controlToken) ${words}`);
  }
  reader.settle();
  return read as ReadListenOptions;
}

/** The deviations of `replayRecording`, all of them a program's own. Throws an OptionsError. */
export function readReplayOptions(options: unknown): readonly Deviation[] {
  const reader = new OptionReader(options, ['deviations']);
  const own = reader.list('deviations', deviationForm, readOwn(reader));
  reader.settle();
  return own;
}

function readReceiver(reader: OptionReader): string | undefined {
  const example = 'a URL such as "http://localhost:3000/hooks"';
  const url = reader.value('forwardTo', example, (value) =>
    typeof value === 'string' && /^https?:\/\/[^/\s]/i.test(value) && parseUrl(value) !== null
      ? new URL(value)
      : null,
  );
  if (url !== undefined && url.username + url.password !== '') {
    reader.add('forwardTo', 'must be a URL without a user name and password');
  }
  return reader.given.forwardTo as string | undefined;
}

function readControlToken(reader: OptionReader): string | undefined {
  const { controlToken: token } = reader.given;
  // It has to fit into an Authorization header, and is never repeated.
  if (token === undefined || (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)))
    return token;
  reader.add('controlToken', 'must be visible ASCII characters without spaces');
  return undefined;
}

export interface NamedWorld {
  /** As in the option; `custom` for a world that is written out. */
  readonly name: string;
  readonly fixture: WorldFixture;
}

function readWorld(reader: OptionReader): NamedWorld | undefined {
  const { world } = reader.given;
  if (typeof world === 'string') {
    const { fixture, problems = [] } = findNamedWorld(world);
    for (const problem of problems) reader.add('world', problem);
    return fixture === undefined ? undefined : { name: world, fixture };
  }
  const form = 'a world’s name, a file, or a world written out';
  const written = reader.value('world', form, (value) => (isRecord(value) ? value : null));
  if (written === undefined) return undefined;
  const { world: fixture, problems = [] } = parseWorld(written);
  for (const { field, message } of problems) reader.add(`world.${field}`, message);
  return fixture === undefined ? undefined : { name: 'custom', fixture };
}

export type FoundWorld =
  | { readonly fixture: WorldFixture; readonly problems?: undefined }
  /** What is wrong, the name or the file first in each. */
  | { readonly fixture?: undefined; readonly problems: readonly string[] };

/** A built-in name comes first, so that a stray file cannot replace it. */
export function findNamedWorld(named: string, folder = process.cwd()): FoundWorld {
  const known = findWorld(named);
  if (known) return { fixture: known };
  const read = readJsonFile(resolve(folder, named), named);
  if (read.problem !== undefined) {
    const looksLikeName = /^[\w-]+$/.test(named);
    const ours = `the built-in worlds are ${worldNames.join(', ')}`;
    return { problems: looksLikeName ? [`${named}: ${ours}`] : [read.problem] };
  }
  const { world, problems = [] } = parseWorld(read.value);
  if (world) return { fixture: world };
  return { problems: problems.map(({ field, message }) => `${named}: ${field} ${message}`) };
}

const deviationForm = 'a deviation {id, breaks, story, override}';

/** Ids of the register, which is loaded only if there are any, or a program's own deviations. */
async function readDeviations(reader: OptionReader): Promise<readonly Deviation[]> {
  const { deviations: given } = reader.given;
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return [];
  const { deviations, findDeviation } = await import('../deviations/register.ts');
  const own = readOwn(reader);
  return reader.list('deviations', deviationForm, (value, field) => {
    if (typeof value !== 'string') return own(value, field);
    const known = findDeviation(value);
    if (known !== undefined) return known;
    // Names are compared with underscores, and ids have hyphens.
    const ids = deviations.map(({ id }) => id.replaceAll('-', '_'));
    const nearest = findNearest(value, ids)?.replaceAll('_', '-');
    const advice = nearest === undefined ? '' : `did you mean "${nearest}"? `;
    const list = '`sandbox deviations` lists them';
    reader.add(field, `names none: there is no ${shown(value)}; ${advice}${list}`);
    return {} as Deviation;
  });
}

/** A deviation that a program has written itself. */
function readOwn(reader: OptionReader) {
  return (value: unknown, field: string): Deviation | null => {
    if (!isRecord(value)) return null;
    const { id, breaks, story, override } = value;
    const check = (isGood: boolean, member: string, form: string) => {
      if (!isGood) reader.add(`${field}.${member}`, `must be ${form}`);
    };
    check(typeof id === 'string' && /^[\x21-\x7e]+$/.test(id), 'id', 'words joined by hyphens');
    check(Array.isArray(breaks), 'breaks', 'a list of rule ids');
    const odd = Array.isArray(breaks) ? breaks.find((rule) => !isRule(rule)) : undefined;
    const form = `rules of the specification, such as IDEM-4a; there is no ${shown(odd)}`;
    check(odd === undefined, 'breaks', form);
    check(typeof story === 'string', 'story', 'a text');
    check(typeof override === 'function', 'override', 'a function from a behaviour to another one');
    return value as unknown as Deviation;
  };
}

const isRule = (rule: unknown) => typeof rule === 'string' && findRule(rule) !== undefined;
