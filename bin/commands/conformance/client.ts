// `conformance client -- COMMAND`: what it offers on the command line.
import { type Command, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { systemJudgeIo, UsageError } from './io.ts';
import {
  addReportOptions,
  type ReportGiven,
  type ReportOptions,
  readNumber,
  readReportOptions,
} from './options.ts';
import { runInterruptibly } from './run-interruptibly.ts';

const help: HelpText = {
  words: [
    'COMMAND is a test or an example of your client, in any language. It finds a sandbox in SANDBOX_BASE_URL, SANDBOX_TOKEN, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET, SANDBOX_BRAND_ID, SANDBOX_ACCOUNT_ID, SANDBOX_TRADING_ACCOUNT_ID and SANDBOX_CONTROL_URL, and must end with exit code 0. It is run once as it is, and then 20 to 60 more times. Each run has a new world, in which something else goes wrong.',
    'SANDBOX_TOKEN is valid for every brand of its firm, so each create has to send SANDBOX_BRAND_ID as brand_id.',
  ],
  examples: [
    'npx conformance client -- node examples/first-deposit.js',
    'npx conformance client --only CLT-answer-lost CLT-429 -- pytest tests',
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
};

export function defineClient(command: Command): void {
  addHelp(command, help);
  command
    .usage('[options] -- COMMAND [ARGUMENT...]')
    .argument('[command...]', 'the command and its arguments, after --')
    .option('--world <name|file>', 'starting world: a built-in name, or a file', 'default')
    .addOption(
      new Option('--plan <name>', 'plan of the credentials; slower plans limit the client')
        .choices(['sandbox', 'standard', 'pro'])
        .default('pro'),
    )
    .option('--seed <n>', 'decides every generated id, token and secret', '1')
    .option('--timeout-s <n>', 'how long one run of the command may take', '60')
    .option('--jobs <n>', 'concurrent runs; default: as many as suit this machine');
  addReportOptions(command, 'checks', 'CLT-429 or CLT-token-*')
    .option('--list', 'list the checks')
    .action(async (words: readonly string[]) => {
      const io = systemJudgeIo(manifest.version);
      const asked = { who: 'the judge', ending: 'reporting what is known' };
      process.exitCode = await runInterruptibly(io, asked, async (stop) => {
        const options = readClientOptions(command.opts<ClientGiven>(), words);
        const { listChecks, judgeCommand } = await import('./judge-client.ts');
        return options.list ? listChecks(options, io) : judgeCommand(options, io, stop);
      });
    });
}

/** As commander parses them. */
interface ClientGiven extends ReportGiven {
  readonly world?: string;
  readonly plan?: 'sandbox' | 'standard' | 'pro';
  readonly seed?: string;
  readonly timeoutS?: string;
  readonly jobs?: string;
  readonly list?: boolean;
}

export interface ClientOptions extends ReportOptions {
  readonly command: readonly string[];
  readonly world: string;
  readonly plan: 'sandbox' | 'standard' | 'pro';
  readonly seed: number;
  readonly timeoutS: number;
  /** undefined: as many as suit the machine. */
  readonly jobs: number | undefined;
  readonly list: boolean;
}

/** Throws UsageError with what to give instead. */
function readClientOptions(given: ClientGiven, command: readonly string[]): ClientOptions {
  const { list = false, world = 'default', plan = 'pro', jobs } = given;
  if (command.length === 0 && !list) {
    throw new UsageError(
      'name the command to judge after --, such as conformance client -- node examples/deposit.js',
    );
  }
  return {
    ...readReportOptions(given),
    ...{ command, list, world, plan },
    seed: readNumber('--seed', given.seed ?? '1', [0, 999_999_999], true),
    timeoutS: readNumber('--timeout-s', given.timeoutS ?? '60', [0.5, 3_600]),
    jobs: jobs === undefined ? undefined : readNumber('--jobs', jobs, [1, 64], true),
  };
}
