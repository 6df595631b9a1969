// `conformance run`: its command-line options.
import type { Command } from 'commander';
import { addHelp } from '../help-text.ts';
import { runInterruptibly, systemIo } from '../io.ts';
import { addOptions } from '../options.ts';
import {
  addReportOptions,
  addSeed,
  addTargetOptions,
  optionsOf,
  type RunOptions,
} from './options.ts';

export function defineRun(command: Command, io = systemIo()): void {
  addHelp(command, {
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
  });
  addTargetOptions(command, io).optionsGroup('Run:');
  addOptions(addSeed(command, 'decides the order of the scenarios'), [
    ['--dry-run', 'print what would be sent and made, and send nothing'],
    ['--observed <file>', 'write the open questions as a sandbox.config.json'],
  ]);
  addReportOptions(command, 'rules or scenarios', "'IDEM-*'").action(() =>
    runInterruptibly(io, async (stop) => {
      const { judgeTarget } = await import('./judge-target.ts');
      return judgeTarget(optionsOf<RunOptions>(command), io, stop);
    }),
  );
}
