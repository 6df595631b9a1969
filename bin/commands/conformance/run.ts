// `conformance run`: what it offers on the command line.
import { type Command, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { type JudgeIo, systemJudgeIo } from './io.ts';
import { addTargetOptions, repeatable } from './reach/target-options.ts';
import { runInterruptibly } from './run-interruptibly.ts';
import { FORMAT_NAMES, type Given, readRunOptions } from './run-options.ts';

const help: HelpText = {
  words: [
    'A target with a control plane, such as the sandbox, needs nothing else: the runner makes all it needs in a world of its own. For any other give --profile (see: conformance init) or, to begin with, one token. GLOB is matched against the ids of rules and scenarios.',
    'Secrets never stand on the command line, where others can read them.',
  ],
  examples: [
    'npx conformance run --base-url http://127.0.0.1:7420',
    "npx conformance run --base-url http://127.0.0.1:7420 --only 'IDEM-*' 'bulk-*'",
    'TOKEN=… npx conformance run --base-url https://api.example.com \\',
    '  --token-env TOKEN --report html=report.html',
  ],
  exits: [
    '0 conformant or only known deviations',
    '1 deviates',
    '2 usage, profile or baseline',
    '3 nothing could be graded',
    '4 incomplete',
    '5 error of the judge',
    '6 stale baseline',
    '130 interrupted',
  ],
};

export function defineRun(command: Command): void {
  addHelp(command, help);
  addTargetOptions(command)
    .addOption(new Option('--token <env:name>').hideHelp())
    .option('--only <glob...>', 'rules or scenarios to try')
    .option('--skip <glob...>', 'rules or scenarios to leave out')
    .option('--seed <n>', 'decides the order of the scenarios', '1')
    .option(
      '--report <format=file>',
      `write a report: ${FORMAT_NAMES.join(', ')}; repeatable`,
      repeatable,
    )
    .option('--json', 'the JSON report on standard output in place of the text')
    .option('--baseline <file>', 'deviations that are known, with reason and expiry')
    .option('--update-baseline', 'write the deviations of this run into the baseline')
    .option('--allow-incomplete', 'exit with 0 although not everything could be tried')
    .option('--strict', 'advice and known deviations count as deviations')
    .option('--observed <file>', 'write what is open as a sandbox.config.json like the target')
    .option('--dry-run', 'say what would be sent and made, and send nothing')
    .action(async () => {
      const io = systemJudgeIo(manifest.version);
      process.exitCode = await runFromArguments(command, io);
    });
}

function runFromArguments(command: Command, io: JudgeIo): Promise<number> {
  const words = { who: 'the judge', ending: 'leaving the target tidy' };
  return runInterruptibly(io, words, async (stop) => {
    const options = readRunOptions(command.opts<Given>(), io.env);
    const { judgeTarget } = await import('./judge-target.ts');
    return judgeTarget(options, io, stop);
  });
}
