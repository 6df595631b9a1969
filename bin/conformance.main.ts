// The `conformance` program: names its commands, and loads the code of the one that is asked for
// only.
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { UsageError } from './commands/conformance/io.ts';
import { addHelp, type HelpText } from './commands/help-text.ts';

interface Verb {
  readonly name: string;
  readonly words: string;
  readonly load: () => Promise<(command: Command) => void>;
}

const verbs: readonly Verb[] = [
  {
    name: 'run',
    words: 'try every rule on a target and report',
    load: async () => (await import('./commands/conformance/run.ts')).defineRun,
  },
  {
    name: 'list',
    words: 'list rules, scenarios and what they need',
    load: async () => (await import('./commands/conformance/list.ts')).defineList,
  },
  {
    name: 'explain',
    words: 'explain a rule, scenario, open question or profile field, and what is sent',
    load: async () => (await import('./commands/conformance/explain.ts')).defineExplain,
  },
  {
    name: 'init',
    words: 'write a profile to fill in for a target without a control plane',
    load: async () => (await import('./commands/conformance/init.ts')).defineInit,
  },
  {
    name: 'replay',
    words: 'print the requests of a scenario in a JSON report as a runnable script',
    load: async () => (await import('./commands/conformance/replay.ts')).defineReplay,
  },
  {
    name: 'compare',
    words: 'compare two JSON reports: what is new, gone and changed',
    load: async () => (await import('./commands/conformance/compare.ts')).defineCompare,
  },
  {
    name: 'explore',
    words: 'draw calls that no scenario names, and compare the target with a model',
    load: async () => (await import('./commands/conformance/explore.ts')).defineExplore,
  },
  {
    name: 'receiver',
    words: 'prove the signature check of a webhook receiver',
    load: async () => (await import('./commands/conformance/receiver.ts')).defineReceiver,
  },
  {
    name: 'client',
    words: 'judge an API client by its own test or example',
    load: async () => (await import('./commands/conformance/client.ts')).defineClient,
  },
];

const help: HelpText = {
  examples: [
    'npx sandbox start                            # in another terminal',
    'npx conformance run --base-url http://127.0.0.1:7420',
    'npx conformance run --profile staging.json --report html=report.html',
    'npx conformance explain IDEM-4b',
    'npx conformance client -- node examples/first-deposit.js',
  ],
};

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('conformance')
    .description('Judges any implementation of the trading platform API, rule by rule.')
    .version(manifest.version)
    .showHelpAfterError('(add --help for what there is)')
    // Commander's own code for wrong usage is 1, which here means that a target deviates.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? 2 : exitCode));
  addHelp(program, help);
  for (const { name, words, load } of verbs) {
    const command = program.command(name).description(words);
    // The others are named in the help, and that is all that is needed of them.
    if (argv[2] === name || (argv[2] === 'help' && argv[3] === name)) (await load())(command);
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 2;
  }
}

// The one who reads us may have heard enough, as `| head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await main(process.argv);
