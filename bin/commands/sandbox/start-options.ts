// The options of `sandbox start`: read, checked, and refused in words that say what to give
// instead.
import { type Command, Option } from 'commander';
import type { Forward } from '../../../fixtures/config.ts';
import { isLoopbackHost } from '../../../simulator/host/delivery/loopback.ts';
import { parseClock } from '../../../simulator/host/world/parse-clock.ts';
import type { ClockOptions } from '../../../simulator/host/world/sandbox.ts';
import { parseWhole, refuseUsage } from '../command-io.ts';
import { forwardToReceiver, parseForward, parseReceiver } from './forwards.ts';

export type StartPlan = 'sandbox' | 'standard' | 'pro';

export interface StartOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** JSON events in place of banner and log. */
  readonly json: boolean;
  /** No line for each request. */
  readonly quiet: boolean;
  /** A name under fixtures, or a file. Undefined, as with the next four: it was not named. */
  readonly world: string | undefined;
  readonly configFile: string | undefined;
  readonly seed: number | undefined;
  readonly clock: ClockOptions | undefined;
  readonly plan: StartPlan | undefined;
  readonly controlToken: string | undefined;
  readonly readyFile: string | undefined;
  /** Where the deliveries of a subscription of its own go; undefined: none is made. */
  readonly forwardTo: string | undefined;
  /** That of `forwardTo` is among them. */
  readonly forwards: readonly Forward[];
  readonly allowLocalWebhooks: boolean;
  /** Ids of deliberate deviations to switch on. */
  readonly deviations: readonly string[];
  /** The world is kept in this file. */
  readonly stateFile: string | undefined;
  /** Every input of the world is written to this file. */
  readonly recordFile: string | undefined;
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
  readonly plan: StartPlan;
  readonly controlToken?: string;
  readonly readyFile?: string;
  readonly forwardTo?: string;
  readonly forward: readonly string[];
  readonly allowLocalWebhooks?: boolean;
  readonly deviate: readonly string[];
  readonly state?: string;
  readonly record?: string;
  readonly ui: boolean;
  readonly open?: boolean;
}

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
        .choices(['sandbox', 'standard', 'pro'])
        .default('sandbox'),
    )
    .option('--control-token <token>', 'the control plane wants this as a bearer token')
    .option('--ready-file <file>', 'write the ready event to this file too')
    .option('--forward-to <url>', 'deliver every event of the first firm to this local URL')
    .option(
      '--forward <origin=url>',
      'deliveries to that https origin go to this URL instead; repeatable',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--allow-local-webhooks', 'take http:// and loopback webhook urls, against the rules')
    .option(
      '--state <file>',
      'keep the world in this file: loaded at start, saved as it changes; --clock is set on a loaded world, while another --world, --seed or --plan than it began with is refused',
    )
    .option('--record <file>', 'write every input of the world to this new file, to be replayed')
    .option(
      '--deviate <id>',
      'misbehave in a named way; repeatable (sandbox deviations lists them)',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--no-ui', 'serve no dashboard');
}

/** The options as they were given, or the end of the program with exit code 2. */
export function readStartOptions(command: Command): StartOptions {
  const given = command.opts<Given>();
  const { host, controlToken } = given;
  if (host.trim() === '') refuseUsage(command, '--host: give an address, such as 127.0.0.1');
  if (controlToken !== undefined && !/^[\x21-\x7e]+$/.test(controlToken)) {
    refuseUsage(command, '--control-token: give visible ASCII characters without spaces');
  }
  // Whoever reaches the control plane owns the sandbox, so the network has to show a token.
  if (!isLoopbackHost(host) && controlToken === undefined) {
    const why = `--host ${host} can be reached from other machines`;
    refuseUsage(command, `${why}; protect its control plane with --control-token TOKEN`);
  }
  const isNamed = (name: string) => command.getOptionValueSource(name) !== 'default';
  return {
    host,
    port: parseWhole(command, '--port', given.port, [0, 65_535]),
    json: given.json ?? false,
    quiet: given.quiet ?? false,
    world: isNamed('world') ? given.world : undefined,
    configFile: given.config,
    seed:
      given.seed === undefined
        ? undefined
        : parseWhole(command, '--seed', given.seed, [0, mostSeed]),
    clock: isNamed('clock') ? readClock(command, given.clock) : undefined,
    plan: isNamed('plan') ? given.plan : undefined,
    controlToken,
    readyFile: given.readyFile,
    deviations: given.deviate,
    stateFile: given.state,
    recordFile: given.record,
    ...readWebhooks(command, given),
    ...readDashboard(command, given),
  };
}

function readWebhooks(command: Command, { forwardTo, forward, allowLocalWebhooks = false }: Given) {
  const forwards = forward.map((text) => parseForward(command, text));
  if (forwardTo === undefined) return { forwardTo, forwards, allowLocalWebhooks };
  const to = parseReceiver(command, '--forward-to', forwardTo);
  return { forwardTo: to, forwards: [...forwards, forwardToReceiver(to)], allowLocalWebhooks };
}

function readDashboard(command: Command, { ui, open = false }: Given) {
  if (open && !ui) refuseUsage(command, '--open: there is nothing to open with --no-ui; leave one');
  return { ui, open };
}

function readClock(command: Command, text: string): ClockOptions {
  const clock = parseClock(text);
  if (clock !== null) return clock;
  const forms = 'real, frozen, or an ISO time with its zone such as 2026-01-31T12:00:00Z';
  return refuseUsage(command, `--clock: "${text}" is not a clock: give ${forms}`);
}
