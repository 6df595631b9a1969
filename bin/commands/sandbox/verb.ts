// The beginning of every verb of `sandbox`: usage errors, their exit code, their way to the terminal.
import { Command } from 'commander';
import { usageExit } from '../command-io.ts';
import { printError } from '../terminal.ts';

/** Contract: wrong usage ends with 2. Commander's own code for it is 1, a failure of ours here. */
export function sandboxVerb(name: string): Command {
  return new Command(name)
    .configureOutput({ writeErr: printError })
    .showHelpAfterError('(add --help for the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? usageExit : exitCode));
}
