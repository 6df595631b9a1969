// The options of `sandbox start` and `sandbox exec`. Their values are checked where every sandbox
// checks its options.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { FieldProblem } from '../../../fixtures/settings.ts';
import { unreadableWords } from '../../../simulator/compose/json-file.ts';
import {
  OptionsError,
  planNames,
  type ReadListenOptions,
  type ReadOptions,
  readListenOptions,
  readOptions,
} from '../../../simulator/compose/options.ts';
import { isLoopbackHost } from '../../../simulator/host/delivery/loopback.ts';
import { parseWhole, refuseUsage } from '../command-io.ts';
import { readConfigFile } from './config-file.ts';

export interface StartOptions {
  readonly sandbox: ReadOptions;
  readonly listen: ReadListenOptions;
  /** JSON events instead of the banner and log. */
  readonly json: boolean;
  /** No line for each request. */
  readonly quiet: boolean;
  readonly readyFile: string | undefined;
  /** What was found without being named, in a sentence. */
  readonly configNote: string | null;
  /** Serve the dashboard. */
  readonly ui: boolean;
  /** Show the dashboard in a browser. */
  readonly open: boolean;
}

const mostSeed = 999_999_999;

/** What commander hands over. */
interface Given {
  readonly port: string;
  readonly host: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly world: string;
  readonly config?: string;
  readonly seed?: string;
  readonly clock: string;
  readonly plan: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly controlToken?: string;
  readonly controlTokenFile?: string;
  readonly readyFile?: string;
  readonly forwardTo?: string;
  readonly forward?: readonly string[];
  readonly iOwnThisHost?: boolean;
  readonly allowLocalWebhooks?: boolean;
  readonly allowPublicDeliveries?: boolean;
  readonly deviate?: readonly string[];
  readonly state?: string;
  readonly stateSync?: boolean;
  readonly record?: string;
  readonly ui: boolean;
  readonly open?: boolean;
}

/** Adds the options of `sandbox start`. */
export function addStartOptions(command: Command): Command {
  return addServingOptions(command, '7420')
    .optionsGroup('Output:')
    .option('--json', 'print newline-delimited JSON events instead of the banner and log')
    .option('--quiet', 'print no line for each request')
    .option('--open', 'open the dashboard in a browser');
}

/** Adds the options of every command that serves; `port` is the default. */
export function addServingOptions(command: Command, port: string): Command {
  return command
    .optionsGroup('Basics:')
    .option('--port <n>', 'serve on this port; 0 picks a free one', port)
    .option('--host <address>', 'bind this address', '127.0.0.1')
    .option('--world <name|file>', 'begin with this world: a built-in name or a file', 'default')
    .addOption(
      new Option('--plan <name>', 'give the credentials of the starting world this plan')
        .choices(planNames)
        .default('sandbox'),
    )
    .option('--seed <n>', 'derive every generated id, token and secret from this number')
    .option(
      '--config <file>',
      'read settings from this file (default: ./sandbox.config.json if it exists)',
    )
    .option(
      '--deviate <id>',
      'misbehave in a named way (see sandbox deviations); repeatable',
      collect,
    )
    .option('--ready-file <file>', 'write the ready event to this file too')
    .option('--no-ui', 'do not serve the dashboard')
    .optionsGroup('Time:')
    .option(
      '--clock <real|frozen|time>',
      'run the clock, or freeze it: now, or at an ISO time',
      'real',
    )
    .optionsGroup('Webhooks:')
    .option(
      '--forward-to <url>',
      'subscribe to every event of the first firm and deliver to this local URL',
    )
    .option(
      '--forward <origin=url>',
      'deliver to this URL instead of that https origin; repeatable',
      repeated,
    )
    .option('--i-own-this-host', 'allow these URLs to be on another machine')
    .option(
      '--allow-local-webhooks',
      'allow http:// and loopback webhook URLs (the platform refuses them)',
    )
    .option(
      '--allow-public-deliveries',
      'deliver to public hosts without a forward (otherwise such an attempt fails)',
    )
    .optionsGroup('Security:')
    .addOption(
      new Option(
        '--control-token-file <file>',
        'require the token in the first line of this file on the control plane',
      ),
    )
    .addOption(
      new Option(
        '--control-token <token>',
        'require this bearer token on the control plane (visible in process lists: prefer --control-token-file)',
      ).env('SANDBOX_CONTROL_TOKEN'),
    )
    .option('--allow-host <name>', 'accept this Host header too; repeatable', collect)
    .option(
      '--allow-origin <origin>',
      'allow pages of this origin to open the events channel; repeatable',
      collect,
    )
    .optionsGroup('Persistence:')
    .option(
      '--state <file>',
      'keep the world in this file: load it at start, save it as it changes (a loaded world keeps its --world, --seed and --plan)',
    )
    .option(
      '--state-sync',
      'respond when the change is in the file, with 500 if it cannot be written',
    )
    .option('--record <file>', 'write every input to this new file, to be replayed');
}

const repeated = (text: string, before: readonly string[] = []) => [...before, text];

/** Repeatable options also take several values separated by commas. */
function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').filter((part) => part !== '')];
}

/** The options as they were given, or the end of the program with exit code 2. */
export async function readStartOptions(command: Command): Promise<StartOptions> {
  const given = command.opts<Given>();
  const { json = false, quiet = false, readyFile, ui, open = false } = given;
  if (open && !ui) refuseUsage(command, '--open: there is nothing to open with --no-ui; leave one');
  const configured = readConfigFile(given.config, process.cwd());
  if (configured.problems) return refuseUsage(command, configured.problems.join('\n'));
  try {
    const read = await readOptions(sandboxOptionsOf(command, given));
    const port = parseWhole(command, '--port', given.port, [0, 65_535]);
    const { host, allowHost: allowHosts = [], allowOrigin: allowOrigins = [] } = given;
    const listen = readListenOptions({ port, host, allowHosts, allowOrigins }, read.controlToken);
    const { settings, forwards, allow_local_webhooks: fileAllows } = configured.config;
    const sandbox = {
      ...read,
      settings,
      // The command line is nearer to the person than the file: the last one counts.
      forwards: [...forwards, ...read.forwards],
      allowLocalWebhooks: fileAllows || read.allowLocalWebhooks,
    };
    if (given.iOwnThisHost !== true) refuseDistantReceivers(command, sandbox);
    return { sandbox, listen, json, quiet, readyFile, configNote: configured.note, ui, open };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return refuseUsage(command, linesOf(error.problems).join('\n'));
  }
}

/** A forward to another machine must be intended: deliveries hold real secrets. */
function refuseDistantReceivers(
  command: Command,
  { forwards, forwardTo }: Pick<ReadOptions, 'forwards' | 'forwardTo'>,
): void {
  const named = forwards.map(({ to }) => ['--forward', to] as const);
  const receiver = forwardTo === undefined ? [] : [['--forward-to', forwardTo] as const];
  for (const [option, url] of [...receiver, ...named]) {
    const { hostname } = new URL(url);
    if (isLoopbackHost(hostname)) continue;
    const remedy = 'if you run that host, say so with --i-own-this-host';
    refuseUsage(command, `${option}: ${hostname} is not this machine; ${remedy}`);
  }
}

function sandboxOptionsOf(command: Command, given: Given) {
  // A default does not contradict the world of a state file.
  const named = (name: 'world' | 'clock' | 'plan') =>
    command.getOptionValueSource(name) === 'default' ? undefined : given[name];
  const seed = given.seed && parseWhole(command, '--seed', given.seed, [0, mostSeed]);
  return {
    world: named('world'),
    clock: named('clock'),
    plan: named('plan'),
    seed,
    forwards: (given.forward ?? []).map((text) => splitForward(command, text)),
    forwardTo: given.forwardTo,
    allowLocalWebhooks: given.allowLocalWebhooks,
    allowPublicDeliveries: given.allowPublicDeliveries,
    deviations: given.deviate ?? [],
    controlToken: readControlToken(command, given),
    state: given.state,
    stateSync: given.stateSync,
    record: given.record,
  };
}

/** The token of the option or variable, or the first line of the file. */
function readControlToken(command: Command, given: Given): string | undefined {
  const { controlToken, controlTokenFile: file } = given;
  if (file === undefined) return controlToken || undefined;
  if (command.getOptionValueSource('controlToken') === 'cli') {
    refuseUsage(command, '--control-token-file: a token is given already; leave one of them out');
  }
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refuseUsage(command, `--control-token-file ${file}: ${unreadableWords(code)}`);
  }
}

function splitForward(command: Command, text: string): { from: string; to: string } {
  const at = text.indexOf('=');
  const example = 'https://hooks.example.com=http://localhost:3000/hooks';
  if (at < 0) refuseUsage(command, `--forward: give ORIGIN=URL, such as ${example}`);
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

/** Options whose names in code are not those of the command line. */
const names: Readonly<Record<string, string>> = {
  allowHosts: 'allow-host',
  allowOrigins: 'allow-origin',
  deviations: 'deviate',
  forwards: 'forward',
};

/** What is wrong, under the names that were typed. */
export function linesOf(problems: readonly FieldProblem[]): string[] {
  return problems.map(({ field, message }) => {
    const name = /^\w+/.exec(field)?.[0] ?? field;
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return `--${names[name] ?? kebab} ${message}`;
  });
}
