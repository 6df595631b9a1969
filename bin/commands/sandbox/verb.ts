// What every verb of `sandbox` begins as.
import { Command } from 'commander';
import { usageExit } from '../command-io.ts';

/** Contract: wrong usage ends with 2. Commander's own code for it is 1, a failure of ours here. */
export function sandboxVerb(name: string): Command {
  return new Command(name)
    .showHelpAfterError('(add --help for the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? usageExit : exitCode));
}
