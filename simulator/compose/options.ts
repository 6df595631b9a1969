// Reads the options of a sandbox, from a program or from a command line: each option is checked here
// once, and named with its remedy when it is wrong.

import { resolve } from 'node:path';
import { type Config, parseConfig } from '../../fixtures/config.ts';
import { type PlanName, planRates } from '../../fixtures/constants.ts';
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
import type { Deviation } from '../deviations/deviation.ts';
import { isLoopbackHost } from '../host/delivery/loopback.ts';
import { parseClock } from '../host/world/parse-clock.ts';
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

export const planNames = Object.keys(planRates) as readonly PlanName[];

/** Names every option that is wrong; a command shows the same under its own names. */
export class OptionsError extends TypeError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.problems = problems;
  }
}

/** `member` is a part of the option, such as `[1].id`. */
type Add = (message: string, member?: string) => void;
/** Reads the value of an option; adds what is wrong with it. */
type Read<T> = (value: unknown, add: Add) => T | undefined;

/** Reads what `read` makes of a value; null: it has not the form. */
const must =
  <T>(form: string, read: (value: unknown) => T | null): Read<T> =>
  (value, add) => {
    const good = read(value);
    if (good === null) add(`must be ${form}, not ${shownAs('string', value)}`);
    return good ?? undefined;
  };

const flag = must('true or false', (value) => (typeof value === 'boolean' ? value : null));
const filled = (form: string) =>
  must(form, (value) => (typeof value === 'string' && value.trim() !== '' ? value : null));
const list = must('a list', (value) => (Array.isArray(value) ? (value as unknown[]) : null));
const listOf =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, add) =>
    list(value, add)?.flatMap((entry, at) => {
      const addHere: Add = (message, member = '') => add(message, `[${at}]${member}`);
      const good = read(entry ?? null, addHere);
      return good === undefined ? [] : [good];
    });

type Values<R> = { readonly [K in keyof R]: R[K] extends Read<infer T> ? T | undefined : never };

/**
 * Reads every option; undefined counts as left out. Throws an OptionsError that names all that is
 * wrong, `found` included.
 */
function readAll<R extends Readonly<Record<string, Read<unknown>>>>(
  options: unknown,
  readers: R,
  found: readonly FieldProblem[] = [],
): Values<R> {
  const problems = [...found];
  const known = Object.keys(readers);
  const isObject = isRecord(options);
  if (options !== undefined && !isObject) {
    const message = `must be an object such as {${known[0]}: …}, not ${typeWords(options)}`;
    problems.push({ field: 'options', message });
  }
  const given = isObject ? options : {};
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) problems.push(unknownField(name, name, known));
  }
  const values = Object.entries(readers).map(([name, read]) => {
    const add: Add = (message, member = '') =>
      problems.push({ field: `${name}${member}`, message });
    return [name, given[name] === undefined ? undefined : read(given[name], add)] as const;
  });
  if (problems.length > 0) throw new OptionsError(problems);
  return Object.fromEntries(values) as Values<R>;
}

const readClock = must(
  'real, frozen or an ISO time with its zone, such as "2026-01-31T12:00:00Z"',
  (value) => (typeof value === 'string' ? parseClock(value) : null),
);

const readSeed = must('a whole number or a string that is not blank', (value) => {
  const isText = typeof value === 'string' && value.trim() !== '';
  return Number.isSafeInteger(value) || isText ? String(value) : null;
});

const readPlan = must(`one of ${planNames.map(shown).join(', ')}`, (value) =>
  planNames.includes(value as PlanName) ? (value as PlanName) : null,
);

const readReceiver: Read<string> = (value, add) => {
  const read = must('a URL such as "http://localhost:3000/hooks"', (text) =>
    typeof text === 'string' && /^https?:\/\/[^/\s]/i.test(text) ? parseUrl(text) : null,
  );
  const url = read(value, add);
  if (url !== undefined && url.username + url.password !== '') {
    add('must be a URL without a user name and password');
  }
  return value as string;
};

/** It has to fit into an Authorization header, and is never repeated. */
const readControlToken: Read<string> = (value, add) => {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  add('must be visible ASCII characters without spaces');
  return undefined;
};

/** Read by `parseConfig`. */
const readElsewhere: Read<unknown> = (value) => value;

const sandboxReaders = {
  world: readWorld,
  clock: readClock,
  seed: readSeed,
  plan: readPlan,
  settings: readElsewhere,
  forwards: readElsewhere,
  forwardTo: readReceiver,
  allowLocalWebhooks: flag,
  allowPublicDeliveries: flag,
  controlToken: readControlToken,
  state: filled('the path of a file'),
  stateSync: flag,
  record: filled('the path of a new file'),
} satisfies Readonly<Record<Exclude<keyof SandboxOptions, 'deviations'>, Read<unknown>>>;

/** The options of a sandbox; the world file decides what is undefined. Throws an OptionsError. */
export async function readOptions(options: unknown) {
  const { settings, forwards, deviations } = isRecord(options) ? options : {};
  const { config, problems = [] } = parseConfig({ settings, forwards });
  // The register is loaded only if one of its deviations may be named.
  const isNone = deviations === undefined || (Array.isArray(deviations) && deviations.length === 0);
  const register = isNone ? null : await import('../deviations/register.ts');
  const read = readAll(
    options,
    { ...sandboxReaders, deviations: listOf(deviationReader(register)) },
    problems,
  );
  const { allowLocalWebhooks = false, allowPublicDeliveries = false, stateSync = false } = read;
  return {
    ...read,
    settings: (config as Config).settings,
    forwards: (config as Config).forwards,
    ...{ allowLocalWebhooks, allowPublicDeliveries, stateSync },
    deviations: read.deviations ?? [],
  };
}

export type ReadOptions = Awaited<ReturnType<typeof readOptions>>;
export type ReadListenOptions = Required<ListenOptions>;

const readPort = must('a whole number from 0 to 65535 (0 picks a free one)', (value) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
    ? (value as number)
    : null,
);

const readHostName = must('a name without scheme and port, such as "sandbox"', (name) =>
  typeof name === 'string' && /^[\w.:[\]-]{1,253}$/.test(name) && !/:\d+$/.test(name) ? name : null,
);

const readOrigin = must('an origin such as "http://localhost:3000"', (origin) => {
  const isOrigin = typeof origin === 'string' && /^https?:\/\/[^/?#@\s]+\/?$/i.test(origin);
  return isOrigin ? (parseUrl(origin)?.origin ?? null) : null;
});

const listenReaders = {
  port: readPort,
  host: filled('an address to bind, such as "127.0.0.1"'),
  allowHosts: listOf(readHostName),
  allowOrigins: listOf(readOrigin),
};

/**
 * The options of `listen`. A client that reaches the control plane owns the sandbox, so other
 * machines need a token for it. Throws an OptionsError.
 */
export function readListenOptions(
  options: unknown,
  controlToken: string | undefined,
): ReadListenOptions {
  const read = readAll(options, listenReaders);
  const { port = 0, host = '127.0.0.1', allowHosts = [], allowOrigins = [] } = read;
  if (!isLoopbackHost(host) && controlToken === undefined) {
    const words = `(or controlToken) is needed with host ${host}, which other machines can reach`;
    throw new OptionsError([{ field: 'controlTokenFile', message: words }]);
  }
  return { port, host, allowHosts, allowOrigins };
}

/** The deviations of `replayRecording`, all of them a program's own. Throws an OptionsError. */
export function readReplayOptions(options: unknown): readonly Deviation[] {
  return readAll(options, { deviations: listOf(readOwnDeviation) }).deviations ?? [];
}

export interface NamedWorld {
  /** As in the option; `custom` for a world that is written out. */
  readonly name: string;
  readonly fixture: WorldFixture;
}

function readWorld(value: unknown, add: Add): NamedWorld | undefined {
  if (typeof value === 'string') {
    const { fixture, problems = [] } = findNamedWorld(value);
    for (const problem of problems) add(problem);
    return fixture === undefined ? undefined : { name: value, fixture };
  }
  if (!isRecord(value)) {
    add(`must be a world’s name, a file, or a world written out, not ${typeWords(value)}`);
    return undefined;
  }
  const { world: fixture, problems = [] } = parseWorld(value);
  for (const { field, message } of problems) add(message, `.${field}`);
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

type Register = typeof import('../deviations/register.ts');

/** A deviation of the register by its id, or a program's own. */
function deviationReader(register: Register | null): Read<Deviation> {
  return (value, add) => {
    if (typeof value !== 'string') return readOwnDeviation(value, add);
    const known = register?.findDeviation(value);
    if (known !== undefined) return known;
    // Names are compared with underscores, and ids have hyphens.
    const ids = (register?.deviations ?? []).map(({ id }) => id.replaceAll('-', '_'));
    const nearest = findNearest(value, ids)?.replaceAll('_', '-');
    const advice = nearest === undefined ? '' : `did you mean "${nearest}"? `;
    const where = '`sandbox deviations` lists them';
    add(`names none: there is no ${shown(value)}; ${advice}${where}`);
    return undefined;
  };
}

function readOwnDeviation(value: unknown, add: Add): Deviation | undefined {
  if (!isRecord(value)) {
    add(`must be a deviation {id, breaks, story, override}, not ${typeWords(value)}`);
    return undefined;
  }
  const { id, breaks, story, override } = value;
  const isRule = (rule: unknown) => typeof rule === 'string' && findRule(rule) !== undefined;
  if (typeof id !== 'string' || !/^[\x21-\x7e]+$/.test(id)) {
    add('must be words joined by hyphens', '.id');
  }
  if (!Array.isArray(breaks)) add('must be a list of rule ids', '.breaks');
  else if (!breaks.every(isRule)) {
    const odd = shown(breaks.find((rule) => !isRule(rule)));
    add(`must be rules of the specification, such as IDEM-4a; there is no ${odd}`, '.breaks');
  }
  if (typeof story !== 'string') add('must be a text', '.story');
  if (typeof override !== 'function') {
    add('must be a function from a behaviour to another one', '.override');
  }
  return value as unknown as Deviation;
}
