// The options of `sandbox start`: what their texts mean, and under which names they are refused.
// What may be given is read where every sandbox reads its options.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { FieldProblem } from '../../../fixtures/settings.ts';
import { OptionsError } from '../../../simulator/compose/findings.ts';
import { unreadableWords } from '../../../simulator/compose/json-file.ts';
import {
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
  /** JSON events in place of banner and log. */
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
  readonly deviate?: readonly string[];
  readonly state?: string;
  readonly stateSync?: boolean;
  readonly record?: string;
  readonly ui: boolean;
  readonly open?: boolean;
}

const repeated = (text: string, before: readonly string[] = []) => [...before, text];

/** Adds the options of `sandbox start`, with their defaults and one line each for the help. */
export function addStartOptions(command: Command): Command {
  return addServingOptions(command, '7420')
    .option('--json', 'newline-delimited JSON events instead of banner and log')
    .option('--quiet', 'no line for each request')
    .option('--open', 'show the dashboard in a browser');
}

/** The options of every command that serves; those of what it prints are its own. */
export function addServingOptions(command: Command, port: string): Command {
  return command
    .option('--port <n>', 'port to serve on; 0 picks a free one', port)
    .option('--host <address>', 'address to bind', '127.0.0.1')
    .option('--world <name|file>', 'starting world: one that comes with us, or a file', 'default')
    .option('--config <file>', 'settings; sandbox.config.json in this folder is found by itself')
    .option('--seed <n>', 'decides every generated id, token and secret')
    .option('--clock <real|frozen|iso>', 'frozen stands until advanced; an ISO time too', 'real')
    .addOption(
      new Option('--plan <name>', 'plan of the credentials of the starting world')
        .choices(planNames)
        .default('sandbox'),
    )
    .option('--allow-host <name>', 'be called by this name too; repeatable', repeated)
    .option(
      '--allow-origin <origin>',
      'let pages of this origin follow the events; repeatable',
      repeated,
    )
    .option(
      '--control-token <token>',
      'the control plane wants this as a bearer token; every process list shows it, which the next option and the variable SANDBOX_CONTROL_TOKEN avoid',
    )
    .option('--control-token-file <file>', 'the same, from the first line of a file')
    .option('--ready-file <file>', 'write the ready event to this file too')
    .option('--forward-to <url>', 'deliver every event of the first firm to this local URL')
    .option(
      '--forward <origin=url>',
      'deliveries to that https origin go to this URL instead; repeatable',
      repeated,
    )
    .option('--i-own-this-host', 'let those URLs be beyond this machine')
    .option('--allow-local-webhooks', 'take http:// and loopback webhook urls, against the rules')
    .option(
      '--state <file>',
      'keep the world in this file: loaded at start, saved as it changes; --clock is set on a loaded world, while another --world, --seed or --plan than it began with is refused',
    )
    .option(
      '--state-sync',
      'answer when the change is in the file; answer 500 if it cannot be written',
    )
    .option('--record <file>', 'write every input of the world to this new file, to be replayed')
    .option(
      '--deviate <id>',
      'misbehave in a named way; repeatable (sandbox deviations lists them)',
      repeated,
    )
    .option('--no-ui', 'serve no dashboard');
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

/** Nothing leaves this machine by mistake: a forward to another one has to be meant. */
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
  // An option with a default is named only where somebody wrote it.
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
    deviations: given.deviate ?? [],
    controlToken: readControlToken(command, given),
    state: given.state,
    stateSync: given.stateSync,
    record: given.record,
  };
}

/** From where no process list shows it; the nearest of them counts. */
function readControlToken(command: Command, given: Given): string | undefined {
  const { controlToken, controlTokenFile: file } = given;
  if (file === undefined) return controlToken ?? (process.env.SANDBOX_CONTROL_TOKEN || undefined);
  if (controlToken !== undefined) {
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
