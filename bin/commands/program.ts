// A program of several commands: declares them, loads only the code of the requested command, and
// ends with the exit codes of the contract.
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addHelp } from './help-text.ts';
import { UsageError } from './io.ts';
import { printError } from './terminal.ts';

export interface Verb {
  readonly name: string;
  readonly words: string;
  readonly load: () => Promise<(command: Command) => void>;
}

export interface Program {
  readonly name: string;
  readonly words: string;
  readonly verbs: readonly Verb[];
  readonly examples: readonly string[];
}

export async function runProgram({ name, words, verbs, examples }: Program): Promise<void> {
  const { argv } = process;
  // A reader such as `| head` may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const program = new Command(name)
    .description(words)
    .version(manifest.version)
    .configureOutput({ writeErr: printError })
    .showHelpAfterError('(add --help to see the options)')
    .exitOverride();
  addHelp(program, { examples });
  for (const verb of verbs) {
    const command = program.command(verb.name).description(verb.words);
    // The help shows only the names of the other commands, so their code is not loaded.
    if (argv.slice(2, argv[2] === 'help' ? 4 : 3).includes(verb.name)) {
      (await verb.load())(command);
      suggestLonger(command);
    }
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exit(exitCodeOf(error, printError));
  }
}

/** Commander's code for wrong usage is 1, which has another meaning in the contract. */
export function exitCodeOf(error: unknown, print: (text: string) => void): number {
  if (error instanceof CommanderError) return error.exitCode === 1 ? 2 : error.exitCode;
  if (!(error instanceof UsageError)) throw error;
  print(`error: ${error.message}\n`);
  return error.exitCode;
}

/** After an unknown option, suggests those that begin with it: `--token-env` for `--token`. */
function suggestLonger(command: Command): void {
  const { outputError } = command.configureOutput();
  command.configureOutput({
    outputError: (text, write) => {
      const [, flag] = /unknown option '(--[\w-]+)'\n$/.exec(text) ?? [];
      const longer = command.options.filter(({ long }) => long?.startsWith(`${flag}-`));
      const flags = longer.map((each) => each.flags).join(' or ');
      outputError?.(longer.length === 0 ? text : `${text}(Did you mean ${flags}?)\n`, write);
    },
  });
}
