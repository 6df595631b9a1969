// The options of `sandbox start` and `sandbox exec`. Their values are checked by the same code that
// checks the options of every sandbox.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { defaultPort } from '../../../fixtures/constants.ts';
import type { FieldProblem } from '../../../fixtures/settings.ts';
import {
  OptionsError,
  planNames,
  type ReadListenOptions,
  type ReadOptions,
  readListenOptions,
  readOptions,
} from '../../../simulator/compose/options.ts';
import { isLoopbackHost } from '../../../simulator/host/delivery/loopback.ts';
import { unreadableWords } from '../../../simulator/host/storage/private-file.ts';
import { UsageError } from '../io.ts';
import { addOptions, listed, numberFrom, type Reader, type Row } from '../options.ts';
import { readConfigFile } from './config-file.ts';

/** Options that are used as they are given. */
interface UsedAsGiven {
  /** JSON events instead of the banner and log. */
  readonly json?: boolean;
  /** No line for each request. */
  readonly quiet?: boolean;
  readonly readyFile?: string;
  /** Serve the dashboard. */
  readonly ui: boolean;
  /** Show the dashboard in a browser. */
  readonly open?: boolean;
}

export interface StartOptions extends UsedAsGiven {
  readonly sandbox: ReadOptions;
  readonly listen: ReadListenOptions;
  /** A note on a configuration file that was found without being named. */
  readonly configNote: string | null;
}

/** The options as commander parses them. */
interface Given extends UsedAsGiven {
  readonly port: number;
  readonly host: string;
  readonly world: string;
  readonly config?: string;
  readonly seed?: number;
  readonly clock: string;
  readonly plan: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly controlToken?: string;
  readonly controlTokenFile?: string;
  readonly forwardTo?: string;
  readonly forward?: readonly Forward[];
  readonly iOwnThisHost?: boolean;
  readonly allowLocalWebhooks?: boolean;
  readonly allowPublicDeliveries?: boolean;
  readonly deviate?: readonly string[];
  readonly state?: string;
  readonly stateSync?: boolean;
  readonly record?: string;
}

/** Adds the options of `sandbox start`. */
export function addStartOptions(command: Command): Command {
  return addOptions(addServingOptions(command, defaultPort).optionsGroup('Output:'), [
    ['--json', 'print newline-delimited JSON events instead of the banner and log'],
    ['--quiet', 'do not log each request'],
    ['--open', 'open the dashboard in a browser'],
  ]);
}

const names = listed(',', (each) => each);
const forward: Reader =
  () =>
  (text, before: readonly Forward[] = []) => [...before, splitForward(text)];

const seeds = numberFrom(0, 999_999_999, true);
/** Grouped by the headings of the help. */
const groups: Readonly<Record<string, readonly Row[]>> = {
  'Basics:': [
    ['--host <address>', 'bind this address', undefined, '127.0.0.1'],
    ['--world <name|file>', 'starting world: a built-in name or a file', undefined, 'default'],
    ['--plan <name>', 'give the credentials of the starting world this plan', planNames, 'sandbox'],
    ['--seed <n>', 'derive every generated id, token and secret from this number', seeds],
    ['--config <file>', 'read this settings file (default: ./sandbox.config.json if it exists)'],
    ['--deviate <id>', 'misbehave in a named way (see sandbox deviations); repeatable', names],
    ['--ready-file <file>', 'write the ready event to this file too'],
    ['--no-ui', 'do not serve the dashboard'],
  ],
  'Time:': [
    ['--clock <real|frozen|time>', 'run or freeze the clock (time: ISO 8601)', undefined, 'real'],
  ],
  'Webhooks:': [
    ['--forward-to <url>', 'deliver every event of the first firm to this local URL'],
    ['--forward <origin=url>', 'deliver what goes to this origin to this URL; repeatable', forward],
    ['--i-own-this-host', 'allow these URLs to be on another machine'],
    ['--allow-local-webhooks', 'allow http:// and loopback webhook URLs (the platform does not)'],
    ['--allow-public-deliveries', 'deliver to public hosts without a forward (otherwise it fails)'],
  ],
  'Security:': [
    ['--control-token-file <file>', 'require its first line as the token of the control plane'],
    ['--allow-host <name>', 'accept this Host header too; repeatable', names],
    ['--allow-origin <origin>', 'let its pages open the events channel; repeatable', names],
  ],
  'Persistence:': [
    [
      '--state <file>',
      'keep the world in this file: load it at start, save it as it changes (a loaded world keeps its --world, --seed and --plan)',
    ],
    ['--state-sync', 'respond when the change is in the file, with 500 if it cannot be written'],
    ['--record <file>', 'write every input to this new file, to be replayed'],
  ],
};

/** Adds the options of every command that serves a sandbox; `port` is the default. */
export function addServingOptions(command: Command, port: number): Command {
  const ports = numberFrom(0, 65_535, true);
  command.optionsGroup('Basics:');
  addOptions(command, [['--port <n>', 'serve on this port; 0 picks a free one', ports, port]]);
  for (const [title, rows] of Object.entries(groups)) {
    addOptions(command.optionsGroup(title), rows);
  }
  const words =
    'require this bearer token on the control plane (visible in process lists: prefer --control-token-file)';
  return command.addOption(
    new Option('--control-token <token>', words)
      .env('SANDBOX_CONTROL_TOKEN')
      .helpGroup('Security:'),
  );
}

/** The options as they were given; throws UsageError if they are invalid. */
export async function readStartOptions(command: Command): Promise<StartOptions> {
  const given = command.opts<Given>();
  if (given.open && !given.ui)
    throw new UsageError('--open: there is nothing to open with --no-ui; leave one');
  const { config, note } = readConfigFile(given.config, process.cwd());
  try {
    const read = await readOptions(sandboxOptionsOf(command, given));
    const { port, host, allowHost: allowHosts = [], allowOrigin: allowOrigins = [] } = given;
    const remedy = 'give --control-token-file FILE or set SANDBOX_CONTROL_TOKEN';
    const serving = { port, host, allowHosts, allowOrigins };
    const listen = readListenOptions(serving, read.controlToken, remedy);
    const sandbox = {
      ...read,
      settings: config.settings,
      // The command line overrides the file: the last forward applies.
      forwards: [...config.forwards, ...read.forwards],
      allowLocalWebhooks: config.allow_local_webhooks || read.allowLocalWebhooks,
    };
    if (given.iOwnThisHost !== true) refuseDistantReceivers(sandbox);
    return { ...given, sandbox, listen, configNote: note };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new UsageError(linesOf(error.problems).join('\n'));
  }
}

/** A forward to another machine must be explicit: deliveries contain real secrets. */
function refuseDistantReceivers({
  forwards,
  forwardTo,
}: Pick<ReadOptions, 'forwards' | 'forwardTo'>): void {
  const named = forwards.map(({ to }) => ['--forward', to] as const);
  const receiver = forwardTo === undefined ? [] : [['--forward-to', forwardTo] as const];
  for (const [option, url] of [...receiver, ...named]) {
    const { hostname } = new URL(url);
    if (isLoopbackHost(hostname)) continue;
    const remedy = 'if you run that host, say so with --i-own-this-host';
    throw new UsageError(`${option}: ${hostname} is not this machine; ${remedy}`);
  }
}

function sandboxOptionsOf(command: Command, given: Given) {
  // A default does not contradict the world in a state file.
  const named = (name: 'world' | 'clock' | 'plan') =>
    command.getOptionValueSource(name) === 'default' ? undefined : given[name];
  const { seed, forwardTo, allowLocalWebhooks, allowPublicDeliveries } = given;
  const { deviate = [], forward: forwards = [], state, stateSync, record } = given;
  return {
    ...{ seed, forwardTo, allowLocalWebhooks, allowPublicDeliveries, state, stateSync, record },
    world: named('world'),
    clock: named('clock'),
    plan: named('plan'),
    forwards,
    deviations: deviate,
    controlToken: readControlToken(command, given),
  };
}

/** The token of the option or variable, or the first line of the file. */
function readControlToken(command: Command, given: Given): string | undefined {
  const { controlToken, controlTokenFile: file } = given;
  if (/[\r\n]$/.test(controlToken ?? '')) {
    throw new UsageError('--control-token: the token ends with a line break');
  }
  const isNamed = command.getOptionValueSource('controlToken') === 'cli';
  // An empty variable counts as not set; an empty option is an error.
  if (file === undefined) return isNamed ? controlToken : controlToken || undefined;
  if (isNamed) {
    throw new UsageError('--control-token-file: a token is given already; leave one of them out');
  }
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new UsageError(`--control-token-file ${file}: ${unreadableWords(error)}`);
  }
}

interface Forward {
  readonly from: string;
  readonly to: string;
}

function splitForward(text: string): Forward {
  const at = text.indexOf('=');
  const example = 'https://hooks.example.com=http://localhost:3000/hooks';
  if (at < 0) throw new UsageError(`--forward: give ORIGIN=URL, such as ${example}`);
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

/** Options whose names in code differ from those on the command line. */
const namesGiven: Readonly<Record<string, string>> = {
  allowHosts: 'allow-host',
  allowOrigins: 'allow-origin',
  deviations: 'deviate',
  forwards: 'forward',
};

/** The problems, with option names as they were typed. */
export function linesOf(problems: readonly FieldProblem[]): string[] {
  return problems.map(({ field, message }) => {
    const name = /^\w+/.exec(field)?.[0] ?? field;
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return `--${namesGiven[name] ?? kebab} ${message}`;
  });
}
