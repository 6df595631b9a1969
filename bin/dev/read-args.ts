// Reads the command line of a development tool; `--help` prints the comment at its top.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** `tool` is its `import.meta.url`. An unknown option ends it with one line and exit code 2. */
export function readArgs<const T extends ParseArgsConfig>(
  tool: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.includes('--help')) {
    const [comment = ''] = readFileSync(fileURLToPath(tool), 'utf8').split(/^(?!\/\/)/m);
    console.log(comment.replace(/^\/\/ ?|`/gm, '').trim());
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    return refuse(tool, message.split(/\. |\n/)[0] ?? message);
  }
}

/** Ends the tool with one line and a pointer to its help. */
export function refuse(tool: string, words: string): never {
  console.error(`${basename(fileURLToPath(tool), '.ts')}: ${words}; see --help`);
  process.exit(2);
}
