// `conformance client -- COMMAND`: its command-line options.
import type { Command } from 'commander';
import { addHelp } from '../help-text.ts';
import { runInterruptibly, systemIo } from '../io.ts';
import { addCommandArgument, addOptions, numberFrom } from '../options.ts';
import { addReportOptions, addSeed, optionsOf, type ReportOptions } from './options.ts';

export interface ClientOptions extends ReportOptions {
  readonly command: readonly string[];
  readonly world: string;
  readonly plan: 'sandbox' | 'standard' | 'pro';
  readonly seed: number;
  readonly timeoutS: number;
  /** undefined: chosen for the machine. */
  readonly jobs?: number;
  readonly list?: boolean;
}

export function defineClient(command: Command, io = systemIo()): void {
  addHelp(command, {
    words: [
      'COMMAND is a test or an example of your client, in any language. It finds a sandbox in SANDBOX_BASE_URL, SANDBOX_TOKEN, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET, SANDBOX_BRAND_ID, SANDBOX_ACCOUNT_ID, SANDBOX_TRADING_ACCOUNT_ID and SANDBOX_CONTROL_URL, and must end with exit code 0. It is run once as it is, and then 20 to 80 more times. Each run has a new world, in which something else goes wrong.',
      'SANDBOX_TOKEN is valid for every brand of its firm, so each create has to send SANDBOX_BRAND_ID as brand_id.',
    ],
    examples: [
      'npx conformance client -- node my-example.js',
      'npx conformance client --only CLT-answer-lost CLT-429 -- python3 my_example.py',
      'npx conformance explain CLT-answer-lost',
    ],
    exits: [
      '0 passes every check',
      '1 fails checks',
      '2 usage',
      '3 the first run failed or called nothing',
      '4 not everything could be judged',
      '5 error of the judge',
      '6 stale baseline',
      '130 interrupted',
    ],
  });
  addCommandArgument(command, 'conformance client').optionsGroup('Run:');
  const plans = ['sandbox', 'standard', 'pro'];
  addOptions(addSeed(command, 'decides every generated id, token and secret'), [
    ['--plan <name>', 'plan of the credentials; slower plans limit the client', plans, 'pro'],
    ['--world <name|file>', 'starting world: a built-in name, or a file', undefined, 'default'],
    ['--timeout-s <n>', 'time of one run; doubled without a response', numberFrom(0.5, 3_600), 60],
    ['--jobs <n>', 'concurrent runs; default: as many as suit', numberFrom(1, 64, true)],
    ['--list', 'list the checks'],
  ]);
  addReportOptions(command, 'checks', 'CLT-429 or CLT-token-*').action((words: readonly string[]) =>
    runInterruptibly(io, async (stop) => {
      const options = { ...optionsOf<ClientOptions>(command), command: words };
      const { listChecks, judgeCommand } = await import('./judge-client.ts');
      return options.list ? listChecks(options, io) : judgeCommand(options, io, stop);
    }),
  );
}
