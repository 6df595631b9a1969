// `conformance explore`: its command-line options.
import type { Command } from 'commander';
import { addHelp } from '../help-text.ts';
import { runInterruptibly, systemIo } from '../io.ts';
import { addOptions, numberFrom, reads } from '../options.ts';
import {
  addReportFiles,
  addSeed,
  addTargetOptions,
  optionsOf,
  type ReportFiles,
  type TargetOptions,
} from './options.ts';

export const EXPLORE_FORMATS = ['json', 'html', 'markdown'] as const;

export interface ExploreOptions
  extends TargetOptions,
    ReportFiles<(typeof EXPLORE_FORMATS)[number]> {
  readonly seed: number;
  readonly requests: number;
  readonly minutes?: number;
  readonly model?: string;
  readonly concurrency: number;
  readonly replay?: { readonly file: string; readonly id: string };
}

export function defineExplore(command: Command, io = systemIo()): void {
  addHelp(command, {
    words: [
      'Generates sequences of calls, plays each on the target and on a model of the platform (the simulator, in this process), and reports where the two differ, shrunk to the few calls that show it. Without --model it first learns the names, times and forms that the target uses, with at most half of the requests; the other open questions are answered by the differences themselves.',
      'The markdown and html reports are made for bug trackers; the JSON report is what --replay reads.',
      'Without a control plane it moves money and opens positions at the trading accounts under `seeds` of the profile, and lists in the end what it has left on the target.',
    ],
    examples: [
      'npx conformance explore --base-url http://127.0.0.1:7420 --requests 4000',
      'npx conformance explore --base-url http://127.0.0.1:7420 \\',
      '  --report json=found.json --report markdown=found.md',
      'npx conformance explore --base-url http://127.0.0.1:7420 \\',
      '  --replay found.json#d1',
    ],
    exits: [
      '0 agrees',
      '1 differs',
      '2 usage',
      '3 the target went away or most sequences could not be compared',
      '5 internal error',
      '130 interrupted',
    ],
  });
  const replay = reads('FILE#ID, such as report.json#d1', (text) => {
    const [, file, id] = /^(.+)#([^#]+)$/.exec(text) ?? [];
    return file !== undefined && id !== undefined ? { file, id } : undefined;
  });
  addTargetOptions(command, io).optionsGroup('Exploration:');
  addOptions(addSeed(command, 'decides what is drawn'), [
    ['--requests <n>', 'send at most this many requests', numberFrom(1, 10_000_000, true), 2000],
    ['--minutes <n>', 'take at most this long', numberFrom(0.01, 1440)],
    ['--model <file>', 'a sandbox.config.json with the answers to the open questions'],
    ['--concurrency <n>', 'concurrent requests, from 1 to 16', numberFrom(1, 16, true), 8],
    ['--replay <file#id>', 'play one difference of an earlier JSON report again', replay],
  ]);
  addReportFiles(command, EXPLORE_FORMATS).action(() =>
    runInterruptibly(io, async (stop) => {
      const { exploreTarget } = await import('./explore-target.ts');
      return exploreTarget(optionsOf<ExploreOptions>(command), io, stop);
    }),
  );
}
