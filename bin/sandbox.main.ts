// The `sandbox` program: names its commands, and loads the code of the one that is asked for only.
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addHelp, type HelpText } from './commands/help-text.ts';

interface Verb {
  readonly name: string;
  readonly load: () => Promise<Command>;
}

const verbs: readonly Verb[] = [
  { name: 'start', load: async () => (await import('./commands/sandbox/start.ts')).startCommand() },
  { name: 'info', load: async () => (await import('./commands/sandbox/info.ts')).infoCommand() },
  { name: 'exec', load: async () => (await import('./commands/sandbox/exec.ts')).execCommand() },
  {
    name: 'questions',
    load: async () => (await import('./commands/sandbox/listings.ts')).questionsCommand(),
  },
  {
    name: 'deviations',
    load: async () => (await import('./commands/sandbox/listings.ts')).deviationsCommand(),
  },
  {
    name: 'asyncapi',
    load: async () => (await import('./commands/sandbox/listings.ts')).asyncapiCommand(),
  },
  {
    name: 'openapi',
    load: async () => (await import('./commands/sandbox/listings.ts')).openapiCommand(),
  },
  {
    name: 'webhooks',
    load: async () => (await import('./commands/webhooks/webhooks.ts')).webhooksCommand(),
  },
];

const help: HelpText = {
  examples: [
    'npx sandbox start --open',
    'npx sandbox exec -- npm test',
    'npx sandbox start --help',
  ],
};

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('sandbox')
    .description('A local simulator of the trading platform API.')
    .version(manifest.version)
    .showHelpAfterError('(add --help for the commands)')
    // Commander's own code for wrong usage is 1, which here means an internal error.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? 2 : exitCode));
  addHelp(program, help);
  // For help and for a mistake in the name all of them are needed, else only one.
  const asked = verbs.filter(({ name }) => name === argv[2]);
  for (const { load } of asked.length > 0 ? asked : verbs) program.addCommand(await load());
  await program.parseAsync([...argv]);
}

// A reader such as `| head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

await main(process.argv);
