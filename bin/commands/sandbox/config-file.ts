// Finds and reads the configuration file of a start, and reports problems by field.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, parseConfig } from '../../../fixtures/config.ts';
import { readJsonFile } from '../../../simulator/compose/json-file.ts';
import { UsageError } from '../io.ts';

const foundByItself = 'sandbox.config.json';

export interface ReadConfig {
  readonly config: Config;
  /** A sentence about a file that was found without being named; null if there is none. */
  readonly note: string | null;
}

/**
 * The named file, else `sandbox.config.json` in `folder`, else the defaults. Throws UsageError if
 * it cannot be used.
 */
export function readConfigFile(named: string | undefined, folder: string): ReadConfig {
  const source = named === undefined ? foundByItself : `--config ${named}`;
  const path = resolve(folder, named ?? foundByItself);
  const isThere = named !== undefined || existsSync(path);
  const read = isThere ? readJsonFile(path, source) : { value: {} };
  if (read.problem !== undefined) throw new UsageError(read.problem);
  const { config, problems = [] } = parseConfig(read.value);
  if (config) return { config, note: isThere && named === undefined ? noteOf(read.value) : null };
  const lines = problems.map(({ field, message }) => `${source}: ${field} ${message}`);
  throw new UsageError(lines.join('\n'));
}

function noteOf(value: unknown): string {
  const { settings, ...rest } = value as { readonly settings?: object };
  const names = [...Object.keys(settings ?? {}), ...Object.keys(rest)];
  const what = names.length === 0 ? 'nothing' : names.join(', ');
  return `${foundByItself} in this folder was read, and sets ${what}`;
}
