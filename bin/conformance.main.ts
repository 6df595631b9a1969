// The `conformance` program: names its commands, and loads the one that is asked for only then.
import { Command } from 'commander';

const collect = (value: string, all: string[]) => [...all, value];

export function program(): Command {
  const conformance = new Command('conformance')
    .description('Judges an implementation of the trading platform API, rule by rule.')
    .showHelpAfterError();

  conformance
    .command('run')
    .description('try every rule on a target and report')
    .requiredOption('--base-url <url>', 'where the API is served')
    .option('--control-url <url|none>', 'its control plane; looked for by itself when left out')
    .option('--only <glob...>', 'rules or scenarios to try', collect, [])
    .option('--skip <glob...>', 'rules or scenarios to leave out', collect, [])
    .option('--seed <n>', 'decides the order', Number, 1)
    .option('--timeout-s <n>', 'how long to wait for one answer', Number, 30)
    .action(async (options) => {
      const { run } = await import('./commands/conformance-run.ts');
      process.exitCode = await run(options);
    });
  return conformance;
}

export async function main(argv: readonly string[]): Promise<void> {
  await program().parseAsync([...argv]);
}

await main(process.argv);
