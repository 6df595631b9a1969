// Reads the options of a sandbox, from a program or a command line: each option is checked once,
// here, and an error names it with its remedy.

import { resolve } from 'node:path';
import { type Config, parseConfig } from '../../fixtures/config.ts';
import { type PlanName, planRates } from '../../fixtures/constants.ts';
import { findRule } from '../../fixtures/rules.ts';
import {
  flag,
  listOf,
  object,
  oneOf,
  record,
  type Schema,
  text,
  type ValueOf,
  whole,
} from '../../fixtures/schemas/kit.ts';
import { findNearest, isRecord, shown, validate } from '../../fixtures/schemas/validate.ts';
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
import { parseClock } from '../host/world/clock.ts';
import { readJsonFile } from './json-file.ts';

/** How a sandbox begins. Every default is that of `sandbox start`. */
export interface SandboxOptions {
  /** The name of a built-in world, a file, or an object. Default: `default`. */
  readonly world?: WorldName | WorldFixture;
  /** `real`, `frozen`, or an ISO time at which the clock is frozen. Default: `real`. */
  readonly clock?: 'real' | 'frozen' | (string & {});
  /** Decides every generated id, token and secret, together with the world's name. */
  readonly seed?: number | string;
  readonly plan?: PlanName;
  /** Choices for open questions, by the names of `sandbox questions`. */
  readonly settings?: Partial<Settings>;
  /** Webhook origins whose deliveries go to a local URL instead. */
  readonly forwards?: readonly { readonly from: string; readonly to: string }[];
  /** Creates a subscription to all events of the first firm that delivers to this local URL. */
  readonly forwardTo?: string;
  /** Accepts http:// and loopback webhook URLs, which the platform refuses. */
  readonly allowLocalWebhooks?: boolean;
  /** Delivers webhooks to public hosts that have no forward; otherwise such attempts fail. */
  readonly allowPublicDeliveries?: boolean;
  /** Deliberate deviations: by the ids of `sandbox deviations`, or functions of your own. */
  readonly deviations?: readonly (string | Deviation)[];
  /** If set, the control plane requires this bearer token. */
  readonly controlToken?: string;
  /** File that stores the world: loaded at the start, saved as it changes and at the end. */
  readonly state?: string;
  /** Sends an answer only when its change is in that file; by default up to 100 ms earlier. */
  readonly stateSync?: boolean;
  /** New file that records every input of the world, to be replayed. */
  readonly record?: string;
}

export interface ListenOptions {
  /** 0, the default, picks a free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. If other machines can reach it, the control plane needs a token. */
  readonly host?: string;
  /** Host names to accept in addition to those of this machine and `host`; others are refused. */
  readonly allowHosts?: readonly string[];
  /** Origins whose pages may follow the events, such as `http://localhost:3000`. */
  readonly allowOrigins?: readonly string[];
}

export const planNames = Object.keys(planRates) as readonly PlanName[];

/** Names every invalid option; a command shows the same errors with its own option names. */
export class OptionsError extends TypeError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.problems = problems;
  }
}

/** Omitted options may also be undefined. */
const present = (options: unknown): unknown =>
  isRecord(options)
    ? Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    : options;

const sandboxSchema = object('How a sandbox begins.', {
  'world?': { type: ['string', 'object'], description: 'A name, a file, or a world written out.' },
  'clock?': text('Real, frozen or a time.'),
  'seed?': { type: ['integer', 'string'], minLength: 1 },
  'plan?': oneOf('A plan.', planNames),
  'settings?': { description: 'Read with the forwards, as a configuration file is.' },
  'forwards?': {},
  'forwardTo?': {
    ...text('It is a URL such as "http://localhost:3000/hooks", without a user name.'),
    pattern: '^[hH][tT][tT][pP][sS]?://[^/?#@\\s]+([/?#]|$)',
    format: 'uri',
  },
  'allowLocalWebhooks?': flag(''),
  'allowPublicDeliveries?': flag(''),
  'deviations?': { type: 'array' },
  'controlToken?': text('A token.'),
  'state?': text('The path of a file.'),
  'stateSync?': flag(''),
  'record?': text('The path of a new file.'),
} satisfies { readonly [N in keyof Required<SandboxOptions> as `${N}?`]: Schema });

const controlTokenForm = /^[\x21-\x7e]+$/;

/** Parses the options of a sandbox; the world file fills in the rest. Throws an OptionsError. */
export async function readOptions(options: unknown) {
  const given = present(options);
  const problems: FieldProblem[] = [...validate(sandboxSchema, given, 'options')];
  const add = (field: string, message: string) => void problems.push({ field, message });
  const { world, clock, controlToken, settings, forwards, deviations, ...rest } = (
    isRecord(given) ? given : {}
  ) as ValueOf<typeof sandboxSchema>;
  const config = parseConfig(present({ settings, forwards }));
  problems.push(...(config.problems ?? []));
  const read = {
    ...rest,
    world: typeof world === 'string' || isRecord(world) ? readWorld(world, add) : undefined,
    clock: typeof clock === 'string' ? parseClock(clock) : null,
    deviations: Array.isArray(deviations) ? await readDeviations(deviations, add) : [],
  };
  if (typeof clock === 'string' && read.clock === null) {
    const example = 'an ISO time with its zone, such as "2026-01-31T12:00:00Z"';
    add('clock', `must be real, frozen or ${example}, not ${shown(clock)}`);
  }
  // It must fit into an Authorization header, and is never quoted in a message.
  if (typeof controlToken === 'string' && !controlTokenForm.test(controlToken)) {
    add('controlToken', 'must be visible ASCII characters without spaces');
  }
  if (rest.stateSync === true && rest.state === undefined) {
    add('stateSync', 'needs a state file to write to');
  }
  if (problems.length > 0) throw new OptionsError(problems);
  const { allowLocalWebhooks = false, allowPublicDeliveries = false, stateSync = false } = rest;
  return {
    ...read,
    settings: (config.config as Config).settings,
    forwards: (config.config as Config).forwards,
    clock: read.clock ?? undefined,
    seed: rest.seed === undefined ? undefined : String(rest.seed),
    controlToken,
    ...{ allowLocalWebhooks, allowPublicDeliveries, stateSync },
  };
}

export type ReadOptions = Awaited<ReturnType<typeof readOptions>>;
export type ReadListenOptions = Required<ListenOptions>;

const listenSchema = object('Where to serve.', {
  'port?': whole('0 picks a free one.', 0, 65_535),
  'host?': text('An address to bind, such as "127.0.0.1".'),
  'allowHosts?': listOf(
    {
      ...text('It is a name without scheme and port, such as "sandbox".'),
      pattern: '^(?!.*:\\d+$)[\\w.:\\[\\]\\-]{1,253}$',
    },
    'Names.',
  ),
  'allowOrigins?': listOf(
    {
      ...text('It is an origin such as "http://localhost:3000".'),
      pattern: '^[hH][tT][tT][pP][sS]?://[^/?#@\\s]+/?$',
      format: 'uri',
    },
    'Origins.',
  ),
} satisfies { readonly [N in keyof Required<ListenOptions> as `${N}?`]: Schema });

/**
 * The options of `listen`. A client that reaches the control plane controls the sandbox, so other
 * machines need a token for it. Throws an OptionsError.
 */
export function readListenOptions(
  options: unknown,
  controlToken: string | undefined,
  remedy = 'give controlToken to createSandbox',
): ReadListenOptions {
  const given = present(options ?? {});
  const problems = validate(listenSchema, given, 'options');
  if (problems.length > 0) throw new OptionsError(problems);
  const read = given as ValueOf<typeof listenSchema>;
  const { port = 0, host = '127.0.0.1', allowHosts = [], allowOrigins = [] } = read;
  if (!isLoopbackHost(host) && controlToken === undefined) {
    const words = `${host} needs a control token, because other machines can reach it: ${remedy}`;
    throw new OptionsError([{ field: 'host', message: words }]);
  }
  return { port, host, allowHosts, allowOrigins: allowOrigins.map((each) => new URL(each).origin) };
}

type Add = (field: string, message: string) => void;

export interface NamedWorld {
  /** As in the option; `custom` for a world given as an object. */
  readonly name: string;
  readonly fixture: WorldFixture;
}

function readWorld(value: string | object, add: Add): NamedWorld | undefined {
  if (typeof value === 'string') {
    const { fixture, problems = [] } = findNamedWorld(value);
    for (const problem of problems) add('world', problem);
    return fixture === undefined ? undefined : { name: value, fixture };
  }
  const { world: fixture, problems = [] } = parseWorld(value);
  for (const { field, message } of problems) add(`world.${field}`, message);
  return fixture === undefined ? undefined : { name: 'custom', fixture };
}

export type FoundWorld =
  | { readonly fixture: WorldFixture; readonly problems?: undefined }
  /** The error messages; each starts with the option or the file. */
  | { readonly fixture?: undefined; readonly problems: readonly string[] };

/** A built-in name comes first, so that a stray file cannot replace it. */
export function findNamedWorld(named: string, folder = process.cwd()): FoundWorld {
  const known = findWorld(named);
  if (known) return { fixture: known };
  const read = readJsonFile(resolve(folder, named), named);
  if (read.problem !== undefined) {
    const looksLikeName = /^[\w-]+$/.test(named);
    const none = 'there is no built-in world and no file of this name; built in are';
    const problem = looksLikeName ? `${named}: ${none} ${worldNames.join(', ')}` : read.problem;
    return { problems: [problem] };
  }
  const { world, problems = [] } = parseWorld(read.value);
  if (world) return { fixture: world };
  return { problems: problems.map(({ field, message }) => `${named}: ${field} ${message}`) };
}

/** Deviations of the register by id, or objects of the program. */
async function readDeviations(given: readonly unknown[], add: Add): Promise<readonly Deviation[]> {
  // The register is loaded only if one of its deviations may be named.
  const register = given.length === 0 ? null : await import('../deviations/register.ts');
  return given.flatMap((value, at) => {
    const field = `deviations[${at}]`;
    if (typeof value !== 'string') {
      checkOwnDeviation(value, field, add);
      return [value as Deviation];
    }
    const known = register?.findDeviation(value);
    if (known !== undefined) return [known];
    // Names are compared with underscores, and ids have hyphens.
    const ids = (register?.deviations ?? []).map(({ id }) => id.replaceAll('-', '_'));
    const nearest = findNearest(value, ids)?.replaceAll('_', '-');
    const advice = nearest === undefined ? '' : `did you mean "${nearest}"? `;
    const where = '`sandbox deviations` lists them';
    add(field, `${shown(value)}: there is no such deviation; ${advice}${where}`);
    return [];
  });
}

const deviationSchema = record({
  id: { ...text('It is words joined by hyphens.'), pattern: '^[\\x21-\\x7e]+$' },
  breaks: { type: 'array', items: text('A rule.') },
  story: { type: 'string' },
});

/** A deviation written by a program: {id, breaks, story, override}. */
function checkOwnDeviation(value: unknown, field: string, add: Add): void {
  const problems = validate(deviationSchema, value, field, field);
  for (const problem of problems) add(problem.field, problem.message);
  if (problems.length > 0) return;
  const { breaks, override } = value as Deviation;
  const odd = breaks.find((rule) => findRule(rule) === undefined);
  if (odd !== undefined) {
    const example = 'must be rules of the specification, such as IDEM-4a';
    add(`${field}.breaks`, `${example}; there is no ${shown(odd)}`);
  }
  if (typeof override !== 'function') {
    add(`${field}.override`, 'must be a function from a behaviour to another one');
  }
}
