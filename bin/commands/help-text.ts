// The part below the options in the help of every command: words, examples, exit codes.
import type { Command } from 'commander';

export interface HelpText {
  /** Paragraphs, wrapped to the terminal. */
  readonly words?: readonly string[];
  /** Shell lines, printed as they are; a line after a backslash continues the one before. */
  readonly examples: readonly string[];
  /** The meaning of each exit code, such as `0 conformant`. */
  readonly exits?: readonly string[];
}

/** Longer lines are hard to read, even on a wide terminal. */
const widest = 100;

export function addHelp(command: Command, text: HelpText): Command {
  const { words = [], examples, exits = [] } = text;
  return command.addHelpText('after', () => {
    const help = command.createHelp();
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    help.helpWidth = Math.min(width || 80, widest);
    const wrap = (paragraph: string) => help.boxWrap(paragraph, help.helpWidth ?? widest);
    return [
      ...words.flatMap((paragraph) => ['', wrap(paragraph)]),
      '',
      examples.length > 1 ? 'Examples:' : 'Example:',
      ...examples.map((line) => `  ${line}`),
      ...(exits.length === 0 ? [] : ['', wrap(`Exit codes: ${exits.join(', ')}.`)]),
    ].join('\n');
  });
}
