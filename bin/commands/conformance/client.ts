// `conformance client -- COMMAND`: what it offers on the command line.
import { type Command, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { type ClientGiven, readClientOptions } from './client-options.ts';
import { systemJudgeIo } from './io.ts';
import { runInterruptibly } from './run-interruptibly.ts';

const help: HelpText = {
  words: [
    'The command is a test or an example of your client, in any language. It finds a sandbox in SANDBOX_BASE_URL, SANDBOX_TOKEN, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET, SANDBOX_BRAND_ID, SANDBOX_ACCOUNT_ID, SANDBOX_TRADING_ACCOUNT_ID and SANDBOX_CONTROL_URL, and ends with exit code 0 when all is well. It is run as it is first, and then again and again, some 20 to 60 times in all: each time in a world of its own in which something else goes wrong.',
    'SANDBOX_TOKEN is good for every brand of its firm, so a create has to name SANDBOX_BRAND_ID as its brand_id.',
  ],
  examples: [
    'npx conformance client -- node examples/first-deposit.js',
    'npx conformance client --only CLT-answer-lost CLT-429 -- pytest tests',
    'npx conformance explain CLT-answer-lost',
  ],
  exits: [
    '0 right in all that it does',
    '1 fails checks',
    '2 usage',
    '3 the first run failed or called nothing',
    '4 not everything could be judged',
    '5 the judge itself failed',
    '6 stale baseline',
    '130 interrupted',
  ],
};

const add = (value: string, before: readonly string[] = []) => [...before, value];

export function defineClient(command: Command): void {
  addHelp(command, help);
  command
    .usage('[options] -- COMMAND [ARGUMENT...]')
    .argument('[command...]', 'the command and its arguments, after --')
    .option('--only <check...>', 'checks to try, such as CLT-429 or CLT-token-*')
    .option('--skip <check...>', 'checks to leave out')
    .option('--world <name|file>', 'starting world: one that comes with us, or a file', 'default')
    .addOption(
      new Option('--plan <name>', 'plan of the credentials; the slower ones limit the client')
        .choices(['sandbox', 'standard', 'pro'])
        .default('pro'),
    )
    .option('--seed <n>', 'decides every generated id, token and secret', '1')
    .option('--timeout-s <n>', 'how long one run of the command may take', '60')
    .option('--jobs <n>', 'runs side by side; left out: as many as suit this machine')
    .option(
      '--report <format=file>',
      'write a report: json, junit, html, markdown; repeatable',
      add,
    )
    .option('--json', 'the JSON report on standard output in place of the text')
    .option('--baseline <file>', 'failures that are known')
    .option('--update-baseline', 'write the baseline anew from this judgement')
    .option('--strict', 'exit with 1 for advice and for known failures too')
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
