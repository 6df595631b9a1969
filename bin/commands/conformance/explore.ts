// `conformance explore`: what it offers on the command line.
import type { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { EXPLORE_FORMATS, type ExploreGiven, readExploreOptions } from './explore-options.ts';
import { type JudgeIo, systemJudgeIo } from './io.ts';
import { addReportFiles, addTargetOptions } from './options.ts';
import { runInterruptibly } from './run-interruptibly.ts';

const help: HelpText = {
  words: [
    'Generates sequences of calls, plays each on the target and on a model of the platform (the simulator, in this process), and reports where the two differ, shrunk to the few calls that show it. Without --model it first learns how the target answers the open questions, with at most half of the requests.',
    'The markdown and html reports are made for bug trackers; the JSON report is what --replay and conformance replay read, which prints a script that repeats one difference with curl alone.',
    'Without a control plane it moves money and opens positions at the trading accounts under `seeds` of the profile, and lists in the end what it has left on the target.',
  ],
  examples: [
    'npx conformance explore --base-url http://127.0.0.1:7420 --requests 500',
    'npx conformance explore --base-url http://127.0.0.1:7420 \\',
    '  --report json=found.json --report markdown=found.md',
    'npx conformance explore --base-url http://127.0.0.1:7420 \\',
    '  --replay found.json#d1',
    'npx conformance replay found.json d1 | bash',
  ],
  exits: [
    '0 agrees',
    '1 differs',
    '2 usage',
    '3 the target went away half-way, or of most sequences nothing could be said',
    '5 error of the explorer',
    '130 interrupted',
  ],
};

export function defineExplore(command: Command): void {
  addHelp(command, help);
  addTargetOptions(command)
    .option('--seed <n>', 'decides what is drawn', '1')
    .option('--requests <n>', 'send at most this many requests', '2000')
    .option('--minutes <n>', 'take at most this long')
    .option('--model <file>', 'a sandbox.config.json with the answers to the open questions')
    .option('--concurrency <n>', 'concurrent requests, from 1 to 16', '8')
    .option('--replay <file#id>', 'play one difference of an earlier JSON report again')
    .option('--observed <file>', 'write what was learned as a sandbox.config.json');
  addReportFiles(command, EXPLORE_FORMATS).action(async () => {
    process.exitCode = await exploreFromArguments(command, systemJudgeIo(manifest.version));
  });
}

function exploreFromArguments(command: Command, io: JudgeIo): Promise<number> {
  const words = { who: 'the explorer', ending: 'reporting what is known' };
  return runInterruptibly(io, words, async (stop) => {
    const options = readExploreOptions(command.opts<ExploreGiven>(), io.env);
    const { exploreTarget } = await import('./explore-target.ts');
    return exploreTarget(options, io, stop);
  });
}
