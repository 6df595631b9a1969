// `conformance run`: what it offers on the command line.
import { type Command, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { type JudgeIo, systemJudgeIo } from './io.ts';
import { addReportOptions, addTargetOptions, type RunGiven, readRunOptions } from './options.ts';
import { runInterruptibly } from './run-interruptibly.ts';

const help: HelpText = {
  words: [
    'A target with a control plane, such as the sandbox, needs nothing else: the runner makes all it needs in a world of its own. For any other target give --profile (see: conformance init) or --token-env. GLOB is matched against the ids of rules and scenarios.',
    'Never put secrets on the command line, where others can read them.',
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
  addTargetOptions(command).addOption(new Option('--token <env:name>').hideHelp());
  addReportOptions(command, 'rules or scenarios', "'IDEM-*'")
    .option('--seed <n>', 'decides the order of the scenarios', '1')
    .option('--observed <file>', 'write the open questions as a sandbox.config.json')
    .option('--dry-run', 'print what would be sent and made, and send nothing')
    .action(async () => {
      const io = systemJudgeIo(manifest.version);
      process.exitCode = await runFromArguments(command, io);
    });
}

function runFromArguments(command: Command, io: JudgeIo): Promise<number> {
  const words = { who: 'the judge', ending: 'leaving the target tidy' };
  return runInterruptibly(io, words, async (stop) => {
    const options = readRunOptions(command.opts<RunGiven>(), io.env);
    const { judgeTarget } = await import('./judge-target.ts');
    return judgeTarget(options, io, stop);
  });
}
